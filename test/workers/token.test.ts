import { afterEach, describe, expect, it, vi } from "vitest";
import type { CreatedSession, CallOptions } from "../support/client";
import { client, rowsWrittenBy } from "../support/worker";

const DAY_MS = 24 * 60 * 60 * 1000;

afterEach(() => {
  vi.useRealTimers();
});

/** The next token, after a write that must be accepted. */
async function spend(
  session: CreatedSession,
  method: string,
  path: string,
  options: CallOptions,
): Promise<string> {
  const answer = await client.on(session, method, path, { body: {}, ...options });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body.resumeToken;
}

/** A second participant: its token, and the maker's next one. */
async function handOff(session: CreatedSession, token: string, scopes: readonly string[]) {
  const body = { to: "agent", scopes };
  const answer = await client.on(session, "POST", "/handoffs", { token, body });
  expect(answer.status, answer.text).toBe(201);
  return {
    token: answer.body.resumeToken as string,
    other: answer.body.participantToken as string,
  };
}

/** The same token with another secret: its last bytes are random ones. */
function withWrongSecret(token: string): string {
  const bytes = Buffer.from(token.slice("rtok_".length), "base64url");
  crypto.getRandomValues(bytes.subarray(-16));
  return `rtok_${bytes.toString("base64url")}`;
}

describe("a line of tokens", () => {
  // Shows T-1, T-2.
  it("returns the next token and ETag with every write and reports older ones as spent", async () => {
    const session = await client.create({ title: "Line" });
    const tokens = [session.token];
    for (const [method, path, body] of [
      ["PATCH", "", { fields: { a: 1 } }],
      ["PATCH", "", { fields: { b: 2 } }],
      ["POST", "/submit", {}],
    ] as const) {
      const answer = await client.on(session, method, path, { token: tokens.at(-1)!, body });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.headers.get("Resume-Token")).toBe(answer.body.resumeToken);
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
      expect(answer.headers.get("ETag")).toBe(
        `"${answer.body.session.version}.${answer.body.session.head}"`,
      );
      tokens.push(answer.body.resumeToken);
    }
    expect(new Set(tokens).size).toBe(4);
    for (const spent of tokens.slice(0, -1)) {
      const refused = await client.on(session, "POST", "/finalize", { token: spent, body: {} });
      expect(refused.status).toBe(409);
      expect(refused.body.code).toBe("token_superseded");
      expect(refused.body.current.state).toBe("submitted");
      expect(refused.text).not.toContain("rtok_");
    }
  });

  // Shows T-3.
  it("shows no current token to a stale holder, whatever it requests", async () => {
    const session = await client.create({ fields: { a: 1 } });
    const resumed = await spend(session, "POST", "/resume", { token: session.token });
    const { token, other } = await handOff(session, resumed, ["fill"]);
    await spend(session, "PATCH", "", { token, body: { fields: { b: 2 } } });
    const stale = { token: session.token };
    for (const [method, path, options] of [
      ["GET", "", stale],
      ["GET", "/events?after=0", stale],
      ["GET", "/handoffs", stale],
      ["PATCH", "", { ...stale, body: { fields: { a: 2 } } }],
      ["POST", "/resume", { ...stale, body: { onInvalid: "fresh" } }],
      ["POST", "/handoffs", { ...stale, body: { to: "agent", scopes: ["view"] } }],
      ["POST", "/events", { ...stale, body: { events: [{ type: "agent.note" }] } }],
      ["POST", "/cancel", { ...stale, body: {} }],
      ["DELETE", "", stale],
    ] as const) {
      const refused = await client.on(session, method, path, options);
      expect(refused.status, `${method} ${path}`).toBe(409);
      expect(refused.body.code).toBe("token_superseded");
      expect(refused.body.current).toMatchObject({ id: session.id, state: "in_progress" });
      expect(refused.body.current.fields, "it is fenced: no content").toBeUndefined();
      expect(refused.text).not.toContain("rtok_");
      expect(refused.headers.get("Resume-Token")).toBeNull();
    }
    expect((await client.on(session, "GET", "", { token: other })).status).toBe(200);
  });

  it("costs at most three rows", async () => {
    const session = await client.create();
    const rows = await rowsWrittenBy(session, () =>
      client.on(session, "PATCH", "", { token: session.token, body: { fields: { a: 1 } } }),
    );
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThanOrEqual(3);
  });
});

describe("earlier tokens of a line", () => {
  const NOTE = { events: [{ type: "agent.note", payload: { text: "still here" } }] };

  // Shows T-6.
  it("can read and append until the next resume", async () => {
    const session = await client.create();
    const next = await spend(session, "PATCH", "", {
      token: session.token,
      body: { fields: { a: 1 } },
    });
    await spend(session, "PATCH", "", { token: next, body: { fields: { a: 2 } } });
    for (const earlier of [session.token, next]) {
      const read = await client.on(session, "GET", "", { token: earlier });
      const events = await client.on(session, "GET", "/events", { token: earlier });
      const append = await client.on(session, "POST", "/events", { token: earlier, body: NOTE });
      expect(read.body.session.fields).toEqual({ a: 2 });
      expect(events.status).toBe(200);
      expect(append.status, append.text).toBe(201);
    }
  });

  // Shows T-7, R-5.
  it("are fenced by a resume, and those issued since then are not", async () => {
    const session = await client.create();
    const before = await spend(session, "PATCH", "", {
      token: session.token,
      body: { fields: { a: 1 } },
    });
    const resumed = await spend(session, "POST", "/resume", { token: before });
    await spend(session, "PATCH", "", { token: resumed, body: { fields: { a: 2 } } });
    for (const fenced of [session.token, before]) {
      for (const [method, path, options] of [
        ["GET", "", {}],
        ["GET", "/events", {}],
        ["GET", "/audit", {}],
        ["GET", "/resumable", {}],
        ["POST", "/validate", { body: {} }],
        ["POST", "/events", { body: NOTE }],
      ] as const) {
        const refused = await client.on(session, method, path, { token: fenced, ...options });
        expect(refused.status, `${method} ${path}`).toBe(409);
        expect(refused.body.code).toBe("token_superseded");
      }
    }
    const read = await client.on(session, "GET", "", { token: resumed });
    const append = await client.on(session, "POST", "/events", { token: resumed, body: NOTE });
    expect([read.status, append.status]).toEqual([200, 201]);
  });

  // Shows R-5.
  it("of another participant are not fenced by a resume", async () => {
    const session = await client.create();
    const { token, other } = await handOff(session, session.token, ["fill"]);
    await spend(session, "PATCH", "", { token: other, body: { fields: { a: 1 } } });
    await spend(session, "POST", "/resume", { token });
    expect((await client.on(session, "GET", "", { token: other })).status).toBe(200);
  });
});

/** Each request is wrong in two ways; the response reports the one that is checked first. */
// Shows O-1.
describe("the order of checks", () => {
  const schema = { type: "object", properties: { n: { type: "number" } } };
  const write = { body: { fields: { n: 1 } } };

  const cases: Record<
    string,
    () => Promise<{ session: CreatedSession; act: CallOptions; path?: string }>
  > = {
    "403 token_invalid: shape before gone": async () => {
      const session = await client.create();
      await client.on(session, "DELETE", "", { token: session.token });
      return { session, act: { token: session.token.slice(0, -4), ...write } };
    },
    "410 gone: empty object before secret": async () => {
      const session = await client.create();
      await client.on(session, "DELETE", "", { token: session.token });
      return { session, act: { token: withWrongSecret(session.token), ...write } };
    },
    "403 token_invalid: secret before expired": async () => {
      const session = await client.create();
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 8 * DAY_MS });
      return { session, act: { token: withWrongSecret(session.token), ...write } };
    },
    "403 token_invalid: revocation before replay": async () => {
      const session = await client.create();
      const { token, other } = await handOff(session, session.token, ["fill"]);
      const act = { token: other, key: "its-last-write", ...write };
      await spend(session, "PATCH", "", act);
      await spend(session, "POST", "/revoke", { token, body: { others: true } });
      return { session, act };
    },
    "410 expired: expired before superseded": async () => {
      const session = await client.create();
      await spend(session, "PATCH", "", { token: session.token, ...write });
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 8 * DAY_MS });
      return { session, act: { token: session.token, ...write } };
    },
    "409 token_superseded: superseded before scope": async () => {
      const session = await client.create();
      const { other } = await handOff(session, session.token, ["view"]);
      await spend(session, "POST", "/resume", { token: other });
      return { session, act: { token: other, ...write } };
    },
    "409 token_superseded: superseded before version": async () => {
      const session = await client.create();
      const { token, other } = await handOff(session, session.token, ["fill", "handoff"]);
      await handOff(session, other, ["view"]);
      await spend(session, "PATCH", "", { token, ...write });
      return { session, act: { token: other, ...write } };
    },
    "403 scope_denied: scope before version": async () => {
      const session = await client.create();
      const { token, other } = await handOff(session, session.token, ["append"]);
      await spend(session, "PATCH", "", { token, ...write });
      return { session, act: { token: other, ...write } };
    },
    "409 paused: paused before version": async () => {
      const session = await client.create();
      const token = await spend(session, "POST", "/pause", { token: session.token });
      return { session, path: "/resume", act: { token, ifMatch: 99, body: { auto: true } } };
    },
    "409 paused: paused before transition": async () => {
      const session = await client.create();
      const paused = await spend(session, "POST", "/pause", { token: session.token });
      const token = await spend(session, "POST", "/cancel", { token: paused });
      return { session, path: "/resume", act: { token, body: { auto: true } } };
    },
    "409 version_conflict: version before transition": async () => {
      const session = await client.create();
      const { token, other } = await handOff(session, session.token, ["fill"]);
      await spend(session, "POST", "/submit", { token });
      return { session, act: { token: other, ...write } };
    },
    "409 version_conflict: version before validation": async () => {
      const session = await client.create({ schema });
      const { token, other } = await handOff(session, session.token, ["fill"]);
      await spend(session, "PATCH", "", { token, ...write });
      return { session, act: { token: other, body: { fields: { n: "no number" } } } };
    },
    "409 illegal_transition: transition before validation": async () => {
      const session = await client.create({ schema });
      const token = await spend(session, "POST", "/submit", { token: session.token });
      return { session, act: { token, body: { fields: { n: "no number" } } } };
    },
  };

  it.each(Object.entries(cases))("%s", async (title, arrange) => {
    const { session, act, path } = await arrange();
    const method = path === undefined ? "PATCH" : "POST";
    const refused = await client.on(session, method, path ?? "", act);
    const [status, code] = title.split(":")[0]!.split(" ");
    expect([String(refused.status), refused.body.code]).toEqual([status, code]);
  });
});

import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { randomKey, type Answer, type CreatedSession, type CallOptions } from "../support/client";
import { client, rowsWrittenBy, stubOf } from "../support/worker";

const DAY_MS = 24 * 60 * 60 * 1000;

afterEach(() => {
  vi.useRealTimers();
});

interface SentRequest {
  readonly session: CreatedSession;
  readonly options: CallOptions & { readonly token: string };
  readonly first: Answer;
}

/** A session and one PATCH with a key. The client will act as if the response was lost. */
async function patchOnce(): Promise<SentRequest> {
  const session = await client.create();
  const options = { token: session.token, key: randomKey(), body: { fields: { a: 1, b: 2 } } };
  const first = await client.on(session, "PATCH", "", options);
  expect(first.status, first.text).toBe(200);
  expect(first.headers.get("Idempotent-Replayed")).toBeNull();
  return { session, options, first };
}

function expectSameAnswer(repeated: Answer, first: Answer): void {
  expect(repeated.status, repeated.text).toBe(first.status);
  expect(repeated.headers.get("Idempotent-Replayed")).toBe("true");
  expect(repeated.body.resumeToken).toBe(first.body.resumeToken);
  expect(repeated.headers.get("Resume-Token")).toBe(first.body.resumeToken);
}

/** A proof is signed again for each response, with the time; its claims stay the same. */
function unsigned({ proof, ...body }: Answer["body"]): object {
  if (proof === undefined) return body;
  const { at, signature, ...proven } = proof;
  expect([at, signature]).toEqual([expect.any(String), expect.any(String)]);
  return { ...body, proof: proven };
}

describe("the same request with its spent token and its key", () => {
  // Shows L-1.
  it("gets the same new token, and nothing happens twice", async () => {
    const { session, options, first } = await patchOnce();
    let repeated: Answer | undefined;
    const rows = await rowsWrittenBy(session, async () => {
      repeated = await client.on(session, "PATCH", "", options);
    });
    expectSameAnswer(repeated!, first);
    expect(repeated!.body.session.head).toBe(first.body.session.head);
    expect(repeated!.text).toBe(first.text);
    expect(rows).toBe(0);
  });

  // Shows L-2.
  it("is the same whatever the order of members in its body", async () => {
    const { session, options, first } = await patchOnce();
    const body = '{ "fields": { "b": 2, "a": 1 } }';
    expectSameAnswer(await client.on(session, "PATCH", "", { ...options, body }), first);
  });

  // Shows L-4.
  it("is replayed after the session expired, before and after that is recorded", async () => {
    const { session, options, first } = await patchOnce();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 8 * DAY_MS });
    const late = await client.on(session, "PATCH", "", options);
    await runDurableObjectAlarm(stubOf(session));
    const recorded = await client.on(session, "PATCH", "", options);
    const fresh = await client.on(session, "PATCH", "", {
      ...options,
      token: first.body.resumeToken,
    });
    expectSameAnswer(late, first);
    expect(late.body.session.head).toBe(first.body.session.head);
    expectSameAnswer(recorded, first);
    expect(recorded.body.session.state).toBe("expired");
    expect([fresh.status, fresh.body.code]).toEqual([410, "expired"]);
  });

  // Shows L-4.
  it("is replayed after the object was evicted and after it was aborted", async () => {
    const { session, options, first } = await patchOnce();
    await evictDurableObject(stubOf(session));
    const evicted = await client.on(session, "PATCH", "", options);
    await abortAllDurableObjects();
    const aborted = await client.on(session, "PATCH", "", options);
    expectSameAnswer(evicted, first);
    expectSameAnswer(aborted, first);
    expect(aborted.body.session.head).toBe(first.body.session.head);
  });

  // Shows L-1.
  it("shows the session as it is now, with the original token", async () => {
    const { session, options, first } = await patchOnce();
    const handoff = await client.on(session, "POST", "/handoffs", {
      token: first.body.resumeToken,
      key: "hand-over",
      body: { to: "agent", scopes: ["fill"] },
    });
    const moved = await client.on(session, "PATCH", "", {
      token: handoff.body.participantToken,
      body: { fields: { a: "moved" } },
    });
    const repeated = await client.on(session, "POST", "/handoffs", {
      token: first.body.resumeToken,
      key: "hand-over",
      body: { to: "agent", scopes: ["fill"] },
    });
    expectSameAnswer(repeated, handoff);
    expect(repeated.body.session.fields.a).toBe("moved");
    expect(repeated.body.session.head).toBe(moved.body.session.head);
    expect((await client.on(session, "PATCH", "", options)).status).toBe(409);
  });

  it("sent many times at once happens once", async () => {
    const session = await client.create();
    const options = { token: session.token, key: randomKey(), body: { fields: { a: 1 } } };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => client.on(session, "PATCH", "", options)),
    );
    const original = answers.filter((one) => one.headers.get("Idempotent-Replayed") === null);
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(answers.map(({ body }) => body.resumeToken)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.session.head)).size).toBe(1);
    expect(original).toHaveLength(1);
  });

  it.each([
    ["request-input", { note: "Which colour?" }],
    ["submit", {}],
    ["cancel", { reason: "no longer needed" }],
    ["pause", {}],
    ["extend", { ttlMs: DAY_MS }],
    ["revoke", { others: true }],
    // Shows L-1.
  ])("%s is replayed too", async (operation, body) => {
    const session = await client.create();
    const options = { token: session.token, key: randomKey(), body };
    const first = await client.on(session, "POST", `/${operation}`, options);
    const repeated = await client.on(session, "POST", `/${operation}`, options);
    expect(first.status, first.text).toBe(200);
    expectSameAnswer(repeated, first);
    expect(unsigned(repeated.body)).toEqual(unsigned(first.body));
  });

  // Shows L-5.
  it("returns the same participant token for a handoff, and creates no second participant", async () => {
    const session = await client.create();
    const options = {
      token: session.token,
      key: randomKey(),
      body: { to: "agent", scopes: ["fill"] },
    };
    const first = await client.on(session, "POST", "/handoffs", options);
    const repeated = await client.on(session, "POST", "/handoffs", options);
    expectSameAnswer(repeated, first);
    expect(first.body.participantToken).toMatch(/^rtok_/);
    expect(repeated.body.participantToken).toBe(first.body.participantToken);
    expect(repeated.body.session.participants).toHaveLength(2);
    const used = await client.on(session, "PATCH", "", {
      token: repeated.body.participantToken,
      body: { fields: { a: 1 } },
    });
    expect(used.status, used.text).toBe(200);
  });

  // Shows L-8.
  it("returns the same events for a resume", async () => {
    const session = await client.create();
    const options = { token: session.token, key: randomKey(), body: { lastEventSeq: 0 } };
    const first = await client.on(session, "POST", "/resume", options);
    const repeated = await client.on(session, "POST", "/resume", options);
    expectSameAnswer(repeated, first);
    expect(first.body.events.length).toBe(first.body.head);
    expect(repeated.body.events).toEqual(first.body.events);
  });
});

describe("another request with a spent token", () => {
  it.each<[string, (options: CallOptions) => CallOptions]>([
    ["another body", (options) => ({ ...options, body: { fields: { a: 1, b: 3 } } })],
    ["another key", (options) => ({ ...options, key: randomKey() })],
    ["no key", ({ token, body }) => ({ token: token!, body })],
    ["an If-Match it did not have", (options) => ({ ...options, ifMatch: 1 })],
    // Shows L-3.
  ])("with %s is refused and writes nothing", async (_, change) => {
    const { session, options, first } = await patchOnce();
    const rows = await rowsWrittenBy(session, async () => {
      const refused = await client.on(session, "PATCH", "", change(options));
      expect(refused.status).toBe(409);
      expect(refused.body.code).toBe("token_superseded");
      expect(refused.body.current.head).toBe(first.body.session.head);
      expect(refused.text).not.toContain("rtok_");
    });
    expect(rows).toBe(0);
  });

  it("with the same key and body but another operation is refused", async () => {
    const session = await client.create();
    const options = { token: session.token, key: randomKey(), body: {} };
    await client.on(session, "POST", "/pause", options);
    const other = await client.on(session, "POST", "/unpause", options);
    expect([other.status, other.body.code]).toEqual([409, "token_superseded"]);
    expect(other.body.current.paused).toBe(true);
  });

  // Shows L-3.
  it("is refused if the first one had no key", async () => {
    const session = await client.create();
    const options = { token: session.token, body: { fields: { a: 1 } } };
    await client.on(session, "PATCH", "", options);
    const plain = await client.on(session, "PATCH", "", options);
    const keyed = await client.on(session, "PATCH", "", { ...options, key: randomKey() });
    expect([plain.body.code, keyed.body.code]).toEqual(["token_superseded", "token_superseded"]);
  });

  // Shows L-6.
  it("is refused once the participant has made its next write", async () => {
    const { session, options, first } = await patchOnce();
    const token = first.body.resumeToken;
    await client.on(session, "PATCH", "", { token, key: randomKey(), body: { title: "On" } });
    const repeated = await client.on(session, "PATCH", "", options);
    expect([repeated.status, repeated.body.code]).toEqual([409, "token_superseded"]);
  });

  // Shows L-7.
  it("is refused if two resumes with different keys race", async () => {
    const session = await client.create();
    const options = [randomKey(), randomKey()].map((key) => ({
      token: session.token,
      key,
      body: {},
    }));
    const answers = await Promise.all(
      options.map((one) => client.on(session, "POST", "/resume", one)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const winner = answers.findIndex(({ status }) => status === 200);
    const loser = answers[1 - winner]!;
    expect(loser.body.code).toBe("token_superseded");
    expect(loser.text).not.toContain("rtok_");
    const repeated = await client.on(session, "POST", "/resume", options[winner]!);
    expectSameAnswer(repeated, answers[winner]!);
  });
});

describe("a refused request", () => {
  // Shows T-4.
  it("spends neither its token nor its key", async () => {
    const schema = { type: "object", properties: { n: { type: "number" } } };
    const session = await client.create({ schema });
    const options = { token: session.token, key: randomKey() };
    const bad = { ...options, body: { fields: { n: "no number" } } };
    const refusals = [
      await client.on(session, "PATCH", "", bad),
      await client.on(session, "PATCH", "", bad),
    ];
    const good = await client.on(session, "PATCH", "", { ...options, body: { fields: { n: 1 } } });
    expect(refusals.map(({ status }) => status)).toEqual([422, 422]);
    expect(good.status, good.text).toBe(200);
    expect(good.headers.get("Idempotent-Replayed")).toBeNull();
  });
});

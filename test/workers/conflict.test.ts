import { describe, expect, it } from "vitest";
import type { Answer, CreatedSession } from "../support/client";
import { client, rowsWrittenBy } from "../support/worker";

interface Pair {
  readonly session: CreatedSession;
  /** The version that both have seen. */
  readonly version: number;
  readonly fast: string;
  readonly slow: string;
}

async function twoParticipants(): Promise<Pair> {
  const session = await client.create({ title: "Two hands" });
  const answer = await client.on(session, "POST", "/handoffs", {
    token: session.token,
    body: { to: "agent", scopes: ["own"] },
  });
  expect(answer.status, answer.text).toBe(201);
  const { version } = answer.body.session;
  return { session, version, fast: answer.body.resumeToken, slow: answer.body.participantToken };
}

const patch = (session: CreatedSession, token: string, field: string, ifMatch?: number | string) =>
  client.on(session, "PATCH", "", {
    token,
    body: { fields: { [field]: true } },
    ...(ifMatch === undefined ? {} : { ifMatch }),
  });

async function accepted(answer: Promise<Answer>): Promise<Answer> {
  const { status, text } = await answer;
  expect(status, text).toBeLessThan(300);
  return answer;
}

describe("the slower of two participants", () => {
  // Shows V-2.
  it("is shown the session and what it missed, and nothing is written", async () => {
    const { session, version, fast, slow } = await twoParticipants();
    const moved = await accepted(patch(session, fast, "fast"));
    const rows = await rowsWrittenBy(session, async () => {
      const refused = await patch(session, slow, "slow");
      expect(refused.status).toBe(409);
      expect(refused.body).toMatchObject({
        code: "version_conflict",
        retryable: false,
        sessionId: session.id,
        current: moved.body.session,
        more: false,
      });
      expect(refused.body.missed.map(({ seq }: { seq: number }) => seq)).toEqual(
        Array.from(
          { length: moved.body.session.head - version },
          (_, index) => version + 1 + index,
        ),
      );
      expect(refused.body.missed.at(-1)).toMatchObject({
        type: "fields.updated",
        version: moved.body.session.version,
        payload: { changes: [{ field: "fast", to: true }] },
      });
      expect(refused.headers.get("ETag")).toBe(moved.headers.get("ETag"));
      expect(refused.text).not.toContain("rtok_");
    });
    expect(rows).toBe(0);
  });

  // Shows V-3.
  it("keeps its token, and writes with the If-Match of the version it has now seen", async () => {
    const { session, fast, slow } = await twoParticipants();
    await accepted(patch(session, fast, "fast"));
    const refused = await patch(session, slow, "slow");
    const seen = refused.body.current.version;
    const done = await accepted(patch(session, slow, "slow", seen));
    expect(done.body.session.fields).toEqual({ fast: true, slow: true });
    expect(done.body.resumeToken).not.toBe(slow);
    await accepted(patch(session, done.body.resumeToken, "onward"));
  });

  // Shows V-5.
  it("may send back the whole ETag it was shown", async () => {
    const { session, fast, slow } = await twoParticipants();
    await accepted(patch(session, fast, "fast"));
    const refused = await patch(session, slow, "slow");
    const headers = { "If-Match": refused.headers.get("ETag")! };
    const body = { fields: { slow: true } };
    await accepted(client.on(session, "PATCH", "", { token: slow, body, headers }));
  });

  // Shows R-4.
  it("may resume instead, and writes without If-Match", async () => {
    const { session, fast, slow } = await twoParticipants();
    await accepted(patch(session, fast, "fast"));
    const resumed = await accepted(
      client.on(session, "POST", "/resume", { token: slow, body: {} }),
    );
    await accepted(patch(session, resumed.body.resumeToken, "slow"));
  });

  it("has not seen the new version just by reading", async () => {
    const { session, fast, slow } = await twoParticipants();
    await accepted(patch(session, fast, "fast"));
    await accepted(client.on(session, "GET", "", { token: slow }));
    await accepted(client.on(session, "GET", "/events?after=0", { token: slow }));
    expect((await patch(session, slow, "slow")).body.code).toBe("version_conflict");
  });

  // Shows V-2.
  it("gets the first hundred events and a note that there are more", async () => {
    const { session, version, fast, slow } = await twoParticipants();
    await accepted(patch(session, fast, "fast"));
    const events = Array.from({ length: 120 }, () => ({ type: "agent.step", payload: {} }));
    await accepted(client.on(session, "POST", "/events", { token: fast, body: { events } }));
    const refused = await patch(session, slow, "slow");
    expect(refused.body.missed).toHaveLength(100);
    expect(refused.body.missed[0].seq).toBe(version + 1);
    expect(refused.body.more).toBe(true);
  });

  // Shows V-1.
  it("is refused for every write that moves the version", async () => {
    const { session, fast, slow } = await twoParticipants();
    await accepted(patch(session, fast, "fast"));
    for (const operation of ["request-input", "submit", "finalize", "cancel"]) {
      const refused = await client.on(session, "POST", `/${operation}`, { token: slow, body: {} });
      expect(refused.body.code, operation).toBe("version_conflict");
    }
    await accepted(patch(session, slow, "slow", (await current(session, slow)).version));
  });
});

const current = async (session: CreatedSession, token: string) =>
  (await client.on(session, "GET", "", { token })).body.session;

describe("an If-Match", () => {
  // Shows V-4.
  it("that fails is 412 with the same body, writes nothing and spends nothing", async () => {
    const { session, version, fast, slow } = await twoParticipants();
    await accepted(patch(session, fast, "fast"));
    const conflict = await patch(session, slow, "slow");
    const rows = await rowsWrittenBy(session, async () => {
      const failed = await patch(session, slow, "slow", version);
      expect([failed.status, failed.body.code]).toEqual([412, "precondition_failed"]);
      expect(Object.keys(failed.body)).toEqual(Object.keys(conflict.body));
      const { current, missed, more, sessionId } = conflict.body;
      expect(failed.body).toMatchObject({ current, missed, more, sessionId });
    });
    expect(rows).toBe(0);
    await accepted(patch(session, slow, "slow", conflict.body.current.version));
  });

  // Shows V-4.
  it("that fails stops also a write that does not move the version", async () => {
    const { session, version, fast, slow } = await twoParticipants();
    await accepted(patch(session, fast, "fast"));
    const failed = await client.on(session, "POST", "/pause", {
      token: slow,
      ifMatch: version,
      body: {},
    });
    expect(failed.status).toBe(412);
    expect(failed.body.current.paused).toBe(false);
  });

  it("with a version ahead of the session is 412 as well", async () => {
    const { session, version, slow } = await twoParticipants();
    const failed = await patch(session, slow, "slow", version + 1_000);
    expect([failed.status, failed.body.code]).toEqual([412, "precondition_failed"]);
  });

  // Shows V-5.
  it.each(["*", '"*"', '"1", "2"', 'W/"1"', '"abc"'])(
    "of %j is malformed and spends nothing",
    async (value) => {
      const { session, slow } = await twoParticipants();
      const body = { fields: { slow: true } };
      const headers = { "If-Match": value };
      const refused = await client.on(session, "PATCH", "", { token: slow, body, headers });
      expect([refused.status, refused.body.code]).toEqual([400, "invalid_request"]);
      await accepted(patch(session, slow, "slow"));
    },
  );
});

describe("the version that a participant has seen", () => {
  it.each<[string, Record<string, unknown>]>([
    ["handoffs", { to: "agent", scopes: ["view"] }],
    ["extend", { ttlMs: 3_600_000 }],
    ["pause", {}],
    ["revoke", { participant: "par_3" }],
    // Shows V-6.
  ])("is not moved by its own %s", async (path, body) => {
    const { session, fast, slow } = await twoParticipants();
    const third = await accepted(
      client.on(session, "POST", "/handoffs", {
        token: fast,
        body: { to: "agent", scopes: ["view"] },
      }),
    );
    await accepted(patch(session, third.body.resumeToken, "fast"));
    const answer = await accepted(client.on(session, "POST", `/${path}`, { token: slow, body }));
    const refused = await patch(session, answer.body.resumeToken, "slow");
    expect([refused.status, refused.body.code]).toEqual([409, "version_conflict"]);
    expect(refused.body.current.fields).toEqual({ fast: true });
  });

  // Shows V-6.
  it("is not outdated by requests that do not move the version", async () => {
    const { session, fast, slow } = await twoParticipants();
    const extended = await accepted(
      client.on(session, "POST", "/extend", { token: fast, body: { ttlMs: 3_600_000 } }),
    );
    await accepted(
      client.on(session, "POST", "/pause", { token: extended.body.resumeToken, body: {} }),
    );
    const events = [{ type: "agent.note", payload: {} }];
    await accepted(client.on(session, "POST", "/events", { token: fast, body: { events } }));
    await accepted(patch(session, slow, "slow"));
  });

  // Shows V-8.
  it("starts at the version at which it was made, not at its maker's", async () => {
    const { session, fast, slow } = await twoParticipants();
    await accepted(patch(session, fast, "fast"));
    const handedOff = await accepted(
      client.on(session, "POST", "/handoffs", {
        token: slow,
        body: { to: "agent", scopes: ["fill"] },
      }),
    );
    await accepted(patch(session, handedOff.body.participantToken, "made"));
    expect((await patch(session, handedOff.body.resumeToken, "slow")).status).toBe(409);
  });
});

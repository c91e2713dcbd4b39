import { afterEach, describe, expect, it, vi } from "vitest";
import { randomKey, type Answer, type CreatedSession } from "../support/client";
import { client, objectCount, rowsWrittenBy } from "../support/worker";

afterEach(() => {
  vi.useRealTimers();
});

const resume = (session: Pick<CreatedSession, "id">, token: string, body: unknown = {}) =>
  client.on(session, "POST", "/resume", { token, body });

const post = async (session: CreatedSession, path: string, token: string, body: unknown = {}) => {
  const answer = await client.on(session, "POST", path, { token, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
};

const append = (session: CreatedSession, token: string, count: number) =>
  post(session, "/events", token, {
    events: Array.from({ length: count }, (_, n) => ({ type: "agent.step", payload: { n } })),
  });

const seqsOf = ({ body }: Answer): number[] => body.events.map(({ seq }: { seq: number }) => seq);

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe("resuming", () => {
  // Shows.
  it("returns exactly the events after lastEventSeq, including its own", async () => {
    const session = await client.create();
    const { body } = await append(session, session.token, 5);
    const resumed = await resume(session, session.token, { lastEventSeq: body.first + 1 });
    expect(resumed.status, resumed.text).toBe(200);
    expect(resumed.body).toMatchObject({ outcome: "resumed", more: false });
    expect(resumed.body.head).toBe(resumed.body.session.head);
    expect(seqsOf(resumed)).toEqual(range(body.first + 2, resumed.body.head));
    const types = resumed.body.events.map(({ type }: { type: string }) => type);
    expect(types.slice(-2)).toEqual(["token.accessed", "token.issued"]);
  });

  it("from 0 returns the whole log, and from the head only the resume itself", async () => {
    const session = await client.create({ fields: { a: 1 } });
    const whole = await resume(session, session.token, { lastEventSeq: 0 });
    const { head, resumeToken } = whole.body;
    const rest = await resume(session, resumeToken, { lastEventSeq: head });
    expect(seqsOf(whole)).toEqual(range(1, head));
    expect(seqsOf(rest)).toEqual(range(head + 1, head + 2));
  });

  // Shows R-7.
  it.each([-1, 1.5, 1_000_000, "1"])("from %j is 400 and spends nothing", async (lastEventSeq) => {
    const session = await client.create();
    const refused = await resume(session, session.token, { lastEventSeq });
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_request"]);
    expect((await resume(session, session.token)).status).toBe(200);
  });

  // Shows.
  it("without lastEventSeq starts where the last resume ended, whatever was read or written", async () => {
    const session = await client.create();
    const initialHead = session.answer.body.session.head;
    const written = await client.on(session, "PATCH", "", {
      token: session.token,
      body: { fields: { a: 1 } },
    });
    const { resumeToken } = written.body;
    await client.on(session, "GET", "/events?after=0", { token: resumeToken });
    const first = await resume(session, resumeToken);
    await append(session, first.body.resumeToken, 3);
    const read = await client.on(session, "GET", "/events", { token: first.body.resumeToken });
    const second = await resume(session, first.body.resumeToken);
    expect(seqsOf(first)).toEqual(range(initialHead + 1, first.body.head));
    expect(seqsOf(read)).toEqual(range(first.body.head + 1, first.body.head + 3));
    expect(seqsOf(second)).toEqual(range(first.body.head + 1, second.body.head));
  });

  // Shows R-3.
  it("with more events than a page holds reports it, and the cursor skips none of them", async () => {
    const session = await client.create();
    await append(session, session.token, 1_000);
    await append(session, session.token, 300);
    const resumed = await resume(session, session.token, { lastEventSeq: 0 });
    const token = resumed.body.resumeToken;
    const rest = await client.on(session, "GET", "/events?limit=1000", { token });
    expect(resumed.body.more).toBe(true);
    expect([...seqsOf(resumed), ...seqsOf(rest)]).toEqual(range(1, resumed.body.head));
  });

  // Shows R-6.
  it("acts as the given actor from then on", async () => {
    const session = await client.create({ actor: { id: "first" } });
    const actor = { kind: "agent", id: "second", name: "Second" };
    const switched = await resume(session, session.token, { actor });
    const written = await client.on(session, "PATCH", "", {
      token: switched.body.resumeToken,
      body: { fields: { a: 1 } },
    });
    const unchanged = await resume(session, written.body.resumeToken);
    expect(switched.body.events.at(-1).actor).toEqual(actor);
    expect(written.body.session.fieldMeta.a.actor).toEqual(actor);
    expect(written.body.session.updatedBy).toEqual(actor);
    expect(unchanged.body.events.at(-1).actor).toEqual(actor);
    expect(unchanged.body.session.participants[0].actor).toEqual(actor);
    expect(unchanged.body.session.createdBy).toEqual({ kind: "agent", id: "first" });
  });

  // Shows P-3.
  it("is refused while paused if it is automatic, and only then", async () => {
    const session = await client.create();
    const paused = await post(session, "/pause", session.token);
    let token = paused.body.resumeToken;
    const rows = await rowsWrittenBy(session, async () => {
      const refused = await resume(session, token, { auto: true });
      expect([refused.status, refused.body.code]).toEqual([409, "paused"]);
      expect(refused.body.current.paused).toBe(true);
    });
    expect(rows).toBe(0);
    token = (await post(session, "/resume", token)).body.resumeToken;
    token = (await post(session, "/unpause", token)).body.resumeToken;
    const auto = await post(session, "/resume", token, { auto: true });
    expect(auto.body.events.at(-2)).toMatchObject({
      type: "token.accessed",
      payload: { by: "resume", auto: true },
    });
  });

  it("is not possible once the session has ended", async () => {
    const session = await client.create();
    const ended = await post(session, "/cancel", session.token);
    const refused = await resume(session, ended.body.resumeToken, { onInvalid: "fresh" });
    expect([refused.status, refused.body.code]).toEqual([409, "illegal_transition"]);
    expect(refused.body.from).toBe("cancelled");
  });
});

/** Sessions with a token that no longer works, by error code. */
const LOST: Record<string, () => Promise<{ session: CreatedSession; token: string }>> = {
  token_invalid: async () => {
    const session = await client.create();
    return { session, token: `${session.token.slice(0, -4)}AAAA` };
  },
  expired: async () => {
    const session = await client.create({ ttlMs: 1_000 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2_000 });
    return { session, token: session.token };
  },
  gone: async () => {
    const session = await client.create();
    await client.on(session, "DELETE", "", { token: session.token });
    return { session, token: session.token };
  },
};

describe("resuming with a token that no longer works", () => {
  // Shows R-9.
  it.each(Object.entries(LOST))("(%s) creates nothing by itself", async (code, lose) => {
    const { session, token } = await lose();
    const before = await objectCount();
    for (const body of [{}, { onInvalid: "fail" }]) {
      const refused = await resume(session, token, body);
      expect(refused.body.code).toBe(code);
      expect(refused.text).not.toContain("rtok_");
    }
    expect(await objectCount()).toBe(before);
  });

  // Shows R-8.
  it.each(Object.entries(LOST))(
    "(%s) creates a new session on request, and reports it",
    async (code, lose) => {
      const { session, token } = await lose();
      const before = await objectCount();
      const body = { onInvalid: "fresh", lastEventSeq: 3, actor: { id: "survivor" } };
      const fresh = await resume(session, token, body);
      expect(fresh.status, fresh.text).toBe(201);
      expect(fresh.body.outcome).toBe("fresh");
      expect(fresh.body.warning).toEqual({
        code,
        requested: { sessionId: session.id, lastEventSeq: 3 },
        reason: expect.stringContaining("new session"),
      });
      expect(fresh.body.session.id).not.toBe(session.id);
      expect(fresh.body.session.createdBy).toEqual({ kind: "agent", id: "survivor" });
      expect(fresh.headers.get("Location")).toBe(`/sessions/${fresh.body.session.id}`);
      expect(await objectCount()).toBe(before + 1);
      const used = await client.on(fresh.body.session, "PATCH", "", {
        token: fresh.body.resumeToken,
        body: { fields: { a: 1 } },
      });
      expect(used.status, used.text).toBe(200);
    },
  );

  // Shows R-10.
  it("creates one new session per Idempotency-Key", async () => {
    const { session, token } = await LOST["gone"]!();
    const options = { token, key: randomKey(), body: { onInvalid: "fresh" } };
    const first = await client.on(session, "POST", "/resume", options);
    const repeated = await client.on(session, "POST", "/resume", options);
    expect([first.status, repeated.status]).toEqual([201, 201]);
    expect(repeated.body.session.id).toBe(first.body.session.id);
    expect(repeated.body.resumeToken).toBe(first.body.resumeToken);
    expect(repeated.headers.get("Idempotent-Replayed")).toBe("true");
  });

  it("does not repeat the token it was given in the path", async () => {
    const { token } = await LOST["token_invalid"]!();
    const body = { onInvalid: "fresh" };
    const fresh = await client.call("POST", `/sessions/${token}/resume`, { body });
    expect(fresh.status, fresh.text).toBe(201);
    expect(fresh.body.warning.requested).toEqual({ sessionId: null, lastEventSeq: null });
    expect(fresh.text).not.toContain(token);
  });
});

describe("requesting a new session", () => {
  // Shows R-9.
  it("creates none if the token is good, superseded, paused or missing", async () => {
    const good = await client.create();
    const paused = await client.create();
    const pausedToken = (await post(paused, "/pause", paused.token)).body.resumeToken;
    const before = await objectCount();
    const body = { onInvalid: "fresh" };
    const resumed = await resume(good, good.token, body);
    const superseded = await resume(good, good.token, body);
    const heldBack = await resume(paused, pausedToken, { ...body, auto: true });
    const missing = await client.on(good, "POST", "/resume", { body });
    expect([resumed.status, resumed.body.outcome]).toEqual([200, "resumed"]);
    expect([superseded.status, superseded.body.code]).toEqual([409, "token_superseded"]);
    expect([heldBack.status, heldBack.body.code]).toEqual([409, "paused"]);
    expect([missing.status, missing.body.code]).toEqual([401, "credential_missing"]);
    expect(await objectCount()).toBe(before);
  });
});

const checkResumable = (session: CreatedSession, token: string, query = "") =>
  client.on(session, "GET", `/resumable${query}`, { token });

describe("checking whether a session is resumable", () => {
  // Shows G-4.
  it("returns what a resume would find, and writes nothing", async () => {
    const session = await client.create();
    const { body } = await append(session, session.token, 4);
    const { version, expiresAt } = session.answer.body.session;
    const rows = await rowsWrittenBy(session, async () => {
      const checked = await checkResumable(session, session.token);
      const asAt = await checkResumable(session, session.token, `?lastEventSeq=${body.last - 1}`);
      const verdict = { resumable: true, version, head: body.head, expiresAt };
      expect(checked.body).toEqual({ ...verdict, behindBy: 4 });
      expect(asAt.body).toEqual({ ...verdict, behindBy: 1 });
    });
    expect(rows).toBe(0);
    expect((await resume(session, session.token)).status).toBe(200);
  });

  // Shows G-4.
  it("returns why not", async () => {
    const session = await client.create();
    const paused = (await post(session, "/pause", session.token)).body.resumeToken;
    const spent = await checkResumable(session, session.token);
    const auto = await checkResumable(session, paused, "?auto=true");
    const byAgent = await checkResumable(session, paused);
    const ended = (await post(session, "/cancel", paused)).body.resumeToken;
    const terminal = await checkResumable(session, ended);
    expect(spent.body).toMatchObject({ resumable: false, reason: "token_superseded" });
    expect(auto.body).toMatchObject({ resumable: false, reason: "paused" });
    expect(byAgent.body).toMatchObject({ resumable: true });
    expect(terminal.body).toMatchObject({ resumable: false, reason: "illegal_transition" });
  });

  it.each(Object.entries(LOST))("answers %s as a resume would", async (code, lose) => {
    const { session, token } = await lose();
    const checked = await checkResumable(session, token);
    const resumed = await resume(session, token);
    expect(checked.body.code).toBe(code);
    expect(checked.text).toBe(resumed.text);
  });

  it("with a cursor beyond the head is 400", async () => {
    const session = await client.create();
    expect((await checkResumable(session, session.token, "?lastEventSeq=999")).status).toBe(400);
  });
});

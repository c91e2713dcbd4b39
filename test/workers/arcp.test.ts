/** The life of one ARCP connection, from hello to its end. */
import { evictDurableObject } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  ArcpClient,
  range,
  resumeOf,
  seqsOf,
  wrongNullIn,
  type HelloOptions,
  type ArcpSocket,
} from "../support/arcp";
import { agentName, Jobs, type Claim } from "../support/jobs";
import { client, stubOf } from "../support/worker";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };
const jobs = new Jobs(client);

async function connect(): Promise<ArcpClient> {
  const request = new Request("http://baton.test/arcp", { headers: { Upgrade: "websocket" } });
  const { webSocket } = await worker.default.fetch(request);
  if (webSocket === null) throw new Error("no socket");
  webSocket.accept();
  return new ArcpClient(webSocket as unknown as ArcpSocket);
}

async function greeted(options: HelloOptions = {}): Promise<ArcpClient> {
  const arcp = await connect();
  const welcome = await arcp.hello(options);
  expect(welcome.type, JSON.stringify(welcome)).toBe("session.welcome");
  return arcp;
}

const emit = (claim: Claim, from: number, to: number) =>
  jobs.report(claim, "events", {
    events: range(from, to).map((n) => ({ kind: "log", body: { level: "info", message: `${n}` } })),
  });

/** A connection with a running job. */
async function running(options: HelloOptions = {}) {
  const agent = agentName();
  const arcp = await greeted(options);
  const jobId = await arcp.submit({ agent, input: { a: 1 } });
  const claim = await jobs.claimOrThrow(agent);
  expect(claim.job.id).toBe(jobId);
  return { arcp, agent, jobId, claim };
}

describe("a client over ARCP", () => {
  it("is welcomed, submits, and gets events and the result in order", async () => {
    const agent = agentName();
    const arcp = await connect();
    const welcome = await arcp.hello({ features: ["heartbeat", "ack", "cost.budget"] });
    expect(welcome).toMatchObject({ arcp: "1.1", type: "session.welcome" });
    expect(welcome.session_id).toMatch(/^ses_/);
    expect(welcome.payload).toMatchObject({
      session_id: welcome.session_id,
      runtime: { name: "baton" },
      resume_token: expect.stringMatching(/^rtok_/),
      resume_window_sec: expect.any(Number),
      heartbeat_interval_sec: 30,
      capabilities: { encodings: ["json"], features: ["heartbeat", "ack"] },
    });
    const traceId = "0123456789abcdef0123456789abcdef";
    arcp.send(
      "job.submit",
      { agent, input: 7, max_runtime_sec: 60, lease_request: { "fs.read": ["/x"] } },
      { trace_id: traceId },
    );
    const accepted = await arcp.until("job.accepted");
    expect(accepted.event_seq).toBeUndefined();
    expect(accepted).toMatchObject({ trace_id: traceId, session_id: arcp.sessionId });
    expect(accepted.payload).toMatchObject({ agent, lease: { "fs.read": ["/x"] } });
    const claim = await jobs.claimOrThrow(agent);
    expect(claim.input).toBe(7);
    await emit(claim, 1, 3);
    await jobs.report(claim, "result", { result: { ok: true }, summary: "done" });
    const frames = await arcp.eventsUpTo(4);
    expect(seqsOf(frames)).toEqual([1, 2, 3, 4]);
    expect(frames[0]).toMatchObject({
      type: "job.event",
      job_id: accepted.payload.job_id,
      trace_id: traceId,
      payload: { kind: "log", ts: expect.any(String), body: { message: "1" } },
    });
    expect(frames[3]).toMatchObject({
      type: "job.result",
      payload: { final_status: "success", result: { ok: true }, summary: "done" },
    });
  });

  it("that lost its connection resumes with exactly what it missed, continues live, and may cancel", async () => {
    const { arcp, jobId, claim } = await running();
    await emit(claim, 1, 5);
    await arcp.eventsUpTo(5);
    arcp.drop();
    await emit(claim, 6, 9);
    const reconnected = await connect();
    const welcome = await reconnected.hello({ extra: resumeOf(arcp.resumeToken, 5) ?? {} });
    expect(welcome.session_id).toBe(arcp.sessionId);
    expect(reconnected.resumeToken).not.toBe(arcp.resumeToken);
    expect(seqsOf(await reconnected.eventsUpTo(9))).toEqual([6, 7, 8, 9]);
    await emit(claim, 10, 11);
    expect(seqsOf(await reconnected.eventsUpTo(11))).toEqual([10, 11]);
    reconnected.send("job.cancel", { reason: "enough" }, { job_id: jobId });
    const cancelled = await reconnected.next();
    expect(cancelled).toMatchObject({ type: "job.cancelled", job_id: jobId });
    expect(cancelled.event_seq).toBeUndefined();
    expect(await reconnected.next()).toMatchObject({
      type: "job.error",
      event_seq: 12,
      payload: { final_status: "cancelled", code: "CANCELLED", retryable: false },
    });
    expect((await emit(claim, 12, 12)).body.cancelRequested).toBe(true);
  });

  it("resumes the same way after its object was evicted, and gets the result of a job that ended meanwhile", async () => {
    const { arcp, claim } = await running();
    await emit(claim, 1, 2);
    await arcp.eventsUpTo(2);
    arcp.drop();
    await evictDurableObject(stubOf({ id: arcp.sessionId }), { webSockets: "close" });
    await emit(claim, 3, 4);
    await jobs.report(claim, "result", { result: 1 });
    const reconnected = await connect();
    await reconnected.hello({ extra: resumeOf(arcp.resumeToken, 2) ?? {} });
    const frames = await reconnected.eventsUpTo(5);
    expect(seqsOf(frames)).toEqual([3, 4, 5]);
    expect(frames.at(-1)?.type).toBe("job.result");
  });

  it("takes over from a connection that is still open, which is closed with a reason", async () => {
    const { arcp, claim } = await running();
    const reconnected = await connect();
    await reconnected.hello({ extra: resumeOf(arcp.resumeToken, 0) ?? {} });
    expect(await arcp.closed).toMatchObject({ code: 4409, reason: "superseded" });
    await emit(claim, 1, 1);
    expect(seqsOf(await reconnected.eventsUpTo(1))).toEqual([1]);
    expect(seqsOf(arcp.frames)).toEqual([]);
  });

  it("whose welcome was lost resumes with the token before it, until a frame shows that it arrived", async () => {
    const { arcp } = await running();
    arcp.drop();
    const lost = await connect();
    await lost.hello({ extra: resumeOf(arcp.resumeToken, 0) ?? {} });
    const reconnected = await connect();
    const welcome = await reconnected.hello({ extra: resumeOf(arcp.resumeToken, 0) ?? {} });
    expect(welcome.type).toBe("session.welcome");
    expect((await lost.closed).code).toBe(4409);
    reconnected.send("session.list_jobs");
    await reconnected.until("session.jobs");
    const late = await connect();
    const refused = await late.hello({ extra: resumeOf(arcp.resumeToken, 0) ?? {} });
    expect(refused.payload.code).toBe("RESUME_WINDOW_EXPIRED");
    const last = await connect();
    const good = await last.hello({ extra: resumeOf(reconnected.resumeToken, 0) ?? {} });
    expect(good.type).toBe("session.welcome");
  });

  it("gets its own job again for a key it used, and DUPLICATE_KEY if the request differs", async () => {
    const arcp = await greeted();
    const body = { agent: agentName(), input: 1, idempotency_key: "k" };
    const first = await arcp.submit(body);
    expect(await arcp.submit(body)).toBe(first);
    arcp.send("job.submit", { ...body, input: 2 });
    const refused = await arcp.next();
    expect(refused).toMatchObject({
      type: "session.error",
      session_id: arcp.sessionId,
      payload: { code: "DUPLICATE_KEY", retryable: false },
    });
  });

  it("lists its jobs page by page and with filters", async () => {
    const arcp = await greeted();
    const agent = agentName();
    const ids = [await arcp.submit({ agent }), await arcp.submit({ agent: agentName() })];
    const id = arcp.send("session.list_jobs", { limit: 1 });
    const first = await arcp.until("session.jobs");
    expect(first.payload).toMatchObject({ request_id: id, jobs: [{ job_id: ids[0] }] });
    arcp.send("session.list_jobs", { cursor: first.payload.next_cursor });
    const second = await arcp.until("session.jobs");
    expect(second.payload).toMatchObject({ jobs: [{ job_id: ids[1] }], next_cursor: null });
    arcp.send("session.list_jobs", { filter: { agent, status: ["pending"] } });
    const filtered = await arcp.until("session.jobs");
    expect(filtered.payload.jobs).toHaveLength(1);
    expect(filtered.payload.jobs[0]).toEqual({
      job_id: ids[0],
      agent,
      status: "pending",
      lease: {},
      created_at: expect.any(String),
      last_event_seq: 0,
    });
  });

  it("gets no member without a value: only the next_cursor of the last page is null", async () => {
    const agent = agentName();
    const arcp = await greeted();
    const jobId = await arcp.submit({ agent });
    const other = await arcp.submit({ agent: agentName() });
    const claim = await jobs.claimOrThrow(agent);
    arcp.send("session.list_jobs", { limit: 1 });
    arcp.send("session.list_jobs");
    arcp.send("job.subscribe", { job_id: jobId });
    arcp.send("session.ping", { nonce: null });
    arcp.send("job.cancel", {}, { job_id: other });
    await emit(claim, 1, 1);
    await jobs.report(claim, "result", { result: null });
    await arcp.until("job.result");
    arcp.send("job.fly");
    while ((await arcp.next()).type !== "session.error");
    arcp.send("session.bye");
    await arcp.until("session.closed");

    const kinds = new Set(arcp.frames.map(({ type }) => type));
    expect([...kinds].sort()).toEqual(
      `job.accepted job.cancelled job.error job.event job.result job.subscribed session.closed
       session.error session.jobs session.pong session.welcome`.split(/\s+/),
    );
    for (const frame of arcp.frames) expect(wrongNullIn(frame), JSON.stringify(frame)).toBeNull();
    const lists = arcp.frames.filter(({ type }) => type === "session.jobs");
    expect(lists.map(({ payload }) => payload.next_cursor)).toEqual(["1", null]);
  });

  it("gets the trace of its job in every frame if there is one", async () => {
    const trace_id = "0123456789abcdef0123456789abcdef";
    const arcp = await greeted();
    arcp.send("job.submit", { agent: agentName() }, { trace_id });
    const { payload } = await arcp.until("job.accepted");
    arcp.send("session.list_jobs");
    const listed = await arcp.until("session.jobs");
    arcp.send("job.subscribe", { job_id: payload.job_id });
    const subscribed = await arcp.until("job.subscribed");
    expect([payload, listed.payload.jobs[0], subscribed.payload]).toEqual(
      Array.from({ length: 3 }, () => expect.objectContaining({ trace_id })),
    );
  });
});

describe("goodbye", () => {
  it.each(["session.bye", "session.close"])(
    "(%s) leaves jobs running by default, and the session can be resumed",
    async (type) => {
      const { arcp, claim } = await running();
      arcp.send(type, { reason: "lunch" });
      expect((await arcp.until("session.closed")).payload).toEqual({ reason: "lunch" });
      await arcp.closed;
      expect((await emit(claim, 1, 1)).body.cancelRequested).toBe(false);
      const reconnected = await connect();
      await reconnected.hello({ extra: resumeOf(arcp.resumeToken, 0) ?? {} });
      expect(seqsOf(await reconnected.eventsUpTo(1))).toEqual([1]);
    },
  );

  it("cancels if the policy of the session or of the job asks for it, and a lost connection never does", async () => {
    const { arcp, claim } = await running({ extra: { close_policy: "cancel" } });
    const keptAgent = agentName();
    await arcp.submit({ agent: keptAgent, close_policy: "keep" });
    const keptClaim = await jobs.claimOrThrow(keptAgent);
    arcp.drop();
    expect((await emit(claim, 1, 1)).body.cancelRequested).toBe(false);
    const reconnected = await connect();
    await reconnected.hello({ extra: resumeOf(arcp.resumeToken, 0) ?? {} });
    reconnected.send("session.bye");
    await reconnected.until("session.closed");
    expect((await emit(claim, 2, 2)).body.cancelRequested).toBe(true);
    expect((await emit(keptClaim, 1, 1)).body.cancelRequested).toBe(false);
  });
});

const auth = (token: string) => ({ auth: { scheme: "bearer", token } });

describe("a resume", () => {
  const dialects: readonly [string, (token: string, seq: number) => [string, object]][] = [
    [
      "hello with resume{resume_token}",
      (t, n) => ["session.hello", { resume: { resume_token: t, last_event_seq: n } }],
    ],
    [
      "hello with resume{token}",
      (t, n) => ["session.hello", { resume: { token: t, last_event_seq: n } }],
    ],
    ["hello, flat", (t, n) => ["session.hello", { resume_token: t, last_event_seq: n }]],
    ["session.resume", (t, n) => ["session.resume", { resume_token: t, last_event_seq: n }]],
  ];
  it.each(dialects)(
    "as %s gives each case the result in the table, and failures leave the owner's state unchanged",
    async (_, frame) => {
      const { arcp, claim } = await running();
      await emit(claim, 1, 3);
      await arcp.eventsUpTo(3);
      arcp.drop();
      const attempt = async (token: string, seq: number, identity: object = auth("alice")) => {
        const one = await connect();
        const [type, payload] = frame(token, seq);
        const answer = await one.open(type, { ...payload, ...identity });
        return { one, answer };
      };
      const refusedWith = async (token: string, seq: number, identity?: object) => {
        const { one, answer } = await attempt(token, seq, identity);
        expect(answer.type).toBe("session.error");
        expect(answer.session_id).toEqual(expect.any(String));
        await one.closed;
        return answer.payload.code as string;
      };
      const good = arcp.resumeToken;
      const changed = good.slice(0, -1) + (good.endsWith("A") ? "B" : "A");
      expect(await refusedWith("nonsense", 0)).toBe("RESUME_WINDOW_EXPIRED");
      expect(await refusedWith(changed, 0)).toBe("RESUME_WINDOW_EXPIRED");
      expect(await refusedWith(good, 3, auth("mallory"))).toBe("UNAUTHENTICATED");
      expect(await refusedWith(good, 3, {})).toBe("UNAUTHENTICATED");
      expect(await refusedWith(good, 4)).toBe("INVALID_REQUEST");
      const atHead = await attempt(good, 3);
      expect(atHead.answer.type).toBe("session.welcome");
      await emit(claim, 4, 4);
      expect(seqsOf(await atHead.one.eventsUpTo(4))).toEqual([4]);
      atHead.one.send("session.ack", { last_processed_seq: 4 });
      atHead.one.send("session.list_jobs");
      await atHead.one.until("session.jobs");
      expect(await refusedWith(good, 3)).toBe("RESUME_WINDOW_EXPIRED");
      const behind = await attempt(atHead.one.resumeToken, 1);
      expect(seqsOf(await behind.one.eventsUpTo(4))).toEqual([2, 3, 4]);
    },
  );

  it("below the retained events is refused, and works from the first retained one", async () => {
    const { arcp, claim } = await running();
    await emit(claim, 1, 3);
    await arcp.eventsUpTo(3);
    const session = { id: arcp.sessionId, token: arcp.resumeToken };
    const checkpointed = await client.on(session as never, "POST", "/checkpoints", {
      token: session.token,
      body: {},
    });
    await emit(claim, 4, 5);
    const trimmed = await client.on(session as never, "POST", "/trim", {
      token: checkpointed.body.resumeToken,
      body: { checkpoint: checkpointed.body.checkpoint.id },
    });
    expect(trimmed.body.trimmed, trimmed.text).toBe(true);
    for (const [name, frame] of dialects) {
      const below = await connect();
      const [type, payload] = frame(trimmed.body.resumeToken, 2);
      const refused = await below.open(type, { ...payload, ...auth("alice") });
      expect(refused.payload.code, name).toBe("RESUME_WINDOW_EXPIRED");
      expect(refused.session_id, name).toEqual(expect.any(String));
    }
    const reconnected = await connect();
    await reconnected.hello({ extra: resumeOf(trimmed.body.resumeToken, 3) ?? {} });
    expect(seqsOf(await reconnected.eventsUpTo(5))).toEqual([4, 5]);
  });

  it("of a session that has expired is refused", async () => {
    const session = await client.create({ ttlMs: 1_000 });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    for (const [name, frame] of dialects) {
      const late = await connect();
      const [type, payload] = frame(session.token, 0);
      const refused = await late.open(type, { ...payload, ...auth("alice") });
      expect(refused.payload.code, name).toBe("RESUME_WINDOW_EXPIRED");
    }
  });
});

describe("two principals", () => {
  it("with equal message ids never see each other's jobs", async () => {
    const { arcp: alice, jobId, claim } = await running({ bearer: "alice" });
    const bob = await greeted({ bearer: "bob" });
    await emit(claim, 1, 1);
    await alice.eventsUpTo(1);
    for (const type of ["job.subscribe", "job.cancel"]) {
      bob.send(type, { job_id: jobId, history: true }, { job_id: jobId });
      expect((await bob.next()).payload.code, type).toBe("JOB_NOT_FOUND");
    }
    bob.send("session.list_jobs");
    expect((await bob.until("session.jobs")).payload.jobs).toEqual([]);
    expect(seqsOf(bob.frames)).toEqual([]);
  });
});

describe("a subscriber of the same principal", () => {
  it("sees the job's stream under numbers of its own, also after a resume, and cannot cancel it", async () => {
    const { arcp: owner, jobId, claim } = await running();
    await emit(claim, 1, 3);
    await owner.eventsUpTo(3);
    const watcher = await greeted();
    const own = agentName();
    await watcher.submit({ agent: own });
    const ownClaim = await jobs.claimOrThrow(own);
    await emit(ownClaim, 1, 1);
    await watcher.eventsUpTo(1);
    watcher.send("job.subscribe", { job_id: jobId, history: true });
    const subscribed = await watcher.until("job.subscribed");
    expect(subscribed.payload).toMatchObject({
      job_id: jobId,
      current_status: "running",
      subscribed_from: 1,
      replayed: true,
    });
    expect(seqsOf(await watcher.eventsUpTo(4))).toEqual([2, 3, 4]);
    await emit(claim, 4, 5);
    const live = await watcher.eventsUpTo(6);
    expect(
      live.map((frame) => [frame.event_seq, frame.job_id, frame.payload.body.message]),
    ).toEqual([
      [5, jobId, "4"],
      [6, jobId, "5"],
    ]);
    watcher.send("job.cancel", {}, { job_id: jobId });
    expect((await watcher.next()).payload).toMatchObject({
      code: "PERMISSION_DENIED",
      retryable: false,
    });
    watcher.drop();
    await emit(claim, 6, 6);
    const reconnected = await connect();
    await reconnected.hello({ extra: resumeOf(watcher.resumeToken, 5) ?? {} });
    expect(seqsOf(await reconnected.eventsUpTo(7))).toEqual([6, 7]);
    await jobs.report(claim, "result", { result: 1 });
    expect((await reconnected.until("job.result")).event_seq).toBe(8);
    expect((await owner.until("job.result")).event_seq).toBe(7);
    const secondListener = await greeted();
    secondListener.send("job.subscribe", { job_id: jobId });
    expect((await secondListener.until("job.subscribed")).payload).toMatchObject({
      current_status: "success",
      replayed: false,
    });
  });

  it("receives nothing more once it has unsubscribed", async () => {
    const { jobId, claim } = await running();
    const watcher = await greeted();
    watcher.send("job.subscribe", { job_id: jobId });
    await watcher.until("job.subscribed");
    await emit(claim, 1, 1);
    await watcher.eventsUpTo(1);
    watcher.send("job.unsubscribe", { job_id: jobId });
    watcher.send("session.list_jobs");
    await watcher.until("session.jobs");
    await emit(claim, 2, 2);
    const own = agentName();
    await watcher.submit({ agent: own });
    await emit(await jobs.claimOrThrow(own), 1, 1);
    const [event] = await watcher.eventsUpTo(2);
    expect(event?.job_id).not.toBe(jobId);
  });
});

describe("bad frames", () => {
  it.each([
    ["not JSON", "{"],
    ["no object", "[1]"],
    [
      "another version",
      JSON.stringify({ arcp: "1.0", id: "x", type: "session.ping", payload: {} }),
    ],
    ["no id", JSON.stringify({ arcp: "1.1", type: "session.ping", payload: {} })],
    ["no type", JSON.stringify({ arcp: "1.1", id: "x1", payload: {} })],
    ["no payload", JSON.stringify({ arcp: "1.1", id: "x2", type: "session.ping" })],
    ["an unknown type", JSON.stringify({ arcp: "1.1", id: "x3", type: "job.fly", payload: {} })],
    [
      "a prototype's name",
      JSON.stringify({ arcp: "1.1", id: "x4", type: "constructor", payload: {} }),
    ],
    [
      "a submit without agent",
      JSON.stringify({ arcp: "1.1", id: "x5", type: "job.submit", payload: {} }),
    ],
    [
      "a bad trace",
      JSON.stringify({
        arcp: "1.1",
        id: "x6",
        type: "job.submit",
        trace_id: "X",
        payload: { agent: "a" },
      }),
    ],
    [
      "a huge frame",
      JSON.stringify({
        arcp: "1.1",
        id: "x7",
        type: "job.submit",
        payload: { agent: "a", input: "x".repeat(1_048_576) },
      }),
    ],
  ])(
    "(%s) get a canonical error with the session's id, and nothing else is disturbed",
    async (_, text) => {
      const { arcp, claim } = await running();
      arcp.raw(text);
      const refused = await arcp.next();
      expect(refused).toMatchObject({
        arcp: "1.1",
        type: "session.error",
        session_id: arcp.sessionId,
        payload: { code: "INVALID_REQUEST", message: expect.any(String), retryable: false },
      });
      await emit(claim, 1, 2);
      expect(seqsOf(await arcp.eventsUpTo(2))).toEqual([1, 2]);
    },
  );

  it("before a hello, and a hello without a bearer, are refused with an id in place of the session's", async () => {
    const early = await connect();
    early.send("job.submit", { agent: "a" });
    expect(await early.next()).toMatchObject({
      session_id: "ses_none",
      payload: { code: "INVALID_REQUEST" },
    });
    expect((await early.hello()).type).toBe("session.welcome");
    const anonymous = await connect();
    const refused = await anonymous.hello({ bearer: null });
    expect(refused).toMatchObject({ session_id: "ses_none", payload: { code: "UNAUTHENTICATED" } });
    expect((await anonymous.closed).code).toBe(4403);
  });

  it("that come as a flood are reported once, and the rest is served", async () => {
    const { arcp, claim } = await running();
    for (let n = 0; n < 1_000; n++) arcp.send("session.list_jobs");
    await emit(claim, 1, 1);
    await arcp.eventsUpTo(1);
    const errors = () => arcp.frames.filter(({ type }) => type === "session.error");
    await expect.poll(errors).toHaveLength(1);
    expect(errors()[0]).toMatchObject({
      session_id: arcp.sessionId,
      payload: { code: "INTERNAL_ERROR", retryable: true },
    });
    // A frame sent while the flood is processed may be dropped as well, so it is sent again.
    const later = new Set<string>();
    const isAnswered = (): boolean => {
      later.add(arcp.send("session.list_jobs"));
      return arcp.frames.some(({ payload }) => later.has(payload.request_id));
    };
    await expect.poll(isAnswered).toBe(true);
  });

  it("that repeat an id are dropped", async () => {
    const arcp = await greeted();
    const text = JSON.stringify({
      arcp: "1.1",
      id: "same",
      type: "job.submit",
      session_id: arcp.sessionId,
      payload: { agent: agentName() },
    });
    arcp.raw(text);
    arcp.raw(text);
    arcp.send("session.list_jobs");
    expect((await arcp.until("session.jobs")).payload.jobs).toHaveLength(1);
  });

  it("get an error that names what is not available", async () => {
    const arcp = await greeted();
    arcp.send("job.submit", { agent: "keyed@7.7" });
    expect((await arcp.next()).payload.code).toBe("AGENT_VERSION_NOT_AVAILABLE");
    arcp.send("job.cancel", {}, { job_id: "job_none" });
    expect((await arcp.next()).payload.code).toBe("JOB_NOT_FOUND");
    arcp.send("job.submit", {
      agent: "a",
      lease_constraints: { expires_at: "2020-01-01T00:00:00Z" },
    });
    expect((await arcp.next()).payload.code).toBe("INVALID_REQUEST");
  });
});

describe("heartbeats", () => {
  it("answer a ping with its nonce", async () => {
    const arcp = await greeted();
    arcp.send("session.ping", { nonce: "n1", sent_at: new Date().toISOString() });
    expect((await arcp.until("session.pong")).payload).toMatchObject({ ping_nonce: "n1" });
  });
});

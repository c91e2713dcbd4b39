import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { TestAgent } from "../support/test-agent";
import { client, inside, rowsWrittenBy, stubOf } from "../support/worker";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };
const MINUTE_MS = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

const createSession = (body: unknown = {}): Promise<TestAgent> => TestAgent.create(client, body);

/** Stopped by a limit, with a minute to wait. Returns the time at which a resume is due. */
async function stopped(agent: TestAgent, body = {}): Promise<number> {
  const report = { reason: "rate_limit", retryAfterMs: MINUTE_MS, ...body };
  const { decision } = (await agent.call("POST", "/stops", report)).body;
  expect(decision.strategy).toBe("same_session");
  return Date.parse(decision.resumeAt);
}

/** Sets the clock to `time` and runs the alarm. */
async function alarmAt(agent: TestAgent, time: number): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: time });
  await runDurableObjectAlarm(stubOf(agent));
}

const dueIn = async (agent: TestAgent): Promise<number> =>
  (await agent.events("&type=resume.due")).length;

describe("a stop report", () => {
  // Shows A-1.
  it("is one event with its decision, by its reporter, with the whole report", async () => {
    const agent = await createSession({ actor: { id: "worker-7" } });
    const report = {
      reason: "crash",
      attempt: 2,
      retryAfterMs: 5_000,
      usage: { inputTokens: 12, nested: [1] },
      exitCode: 137,
      evidence: "Killed",
      confidence: 0.8,
    };
    const { decision, seq } = (await agent.call("POST", "/stops", report)).body;
    const [event] = await agent.events("&type=stop.reported");
    expect(event).toMatchObject({ seq, actor: { kind: "agent", id: "worker-7" } });
    expect(event?.payload).toMatchObject({ ...report, decision, outcome: "pending" });
    const skipped = await agent.call("POST", "/stops", { reason: "completed" });
    expect(skipped.body.decision).toMatchObject({ strategy: "none", resumeAt: null, waitMs: 0 });
    expect(await agent.events("&type=stop.*&outcome=skipped")).toHaveLength(1);
  });

  // Shows A-1.
  it("spends no token, moves no version and costs two rows, three if the alarm moves", async () => {
    const agent = await createSession();
    const { token } = agent;
    const before = await agent.session();
    expect(await rowsWrittenBy(agent, () => stopped(agent))).toBe(3);
    const later = { reason: "crash", retryAfterMs: 2 * MINUTE_MS };
    expect(await rowsWrittenBy(agent, () => agent.call("POST", "/stops", later))).toBe(2);
    expect(agent.token).toBe(token);
    expect((await agent.session()).version).toBe(before.version);
    expect((await agent.call("PATCH", "", { fields: { a: 1 } })).status).toBe(200);
  });

  it.each([
    {},
    { reason: "bored" },
    { reason: "crash", attempt: 0 },
    { reason: "crash", attempt: 1.5 },
    { reason: "crash", retryAfterMs: -1 },
    { reason: "crash", retryAfterMs: 91 * 24 * 60 * MINUTE_MS },
    { reason: "crash", retryAfter: "soon" },
    { reason: "crash", retryAfter: "1.5" },
    { reason: "crash", retryAfter: "-3" },
    { reason: "crash", retryAfter: "999999999" },
    { reason: "crash", retryAfter: "Fri, 31 Dec 9999 23:59:59 GMT" },
    { reason: "crash", retryAfter: "Sat, 13 Sep 275760 00:00:00 GMT" },
    { reason: "crash", confidence: 2 },
    { reason: "crash", exitCode: "1" },
    { reason: "crash", usage: [] },
    { reason: "crash", odd: true },
    // Shows A-4.
  ])("as %j is 400 and leaves no trace", async (body) => {
    const agent = await createSession();
    const { head } = await agent.session();
    const refused = await agent.tryCall("POST", "/stops", body);
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_request"]);
    expect((await agent.session()).head).toBe(head);
  });

  it("needs append, and a session that has not ended", async () => {
    const agent = await createSession();
    const handedOff = await agent.call("POST", "/handoffs", { to: "agent", scopes: ["view"] });
    const denied = await client.on(agent, "POST", "/stops", {
      token: handedOff.body.participantToken,
      body: { reason: "crash" },
    });
    expect([denied.status, denied.body.code]).toEqual([403, "scope_denied"]);
    await agent.call("POST", "/cancel");
    const late = await agent.tryCall("POST", "/stops", { reason: "crash" });
    expect([late.status, late.body.code]).toEqual([409, "illegal_transition"]);
  });

  // Shows A-9.
  it("with the key of another report is refused", async () => {
    const agent = await createSession();
    await agent.call("POST", "/stops", { reason: "crash" }, { key: "one" });
    const other = await agent.tryCall("POST", "/stops", { reason: "timeout" }, { key: "one" });
    expect([other.status, other.body.code]).toEqual([422, "idempotency_mismatch"]);
    expect(await agent.events("&type=stop.*")).toHaveLength(1);
  });
});

describe("a delayed resume", () => {
  // Shows A-5.
  it("is due once, not earlier, also if the object hibernated in between, and the log has no gap", async () => {
    const agent = await createSession();
    await agent.append("agent.note");
    const at = await stopped(agent);
    await evictDurableObject(stubOf(agent));
    await alarmAt(agent, at - 1);
    expect(await dueIn(agent)).toBe(0);
    await evictDurableObject(stubOf(agent));
    await alarmAt(agent, at);
    await alarmAt(agent, at + 1);
    await evictDurableObject(stubOf(agent));
    await alarmAt(agent, at + MINUTE_MS);
    const [due, ...more] = await agent.events("&type=resume.due");
    expect(more).toEqual([]);
    expect(due).toMatchObject({
      actor: { kind: "system" },
      payload: { attempt: 2, scheduledFor: new Date(at).toISOString(), outcome: "success" },
    });
    const resumed = await agent.call("POST", "/resume", { lastEventSeq: 0, auto: true });
    const seqs = resumed.body.events.map(({ seq }: { seq: number }) => seq);
    expect(seqs).toEqual(seqs.map((_: number, index: number) => index + 1));
    expect(resumed.body.head).toBe(seqs.at(-1));
  });

  it("sets the alarm for its time, and then for the expiry", async () => {
    const agent = await createSession();
    const { expiresAt } = await agent.session();
    const armed = () => inside(agent, (_, { storage }) => storage.getAlarm());
    const at = await stopped(agent);
    expect(await armed()).toBe(at);
    await alarmAt(agent, at);
    expect(await armed()).toBe(Date.parse(expiresAt));
  });

  // Shows A-5.
  it("is sent to every open listener", async () => {
    const agent = await createSession();
    const handedOff = await agent.call("POST", "/handoffs", { to: "agent", scopes: ["view"] });
    const at = await stopped(agent);
    const streams = [agent.token, agent.token, handedOff.body.participantToken as string].map(
      (token) => readUntilDue(agent.id, token),
    );
    await expect
      .poll(() => inside(agent, (_, state) => state.getWebSockets().length))
      .toBe(streams.length);
    await alarmAt(agent, at);
    const texts = await Promise.all(streams);
    const [due] = await agent.events("&type=resume.due");
    for (const text of texts) expect(text).toContain(`id: ${due?.seq}\nevent: resume.due\n`);
  });

  it.each([
    ["pause", (agent: TestAgent) => agent.call("POST", "/pause")],
    ["cancel", (agent: TestAgent) => agent.call("POST", "/cancel")],
    ["a manual resume", (agent: TestAgent) => agent.call("POST", "/resume", {})],
    [
      "the end of the session",
      async (agent: TestAgent) => {
        await agent.call("POST", "/submit");
        await agent.call("POST", "/finalize");
      },
    ],
    [
      "a fork that ends it",
      (agent: TestAgent) => agent.call("POST", "/fork", { finalizeParent: true }),
    ],
    [
      "a later stop without a resume",
      (agent: TestAgent) => agent.call("POST", "/stops", { reason: "user_exit" }),
    ],
    // Shows A-6.
  ])("is cancelled by %s", async (_, takeBack) => {
    const agent = await createSession();
    const at = await stopped(agent);
    await takeBack(agent);
    await alarmAt(agent, at);
    await alarmAt(agent, at + 10 * MINUTE_MS);
    expect(await dueIn(agent)).toBe(0);
  });

  // Shows A-6.
  it("is cancelled by expiry", async () => {
    const agent = await createSession({ ttlMs: MINUTE_MS / 2 });
    const at = await stopped(agent);
    await alarmAt(agent, at + 1);
    const log = await inside(agent, (_, { storage }) =>
      JSON.stringify(storage.sql.exec(`SELECT events FROM commits`).toArray()),
    );
    expect(log).toContain("session.expired");
    expect(log).not.toContain("resume.due");
    expect((await agent.tryCall("GET", "")).status).toBe(410);
  });

  // Shows A-6.
  it("moves to the time of a newer report", async () => {
    const agent = await createSession();
    const first = await stopped(agent);
    const second = await stopped(agent, { retryAfterMs: 10 * MINUTE_MS, attempt: 2 });
    await alarmAt(agent, first);
    expect(await dueIn(agent)).toBe(0);
    await alarmAt(agent, second);
    expect(await agent.events("&type=resume.due")).toMatchObject([{ payload: { attempt: 3 } }]);
  });
});

/** The stream's text up to its first `resume.due`. */
async function readUntilDue(id: string, token: string): Promise<string> {
  const response = await worker.default.fetch(
    new Request(`http://baton.test/sessions/${id}/events`, {
      headers: { Accept: "text/event-stream", Authorization: `Bearer ${token}` },
    }),
  );
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!/event: resume\.due\n/.test(text)) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) break;
    text += chunk.value;
  }
  await reader?.cancel();
  return text;
}

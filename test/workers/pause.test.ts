import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { TestAgent } from "../support/test-agent";
import { client, stubOf } from "../support/worker";

const MINUTE_MS = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

const createSession = (body: unknown = {}): Promise<TestAgent> => TestAgent.create(client, body);

const codeOf = async (agent: TestAgent, body: unknown): Promise<unknown> => {
  const answer = await agent.tryCall("POST", "/resume", body);
  return answer.body.code ?? answer.body.outcome;
};

describe("a paused session", () => {
  it("refuses automatic resumes, and lets people and agents act", async () => {
    const agent = await createSession();
    await agent.call("POST", "/pause", { reason: "hold on" });
    expect((await agent.session()).paused).toBe(true);
    const refused = await agent.tryCall("POST", "/resume", { auto: true });
    expect([refused.status, refused.body.code]).toEqual([409, "paused"]);
    expect(refused.body.current.paused).toBe(true);
    expect((await agent.call("GET", "/resumable?auto=true")).body).toMatchObject({
      resumable: false,
      reason: "paused",
    });
    expect((await agent.call("GET", "/resumable")).body).toMatchObject({ resumable: true });
    expect(await codeOf(agent, {})).toBe("resumed");
    expect((await agent.call("PATCH", "", { fields: { a: 1 } })).status).toBe(200);
    expect((await agent.session()).paused).toBe(true);
  });

  // Shows P-3.
  it("still records stops, with nothing due", async () => {
    const agent = await createSession();
    await agent.call("POST", "/pause");
    const { decision } = (await agent.call("POST", "/stops", { reason: "crash" })).body;
    expect(decision).toMatchObject({ strategy: "none", resumeAt: null, attempt: null });
    expect(decision.why).toContain("paused");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60 * MINUTE_MS });
    await runDurableObjectAlarm(stubOf(agent));
    expect(await agent.types()).toContain("stop.reported");
    expect(await agent.types()).not.toContain("resume.due");
  });

  it.each([
    ["eviction", (agent: TestAgent) => evictDurableObject(stubOf(agent))],
    ["a restart of every object", () => abortAllDurableObjects()],
    // Shows P-3.
  ])("is paused after %s, and unpaused after another", async (_, interrupt) => {
    const agent = await createSession();
    await agent.call("POST", "/pause");
    await interrupt(agent);
    expect((await agent.session()).paused).toBe(true);
    expect(await codeOf(agent, { auto: true })).toBe("paused");
    await agent.call("POST", "/unpause");
    await interrupt(agent);
    expect((await agent.session()).paused).toBe(false);
    expect(await codeOf(agent, { auto: true })).toBe("resumed");
  });

  // Shows P-2.
  it("reports in the response and in the log if pausing or unpausing changed nothing", async () => {
    const agent = await createSession();
    const already: boolean[] = [];
    for (const path of ["/unpause", "/pause", "/pause", "/unpause", "/unpause"]) {
      already.push((await agent.call("POST", path, { reason: "because" })).body.already);
    }
    expect(already).toEqual([true, false, true, false, true]);
    const events = await agent.events("&type=session.paused,session.unpaused");
    expect(events.map(({ type, payload }) => [type, payload.outcome, payload.reason])).toEqual([
      ["session.unpaused", "skipped", "because"],
      ["session.paused", "success", "because"],
      ["session.paused", "skipped", "because"],
      ["session.unpaused", "success", "because"],
      ["session.unpaused", "skipped", "because"],
    ]);
  });

  it("moves no version and needs own", async () => {
    const agent = await createSession();
    const { version } = await agent.session();
    await agent.call("POST", "/pause");
    expect((await agent.session()).version).toBe(version);
    const handedOff = await agent.call("POST", "/handoffs", { to: "agent", scopes: ["fill"] });
    for (const path of ["/pause", "/unpause"]) {
      const denied = await client.on(agent, "POST", path, {
        token: handedOff.body.participantToken,
      });
      expect([denied.status, denied.body.code]).toEqual([403, "scope_denied"]);
    }
  });
});

/** Resumes automatically and fails at once, the given number of times. */
async function fail(agent: TestAgent, times: number): Promise<string[]> {
  const strategies: string[] = [];
  for (let n = 0; n < times; n++) {
    await agent.tryCall("POST", "/resume", { auto: true });
    const { decision } = (await agent.call("POST", "/stops", { reason: "crash" })).body;
    strategies.push(decision.strategy);
  }
  return strategies;
}

describe("the loop breaker", () => {
  // Shows.
  it("opens with the third failed resume, with one event, and refuses until it is reset", async () => {
    const agent = await createSession();
    await agent.call("POST", "/stops", { reason: "crash" });
    expect(await fail(agent, 2)).toEqual(["same_session", "same_session"]);
    expect(await agent.events("&type=resume.suspended")).toEqual([]);
    expect(await fail(agent, 3)).toEqual(["none", "none", "none"]);
    const suspended = await agent.events("&type=resume.suspended");
    expect(suspended).toHaveLength(1);
    expect(suspended[0]?.payload).toMatchObject({ failures: 3, outcome: "failure" });
    expect(await codeOf(agent, { auto: true })).toBe("paused");
    await evictDurableObject(stubOf(agent));
    expect(await codeOf(agent, { auto: true })).toBe("paused");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60 * MINUTE_MS });
    await runDurableObjectAlarm(stubOf(agent));
    expect(await agent.types()).not.toContain("resume.due");
    expect(await codeOf(agent, {})).toBe("resumed");

    const reset = await agent.call("POST", "/unpause");
    expect(reset.body.already).toBe(false);
    expect(await codeOf(agent, { auto: true })).toBe("resumed");
    await agent.call("POST", "/stops", { reason: "crash" });
    expect(await fail(agent, 1)).toEqual(["same_session"]);
    expect(await agent.events("&type=resume.suspended")).toHaveLength(1);
    expect((await agent.call("POST", "/unpause")).body.already).toBe(true);
  });

  it("stays closed when the failures are far apart", async () => {
    const agent = await createSession();
    await agent.call("POST", "/stops", { reason: "crash" });
    let now = Date.now();
    for (let n = 0; n < 6; n++) {
      vi.useFakeTimers({ toFake: ["Date"], now: (now += 3 * MINUTE_MS) });
      expect(await fail(agent, 1)).toEqual(["same_session"]);
    }
  });

  it("cancels a resume that was due before it opened", async () => {
    const agent = await createSession({ policy: { breaker: { failures: 1 } } });
    await agent.call("POST", "/stops", { reason: "crash" });
    await agent.call("POST", "/stops", { reason: "crash", attempt: 2 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60 * MINUTE_MS });
    await runDurableObjectAlarm(stubOf(agent));
    expect(await agent.types()).not.toContain("resume.due");
  });
});

const decisionFor = async (policy: unknown, report: unknown) => {
  const agent = await createSession({ policy });
  return (await agent.call("POST", "/stops", report)).body.decision;
};

describe("a session's policy", () => {
  it.each([
    [{ strategies: { crash: "new_session" } }, { reason: "crash" }, { strategy: "new_session" }],
    [
      { strategies: { unknown: "same_session" } },
      { reason: "unknown" },
      { strategy: "same_session" },
    ],
    [{ baseMs: 1_000, jitter: 0 }, { reason: "crash" }, { waitMs: 1_000 }],
    [{ maxMs: 2_000, jitter: 0 }, { reason: "crash", attempt: 4 }, { waitMs: 2_000 }],
    [{ maxAttempts: 2 }, { reason: "crash", attempt: 2 }, { strategy: "none", attempt: null }],
    [{ breaker: { failures: 1 } }, { reason: "crash", attempt: 2 }, { strategy: "none" }],
  ])("%j decides %j as %j", async (policy, report, expected) => {
    expect(await decisionFor(policy, report)).toMatchObject(expected);
  });

  it.each([
    { strategies: { bored: "none" } },
    { strategies: { crash: "later" } },
    { baseMs: 0 },
    { baseMs: 1.5 },
    { baseMs: Number.MAX_SAFE_INTEGER },
    { maxMs: Number.MAX_SAFE_INTEGER },
    { maxMs: "1" },
    { maxAttempts: 0 },
    { maxAttempts: 101 },
    { jitter: -0.1 },
    { jitter: 1.1 },
    { breaker: { failures: 0 } },
    { breaker: { windowMs: 0 } },
    { breaker: { odd: 1 } },
    { keepCheckpoints: 0 },
    { keepCheckpoints: 101 },
    { strictCheckpoints: 1 },
    { odd: 1 },
    [],
    "strict",
  ])("%j is 400", async (policy) => {
    const refused = await client.call("POST", "/sessions", { body: { policy } });
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_request"]);
  });
});

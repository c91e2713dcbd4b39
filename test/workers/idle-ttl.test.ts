/** Sessions that stay open as long as they are used. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { IDLE_TTL_MIN_MS } from "../../src/domain/limits";
import { TestAgent } from "../support/test-agent";
import { client, rowsWrittenBy, stubOf } from "../support/worker";

const DAY_MS = 24 * 3_600_000;
const IDLE_MS = 3 * DAY_MS;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number): unknown => vi.setSystemTime(Date.now() + ms);
const endOf = async (agent: TestAgent): Promise<number> =>
  Date.parse((await agent.session()).expiresAt);
const createWithIdleTtl = (idleTtlMs: number) =>
  client.call("POST", "/sessions", { body: { idleTtlMs } });
const append = (agent: TestAgent) => agent.append("agent.step");

describe("a session with idleTtlMs", () => {
  it("starts with it as its TTL, and shows it", async () => {
    const agent = await TestAgent.create(client, { idleTtlMs: IDLE_MS });
    expect(await agent.session()).toMatchObject({ idleTtlMs: IDLE_MS });
    expect(await endOf(agent)).toBe(Date.now() + IDLE_MS);
    const short = await TestAgent.create(client, { idleTtlMs: IDLE_MS, ttlMs: DAY_MS });
    expect(await endOf(short)).toBe(Date.now() + DAY_MS);
    expect(await (await TestAgent.create(client)).session()).not.toHaveProperty("idleTtlMs");
  });

  it.each([
    ["an append", append],
    ["a write", (agent: TestAgent) => agent.call("PATCH", "", { fields: { a: 1 } })],
    ["a resume", (agent: TestAgent) => agent.call("POST", "/resume", {})],
    ["a stop", (agent: TestAgent) => agent.call("POST", "/stops", { reason: "crash", attempt: 1 })],
    // Shows P-5.
  ])("is extended by %s, once a day and not again", async (_, use) => {
    const agent = await TestAgent.create(client, { idleTtlMs: IDLE_MS });
    const first = await endOf(agent);
    pass(DAY_MS - 1);
    await use(agent);
    expect(await endOf(agent)).toBe(first);
    pass(1);
    await use(agent);
    expect(await endOf(agent)).toBe(Date.now() + IDLE_MS);
    pass(DAY_MS / 2);
    await use(agent);
    expect(await endOf(agent)).toBe(first + DAY_MS);
    const moved = (await agent.events("&type=session.extended")).map(({ actor, payload }) => [
      actor.kind,
      payload.because,
    ]);
    expect(moved).toEqual([["system", "use"]]);
  });

  it("returns the new end to the caller that extended it, and the log has no gaps", async () => {
    const agent = await TestAgent.create(client, { idleTtlMs: IDLE_MS });
    pass(2 * DAY_MS);
    const end = new Date(Date.now() + IDLE_MS).toISOString();
    const { body } = await append(agent);
    expect(body.head).toBe(body.last + 1);
    expect(await agent.session()).toMatchObject({ expiresAt: end, head: body.head });
    pass(2 * DAY_MS);
    const set = await agent.call("PATCH", "", { fields: { a: 1 } });
    expect(set.body.session.expiresAt).toBe(new Date(Date.now() + IDLE_MS).toISOString());
    expect((await agent.events()).map(({ seq }) => seq)).toEqual(
      Array.from({ length: set.body.session.head }, (_, index) => index + 1),
    );
  });

  // Shows P-5.
  it("is not extended by reading, and expires if it is not used", async () => {
    const agent = await TestAgent.create(client, { idleTtlMs: IDLE_MS });
    const end = await endOf(agent);
    pass(2 * DAY_MS);
    const rows = await rowsWrittenBy(agent, async () => {
      await agent.call("GET", "");
      await agent.call("GET", "/events?after=0");
      await agent.call("GET", "/resumable");
    });
    expect(rows).toBe(0);
    expect(await endOf(agent)).toBe(end);
    pass(DAY_MS);
    expect((await agent.tryCall("GET", "")).body.code).toBe("expired");
  });

  it("is not ended by the alarm for its earlier end", async () => {
    const agent = await TestAgent.create(client, { idleTtlMs: IDLE_MS });
    pass(2 * DAY_MS);
    await append(agent);
    pass(DAY_MS);
    await runDurableObjectAlarm(stubOf(agent));
    expect((await agent.session()).state).toBe("draft");
  });

  // Shows P-5.
  it("is never shortened by use, and not extended once it has ended", async () => {
    const agent = await TestAgent.create(client, { idleTtlMs: IDLE_MS });
    await agent.call("POST", "/extend", { ttlMs: 30 * DAY_MS });
    const end = await endOf(agent);
    pass(2 * DAY_MS);
    await append(agent);
    expect(await endOf(agent)).toBe(end);
    const short = await TestAgent.create(client, { idleTtlMs: IDLE_MS });
    const shortEnd = await endOf(short);
    pass(2 * DAY_MS);
    await short.call("POST", "/cancel", {});
    expect(await endOf(short)).toBe(shortEnd);
  });

  it("costs an append two more rows on a day that extends it, and none otherwise", async () => {
    const agent = await TestAgent.create(client, { idleTtlMs: IDLE_MS });
    expect(await rowsWrittenBy(agent, () => append(agent))).toBe(1);
    pass(DAY_MS);
    expect(await rowsWrittenBy(agent, () => append(agent))).toBe(3);
    expect(await rowsWrittenBy(agent, () => append(agent))).toBe(1);
  });

  // Shows C-6.
  it("allows an idle time from two days to the longest TTL of a session", async () => {
    expect((await createWithIdleTtl(IDLE_TTL_MIN_MS)).status).toBe(201);
    expect((await createWithIdleTtl(90 * DAY_MS)).status).toBe(201);
    for (const wrong of [IDLE_TTL_MIN_MS - 1, 90 * DAY_MS + 1]) {
      const refused = await createWithIdleTtl(wrong);
      expect([refused.status, refused.body.at]).toEqual([400, "idleTtlMs"]);
    }
  });
});

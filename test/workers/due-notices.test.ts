import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { TestAgent } from "../support/test-agent";
import { createLinkedSession, person, typesOf } from "../support/links";
import { client, inside, stubOf } from "../support/worker";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

afterEach(() => {
  vi.useRealTimers();
});

async function laterBy(agent: Pick<TestAgent, "id">, ms: number): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
  await runDurableObjectAlarm(stubOf(agent));
}

const countOf = async (agent: TestAgent, type: string): Promise<number> =>
  (await agent.types()).filter((one) => one === type).length;

const alarmOf = (agent: TestAgent): Promise<number | null> =>
  inside(agent, (_, { storage }) => storage.getAlarm());

const registerEndpoint = async (agent: TestAgent): Promise<void> => {
  const url = "https://receiver.test/204/due";
  await agent.call("POST", "/endpoints", { url, notices: ["session.expiring", "wait.long"] });
};

describe("a reminder", () => {
  // Shows NO-9.
  it("is written once if the handoff is still open", async () => {
    const owner = await TestAgent.create(client);
    const link = { to: "human", scopes: ["fill"], remindAfterMs: HOUR_MS };
    await owner.call("POST", "/handoffs", link);

    await laterBy(owner, HOUR_MS - MINUTE_MS);
    expect(await countOf(owner, "handoff.reminded")).toBe(0);
    await laterBy(owner, 2 * MINUTE_MS);
    await laterBy(owner, HOUR_MS);

    const reminded = (await owner.events()).find(({ type }) => type === "handoff.reminded");
    expect(await countOf(owner, "handoff.reminded")).toBe(1);
    expect(reminded?.payload).toEqual({
      for: "handoff",
      handoffId: "hnd_2",
      participant: "par_2",
      to: "human",
    });
    expect(reminded?.actor.kind).toBe("system");
  });

  // Shows NO-9.
  it("is not written for a handoff that was answered in time", async () => {
    const owner = await TestAgent.create(client);
    const handedOff = await owner.call("POST", "/handoffs", {
      to: "agent",
      scopes: ["fill"],
      remindAfterMs: HOUR_MS,
    });
    const agent = new TestAgent(client, { id: owner.id, token: handedOff.body.participantToken });
    await agent.call("PATCH", "", { fields: { a: 1 } });
    await owner.call("POST", "/resume", {});
    await owner.call("POST", "/request-input", { remindAfterMs: HOUR_MS });
    await owner.call("PATCH", "", { fields: { a: 2 } });

    await laterBy(owner, 2 * HOUR_MS);

    expect(await countOf(owner, "handoff.reminded")).toBe(0);
  });

  // Shows NO-9.
  it("comes for a person who only saved a draft, and not for one who answered or handed back", async () => {
    const [drafted, answered, handedBack] = [
      await createLinkedSession({ remindAfterMs: HOUR_MS }),
      await createLinkedSession({ remindAfterMs: HOUR_MS }),
      await createLinkedSession({ remindAfterMs: HOUR_MS }),
    ];
    for (const [one, action] of [
      [drafted, "save"],
      [answered, "submit"],
      [handedBack, "handBack"],
    ] as const) {
      const linkHolder = person();
      const page = await linkHolder.open(one.code);
      await linkHolder.press(one.code, page.html, action, { "f/city": "Oslo" });
    }

    for (const { session } of [drafted, answered, handedBack]) {
      await laterBy(session, HOUR_MS + MINUTE_MS);
      vi.useRealTimers();
    }

    expect(await typesOf(drafted.session, drafted.token)).toContain("handoff.reminded");
    for (const { session, token } of [answered, handedBack]) {
      expect(await typesOf(session, token)).not.toContain("handoff.reminded");
    }
  });

  // Shows NO-9.
  it("that would be due after the end of the handoff is refused, with both times", async () => {
    const owner = await TestAgent.create(client);
    const link = { to: "human", scopes: ["fill"] };
    for (const times of [{ remindAfterMs: DAY_MS }, { remindAfterMs: 2_000, ttlMs: 1_000 }]) {
      const { status, body } = await owner.tryCall("POST", "/handoffs", { ...link, ...times });
      expect([status, body.code]).toEqual([400, "invalid_request"]);
      expect(body.detail).toContain(`remindAfterMs is ${times.remindAfterMs}`);
      expect(body.detail).toContain(`ends after ${times.ttlMs ?? DAY_MS} ms`);
    }
    await owner.call("POST", "/handoffs", { ...link, remindAfterMs: DAY_MS, ttlMs: DAY_MS + 1 });
  });

  it("comes for a request for input too", async () => {
    const owner = await TestAgent.create(client);
    await owner.call("POST", "/request-input", { note: "which one?", remindAfterMs: HOUR_MS });

    await laterBy(owner, HOUR_MS + MINUTE_MS);
    await laterBy(owner, HOUR_MS);

    const reminded = (await owner.events()).find(({ type }) => type === "handoff.reminded");
    expect(await countOf(owner, "handoff.reminded")).toBe(1);
    expect(reminded?.payload).toEqual({ for: "input" });
  });
});

describe("the alarm", () => {
  // Shows NO-9.
  it("reports once that a session expires soon, and only if an endpoint subscribes to it", async () => {
    const ttlMs = 10 * HOUR_MS;
    const [subscribed, alone] = [
      await TestAgent.create(client, { ttlMs }),
      await TestAgent.create(client, { ttlMs }),
    ];
    const end = Date.parse((await alone.session()).expiresAt);
    await registerEndpoint(subscribed);

    expect(await alarmOf(alone)).toBe(end);
    await laterBy(subscribed, 9 * HOUR_MS + MINUTE_MS);
    await runDurableObjectAlarm(stubOf(subscribed));

    expect(await countOf(subscribed, "session.expiring")).toBe(1);
    expect(await countOf(alone, "session.expiring")).toBe(0);
  });

  // Shows NO-9.
  it("reports once that a session has waited for a day", async () => {
    const owner = await TestAgent.create(client, { ttlMs: 30 * DAY_MS });
    await registerEndpoint(owner);
    await owner.call("POST", "/request-input", { note: "which one?" });

    await laterBy(owner, DAY_MS + MINUTE_MS);
    await laterBy(owner, DAY_MS);

    const long = (await owner.events()).find(({ type }) => type === "wait.long");
    expect(await countOf(owner, "wait.long")).toBe(1);
    expect(long?.payload).toMatchObject({ for: "person" });
  });
});

/** What one session may hold in total: its log, its files and its waiting jobs. */
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import { type CreatedSession } from "../support/client";
import { agentName, Jobs } from "../support/jobs";
import { TestAgent } from "../support/test-agent";
import { client, inside, rewrite } from "../support/worker";

const totalOf = (session: Pick<CreatedSession, "id">): Promise<number> =>
  inside(session, (_, { storage }) =>
    Number(
      storage.sql.exec("SELECT log_bytes FROM commits ORDER BY first_seq DESC LIMIT 1").one()[
        "log_bytes"
      ],
    ),
  );
const setTotal = (session: Pick<CreatedSession, "id">, total: number): Promise<void> =>
  rewrite(session, (sql) => sql.exec("UPDATE commits SET log_bytes = ?", total));

describe("a session", () => {
  it("holds logBytes of appended events and not one more", async () => {
    const session = await client.create();
    const { token } = session;
    const body = { events: [{ type: "agent.step", payload: { text: "ä".repeat(100) } }] };
    const append = () => client.on(session, "POST", "/events", { token, body });
    const before = await totalOf(session);
    expect((await append()).status).toBe(201);
    const bytes = (await totalOf(session)) - before;
    expect(bytes).toBeGreaterThan(200);

    await setTotal(session, LIMITS.logBytes - bytes + 1);
    const refused = await append();
    expect([refused.status, refused.body]).toMatchObject([
      413,
      { code: "too_large", limit: LIMITS.logBytes, used: LIMITS.logBytes - bytes + 1 },
    ]);
    expect(refused.body.detail).toContain("already used");
    await setTotal(session, LIMITS.logBytes - bytes);
    expect((await append()).status).toBe(201);
    // It is full for appends, and can still be ended.
    expect((await append()).status).toBe(413);
    expect((await client.on(session, "POST", "/cancel", { token, body: {} })).status).toBe(200);
  });

  it("holds logReserveBytes more of small writes and not one more", async () => {
    const session = await client.create();
    let { token } = session;
    const set = async () => {
      const body = { fields: { a: Math.floor(Math.random() * 9) + 1 } };
      const answer = await client.on(session, "PATCH", "", { token, body });
      token = answer.body.resumeToken ?? token;
      return answer;
    };
    await set();
    const before = await totalOf(session);
    await set();
    const bytes = (await totalOf(session)) - before;
    const max = LIMITS.logBytes + LIMITS.logReserveBytes;
    await setTotal(session, max - bytes + 1);
    const refused = await set();
    expect([refused.status, refused.body.limit]).toEqual([413, max]);
    await setTotal(session, max - bytes);
    expect((await set()).status).toBe(200);
  });

  const TEXT = { events: [{ type: "agent.step", payload: { text: "x".repeat(100) } }] };

  /** From here on every seq has two digits, and every event of one type has the same length. */
  const passSeqTen = (owner: TestAgent) =>
    owner.call("POST", "/events", { events: Array.from({ length: 10 }, () => TEXT.events[0]) });

  // Shows E-14.
  it("accepts logShareBytes from those without own and not one more", async () => {
    const owner = await TestAgent.create(client);
    const filler = await owner.handOffTo(["fill"]);
    const agent = agentName();
    const jobs = new Jobs(client);
    await passSeqTen(owner);
    await filler.call("PATCH", "", { fields: { a: crypto.randomUUID() } });
    await filler.call("POST", "/jobs", { agent });
    const claim = await jobs.claimOrThrow(agent);
    const tries = {
      stop: () =>
        filler.tryCall("POST", "/stops", { reason: "rate_limit", attempt: 1, retryAfterMs: 1_000 }),
      nextStep: () => filler.tryCall("PATCH", "", { nextStep: { body: crypto.randomUUID() } }),
      append: () => filler.tryCall("POST", "/events", TEXT),
      fields: () => filler.tryCall("PATCH", "", { fields: { a: crypto.randomUUID() } }),
      job: () => filler.tryCall("POST", "/jobs", { agent }),
      executor: () =>
        jobs.report(claim, "events", { events: [{ kind: "log", body: { text: "x" } }] }),
    };
    for (const [name, attempt] of Object.entries(tries)) {
      await setTotal(owner, 0);
      expect([name, (await attempt()).status < 300]).toEqual([name, true]);
      const bytes = await totalOf(owner);
      await setTotal(owner, LIMITS.logShareBytes - bytes + 1);
      const refused = await attempt();
      expect([name, refused.status, refused.body]).toMatchObject([
        name,
        413,
        { code: "too_large", limit: LIMITS.logShareBytes },
      ]);
      await setTotal(owner, LIMITS.logShareBytes - bytes);
      expect([name, (await attempt()).status < 300]).toEqual([name, true]);
    }
    // The rest is reserved for the owner, and participants can still finish their work.
    await setTotal(owner, LIMITS.logShareBytes);
    await owner.call("POST", "/events", TEXT);
    expect((await jobs.report(claim, "result", { result: 1 })).status).toBe(200);
    expect((await jobs.claim(agent)).status).toBe(200);
    await filler.call("POST", "/resume", {});
    await filler.call("POST", "/submit", {});
  });

  // Shows E-14.
  it("counts the inputs and results of jobs, which are stored separately", async () => {
    const owner = await TestAgent.create(client);
    const agent = agentName();
    const before = await totalOf(owner);
    await owner.call("POST", "/jobs", { agent, input: "x".repeat(100_000) });
    const submitted = await totalOf(owner);
    expect(submitted - before).toBeGreaterThan(100_000);
    const jobs = new Jobs(client);
    await jobs.report(await jobs.claimOrThrow(agent), "result", { result: "x".repeat(50_000) });
    // It is stored in its event and in the job's row.
    expect((await totalOf(owner)) - submitted).toBeGreaterThan(100_000);
    await setTotal(owner, LIMITS.logBytes - 100_000);
    const refused = await owner.tryCall("POST", "/jobs", { agent, input: "x".repeat(100_000) });
    expect([refused.status, refused.body.limit]).toEqual([413, LIMITS.logBytes]);
  });

  // Shows E-14.
  it("accepts small writes of those without own into logReserveShareBytes of the reserve and not one more", async () => {
    const owner = await TestAgent.create(client);
    const viewer = await owner.handOffTo(["view"]);
    await passSeqTen(owner);
    await viewer.call("POST", "/resume", {});
    const before = await totalOf(owner);
    await viewer.call("POST", "/resume", {});
    const bytes = (await totalOf(owner)) - before;
    const max = LIMITS.logBytes + LIMITS.logReserveShareBytes;
    await setTotal(owner, max - bytes + 1);
    const refused = await viewer.tryCall("POST", "/resume", {});
    expect([refused.status, refused.body.limit]).toEqual([413, max]);
    await setTotal(owner, max - bytes);
    await viewer.call("POST", "/resume", {});
    // The rest lets the owner control and end the session.
    await owner.call("POST", "/resume", {});
    await owner.call("POST", "/cancel", {});
  });

  it("has capacity again after trimming", async () => {
    const session = await client.create();
    const { token } = session;
    const body = { events: [{ type: "agent.step", payload: { text: "x".repeat(1_000) } }] };
    for (let n = 0; n < 3; n += 1) await client.on(session, "POST", "/events", { token, body });
    const full = await totalOf(session);
    const checkpointed = await client.on(session, "POST", "/checkpoints", { token, body: {} });
    const checkpoint = checkpointed.body.checkpoint.id as string;
    const options = { token: checkpointed.body.resumeToken, body: { checkpoint } };
    expect((await client.on(session, "POST", "/trim", options)).status).toBe(200);
    expect(await totalOf(session)).toBeLessThan(full - 2_000);
  });

  it("holds filesBytes of files together and not one more", async () => {
    const session = await client.create();
    let { token } = session;
    const announce = async (size: number) => {
      const body = { name: "a.bin", type: "application/octet-stream", size };
      const answer = await client.on(session, "POST", "/uploads", { token, body });
      token = answer.body.resumeToken ?? token;
      return answer;
    };
    for (const size of [LIMITS.uploadBytes, LIMITS.uploadBytes]) {
      expect((await announce(size)).status).toBe(201);
    }
    const left = LIMITS.filesBytes - 2 * LIMITS.uploadBytes;
    const refused = await announce(left + 1);
    expect([refused.status, refused.body]).toMatchObject([
      413,
      { code: "too_large", limit: LIMITS.filesBytes, used: 2 * LIMITS.uploadBytes },
    ]);
    expect((await announce(left)).status).toBe(201);
    expect((await announce(1)).status).toBe(413);
  });

  it("lets jobsWaiting jobs wait and not one more", async () => {
    const jobs = new Jobs(client);
    const agent = agentName();
    const { session } = await jobs.submitInNewSession(agent);
    for (let n = 1; n < LIMITS.jobsWaiting; n += 1) {
      expect((await jobs.submit(session, { agent })).status).toBe(201);
    }
    const refused = await jobs.submit(session, { agent });
    expect([refused.status, refused.body.limit, refused.body.used]).toEqual([413, 100, 100]);
    await jobs.claimOrThrow(agent);
    expect((await jobs.submit(session, { agent })).status).toBe(201);
  });
});

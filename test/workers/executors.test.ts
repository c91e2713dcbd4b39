import { listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import { randomKey } from "../support/client";
import { agentName, Jobs } from "../support/jobs";
import { allQueues, queueOf } from "../support/queue-of";
import { client, inside, stubOf } from "../support/worker";

const jobs = new Jobs(client);

afterEach(() => {
  vi.useRealTimers();
});

interface LogEvent {
  readonly type: string;
  readonly payload: Record<string, unknown>;
}

describe("an executor", () => {
  // Shows Z-1, Z-3, Z-4.
  it("claims a job with its input, streams events, and ends it with a result", async () => {
    const agent = agentName();
    const work = await jobs.submitInNewSession(agent, { input: { task: "x" } });
    const claim = await jobs.claimOrThrow(agent, { leaseMs: 300_000 });
    expect(claim).toMatchObject({ input: { task: "x" }, leaseMs: 300_000 });
    expect(claim.job).toMatchObject({ id: work.jobId, status: "running", attempts: 1 });
    expect(claim.jobToken).toMatch(/^jtok_[\w-]{88}$/);
    const events = [
      { kind: "log", body: { level: "info", message: "on it" } },
      { kind: "progress", body: { current: 1, total: 2 } },
    ];
    const noted = await jobs.report(claim, "events", { events });
    expect(noted.status, noted.text).toBe(200);
    expect(noted.body).toEqual({ cancelRequested: false, leaseExpiresAt: expect.any(String) });
    const done = await jobs.report(claim, "result", { result: { ok: 1 }, summary: "done" });
    expect(done.status, done.text).toBe(200);
    expect((await jobs.get(work)).job).toMatchObject({
      status: "success",
      result: { ok: 1 },
      summary: "done",
      lastEventSeq: 3,
    });
    const log = (await jobs.log(work)) as LogEvent[];
    expect(log.map(({ type, payload }) => [type, payload["eventSeq"]])).toEqual([
      ["job.submitted", undefined],
      ["job.started", undefined],
      ["job.event", 1],
      ["job.event", 2],
      ["job.result", 3],
      ["job.ended", undefined],
    ]);
    expect(JSON.stringify(log)).not.toContain("jtok_");
    const repeated = await jobs.report(claim, "result", { result: { ok: 1 }, summary: "done" });
    expect(repeated.headers.get("Idempotent-Replayed")).toBe("true");
    expect((await jobs.report(claim, "events", { events })).status).toBe(409);
  });

  it.each([
    ["result", { result: { a: 1, b: [2] }, summary: "done" }],
    ["result", { resultId: "r-1", resultSize: 7 }],
    ["result", {}],
    ["error", { code: "X", message: "broke", retryable: true }],
    // Shows Z-4.
  ] as const)(
    "cannot report a second outcome: only the identical one is a replay (%s %j)",
    async (what, body) => {
      const agent = agentName();
      const work = await jobs.submitInNewSession(agent);
      const claim = await jobs.claimOrThrow(agent);
      expect((await jobs.report(claim, what, body)).status).toBe(200);
      const { job } = await jobs.get(work);
      const before = await jobs.log(work);

      for (const [other, reported] of [
        ["result", { result: { a: 1, b: [3] }, summary: "done" }],
        ["result", { result: { a: 1, b: [2] }, summary: "other" }],
        ["result", { result: { a: 1, b: [2] } }],
        ["result", { resultId: "r-1", resultSize: 8 }],
        ["result", { resultId: "r-2", resultSize: 7 }],
        ["error", { code: "X", message: "broke", retryable: false }],
        ["error", { code: "Y", message: "broke", retryable: true }],
      ] as const) {
        const refused = await jobs.report(claim, other, reported);
        expect([refused.status, refused.body.code], JSON.stringify(reported)).toEqual([
          409,
          "illegal_transition",
        ]);
        expect(refused.headers.get("Idempotent-Replayed")).toBeNull();
      }
      const repeated = await jobs.report(claim, what, body);
      expect([repeated.status, repeated.headers.get("Idempotent-Replayed")]).toEqual([200, "true"]);
      expect((await jobs.get(work)).job).toEqual(job);
      expect(await jobs.log(work)).toEqual(before);
    },
  );

  // Shows Z-1.
  it("that waits gets a job as soon as there is one, and 204 if none comes", async () => {
    const agent = agentName();
    expect((await jobs.claim(agent)).status).toBe(204);
    const waiting = jobs.claim(agent, { waitMs: 20_000 });
    const work = await jobs.submitInNewSession(agent);
    const claim = await waiting;
    expect(claim.status, claim.text).toBe(200);
    expect(claim.body.job.id).toBe(work.jobId);
  });

  // Shows Z-1.
  it("alone gets the job if two claim at once", async () => {
    const agent = agentName();
    await jobs.submitInNewSession(agent);
    const claims = await Promise.all(Array.from({ length: 8 }, () => jobs.claim(agent)));
    expect(claims.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(204)]);
  });

  // Shows Z-5.
  it("that disappears loses its job to the next, and is refused by its epoch when it comes back", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const agent = agentName();
    const work = await jobs.submitInNewSession(agent);
    const first = await jobs.claimOrThrow(agent, { leaseMs: 60_000 });
    await jobs.report(first, "events", { events: [{ kind: "log", body: { n: 1 } }] });
    vi.setSystemTime(Date.now() + 61_000);
    const late = await jobs.report(first, "heartbeat");
    expect([late.status, late.body.code]).toEqual([409, "token_superseded"]);
    expect((await jobs.claim(agent)).status).toBe(204);
    await runDurableObjectAlarm(stubOf(work.session));
    const second = await jobs.claimOrThrow(agent);
    expect(second.job).toMatchObject({ id: work.jobId, attempts: 2 });
    for (const what of ["heartbeat", "result", "error"] as const) {
      const body = what === "error" ? { code: "X" } : {};
      expect((await jobs.report(first, what, body)).status, what).toBe(409);
    }
    await jobs.report(second, "result", { result: 2 });
    expect((await jobs.get(work)).job).toMatchObject({ status: "success", result: 2 });
    const types = ((await jobs.log(work)) as LogEvent[]).map(({ type }) => type);
    expect(types).toEqual([
      "job.submitted",
      "job.started",
      "job.event",
      "job.requeued",
      "job.started",
      "job.result",
      "job.ended",
    ]);
  });

  // Shows Z-5.
  it("is followed by at most the allowed number of other attempts", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const agent = agentName();
    const work = await jobs.submitInNewSession(agent);
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect((await jobs.claimOrThrow(agent, { leaseMs: 1_000 })).job.attempts).toBe(attempt);
      vi.setSystemTime(Date.now() + 2_000);
      await runDurableObjectAlarm(stubOf(work.session));
    }
    expect((await jobs.get(work)).job).toMatchObject({
      status: "error",
      error: { code: "INTERNAL_ERROR", retryable: true },
    });
    expect((await jobs.claim(agent)).status).toBe(204);
  });

  // Shows Z-6.
  it("that runs too long is timed out despite heartbeats", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const agent = agentName();
    const work = await jobs.submitInNewSession(agent, { maxRuntimeMs: 10_000 });
    const claim = await jobs.claimOrThrow(agent, { leaseMs: 8_000 });
    vi.setSystemTime(Date.now() + 6_000);
    expect((await jobs.report(claim, "heartbeat")).status).toBe(200);
    vi.setSystemTime(Date.now() + 5_000);
    expect((await jobs.report(claim, "heartbeat")).status).toBe(409);
    await runDurableObjectAlarm(stubOf(work.session));
    expect((await jobs.get(work)).job).toMatchObject({
      status: "timed_out",
      error: { code: "TIMEOUT" },
    });
  });

  // Shows J-4.
  it("learns from its next response that the job was cancelled, and writes nothing more", async () => {
    const agent = agentName();
    const work = await jobs.submitInNewSession(agent);
    const claim = await jobs.claimOrThrow(agent);
    await jobs.cancel(work);
    const before = (await jobs.log(work)).length;
    const events = [{ kind: "log" }];
    for (const [what, body] of [
      ["events", { events }],
      ["heartbeat", {}],
      ["result", { result: 1 }],
      ["error", { code: "CANCELLED" }],
    ] as const) {
      const answer = await jobs.report(claim, what, body);
      expect([answer.status, answer.body.cancelRequested], what).toEqual([200, true]);
    }
    expect((await jobs.log(work)).length).toBe(before);
    expect((await jobs.get(work)).job.status).toBe("cancelled");
  });

  // Shows Z-4.
  it("writes a batch once, however often it is sent with its key", async () => {
    const agent = agentName();
    const work = await jobs.submitInNewSession(agent);
    const claim = await jobs.claimOrThrow(agent);
    const key = randomKey();
    const body = { events: [{ kind: "log", body: { n: 1 } }] };
    await jobs.report(claim, "events", body, { key });
    const repeated = await jobs.report(claim, "events", body, { key });
    expect(repeated.headers.get("Idempotent-Replayed")).toBe("true");
    expect(await jobs.log(work, "job.event")).toHaveLength(1);
  });

  // Shows Z-4.
  it("writes a batch once if it is repeated after others, as far back as batches are remembered", async () => {
    const agent = agentName();
    const work = await jobs.submitInNewSession(agent);
    const claim = await jobs.claimOrThrow(agent);
    const send = (n: number) => {
      const events = [{ kind: "log", body: { n } }];
      return jobs.report(claim, "events", { events }, { key: `key-of-${n}` });
    };
    const count = LIMITS.jobBatches + 1;
    for (let n = 0; n < count; n++) await send(n);

    // The first batch is forgotten, the second is the oldest that is remembered.
    expect((await send(1)).headers.get("Idempotent-Replayed")).toBe("true");
    expect(await jobs.log(work, "job.event")).toHaveLength(count);
    expect((await send(0)).headers.get("Idempotent-Replayed")).toBeNull();
    expect(await jobs.log(work, "job.event")).toHaveLength(count + 1);
  });

  // Shows Z-2.
  it("needs a listed name, and the agent's own key if one is listed", async () => {
    const key = "the-key-of-keyed";
    expect((await jobs.claim("keyed")).status).toBe(401);
    expect((await jobs.claim("keyed", {}, { token: "another" })).body.code).toBe("token_invalid");
    // 200 if a test file that ran before left a job for it.
    expect([200, 204]).toContain((await jobs.claim("keyed", {}, { token: key })).status);
    expect((await jobs.claim("not a name")).status).toBe(404);
  });

  // Shows Z-8.
  it("with a malformed token, a forged one or one of another job gets the same 403", async () => {
    const agent = agentName();
    await jobs.submitInNewSession(agent);
    const { jobToken } = await jobs.claimOrThrow(agent);
    const changed = jobToken.slice(0, -1) + (jobToken.endsWith("A") ? "B" : "A");
    const bodies = new Set<string>();
    for (const token of ["jtok_none", changed, jobToken.replace("jtok_", "rtok_")]) {
      const answer = await jobs.report({ jobToken: token }, "heartbeat");
      expect(answer.status).toBe(403);
      bodies.add(answer.text);
    }
    expect(bodies.size).toBe(1);
    expect((await client.call("POST", "/jobs/heartbeat", { body: {} })).status).toBe(401);
  });

  // Shows Z-8.
  it("with a wrong token gets that error before one about its body", async () => {
    const agent = agentName();
    const work = await jobs.submitInNewSession(agent);
    const { jobToken } = await jobs.claimOrThrow(agent);
    const changed = jobToken.slice(0, -1) + (jobToken.endsWith("A") ? "B" : "A");
    const malformed = { result: 1, nonsense: true };
    const wrong = await jobs.report({ jobToken: changed }, "result", malformed);
    const right = await jobs.report({ jobToken }, "result", malformed);
    expect([wrong.status, wrong.body.code]).toEqual([403, "token_invalid"]);
    expect([right.status, right.body.code]).toEqual([400, "invalid_request"]);
    expect((await jobs.get(work))["job"]).toMatchObject({ status: "running" });
  });
});

describe("an offer", () => {
  // Shows Z-7.
  it("that the queue never received is made by the alarm, and one made twice runs nothing twice", async () => {
    const agent = agentName();
    const work = await jobs.submitInNewSession(agent);
    const { stub: queue } = queueOf(agent);
    await runInDurableObject(queue, (_, { storage }) => {
      storage.sql.exec("DELETE FROM offers");
    });
    expect((await jobs.claim(agent)).status).toBe(204);
    await inside(work.session, (_, { storage }) => {
      storage.sql.exec(
        "UPDATE jobs SET due_at = 0, record = json_set(record, '$.offered', json('false'))",
      );
    });
    await runDurableObjectAlarm(stubOf(work.session));
    await runInDurableObject(queue, (_, { storage }) => {
      storage.sql.exec(
        "INSERT INTO offers (object_id, number, attempt) SELECT object_id, number, 7 FROM offers",
      );
    });
    const claims = await Promise.all([jobs.claim(agent), jobs.claim(agent)]);
    expect(claims.map(({ status }) => status).sort()).toEqual([200, 204]);
    expect(await jobs.log(work, "job.started")).toHaveLength(1);
  });

  // Shows Z-7.
  it("is made only for listed names", async () => {
    const before = (await listDurableObjectIds(allQueues)).length;
    await jobs.claim("not a name");
    await jobs.submit(await client.create(), { agent: "keyed@0" });
    expect((await listDurableObjectIds(allQueues)).length).toBe(before);
  });
});

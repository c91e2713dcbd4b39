import { afterEach, describe, expect, it, vi } from "vitest";
import { randomKey } from "../support/client";
import { agentName, Jobs } from "../support/jobs";
import { client, rowsWrittenBy } from "../support/worker";

const jobs = new Jobs(client);

afterEach(() => {
  vi.useRealTimers();
});

async function handOff(session: Parameters<Jobs["submit"]>[0], scopes: readonly string[]) {
  const handedOff = await client.on(session, "POST", "/handoffs", {
    token: session.token,
    body: { to: "agent", scopes },
  });
  return {
    token: handedOff.body.participantToken as string,
    owner: handedOff.body.resumeToken as string,
  };
}

describe("a job", () => {
  // Shows J-1, J-4.
  it("is submitted, listed, read and cancelled", async () => {
    const agent = agentName();
    const session = await client.create();
    const body = { agent, input: { a: 1 }, maxRuntimeMs: 60_000, closePolicy: "cancel" };
    const answer = await jobs.submit(session, body);
    expect(answer.status, answer.text).toBe(201);
    const { job } = answer.body;
    expect(job).toMatchObject({ agent, status: "pending", attempts: 0, closePolicy: "cancel" });
    expect(job.id).toMatch(/^job_[\w-]{48}$/);
    expect(answer.headers.get("Resume-Token")).toBeNull();
    const work = { session, jobId: job.id };
    expect(await jobs.get(work)).toEqual({ job, input: { a: 1 } });
    const list = await client.on(session, "GET", "/jobs?status=pending", { token: session.token });
    expect(list.body).toEqual({ jobs: [job], nextCursor: null });

    const cancelled = await jobs.cancel(work);
    expect(cancelled.status, cancelled.text).toBe(200);
    expect(cancelled.body.job).toMatchObject({ status: "cancelled", error: { code: "CANCELLED" } });
    expect((await jobs.cancel(work)).body.job.status).toBe("cancelled");
    const log = await jobs.log(work);
    const types = log.map(({ type }: { type: string }) => type);
    expect(types).toEqual(["job.submitted", "job.error", "job.ended"]);
  });

  // Shows J-2.
  it("is the same for the same key of the session, and refused with another request", async () => {
    const session = await client.create();
    const body = { agent: agentName(), input: 1 };
    const key = randomKey();
    const first = await jobs.submit(session, body, { key });
    const repeated = await jobs.submit(session, body, { key });
    expect(repeated.body.job.id).toBe(first.body.job.id);
    expect(repeated.headers.get("Idempotent-Replayed")).toBe("true");
    const { token } = await handOff(session, ["fill"]);
    const other = await jobs.submit(session, body, { key, token });
    expect(other.body.job.id).toBe(first.body.job.id);
    const mismatch = await jobs.submit(session, { ...body, input: 2 }, { key });
    expect([mismatch.status, mismatch.body.code]).toEqual([422, "idempotency_mismatch"]);
    expect(await jobs.log({ session }, "job.submitted")).toHaveLength(1);
  });

  // Shows J-6.
  it("costs a commit and a row, whatever its content", async () => {
    // Tomorrow by the object's clock, so that no alarm runs by itself.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 24 * 3_600_000 });
    const agent = agentName();
    const { session } = await jobs.submitInNewSession(agent);
    const submission = await rowsWrittenBy(session, () => jobs.submit(session, { agent }));
    expect(submission).toBeLessThanOrEqual(4);
    const claim = await jobs.claimOrThrow(agent);
    const events = Array.from({ length: 100 }, (_, n) => ({ kind: "log", body: { n } }));
    expect(await rowsWrittenBy(session, () => jobs.report(claim, "events", { events }))).toBe(2);
    expect(await rowsWrittenBy(session, () => jobs.report(claim, "heartbeat"))).toBe(1);
    expect(await rowsWrittenBy(session, () => jobs.report(claim, "result", { result: 1 }))).toBe(2);
    expect(await rowsWrittenBy(session, () => jobs.get({ session, jobId: claim.job.id }))).toBe(0);
  });

  // Shows J-3.
  it("can be read by a viewer, and cancelled only by its maker or an owner", async () => {
    const session = await client.create();
    const { token: maker, owner: second } = await handOff(session, ["fill"]);
    const { token: other, owner: third } = await handOff({ ...session, token: second }, ["fill"]);
    const { token: viewer, owner } = await handOff({ ...session, token: third }, ["view"]);
    const created = await jobs.submit(session, { agent: agentName() }, { token: maker });
    const work = { session: { ...session, token: viewer }, jobId: created.body.job.id };
    expect((await jobs.get(work)).job.status).toBe("pending");
    for (const token of [other, viewer]) {
      const refused = await jobs.cancel(work, token);
      expect([refused.status, refused.body.code]).toEqual([403, "scope_denied"]);
    }
    expect((await jobs.cancel(work, maker)).body.job.status).toBe("cancelled");
    const next = await jobs.submit(session, { agent: agentName() }, { token: maker });
    const byOwner = await jobs.cancel({ session, jobId: next.body.job.id }, owner);
    expect(byOwner.body.job.status).toBe("cancelled");
    const submitted = await jobs.submit(session, { agent: agentName() }, { token: viewer });
    expect(submitted.status).toBe(403);
  });

  // Shows J-5.
  it("ends with its session, in the same commit", async () => {
    const agent = agentName();
    const work = await jobs.submitInNewSession(agent);
    const claim = await jobs.claimOrThrow(agent);
    const { session } = work;
    await client.on(session, "POST", "/cancel", { token: session.token, body: {} });
    const log = await client.on(session, "GET", "/events?after=0", { token: session.token });
    const types = log.body.events.map(({ type }: { type: string }) => type);
    expect(types.slice(-3)).toEqual(["job.error", "job.ended", "session.cancelled"]);
    expect((await jobs.report(claim, "heartbeat")).body.cancelRequested).toBe(true);
  });

  // Shows J-1.
  it("of an unknown or malformed name is refused, and nothing is written", async () => {
    const session = await client.create();
    const rows = await rowsWrittenBy(session, async () => {
      const version = await jobs.submit(session, { agent: "keyed@9.9" });
      expect([version.status, version.body.code]).toEqual([404, "not_found"]);
      for (const agent of ["", "a b", "a@b@c", "../x", "*"]) {
        const answer = await jobs.submit(session, { agent });
        expect([answer.status, answer.body.code], agent).toEqual([400, "invalid_request"]);
      }
      const none = await jobs.get({ session, jobId: "job_none" });
      expect(none.code).toBe("not_found");
    });
    expect(rows).toBe(0);
    const resolved = await jobs.submit(session, { agent: "keyed" });
    expect(resolved.body.job.agent).toBe("keyed@2.0");
  });
});

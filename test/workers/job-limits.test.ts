import { describe, expect, it } from "vitest";
import { TestAgent } from "../support/test-agent";
import { agentName, Jobs, type Claim } from "../support/jobs";
import { client, inside } from "../support/worker";

const jobs = new Jobs(client);

/** JSON text of the given number of bytes. */
const textOf = (bytes: number): string => "x".repeat(bytes - 2);

async function claimedJob(): Promise<Claim> {
  const agent = agentName();
  await jobs.submitInNewSession(agent);
  return jobs.claimOrThrow(agent);
}

const LIMITS: readonly [
  name: string,
  limit: number,
  past: number,
  attempt: (size: number) => Promise<{ readonly status: number }>,
][] = [
  [
    "a job's input",
    262_144,
    413,
    async (size) => jobs.submit(await client.create(), { agent: agentName(), input: textOf(size) }),
  ],
  [
    "an agent's name",
    100,
    400,
    async (size) => jobs.submit(await client.create(), { agent: "a".repeat(size) }),
  ],
  [
    "a job's runtime",
    7_776_000_000,
    400,
    async (size) => jobs.submit(await client.create(), { agent: "a", maxRuntimeMs: size }),
  ],
  ["a lease", 600_000, 400, (size) => jobs.claim(agentName(), { leaseMs: size })],
  ["a wait", 60_000, 400, async (waitMs) => await waiting(waitMs)],
  [
    "events of a batch",
    1_000,
    400,
    async (size) =>
      jobs.report(await claimedJob(), "events", {
        events: Array.from({ length: size }, () => ({ kind: "log" })),
      }),
  ],
  [
    "an event's kind",
    100,
    400,
    async (size) =>
      jobs.report(await claimedJob(), "events", { events: [{ kind: "k".repeat(size) }] }),
  ],
  [
    "an event's body",
    262_144,
    413,
    async (size) =>
      jobs.report(await claimedJob(), "events", {
        events: [{ kind: "log", body: { a: textOf(size - 6) } }],
      }),
  ],
  [
    "an inline result",
    262_144,
    413,
    async (size) => jobs.report(await claimedJob(), "result", { result: textOf(size) }),
  ],
];

/** A claim that does not wait, because there is a job. */
async function waiting(waitMs: number) {
  const agent = agentName();
  await jobs.submitInNewSession(agent);
  return jobs.claim(agent, { waitMs });
}

describe("the limit", () => {
  // Shows J-7.
  it("on a list of jobs applies to one page, and its cursor leads through all of them", async () => {
    const agent = agentName();
    const session = await TestAgent.create(client);
    for (let n = 0; n < 7; n += 1) {
      await session.call("POST", "/jobs", { agent });
      await jobs.report(await jobs.claimOrThrow(agent), "result", { result: textOf(262_144) });
    }
    const ids: string[] = [];
    let pages = 0;
    for (let cursor: unknown = 0; cursor !== null; pages += 1) {
      const path = `/jobs?limit=1000&cursor=${String(cursor)}`;
      const { text, body } = await session.call("GET", path);
      expect(text.length).toBeLessThan(1.5 * 1024 * 1024);
      ids.push(...body.jobs.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor;
    }
    expect([new Set(ids).size, ids.length, pages]).toEqual([7, 7, 2]);
  });

  // Shows M-11.
  it.each(LIMITS)("on %s allows %i and refuses one more", async (_, limit, past, attempt) => {
    expect((await attempt(limit)).status).toBeLessThan(300);
    expect((await attempt(limit + 1)).status).toBe(past);
  });

  it("on leases is also a minimum", async () => {
    expect((await jobs.claim(agentName(), { leaseMs: 1_000 })).status).toBe(204);
    expect((await jobs.claim(agentName(), { leaseMs: 999 })).status).toBe(400);
  });

  it("on jobs counts those that have not ended", async () => {
    const agent = agentName();
    const { session } = await jobs.submitInNewSession(agent);
    // Simulates 999 running jobs and a thousand that have ended.
    await inside(session, (_, { storage }) => {
      storage.sql.exec("UPDATE jobs SET status = 'running', due_at = NULL");
      storage.sql.exec(
        `INSERT INTO jobs (number, status, record, input)
         WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1999)
         SELECT i, CASE WHEN i < 1000 THEN 'running' ELSE 'success' END, record, input
         FROM n, jobs WHERE jobs.number = 1`,
      );
    });
    const last = await jobs.submit(session, { agent });
    expect(last.status, last.text).toBe(201);
    const refused = await jobs.submit(session, { agent });
    expect([refused.status, refused.body.limit]).toEqual([413, 1_000]);
    await jobs.cancel({ session, jobId: last.body.job.id });
    expect((await jobs.submit(session, { agent })).status).toBe(201);
  });
});

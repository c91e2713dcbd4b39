/** The queue of one agent: sessions take turns, and the cost of an offer does not grow with the queue. */
import { listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { objectIdHexOf, type SessionId } from "../../src/domain/ids";
import { parseJobId } from "../../src/domain/jobs/job";
import { SHARED_QUEUE_OBJECTS } from "../../src/domain/jobs/queues";
import { callerFrom } from "../support/caller";
import { agentName, Jobs } from "../support/jobs";
import { allQueues, queueOf } from "../support/queue-of";
import { client } from "../support/worker";

const jobs = new Jobs(client);

describe("an offer", () => {
  it("from a session that has many waits for its turn: sessions are served in turn", async () => {
    const agent = agentName();
    const many = await jobs.submitInNewSession(agent);
    for (let n = 0; n < 9; n += 1) await jobs.submit(many.session, { agent });
    const few = [
      await jobs.submitInNewSession(agent),
      await jobs.submitInNewSession(agent),
      await jobs.submitInNewSession(agent),
    ];
    const claimed: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      const { body } = await jobs.claim(agent);
      claimed.push(parseJobId(body.job.id)!.objectIdHex);
    }
    const [first, ...others] = [many, ...few].map(({ session }) =>
      objectIdHexOf(session.id as SessionId),
    );
    // Each of the three was served in the first round, although they were offered after the many.
    expect(claimed.slice(0, 4).toSorted()).toEqual([first!, ...others].toSorted());
    expect(claimed.slice(4)).toEqual(Array.from({ length: 8 }, () => first));
  });

  it("writes one row, and reads the same number of rows however many offers wait", async () => {
    const agent = agentName();
    await jobs.submitInNewSession(agent);
    const counts = await runInDurableObject(queueOf(agent).stub, (_, { storage }) => {
      const rows = (sql: string, ...values: readonly (string | number)[]) => {
        const cursor = storage.sql.exec(sql, ...values);
        cursor.toArray();
        return cursor;
      };
      const insert = "INSERT INTO offers (object_id, number, attempt) VALUES (?, ?, ?)";
      const { rowsWritten } = rows(insert, "a", 1, 1);
      for (let n = 2; n < 500; n += 1) rows(insert, "a", n, 1);
      const next =
        "SELECT number FROM offers WHERE (object_id, number, attempt) > (?, ?, ?) ORDER BY object_id, number, attempt LIMIT 1";
      return { rowsWritten, rowsRead: rows(next, "a", 250, 1).rowsRead };
    });
    expect(counts).toEqual({ rowsWritten: 1, rowsRead: 2 });
  });

  // Shows Z-7.
  it("for names that only * matches is stored in a fixed number of objects", async () => {
    const names = Array.from({ length: 60 }, () => agentName());
    const before = (await listDurableObjectIds(allQueues)).length;
    for (const name of names.slice(0, 40)) expect((await jobs.claim(name)).status).toBe(204);
    const work = await Promise.all(names.slice(40).map((name) => jobs.submitInNewSession(name)));
    const created = (await listDurableObjectIds(allQueues)).length - before;
    expect(created).toBeLessThanOrEqual(SHARED_QUEUE_OBJECTS);
    // Each agent gets its own job, and nothing of its neighbours in the same object.
    for (const [nth, name] of names.slice(40).entries()) {
      expect((await jobs.claim(name)).body.job.id).toBe(work[nth]?.jobId);
      expect((await jobs.claim(name)).status).toBe(204);
    }
  });

  it("made while only * matched a name goes to the agent that is listed by that name later", async () => {
    const agent = agentName();
    const { jobId } = await jobs.submitInNewSession(agent);
    const listed = new Jobs(callerFrom(null, { AGENTS: JSON.stringify([{ name: agent }]) }));
    expect((await listed.claim(agent)).body.job.id).toBe(jobId);
    expect((await listed.claim(agent)).status).toBe(204);
  });
});

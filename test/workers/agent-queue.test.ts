/** The queue of one agent: sessions take turns in it, and what an offer costs does not grow with it. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { objectIdHexOf, type SessionId } from "../../src/domain/ids";
import { parseJobId } from "../../src/domain/jobs/job";
import type { Env } from "../../src/env";
import type { AgentQueue } from "../../src/object/agent-queue";
import { agentName, Jobs } from "../support/jobs";
import { client } from "../support/worker";

const jobs = new Jobs(client);
const queues = (env as unknown as Env).AGENT_QUEUE as unknown as DurableObjectNamespace<AgentQueue>;
const queueOf = (agent: string) => queues.get(queues.idFromName(agent));

describe("an offer", () => {
  it("of one session with many waits for its turn: sessions are served one after another", async () => {
    const agent = agentName();
    const many = await jobs.begin(agent);
    for (let n = 0; n < 9; n += 1) await jobs.submit(many.session, { agent });
    const few = [await jobs.begin(agent), await jobs.begin(agent), await jobs.begin(agent)];
    const claimed: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      const { body } = await jobs.claim(agent);
      claimed.push(parseJobId(body.job.id)!.objectIdHex);
    }
    const [first, ...others] = [many, ...few].map(({ session }) =>
      objectIdHexOf(session.id as SessionId),
    );
    // Each of the three came within the first round, although all of them came after the many.
    expect(claimed.slice(0, 4).toSorted()).toEqual([first!, ...others].toSorted());
    expect(claimed.slice(4)).toEqual(Array.from({ length: 8 }, () => first));
  });

  it("writes one row, and reads the same number of rows however many wait", async () => {
    const agent = agentName();
    await jobs.begin(agent);
    const counts = await runInDurableObject(queueOf(agent), (_, { storage }) => {
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
});

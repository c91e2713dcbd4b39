/** Runs many readers over every transport while writers append, and reports the faults of each reader's log. */
import type { Client } from "../client.ts";
import { faultIn } from "./check.ts";
import { openerOf, TRANSPORTS, type Access, type Transport } from "./connections.ts";
import type { Random } from "./random.ts";
import { LAST, readToTheEnd } from "./reader.ts";
import { appendOnce, write, type Expected } from "./writer.ts";

export interface Plan {
  readonly client: Client;
  readonly access: Omit<Access, "sessionId" | "token">;
  readonly random: Random;
  readonly readersEach: number;
  readonly writers: number;
  readonly events: number;
  /** Runs before the last event, which ends the readers. */
  readonly beforeLast?: () => Promise<void>;
  /** Runs concurrently with readers and writers until the signal aborts. */
  readonly disturb?: (session: { readonly id: string }, done: AbortSignal) => Promise<void>;
}

export interface Outcome {
  readonly head: number;
  readonly readers: readonly {
    readonly transport: Transport;
    readonly connections: number;
    readonly events: number;
    readonly fault: string | null;
  }[];
}

export async function runReadersAndWriters(plan: Plan): Promise<Outcome> {
  const { client, random } = plan;
  const session = await client.create();
  const { id, token } = session;
  const expected: Expected = new Map();
  const done = new AbortController();
  const disturbing = plan.disturb?.(session, done.signal);
  const readings = TRANSPORTS.flatMap((transport) =>
    Array.from({ length: plan.readersEach }, async () => {
      const own = random.fork();
      const open = openerOf(transport, { ...plan.access, sessionId: id, token }, own);
      return { transport, ...(await readToTheEnd(open, own)) };
    }),
  );
  // A reader that fails while writers still write must reject at once, not stay unhandled.
  const reading = Promise.all(readings);
  const share = Math.ceil(plan.events / plan.writers);
  const writing = Promise.all(
    Array.from({ length: plan.writers }, (_, index) =>
      write(
        { client, session, token, name: `writer${index}`, events: share },
        random.fork(),
        expected,
      ),
    ),
  ).then(async () => {
    await plan.beforeLast?.();
    await appendOnce(
      { client, session, token },
      [{ type: LAST, payload: { id: "last" } }],
      "last",
      expected,
    );
  });
  const [readers] = await Promise.all([reading, writing]).finally(() => done.abort());
  await disturbing;
  return {
    head: Math.max(...expected.keys()),
    readers: readers.map(({ transport, connections, log }) => ({
      transport,
      connections,
      events: log.length,
      fault: faultIn(log, expected),
    })),
  };
}

/** Reads a log to its last event over connections that it drops at random points. */
import { Unavailable, type Connection, type Open, type SeenEvent } from "./connections.ts";
import type { Random } from "./random.ts";

/** The type of the last event. */
export const LAST = "test.last";

export interface Reading {
  readonly log: SeenEvent[];
  readonly connections: number;
}

export async function readToTheEnd(open: Open, random: Random): Promise<Reading> {
  const log: SeenEvent[] = [];
  let connections = 0;
  for (;;) {
    const connection = await open(log.at(-1)?.seq ?? 0).catch(notYet);
    if (connection === null) {
      await pause(random.between(5, 50));
      continue;
    }
    connections += 1;
    // The first connection always ends early, even if there are few events.
    const max = random.pick(connections === 1 ? [1, 7, 100] : [1, 7, 100, 1_500]);
    await readSome(connection, log, max, random);
    if (log.at(-1)?.type === LAST) return { log, connections };
    if (random.chance(0.4)) await pause(random.between(0, 150));
  }
}

/** Reads until the connection ends, or until a random count or time is reached. */
async function readSome(
  connection: Connection,
  log: SeenEvent[],
  max: number,
  random: Random,
): Promise<void> {
  let left = max;
  const timer = setTimeout(() => connection.drop(), random.pick([3, 40, 300, 3_000]));
  try {
    for (;;) {
      const events = await connection.next();
      if (events === null) return;
      for (const event of events) {
        // Events after this one are discarded, as if they were lost with the connection.
        if (left-- === 0) return;
        log.push({ seq: event.seq, type: event.type, payload: idOf(event) });
        if (event.type === LAST) return;
      }
    }
  } finally {
    clearTimeout(timer);
    connection.drop();
  }
}

/** Only the id of a payload is stored, to limit the memory of many readers. */
const idOf = ({ payload: { id } }: SeenEvent): SeenEvent["payload"] =>
  id === undefined ? {} : { id };

function notYet(error: unknown): null {
  if (error instanceof Unavailable) return null;
  throw error;
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

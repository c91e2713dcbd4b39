/** Checks that a reader's log equals the session's: 1..n, once each, in order, with the right events. */
import type { SeenEvent } from "./connections.ts";
import type { Expected } from "./writer.ts";

export function faultIn(log: readonly SeenEvent[], expected: Expected): string | null {
  for (const [index, { seq, payload }] of log.entries()) {
    if (seq !== index + 1) return `event ${index + 1} has number ${seq}`;
    const id = expected.get(seq);
    if (id !== undefined && payload.id !== id) return `event ${seq} is ${payload.id}, not ${id}`;
  }
  const head = Math.max(0, ...expected.keys());
  return log.length === head ? null : `${log.length} events of ${head}`;
}

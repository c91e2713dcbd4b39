/** A wait that a person can watch, and end. */
import { systemClock } from "../client/index";
import type { Context } from "./command";

const TICK_MS = 1_000;

export async function countDown(
  { note, isJson }: Pick<Context, "note" | "isJson">,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const isWatched = process.stderr.isTTY === true && !isJson;
  const end = Date.now() + waitMs;
  for (let left = waitMs; left > 0; left = end - Date.now()) {
    if (isWatched) note(`\rbaton: resumes in ${Math.ceil(left / 1000)} s (Ctrl-C ends)  `);
    await systemClock.sleep(Math.min(left, TICK_MS), signal);
  }
  if (isWatched) note("\r\u001b[K");
}

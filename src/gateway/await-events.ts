/** One answer that waits for the next events: a long-poll, held in the Worker. */
import { linesIn, seqInLine } from "../domain/log/event-line";
import { LIMITS } from "../domain/limits";
import type { EventPage, EventPageContent } from "../object/messages";
import type { Follower } from "./follower";
import type { AsyncReply } from "./gateway";

type AwaitedPage = EventPageContent & Pick<EventPage, "expiresAt">;

/** The next events, or an empty page when the time is up. */
export async function awaitEvents(
  follower: Follower,
  waitMs: number,
  limit: number,
): AsyncReply<AwaitedPage> {
  const first = await follower.start();
  if (!first.ok) return first;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((settle) => {
    timer = setTimeout(() => settle(null), Math.min(waitMs, LIMITS.waitMs));
  });
  const lines = await Promise.race([nextLines(follower), late]);
  clearTimeout(timer);
  follower.close();
  const kept = (lines ?? []).slice(0, limit);
  const isCut = kept.length < (lines?.length ?? 0);
  const nextAfter = isCut ? seqInLine(kept.at(-1) ?? "") : follower.cursor;
  const { expiresAt } = first.value;
  const head = Math.max(first.value.head, follower.cursor);
  return { ok: true, value: { texts: kept, head, nextAfter, more: nextAfter < head, expiresAt } };
}

/** Null when nothing will come. */
async function nextLines(follower: Follower): Promise<readonly string[] | null> {
  for (;;) {
    const step = await follower.next();
    if (step.kind === "events") {
      if (follower.isAdmitted || (await follower.readmit())) return linesIn(step.texts);
      return null;
    }
    if (step.kind !== "replayed") return null;
  }
}

/** A long-poll for the next events, held in the Worker. */
import { linesIn, seqInLine } from "../domain/log/event-line";
import { LIMITS } from "../domain/limits";
import type { EventPage, EventPageContent } from "../object/messages";
import type { Follower } from "./follower";
import type { AsyncReply } from "./gateway";

type AwaitedPage = EventPageContent & Pick<EventPage, "expiresAt">;

/** The next events, or an empty page after the timeout. */
export async function awaitEvents(
  follower: Follower,
  waitMs: number,
  limit: number,
): AsyncReply<AwaitedPage> {
  const first = await follower.start();
  if (!first.ok) return first;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), Math.min(waitMs, LIMITS.waitMs));
  });
  const lines = await Promise.race([nextLines(follower), timeout]);
  clearTimeout(timer);
  follower.close();
  const included = (lines ?? []).slice(0, limit);
  const isCut = included.length < (lines?.length ?? 0);
  const nextAfter = isCut ? seqInLine(included.at(-1) ?? "") : follower.cursor;
  const { expiresAt } = first.value;
  const head = Math.max(first.value.head, follower.cursor);
  return {
    ok: true,
    value: { texts: included, head, nextAfter, more: nextAfter < head, expiresAt },
  };
}

/** Null if no events will come. */
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

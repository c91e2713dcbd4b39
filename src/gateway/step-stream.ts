/**
 * Streams the steps of a follower as server-sent events. The next step is taken only when the client is
 * ready. Steps that are ready go out in one piece, because every piece costs.
 */
import { EVENT_STREAM } from "../protocol/media-types";
import type { Follower } from "./follower";
import type { Step } from "./feed";
import { Utf8Pieces } from "./utf8-pieces";

/** How soon a browser reconnects. */
export const RETRY_MS = 1_000;
/** Shorter than the idle timeout of common proxies. */
export const KEEP_ALIVE_MS = 15_000;
/** In characters. Every piece costs, and unsent ones are held in memory. */
const PIECE_LENGTH = 512 * 1024;

export const STREAM_HEADERS = {
  "Content-Type": `${EVENT_STREAM}; charset=utf-8`,
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
} as const;

/** Formats a step for a face. A long step has several parts, each created when it is needed. */
type FormatStep = (step: Step) => Iterable<string>;

export function streamSteps(follower: Follower, format: FormatStep): ReadableStream<Uint8Array> {
  let preamble = `retry: ${RETRY_MS}\n\n`;
  let parts: Iterator<string> = [].values();
  let hasEnded = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = new Utf8Pieces();
        piece.add(preamble);
        preamble = "";
        let isMore = true;
        while (isMore && piece.length < PIECE_LENGTH) {
          const part = parts.next();
          if (part.done !== true && !hasEnded && !(await mayDeliver())) parts = [].values();
          else if (part.done !== true) piece.add(part.value);
          else isMore = !hasEnded && (await takeStep(piece));
        }
        if (piece.length > 0) controller.enqueue(piece.encode());
        if (hasEnded && !isMore) controller.close();
      },
      cancel() {
        follower.close();
      },
    },
    { highWaterMark: 1 },
  );

  /** The rest of a step is dropped if its reader may no longer see it; the next step has the reason. */
  async function mayDeliver(): Promise<boolean> {
    return follower.isAdmitted || (await follower.readmit());
  }

  /** Waits only if there is nothing to send yet. False if there is nothing more for now. */
  async function takeStep(piece: Utf8Pieces): Promise<boolean> {
    const isWaiting = piece.length === 0;
    const step = isWaiting ? await follower.nextWithin(KEEP_ALIVE_MS) : follower.ready();
    if (step === null) {
      if (isWaiting) piece.add(": keep-alive\n\n");
      return false;
    }
    hasEnded = step.kind === "end" || step.kind === "lost";
    parts = format(step)[Symbol.iterator]();
    return true;
  }
}

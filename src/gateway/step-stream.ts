/**
 * What a follower gives, as the body of a stream of server-sent events. The next of it is taken only
 * when the client has room; what is there already goes out in one piece, because every piece costs.
 */
import { EVENT_STREAM } from "../protocol/media-types";
import type { Follower } from "./follower";
import type { Step } from "./feed";
import { Utf8Pieces } from "./utf8-pieces";

/** How soon a browser comes back after a break. */
export const RETRY_MS = 1_000;
/** Shorter than the idle limit of the proxies in between. */
export const KEEP_ALIVE_MS = 15_000;
/** In characters. Every piece costs, and what is not sent yet has to be kept. */
const PIECE_LENGTH = 512 * 1024;

export const STREAM_HEADERS = {
  "Content-Type": `${EVENT_STREAM}; charset=utf-8`,
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
} as const;

/** Says a step in the words of a face; a long one in parts, each made when it is its turn. */
type FormatStep = (step: Step) => Iterable<string>;

export function streamSteps(follower: Follower, say: FormatStep): ReadableStream<Uint8Array> {
  let greeting = `retry: ${RETRY_MS}\n\n`;
  let parts: Iterator<string> = [].values();
  let isOver = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = new Utf8Pieces();
        piece.add(greeting);
        greeting = "";
        let isMore = true;
        while (isMore && piece.length < PIECE_LENGTH) {
          const part = parts.next();
          if (part.done !== true && !isOver && !(await mayDeliver())) parts = [].values();
          else if (part.done !== true) piece.add(part.value);
          else isMore = !isOver && (await takeStep(piece));
        }
        if (piece.length > 0) controller.enqueue(piece.encode());
        if (isOver && !isMore) controller.close();
      },
      cancel() {
        follower.close();
      },
    },
    { highWaterMark: 1 },
  );

  /** What is left of a step is dropped where its reader may no longer have it; the next says why. */
  async function mayDeliver(): Promise<boolean> {
    return follower.isAdmitted || (await follower.readmit());
  }

  /** Waits only where there is nothing to send yet. False where there is no more for now. */
  async function takeStep(piece: Utf8Pieces): Promise<boolean> {
    const isWaiting = piece.length === 0;
    const step = isWaiting ? await follower.nextWithin(KEEP_ALIVE_MS) : follower.ready();
    if (step === null) {
      if (isWaiting) piece.add(": keep-alive\n\n");
      return false;
    }
    isOver = step.kind === "end" || step.kind === "lost";
    parts = say(step)[Symbol.iterator]();
    return true;
  }
}

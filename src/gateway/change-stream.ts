/**
 * Streams an owner's changes as server-sent events. The wake signal only announces that there are
 * changes. They are read from the directory after the last number sent, so none is skipped or repeated.
 */
import { LIMITS } from "../domain/limits";
import type { WakeSignal } from "./wake-signal";
import type { DirectoryChange, OwnerGateway } from "./owner-gateway";
import type { Holder } from "./owner-keys";
import { KEEP_ALIVE_MS, RETRY_MS } from "./step-stream";

export function streamChanges(
  owners: OwnerGateway,
  holder: Holder,
  signal: WakeSignal,
  after: number,
  toFrames: (changes: readonly DirectoryChange[], cursor: number) => string,
  endsAt = Infinity,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let cursor = after;
  let preamble = `retry: ${RETRY_MS}\n\n`;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (preamble !== "") {
          controller.enqueue(encoder.encode(preamble));
          preamble = "";
          return;
        }
        const page = await owners.changes(holder, cursor, LIMITS.changesPage);
        // If the directory cannot be reached, the stream ends: the reader reconnects with its cursor.
        const hasEnded = Date.now() >= endsAt || !owners.isKeyValid(holder);
        if (!page.ok || hasEnded || signal.isClosed) {
          signal.close();
          return controller.close();
        }
        if (page.value.next > cursor) {
          cursor = page.value.next;
          const frames = toFrames(page.value.changes, cursor);
          // A number without content is sent as well, so that a reader who reconnects does not read it
          // again.
          return controller.enqueue(encoder.encode(frames === "" ? ": passed\n\n" : frames));
        }
        await signal.wait(KEEP_ALIVE_MS);
        controller.enqueue(encoder.encode(": keep-alive\n\n"));
      },
      cancel() {
        signal.close();
      },
    },
    { highWaterMark: 1 },
  );
}

/**
 * An owner's changes as server-sent events. The bell only says that there is something: what it is, is
 * read from the directory after the last number sent, so nothing is skipped and nothing comes twice.
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
  say: (changes: readonly DirectoryChange[], cursor: number) => string,
  endsAt = Infinity,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let cursor = after;
  let greeting = `retry: ${RETRY_MS}\n\n`;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (greeting !== "") {
          controller.enqueue(encoder.encode(greeting));
          greeting = "";
          return;
        }
        const page = await owners.changes(holder, cursor, LIMITS.changesPage);
        // A directory that cannot be reached ends the stream: its reader comes back where it was.
        const isOver = Date.now() >= endsAt || !owners.isKeyValid(holder);
        if (!page.ok || isOver || signal.isClosed) {
          signal.close();
          return controller.close();
        }
        if (page.value.next > cursor) {
          cursor = page.value.next;
          const frames = say(page.value.changes, cursor);
          // A number without content is passed on as well: a reader that comes back need not look again.
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

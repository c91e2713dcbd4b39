/**
 * Tells an open page that something happened. Only the numbers: the page asks for itself, drawn by
 * the server, so that no event's content passes through a script.
 */
import type { Follower, Step } from "../gateway/follower";

const RETRY_MS = 1_000;
const KEEP_ALIVE_MS = 15_000;

export function streamNews(follower: Follower): Response {
  const encoder = new TextEncoder();
  let pending: Promise<Step> | null = null;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`));
      },
      async pull(controller) {
        pending ??= follower.next();
        const step = await orKeepAlive(pending);
        if (step === null) {
          controller.enqueue(encoder.encode(": keep-alive\n\n"));
          return;
        }
        pending = null;
        controller.enqueue(encoder.encode(newsOf(step)));
        if (step.kind === "end" || step.kind === "lost") controller.close();
      },
      cancel() {
        follower.close();
      },
    },
    { highWaterMark: 1 },
  );
  return new Response(body, {
    headers: {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store, no-transform",
      "X-Accel-Buffering": "no",
      "X-Content-Type-Options": "nosniff",
    },
  });
}

/** Null when nothing came for a while. */
async function orKeepAlive(pending: Promise<Step>): Promise<Step | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((settle) => {
    timer = setTimeout(() => settle(null), KEEP_ALIVE_MS);
  });
  const first = await Promise.race([pending, late]);
  clearTimeout(timer);
  return first;
}

function newsOf(step: Step): string {
  switch (step.kind) {
    case "events":
      return `id: ${step.cursor}\nevent: news\ndata: ${step.cursor}\n\n`;
    case "replayed":
      return `id: ${step.head}\nevent: ready\ndata: ${step.head}\n\n`;
    case "end":
      return `event: over\ndata: ${step.ending}\n\n`;
    case "lost":
      return ": lost\n\n";
  }
}

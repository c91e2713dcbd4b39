/**
 * Tells an open page that something happened. Only the numbers: the page asks for itself, drawn by
 * the server, so that no event's content passes through a script.
 */
import type { Follower } from "../gateway/follower";
import type { Step } from "../gateway/feed";
import { STREAM_HEADERS, streamSteps } from "../gateway/step-stream";

export const streamNews = (follower: Follower): Response =>
  new Response(
    streamSteps(follower, (step) => [newsOf(step)]),
    { headers: { ...STREAM_HEADERS, "X-Content-Type-Options": "nosniff" } },
  );

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

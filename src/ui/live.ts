/**
 * Notifies an open page of new events. It sends only their numbers: the page then fetches itself from the
 * server, so that no event's content passes through a script.
 */
import type { Failure } from "../domain/failure";
import type { Step } from "../gateway/feed";
import type { Gateway } from "../gateway/gateway";
import type { UnverifiedCredential } from "../gateway/session-calls";
import { STREAM_HEADERS, streamSteps } from "../gateway/step-stream";
import type { PageContext } from "./link-holder";

/** The number in a query or a header, or null. */
export const parseNumber = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;

/** A stream of the events after the last one that the page has, or the failure. */
export async function followUpdates(
  { req }: PageContext,
  gateway: Gateway,
  credential: UnverifiedCredential,
): Promise<Response | Failure> {
  const after = parseNumber(req.header("Last-Event-ID") ?? req.query("after"));
  const follower = gateway.follow(credential, after, []);
  // The runtime does not cancel a stream whose reader is gone.
  req.raw.signal.addEventListener("abort", () => follower.close());
  const first = await follower.start();
  if (!first.ok) return first.failure;
  return new Response(
    streamSteps(follower, (step) => [formatStep(step)]),
    { headers: { ...STREAM_HEADERS, "X-Content-Type-Options": "nosniff" } },
  );
}

function formatStep(step: Step): string {
  switch (step.kind) {
    case "events":
      return `id: ${step.cursor}\nevent: news\ndata: ${step.cursor}\n\n`;
    case "replayed":
      return `id: ${step.head}\nevent: ready\ndata: ${step.head}\n\n`;
    case "end":
      return `event: over\ndata: ${step.reason}\n\n`;
    case "lost":
      return ": lost\n\n";
  }
}

/** What wait_for waits for, where it begins, and how it tells what came or that nothing will. */
import type { LogEvent } from "../domain/log/event";
import { eventsIn } from "../domain/log/event-line";
import { awaitEvents } from "../gateway/await-events";
import type { Gateway, GatewayReply } from "../gateway/gateway";
import type { UnverifiedCredential } from "../gateway/session-calls";
import {
  handoffEndText,
  HANDOFF_END_TYPES,
  findNoEventReason,
  readHandoffHistory,
  type HandoffHistory,
} from "./handoff-history";

/** Who waits for an answer waits for every other ending as well: it would wait in vain. */
const awaitedTypes = (types: readonly string[] = HANDOFF_END_TYPES): readonly string[] =>
  types.includes("handoff.answered") ? [...new Set([...types, ...HANDOFF_END_TYPES])] : types;

interface WaitRequest {
  readonly after: number | undefined;
  readonly types: readonly string[] | undefined;
  readonly timeoutMs: number;
}

interface WaitResult {
  readonly event: LogEvent | null;
  readonly nextAfter: number;
  readonly expiresAt: string;
  /** Why there will be none. */
  readonly vain: string | null;
}

export async function waitFor(
  gateway: Gateway,
  credential: UnverifiedCredential,
  { after, types: given, timeoutMs }: WaitRequest,
): Promise<GatewayReply<WaitResult>> {
  const types = awaitedTypes(given);
  const before = await readOutlook(gateway, credential, types);
  if (!before.ok) return before;
  const start = after ?? (await startOf(gateway, credential, before.value.people));
  const page =
    before.value.vain === null
      ? await awaitEvents(gateway.follow(credential, start, types), timeoutMs, 1)
      : await gateway.events(credential, "events", { after: start, limit: 1, types });
  if (!page.ok) return page;
  const { texts, nextAfter, expiresAt } = page.value;
  const [event = null] = eventsIn(texts);
  // It may have ended meanwhile, or the last link may have.
  const now = event === null ? await readOutlook(gateway, credential, types) : before;
  if (!now.ok) return now;
  const { vain } = now.value;
  const value = { event, nextAfter: event?.seq ?? nextAfter, expiresAt, vain };
  return { ...before, value };
}

async function readOutlook(
  gateway: Gateway,
  credential: UnverifiedCredential,
  types: readonly string[],
) {
  const shown = await gateway.get(credential);
  if (!shown.ok) return shown;
  const { view } = shown.value;
  const people = await readHandoffHistory(gateway, credential, view, Date.now());
  if (!people.ok) return people;
  const vain = findNoEventReason(view, people.value, types);
  return { ...shown, value: { people: people.value, vain } };
}

/**
 * Where the answer to the newest link cannot be missed: its asking, or the participant's last resume if
 * that was earlier (null: the log begins there by itself). Who was let in later has seen neither.
 */
async function startOf(
  gateway: Gateway,
  credential: UnverifiedCredential,
  { lastIssuedSeq }: HandoffHistory,
): Promise<number | null> {
  if (lastIssuedSeq === null) return null;
  const place = await gateway.read(credential, "resumable", { lastEventSeq: null, auto: false });
  if (!place.ok) return null;
  const { head, behindBy } = place.value;
  return Math.min(lastIssuedSeq, head - (behindBy ?? 0));
}

export function waitResultText({ event, nextAfter, vain }: WaitResult): string {
  if (event === null) return vain ?? `Nothing yet: call wait_for again with after: ${nextAfter}.`;
  const { type, seq } = event;
  const found = HANDOFF_END_TYPES.includes(type) ? handoffEndText(event) : `${type} at ${seq}`;
  return `${found}. To continue, call resume_session.`;
}

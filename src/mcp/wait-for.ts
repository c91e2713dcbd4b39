/** The tool wait_for: the types it waits for, where it starts, and the text of its result. */
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

/** A wait for an answer includes every other end of a handoff, after which no answer would come. */
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
  /** Why no event will come. */
  readonly noEventReason: string | null;
}

export async function waitFor(
  gateway: Gateway,
  credential: UnverifiedCredential,
  { after, types: requested, timeoutMs }: WaitRequest,
): Promise<GatewayReply<WaitResult>> {
  const types = awaitedTypes(requested);
  const before = await readOutlook(gateway, credential, types);
  if (!before.ok) return before;
  const start = after ?? (await startOf(gateway, credential, before.value.history));
  const page =
    before.value.noEventReason === null
      ? await awaitEvents(gateway.follow(credential, start, types), timeoutMs, 1)
      : await gateway.events(credential, "events", { after: start, limit: 1, types });
  if (!page.ok) return page;
  const { texts, nextAfter, expiresAt } = page.value;
  const [event = null] = eventsIn(texts);
  // The session or its last link may have ended meanwhile.
  const now = event === null ? await readOutlook(gateway, credential, types) : before;
  if (!now.ok) return now;
  const { noEventReason } = now.value;
  const value = { event, nextAfter: event?.seq ?? nextAfter, expiresAt, noEventReason };
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
  const history = await readHandoffHistory(gateway, credential, view, Date.now());
  if (!history.ok) return history;
  const noEventReason = findNoEventReason(view, history.value, types);
  return { ...shown, value: { history: history.value, noEventReason } };
}

/**
 * The seq after which the answer to the newest link cannot be missed: the seq of the link, or the
 * participant's last resume if that was earlier. A participant that joined later has seen neither. Null
 * leaves the start to the log, which is the last resume.
 */
async function startOf(
  gateway: Gateway,
  credential: UnverifiedCredential,
  { lastIssuedSeq }: HandoffHistory,
): Promise<number | null> {
  if (lastIssuedSeq === null) return null;
  const position = await gateway.read(credential, "resumable", { lastEventSeq: null, auto: false });
  if (!position.ok) return null;
  const { head, behindBy } = position.value;
  return Math.min(lastIssuedSeq, head - (behindBy ?? 0));
}

export function waitResultText({ event, nextAfter, noEventReason }: WaitResult): string {
  if (event === null)
    return noEventReason ?? `Nothing yet: call wait_for again with after: ${nextAfter}.`;
  const { type, seq } = event;
  const found = HANDOFF_END_TYPES.includes(type) ? handoffEndText(event) : `${type} at ${seq}`;
  return `${found}. To continue, call resume_session.`;
}

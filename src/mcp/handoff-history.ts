/**
 * The handoffs to people in a session and how they ended, read from the log for a model that was not
 * there when it happened. The log is read only if a person takes part in the session.
 */
import type { LogEvent } from "../domain/log/event";
import { eventsIn } from "../domain/log/event-line";
import { LIMITS } from "../domain/limits";
import { isTerminal } from "../domain/session/state";
import type { SessionView } from "../domain/session/view";
import type { Gateway, GatewayReply } from "../gateway/gateway";
import type { UnverifiedCredential } from "../gateway/session-calls";

/** Events that end a handoff to a person. */
export const HANDOFF_END_TYPES: readonly string[] = [
  "handoff.answered",
  "handoff.declined",
  "handoff.expired",
];
const LINK_ISSUED_TYPES = ["handoff.link_issued", "handoff.reissued"];
/** The newest ends are shown. A further call returns the others. */
const MAX_SHOWN_ENDS = 3;
const MAX_PAYLOAD_LENGTH = 300;

export interface HandoffHistory {
  /** The events that ended a handoff, oldest first. */
  readonly ended: readonly LogEvent[];
  /** Ids of handoffs that can still be answered. */
  readonly open: readonly string[];
  /** Seq of the event that issued the last link. Null if there was none. */
  readonly lastIssuedSeq: number | null;
}

const NO_HANDOFFS: HandoffHistory = { ended: [], open: [], lastIssuedSeq: null };

export async function readHandoffHistory(
  gateway: Gateway,
  credential: UnverifiedCredential,
  { participants }: SessionView,
  now: number,
): Promise<GatewayReply<HandoffHistory>> {
  const people = participants.filter(({ actor }) => actor.kind === "human");
  if (people.length === 0) return { ok: true, value: NO_HANDOFFS };
  const events: LogEvent[] = [];
  const types = [...LINK_ISSUED_TYPES, ...HANDOFF_END_TYPES];
  for (let after = 0, more = true; more; ) {
    // An audit also returns the server's own events below the floor.
    const page = await gateway.events(credential, "audit", {
      after,
      limit: LIMITS.pageEvents,
      types,
    });
    if (!page.ok) return page;
    events.push(...eventsIn(page.value.texts));
    ({ nextAfter: after, more } = page.value);
  }
  const at = new Date(now).toISOString();
  const active = new Set(
    people
      .filter(({ revoked, expiresAt }) => !revoked && (expiresAt === null || expiresAt > at))
      .map(({ id }) => id),
  );
  // The last event of each participant: a link was issued, or the handoff ended.
  const last = new Map(events.map((event) => [String(event.payload["participant"]), event]));
  const open = [...last].filter(
    ([id, { type }]) => active.has(id) && LINK_ISSUED_TYPES.includes(type),
  );
  return {
    ok: true,
    value: {
      ended: events.filter(({ type }) => HANDOFF_END_TYPES.includes(type)),
      open: open.map(([, { payload }]) => String(payload["handoffId"])),
      lastIssuedSeq: events.findLast(({ type }) => LINK_ISSUED_TYPES.includes(type))?.seq ?? null,
    },
  };
}

/** For the result that has this token. A failed read must not lose the token, so it counts as no handoffs. */
export async function describeHandoffs(
  gateway: Gateway,
  resumeToken: string,
  session: SessionView,
): Promise<ReturnType<typeof formatHistory>> {
  // A replayed response has only an outline if the session has expired since.
  if ((session as Partial<SessionView>).participants === undefined)
    return formatHistory(NO_HANDOFFS);
  const credential = await gateway.readCredential(resumeToken, `Bearer ${resumeToken}`);
  const history = credential.ok
    ? await readHandoffHistory(gateway, credential.value, session, Date.now())
    : credential;
  return formatHistory(history.ok ? history.value : NO_HANDOFFS);
}

/** The text starts with a space. It is empty if there were no handoffs. */
function formatHistory({ ended, open }: HandoffHistory) {
  if (ended.length === 0 && open.length === 0) return { text: "", facts: {} };
  const newest = ended.slice(-MAX_SHOWN_ENDS);
  const earlier =
    ended.length > newest.length
      ? ` ${ended.length - newest.length} more: call read_events with {"after":0,"types":["handoff.*"]}.`
      : "";
  const stillOpen =
    open.length > 0 ? ` Still open: ${open.join(", ")}. Call wait_for with {} for an answer.` : "";
  const ends = newest.map((event) => ` ${handoffEndText(event)}.`).join("");
  return { text: `${ends}${earlier}${stillOpen}`, facts: { handoffs: { ended: newest, open } } };
}

/** Shortened; the facts contain the whole event. */
export function handoffEndText({ type, seq, payload }: LogEvent): string {
  const json = JSON.stringify(payload);
  return `${type} at ${seq}: ${json.length > MAX_PAYLOAD_LENGTH ? `${json.slice(0, MAX_PAYLOAD_LENGTH)}…` : json}`;
}

/** Types of events that only the holder of an open link can cause. */
const LINK_HOLDER_TYPES = new Set([...HANDOFF_END_TYPES, "handoff.opened"]);

/** Why no event of these types will come, however long the caller waits. Null if one may come. */
export function findNoEventReason(
  { id, state, parent }: SessionView,
  { open }: HandoffHistory,
  types: readonly string[],
): string | null {
  if (isTerminal(state)) {
    return `The session is ${state}: nothing more will happen. Read it with get_session.`;
  }
  if (open.length > 0 || !types.every((type) => LINK_HOLDER_TYPES.has(type))) return null;
  const parentNote =
    parent === null
      ? ""
      : ` A person who was asked in its parent ${parent.sessionId} answers there.`;
  return `Nobody is asked in ${id}: no link to a person is open.${parentNote} To ask somebody, call handoff_to_human.`;
}

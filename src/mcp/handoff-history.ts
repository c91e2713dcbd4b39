/**
 * What people were asked in a session and what came of it, from the log: a model that opens a session
 * was not there when it happened. Read only where a person takes part at all.
 */
import type { LogEvent } from "../domain/log/event";
import { eventsIn } from "../domain/log/event-line";
import { LIMITS } from "../domain/limits";
import { isTerminal } from "../domain/session/state";
import type { SessionView } from "../domain/session/view";
import type { Gateway, GatewayReply } from "../gateway/gateway";
import type { UnverifiedCredential } from "../gateway/session-calls";

/** By which a person's part ends. */
export const HANDOFF_END_TYPES: readonly string[] = [
  "handoff.answered",
  "handoff.declined",
  "handoff.expired",
];
const LINK_ISSUED_TYPES = ["handoff.link_issued", "handoff.reissued"];
/** So many endings are told; the others are a call away. */
const MAX_SHOWN_ENDS = 3;
const MAX_PAYLOAD_LENGTH = 300;

export interface HandoffHistory {
  /** How their parts ended, oldest first. */
  readonly ended: readonly LogEvent[];
  /** Ids of handoffs that somebody can still answer. */
  readonly open: readonly string[];
  /** Number of the event that asked last; null where nobody was asked. */
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
    // As an audit: the server's own events are there below a trimmed part, too.
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
  const living = new Set(
    people
      .filter(({ revoked, expiresAt }) => !revoked && (expiresAt === null || expiresAt > at))
      .map(({ id }) => id),
  );
  // The last thing said of each: asked, or how it ended.
  const last = new Map(events.map((event) => [String(event.payload["participant"]), event]));
  const open = [...last].filter(
    ([id, { type }]) => living.has(id) && LINK_ISSUED_TYPES.includes(type),
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

/** As part of the answer that gave this token. What cannot be read now is no reason to lose the token. */
export async function describeHandoffs(
  gateway: Gateway,
  resumeToken: string,
  session: SessionView,
): Promise<ReturnType<typeof formatHistory>> {
  // Told again after its expiry, a session is an outline.
  if ((session as Partial<SessionView>).participants === undefined)
    return formatHistory(NO_HANDOFFS);
  const presented = await gateway.readCredential(resumeToken, `Bearer ${resumeToken}`);
  const people = presented.ok
    ? await readHandoffHistory(gateway, presented.value, session, Date.now())
    : presented;
  return formatHistory(people.ok ? people.value : NO_HANDOFFS);
}

/** As part of an answer: sentences with a space before them, and facts; nothing where nobody was asked. */
function formatHistory({ ended, open }: HandoffHistory) {
  if (ended.length === 0 && open.length === 0) return { words: "", facts: {} };
  const newest = ended.slice(-MAX_SHOWN_ENDS);
  const earlier =
    ended.length > newest.length
      ? ` ${ended.length - newest.length} more: call read_events with {"after":0,"types":["handoff.*"]}.`
      : "";
  const waits =
    open.length > 0 ? ` Still open: ${open.join(", ")}. Call wait_for with {} for an answer.` : "";
  const words = newest.map((event) => ` ${handoffEndText(event)}.`).join("");
  return { words: `${words}${earlier}${waits}`, facts: { handoffs: { ended: newest, open } } };
}

/** The whole of it is in the facts. */
export function handoffEndText({ type, seq, payload }: LogEvent): string {
  const said = JSON.stringify(payload);
  return `${type} at ${seq}: ${said.length > MAX_PAYLOAD_LENGTH ? `${said.slice(0, MAX_PAYLOAD_LENGTH)}…` : said}`;
}

/** Types that only a person who is asked now can bring about. */
const LINK_HOLDER_TYPES = new Set([...HANDOFF_END_TYPES, "handoff.opened"]);

/** Why no event of these types will come, however long one waits; null: one may. */
export function findNoEventReason(
  { id, state, parent }: SessionView,
  { open }: HandoffHistory,
  types: readonly string[],
): string | null {
  if (isTerminal(state)) {
    return `The session is ${state}: nothing more will happen. Read it with get_session.`;
  }
  if (open.length > 0 || !types.every((type) => LINK_HOLDER_TYPES.has(type))) return null;
  const elsewhere =
    parent === null
      ? ""
      : ` A person who was asked in its parent ${parent.sessionId} answers there.`;
  return `Nobody is asked in ${id}: no link to a person is open.${elsewhere} To ask somebody, call handoff_to_human.`;
}

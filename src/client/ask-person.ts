/**
 * Asks a person one question, once, however often the program is killed and restarted. What is
 * known is in the session: the link that carries the question, and an event once the link was sent.
 */
import type { LogEvent } from "../domain/log/event";
import { SessionEndedError } from "./errors";
import type { LinkInput } from "./inputs";
import type { TokenLine } from "./token-line";
import type { HandoffView, LinkMade } from "./outputs";
import type { Session } from "./session";
import { readHistory, type EventHistory } from "./event-history";
import type { TokenStore } from "./token-store";
import { waitForEvent, type WaitOptions } from "./wait-for";

/**
 * The question for a person: as for `handoffToPerson`, with the question text that identifies it.
 */
export type AskInput = Omit<LinkInput, "question" | "scopes"> & {
  /** The question. The same question is asked only once per session. */
  readonly question: string;
  /** What the person may do; default `fill`. */
  readonly scopes?: LinkInput["scopes"];
};

/** How the link is sent, and how long to wait. */
export interface AskOptions extends Omit<WaitOptions, "after"> {
  /**
   * Sends the link to the person. If the process is killed before the log has the event that it was
   * sent, the next process calls this again with a new address for the same link. The old address
   * then stops working.
   */
  readonly send: (link: LinkMade["handoff"]) => unknown;
}

/** The events that end a question. */
export type AskOutcome = (typeof END_EVENTS)[number];

const END_EVENTS = ["handoff.answered", "handoff.declined", "handoff.expired"] as const;
/** Appended once the link was sent to the person. */
const SENT_EVENT = "person.asked";
const HISTORY_EVENTS = [...END_EVENTS, "handoff.reissued", SENT_EVENT] as const;

export async function askPerson(
  session: Session,
  tokenLine: TokenLine,
  input: AskInput,
  options: AskOptions,
): Promise<LogEvent | null> {
  const { send, timeoutMs, outageMs, signal } = options;
  const { scopes = ["fill"], ...others } = input;
  const createLink = async (): Promise<QuestionLink> => {
    const question = await findOrCreateLink(session, { scopes, ...others }, signal);
    if (question.link !== null) {
      await send(question.link);
      await markLinkSent(session, question.id, signal);
    }
    return question;
  };
  const { id, events, head } = await withQuestionLock(
    tokenLine.store,
    tokenLine.name,
    createLink,
    signal,
  );
  const limits = { after: head, timeoutMs, outageMs, signal };
  const end =
    findEndEvent(events, id) ?? (await waitForEvent(tokenLine, END_EVENTS, limits, belongsTo(id)));
  if (end !== null && end.seq > (session.resumed?.head ?? 0)) await catchUp(session, signal);
  return end;
}

/** Prevents two processes that share the store from creating two links. */
export const withQuestionLock = <T>(
  store: TokenStore,
  name: string,
  createLink: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> => store.exclusively(`${name} asks`, createLink, signal);

interface QuestionLink extends EventHistory {
  readonly id: string;
  /** The link with its address, if it may not have been sent yet. Null if it was sent. */
  readonly link: LinkMade["handoff"] | null;
}

/**
 * Finds or creates the link that carries the question. A link that may never have been sent gets a
 * new address.
 */
export async function findOrCreateLink(
  session: Session,
  input: LinkInput,
  signal: AbortSignal | undefined,
): Promise<QuestionLink> {
  const { events, head } = await readHistory(session, HISTORY_EVENTS, signal);
  const found = (await session.handoffs({ signal })).findLast(
    ({ to, question, revoked }) => to === "human" && question === input.question && !revoked,
  );
  if (found !== undefined && isSent(found, events))
    return { id: found.id, link: null, events, head };
  const { ttlMs } = input;
  const { handoff } =
    found === undefined
      ? await session.handoffToPerson(input, { signal })
      : await session.reissue(found.id, ttlMs === undefined ? {} : { ttlMs }, { signal });
  return { id: handoff.id, link: handoff, events: [], head };
}

/** From now on the link counts as sent, and no process gives it a new address. */
export const markLinkSent = (
  session: Session,
  handoffId: string,
  signal: AbortSignal | undefined,
): Promise<unknown> => session.append({ type: SENT_EVENT, payload: { handoffId } }, { signal });

const isSent = ({ id, openedAt, declinedAt }: HandoffView, events: readonly LogEvent[]): boolean =>
  Boolean(openedAt ?? declinedAt) ||
  events.some((event) => event.type === SENT_EVENT && belongsTo(id)(event));

const belongsTo =
  (id: string) =>
  ({ payload }: LogEvent): boolean =>
    payload["handoffId"] === id;

/** A link that was reissued after its end is open again. */
function findEndEvent(events: readonly LogEvent[], id: string): LogEvent | null {
  const last = events.findLast((event) => event.type !== SENT_EVENT && belongsTo(id)(event));
  return last === undefined || last.type === "handoff.reissued" ? null : last;
}

/**
 * The answer changed the session's version, so the next write would be a conflict without a resume.
 */
async function catchUp(session: Session, signal: AbortSignal | undefined): Promise<void> {
  try {
    await session.resume({}, { signal });
  } catch (error) {
    if (!(error instanceof SessionEndedError)) throw error;
    await session.get({ signal });
  }
}

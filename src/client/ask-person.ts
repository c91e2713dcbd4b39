/**
 * One question to a person, asked once however often the program is killed and started again. The
 * session holds what is known: the link that carries the question, and an event once it was sent.
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

/** What a person is asked: as for `handoffToPerson`, with the question by which it is found again. */
export type AskInput = Omit<LinkInput, "question" | "scopes"> & {
  /** The question. The same question is asked once in a session. */
  readonly question: string;
  /** What the person may do; `fill` unless given. */
  readonly scopes?: LinkInput["scopes"];
};

/** How a person is asked, and for how long to wait. */
export interface AskOptions extends Omit<WaitOptions, "after"> {
  /**
   * Sends the link to the person. If the process is killed before this is noted in the log, the next
   * one calls it again, with a new address for the same link; the old address then stops working.
   */
  readonly send: (link: LinkMade["handoff"]) => unknown;
}

/** Ways in which a question ends. */
export type AskEnding = (typeof END_EVENTS)[number];

const END_EVENTS = ["handoff.answered", "handoff.declined", "handoff.expired"] as const;
/** Noted once the link is with the person. */
const SENT_EVENT = "person.asked";
const HISTORY_EVENTS = [...END_EVENTS, "handoff.reissued", SENT_EVENT] as const;

export async function askPerson(
  session: Session,
  tokenLine: TokenLine,
  input: AskInput,
  options: AskOptions,
): Promise<LogEvent | null> {
  const { send, timeoutMs, outageMs, signal } = options;
  const { scopes = ["fill"], ...rest } = input;
  const ask = async (): Promise<QuestionLink> => {
    const asked = await findOrCreateLink(session, { scopes, ...rest }, signal);
    if (asked.link !== null) {
      await send(asked.link);
      await markLinkSent(session, asked.id, signal);
    }
    return asked;
  };
  const { id, events, head } = await withQuestionLock(tokenLine.store, tokenLine.name, ask, signal);
  const limits = { after: head, timeoutMs, outageMs, signal };
  const ending =
    findEndEvent(events, id) ?? (await waitForEvent(tokenLine, END_EVENTS, limits, belongsTo(id)));
  if (ending !== null && ending.seq > (session.resumed?.head ?? 0)) await catchUp(session, signal);
  return ending;
}

/** So that two processes that share the store do not make two links. */
export const withQuestionLock = <T>(
  store: TokenStore,
  name: string,
  ask: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> => store.exclusively(`${name} asks`, ask, signal);

interface QuestionLink extends EventHistory {
  readonly id: string;
  /** Of a link that is not known to be with the person: its address. Null: it was sent. */
  readonly link: LinkMade["handoff"] | null;
}

/** The link that carries the question. One that was made and perhaps never sent gets a new address. */
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

/** From now on the link counts as sent: nobody gives it a new address. */
export const markLinkSent = (
  session: Session,
  handoffId: string,
  signal: AbortSignal | undefined,
): Promise<unknown> => session.append({ type: SENT_EVENT, payload: { handoffId } }, { signal });

const isSent = ({ id, openedAt, declinedAt }: HandoffView, story: readonly LogEvent[]): boolean =>
  Boolean(openedAt ?? declinedAt) ||
  story.some((one) => one.type === SENT_EVENT && belongsTo(id)(one));

const belongsTo =
  (id: string) =>
  ({ payload }: LogEvent): boolean =>
    payload["handoffId"] === id;

/** A link that was issued anew after its end is open again. */
function findEndEvent(story: readonly LogEvent[], id: string): LogEvent | null {
  const last = story.findLast((event) => event.type !== SENT_EVENT && belongsTo(id)(event));
  return last === undefined || last.type === "handoff.reissued" ? null : last;
}

/** The answer moved the session on: a write over what was not seen would be a conflict. */
async function catchUp(session: Session, signal: AbortSignal | undefined): Promise<void> {
  try {
    await session.resume({}, { signal });
  } catch (error) {
    if (!(error instanceof SessionEndedError)) throw error;
    await session.get({ signal });
  }
}

/**
 * One question to a person, asked once however often the program is killed and started again. The
 * session holds what is known: the link that carries the question, and an event once it was sent.
 */
import type { LogEvent } from "../domain/log/event";
import { SessionEndedError, WireError } from "./errors";
import type { CallOptions, LinkInput } from "./inputs";
import type { Line } from "./line";
import type { HandoffView, LinkMade } from "./outputs";
import type { Session } from "./session";
import { waitForEvent } from "./wait-for";

/** What a person is asked: as for `handoffToPerson`, with the question by which it is found again. */
export type AskInput = Omit<LinkInput, "question" | "scopes"> & {
  /** The question. The same question is asked once in a session. */
  readonly question: string;
  /** What the person may do; `fill` unless given. */
  readonly scopes?: LinkInput["scopes"];
};

/** How a person is asked, and for how long to wait. */
export interface AskOptions extends CallOptions {
  /**
   * Sends the link to the person. If the process is killed before this is noted in the log, the next
   * one calls it again, with a new address for the same link; the old address then stops working.
   */
  readonly send: (link: LinkMade["handoff"]) => unknown;
  /** Give up waiting after this long; absent: wait as long as the session lives. */
  readonly timeoutMs?: number;
  /** How long to go on without a connection; `retry.outageMs` of `Baton.connect` unless given. */
  readonly outageMs?: number;
}

/** Ways in which a question ends. */
export type AskEnding = (typeof ENDINGS)[number];

const ENDINGS = ["handoff.answered", "handoff.declined", "handoff.expired"] as const;
/** Noted once the link is with the person. */
const SENT = "person.asked";
const STORY = [...ENDINGS, "handoff.reissued", SENT] as const;

export async function askPerson(
  session: Session,
  line: Line,
  input: AskInput,
  options: AskOptions,
): Promise<LogEvent | null> {
  const { timeoutMs, outageMs, signal } = options;
  // One after another, so that two processes that share the store do not make two links.
  const ask = () => findOrAsk(session, input, options);
  const { id, story, head } = await line.store.exclusively(`${line.name} asks`, ask, signal);
  const limits = {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(outageMs === undefined ? {} : { outageMs }),
  };
  const ending =
    endingOf(story, id) ??
    (await waitForEvent(line, ENDINGS, { after: head, signal, ...limits }, isOf(id)));
  if (ending !== null && ending.seq > (session.resumed?.head ?? 0)) await catchUp(session, signal);
  return ending;
}

interface Asked {
  readonly id: string;
  readonly story: readonly LogEvent[];
  /** Up to where the story was read. */
  readonly head: number;
}

async function findOrAsk(
  session: Session,
  { scopes = ["fill"], ...input }: AskInput,
  { send, signal }: AskOptions,
): Promise<Asked> {
  const { story, head } = await readStory(session, signal);
  const found = (await session.handoffs({ signal })).findLast(
    ({ to, question, revoked }) => to === "human" && question === input.question && !revoked,
  );
  if (found !== undefined && isSent(found, story)) return { id: found.id, story, head };
  const { ttlMs } = input;
  const { handoff } =
    found === undefined
      ? await session.handoffToPerson({ scopes, ...input }, { signal })
      : await session.reissue(found.id, ttlMs === undefined ? {} : { ttlMs }, { signal });
  await send(handoff);
  await session.append({ type: SENT, payload: { handoffId: handoff.id } }, { signal });
  return { id: handoff.id, story: [], head };
}

const isSent = ({ id, openedAt, declinedAt }: HandoffView, story: readonly LogEvent[]): boolean =>
  Boolean(openedAt ?? declinedAt) || story.some((one) => one.type === SENT && isOf(id)(one));

const isOf =
  (id: string) =>
  ({ payload }: LogEvent): boolean =>
    payload["handoffId"] === id;

/** A link that was issued anew after its end is open again. */
function endingOf(story: readonly LogEvent[], id: string): LogEvent | null {
  const last = story.findLast((event) => event.type !== SENT && isOf(id)(event));
  return last === undefined || last.type === "handoff.reissued" ? null : last;
}

async function readStory(
  session: Session,
  signal: AbortSignal | undefined,
): Promise<Omit<Asked, "id">> {
  const story: LogEvent[] = [];
  for (let after = 0; ; ) {
    try {
      const page = await session.page({ after, types: STORY, signal });
      story.push(...(page.events as readonly LogEvent[]));
      after = page.nextAfter;
      if (!page.more) return { story, head: after };
    } catch (error) {
      const floor = error instanceof WireError ? error.problem.floor : undefined;
      if (floor === undefined || floor <= after) throw error;
      after = floor;
    }
  }
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

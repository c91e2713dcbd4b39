/** Events for whoever has a token: asked for one page at a time, or as they happen. */
import type { ServerContext } from "@modelcontextprotocol/server";
import type * as z from "zod";
import type { Failure } from "../../domain/failure";
import type { LogEvent } from "../../domain/log/event";
import { eventsIn } from "../../domain/log/event-line";
import type { Ending } from "../../domain/log/ending";
import type { NoticeType } from "../../domain/notices/catalogue";
import { EVENT_ERRORS, eventIdOf } from "../../domain/notices/subscription";
import { LIMITS } from "../../domain/limits";
import { refuse, type Result } from "../../domain/result";
import type { SessionView } from "../../domain/session/view";
import type { Caller } from "../../gateway/caller";
import type { Gateway } from "../../gateway/gateway";
import { asNotices, floorIn, isYoung, noticesAfter } from "../../gateway/notice-log";
import type { Presented } from "../../gateway/presented";
import { readHandle } from "../tool-kit";
import { eventError, unknownEvent } from "./event-errors";
import { isEventName, type pollParams, type streamParams } from "./params";

/** How soon to ask again who does not wait: cheap for both sides, and soon enough for a person. */
const NEXT_POLL_MS = 5_000;
/** The draft wants one at least every 30 s. */
const HEARTBEAT_MS = 20_000;
/** Under this name a message says which request it belongs to. */
const SUBSCRIPTION_META = "io.modelcontextprotocol/subscriptionId";

export interface Reader {
  readonly gateway: Gateway;
  readonly caller: Caller;
  /** The header, if there was one. */
  readonly authorization: string | null;
}

export async function pollEvents(reader: Reader, params: z.output<typeof pollParams>) {
  const { name, cursor, maxAgeMs, maxEvents, timeoutMs } = params;
  const [event, presented] = await begin(reader, name, params.arguments);
  const waitMs = Math.min(timeoutMs ?? 0, LIMITS.waitMs);
  const page = await noticesAfter(reader.gateway, presented, {
    name: event,
    cursor: placeOf(cursor),
    maxAgeMs: maxAgeMs ?? undefined,
    limit: maxEvents ?? LIMITS.pageEventsDefault,
    waitMs,
  });
  if (!page.ok) throw eventError(page.failure);
  const { session, events, truncated, hasMore } = page.value;
  return {
    events: occurrencesOf(session, events),
    cursor: String(page.value.cursor),
    truncated,
    hasMore,
    nextPollMs: waitMs > 0 ? 0 : NEXT_POLL_MS,
  };
}

/** Held in the Worker until the session ends, the right to see it does, or the client goes. */
export async function streamEvents(
  reader: Reader,
  params: z.output<typeof streamParams>,
  { mcpReq: { id, notify, signal } }: ServerContext,
) {
  const { name, cursor, maxAgeMs } = params;
  const [event, presented] = await begin(reader, name, params.arguments);
  const shown = await reader.gateway.get(presented);
  if (!shown.ok) throw eventError(shown.failure);
  const session = shown.value.view;
  const from = placeOf(cursor) ?? session.head;
  const tell = (kind: string, body: object): Promise<void> =>
    notify({
      method: `notifications/events/${kind}`,
      params: { ...body, _meta: { [SUBSCRIPTION_META]: id } },
    });
  const { follower, start, first } = await follow(reader.gateway, presented, event, from);
  signal.addEventListener("abort", () => follower.close());
  const isOld = (one: LogEvent): boolean => !isYoung(one, maxAgeMs ?? undefined, Date.now());
  const truncated = start > from || eventsIn(first.texts).some(isOld);
  await tell("active", { cursor: String(start), truncated });
  let last = String(start);
  while (!signal.aborted) {
    const step = await follower.nextWithin(HEARTBEAT_MS);
    if (step === null) await tell("heartbeat", { cursor: last });
    else if (step.kind === "events") {
      if (!follower.isAdmitted && !(await follower.readmitted())) continue;
      const events = eventsIn(step.texts).filter((one) => !isOld(one));
      for (const one of occurrencesOf(session, events)) {
        await tell("event", { ...one, cursor: String(one.data.seq) });
      }
      last = String(step.cursor);
    } else if (step.kind === "end") {
      await tell("terminated", { error: endingError(step.ending) });
      break;
    } else if (step.kind === "lost") break;
  }
  follower.close();
  return {};
}

/** Where the log was trimmed, from where it is whole. */
async function follow(gateway: Gateway, presented: Presented, name: NoticeType, from: number) {
  const follower = gateway.follow(presented, from, [name]);
  const first = await follower.start();
  if (first.ok) return { follower, start: from, first: first.value };
  const floor = floorIn(first.failure);
  if (floor === null) throw eventError(first.failure);
  const again = gateway.follow(presented, floor, [name]);
  const page = await again.start();
  if (!page.ok) throw eventError(page.failure);
  return { follower: again, start: floor, first: page.value };
}

async function begin(
  reader: Reader,
  name: string,
  args: z.output<typeof streamParams>["arguments"],
): Promise<readonly [NoticeType, Presented]> {
  if (!isEventName(name)) throw unknownEvent(name);
  const presented = await presentedBy(reader, args);
  if (!presented.ok) throw eventError(presented.error);
  return [name, presented.value];
}

/** A token among the arguments as tools take it, else the header's; or an owner's key for a session. */
function presentedBy(
  { gateway, caller, authorization }: Reader,
  { session_id, resume_token }: z.output<typeof streamParams>["arguments"],
): Promise<Result<Presented, Failure>> {
  if (resume_token !== undefined) return readHandle(gateway, { resume_token, session_id });
  const token = /^Bearer +(rtok_\S+) *$/i.exec(authorization ?? "")?.[1];
  if (token !== undefined) return readHandle(gateway, { resume_token: token, session_id });
  const key = caller.ownerKey;
  if (key === null || session_id === undefined) {
    return Promise.resolve(refuse({ code: "credential_missing" }));
  }
  return gateway.readCredential(session_id, `Bearer ${key}`);
}

const placeOf = (cursor: string | null | undefined): number | null =>
  cursor === null || cursor === undefined ? null : Number(cursor);

/** Who may read the log sees the event's payload too. What was waited for then is not in the log. */
const occurrencesOf = (session: SessionView, events: readonly LogEvent[]) =>
  asNotices(session, events, null).map(({ event, type, timestamp, data }) => {
    const { waiting: _, ...known } = data;
    return {
      eventId: eventIdOf(data),
      name: type,
      timestamp,
      data: { ...known, payload: event.payload },
    };
  });

const WORDS: Readonly<Record<Ending, string>> = {
  ended: "The session has ended",
  expired: "The session has expired",
  gone: "The session is gone",
  revoked: "The token was revoked",
  superseded: "The token was superseded",
};

const endingError = (ending: Ending) => ({
  code:
    ending === "revoked" || ending === "superseded"
      ? EVENT_ERRORS.forbidden
      : EVENT_ERRORS.notFound,
  message: WORDS[ending],
  data: { kind: "session", reason: ending },
});

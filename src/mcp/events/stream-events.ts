/**
 * Streams events live. The Worker holds a stream until the session ends, the right to see it ends, or
 * the client disconnects. If the log cannot be read for a while, the client gets an error notification,
 * and the stream continues from the same cursor.
 */
import type { ServerContext } from "@modelcontextprotocol/server";
import type * as z from "zod";
import type { Failure } from "../../domain/failure";
import type { EndReason } from "../../domain/log/end-reason";
import type { LogEvent } from "../../domain/log/event";
import { eventsIn } from "../../domain/log/event-line";
import type { NoticeType } from "../../domain/notices/catalogue";
import { EVENT_ERRORS } from "../../domain/notices/subscription";
import { endReasonOfFailure } from "../../gateway/failure-end-reason";
import type { Gateway } from "../../gateway/gateway";
import { floorIn, isWithinAge } from "../../gateway/notice-log";
import type { UnverifiedCredential } from "../../gateway/session-calls";
import { eventError } from "./event-errors";
import type { streamParams } from "./params";
import { resolveEventRead, occurrencesOf, parseCursor, type EventReader } from "./read-events";

/** The draft requires one at least every 30 s. */
const HEARTBEAT_MS = 20_000;
/** The key under which a notification names its request. */
const SUBSCRIPTION_META = "io.modelcontextprotocol/subscriptionId";
/** The wait before the first retry. It doubles each time, up to the interval of a heartbeat. */
const RETRY_BASE_MS = 500;
/** About a minute in all. Then the stream closes, and the client can reconnect with its cursor. */
const MAX_RETRIES = 8;

export async function streamEvents(
  reader: EventReader,
  params: z.output<typeof streamParams>,
  { mcpReq: { id, notify, signal } }: ServerContext,
) {
  const { gateway } = reader;
  const { name, cursor, maxAgeMs } = params;
  const [event, credential] = await resolveEventRead(reader, name, params.arguments);
  const shown = await gateway.get(credential);
  if (!shown.ok) throw eventError(shown.failure);
  const session = shown.value.view;
  const from = parseCursor(cursor) ?? session.head;
  const send: SendNotification = (kind, body) =>
    notify({
      method: `notifications/events/${kind}`,
      params: { ...body, _meta: { [SUBSCRIPTION_META]: id } },
    });
  const opened = await openFollower(gateway, credential, event, from);
  if (!opened.ok) throw eventError(opened.failure);
  const isTooOld = (one: LogEvent): boolean => !isWithinAge(one, maxAgeMs ?? undefined, Date.now());
  const truncated = opened.start > from || eventsIn(opened.first).some(isTooOld);
  await send("active", { cursor: String(opened.start), truncated });
  let { follower, start: last } = opened;
  signal.addEventListener("abort", () => follower.close());
  while (!signal.aborted) {
    const step = await follower.nextWithin(HEARTBEAT_MS);
    if (step === null) await send("heartbeat", { cursor: String(last) });
    else if (step.kind === "events") {
      if (!follower.isAdmitted && !(await follower.readmit())) continue;
      const events = eventsIn(step.texts).filter((one) => !isTooOld(one));
      for (const one of occurrencesOf(session, events)) {
        await send("event", { ...one, cursor: String(one.data.seq) });
      }
      last = step.cursor;
    } else if (step.kind === "end") {
      await send("terminated", { error: endError(step.reason) });
      break;
    } else if (step.kind === "lost") {
      const reopened = await reopenFollower(gateway, credential, event, last, send, signal);
      if (reopened === null) break;
      if (reopened.start > last)
        await send("active", { cursor: String(reopened.start), truncated: true });
      ({ follower, start: last } = reopened);
    }
  }
  follower.close();
  return { _meta: {} };
}

type SendNotification = (kind: string, body: object) => Promise<void>;
type OpenFollower = Extract<Awaited<ReturnType<typeof openFollower>>, { ok: true }>;

/** If the log was trimmed there, it follows from the floor. */
async function openFollower(
  gateway: Gateway,
  credential: UnverifiedCredential,
  name: NoticeType,
  from: number,
) {
  const follower = gateway.follow(credential, from, [name]);
  const first = await follower.start();
  if (first.ok) return { ok: true, follower, start: from, first: first.value.texts } as const;
  const floor = floorIn(first.failure);
  if (floor === null) return first;
  const whole = gateway.follow(credential, floor, [name]);
  const page = await whole.start();
  if (!page.ok) return page;
  return { ok: true, follower: whole, start: floor, first: page.value.texts } as const;
}

/** Null if there is nothing left to follow, of which the client was notified, or if all retries failed. */
async function reopenFollower(
  gateway: Gateway,
  credential: UnverifiedCredential,
  name: NoticeType,
  from: number,
  send: SendNotification,
  signal: AbortSignal,
): Promise<OpenFollower | null> {
  for (let attempt = 0; attempt < MAX_RETRIES && !signal.aborted; attempt += 1) {
    const opened = await openFollower(gateway, credential, name, from);
    if (opened.ok) return opened;
    const ending = endReasonOfFailure(opened.failure);
    if (ending !== null) {
      await send("terminated", { error: endError(ending) });
      return null;
    }
    await send("error", { error: transientError(opened.failure) });
    const pauseMs = Math.min(RETRY_BASE_MS * 2 ** attempt, HEARTBEAT_MS);
    // An abort ends the wait.
    await scheduler.wait(pauseMs, { signal }).catch(() => {});
  }
  return null;
}

function transientError(failure: Failure) {
  const { code, message, data } = eventError(failure);
  return { code, message, data };
}

const END_MESSAGES: Readonly<Record<EndReason, string>> = {
  ended: "The session has ended",
  expired: "The session has expired",
  gone: "The session is gone",
  revoked: "The token was revoked",
  superseded: "The token was superseded",
};

const endError = (reason: EndReason) => ({
  code:
    reason === "revoked" || reason === "superseded"
      ? EVENT_ERRORS.forbidden
      : EVENT_ERRORS.notFound,
  message: END_MESSAGES[reason],
  data: { kind: "session", reason },
});

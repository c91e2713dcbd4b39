/** Polls events, one page per call, and resolves the credential of a poll or a stream. */
import type * as z from "zod";
import type { Failure } from "../../domain/failure";
import type { LogEvent } from "../../domain/log/event";
import type { NoticeType } from "../../domain/notices/catalogue";
import { eventIdOf } from "../../domain/notices/subscription";
import { LIMITS } from "../../domain/limits";
import { refuse, type Result } from "../../domain/result";
import type { SessionView } from "../../domain/session/view";
import type { Caller } from "../../gateway/caller";
import type { Gateway } from "../../gateway/gateway";
import { toNotices, noticesAfter } from "../../gateway/notice-log";
import type { UnverifiedCredential } from "../../gateway/session-calls";
import { readHandle } from "../tool-kit";
import { eventError, unknownEvent } from "./event-errors";
import { isEventName, type pollParams, type streamParams } from "./params";

/** The interval for clients that do not wait: cheap for both sides, and soon enough for a person. */
const NEXT_POLL_MS = 5_000;

export interface EventReader {
  readonly gateway: Gateway;
  readonly caller: Caller;
  /** The header `Authorization`. */
  readonly authorization: string | null;
}

export async function pollEvents(reader: EventReader, params: z.output<typeof pollParams>) {
  const { name, cursor, maxAgeMs, maxEvents, timeoutMs } = params;
  const [event, credential] = await resolveEventRead(reader, name, params.arguments);
  const waitMs = Math.min(timeoutMs ?? 0, LIMITS.waitMs);
  const page = await noticesAfter(reader.gateway, credential, {
    name: event,
    cursor: parseCursor(cursor),
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

export async function resolveEventRead(
  reader: EventReader,
  name: string,
  args: z.output<typeof streamParams>["arguments"],
): Promise<readonly [NoticeType, UnverifiedCredential]> {
  if (!isEventName(name)) throw unknownEvent(name);
  const credential = await credentialFromRequest(reader, args);
  if (!credential.ok) throw eventError(credential.error);
  return [name, credential.value];
}

/** A token from the arguments or from the header, or an owner's key with a session id. */
function credentialFromRequest(
  { gateway, caller, authorization }: EventReader,
  { session_id, resume_token }: z.output<typeof streamParams>["arguments"],
): Promise<Result<UnverifiedCredential, Failure>> {
  if (resume_token !== undefined) return readHandle(gateway, { resume_token, session_id });
  const token = /^Bearer +(rtok_\S+) *$/i.exec(authorization ?? "")?.[1];
  if (token !== undefined) return readHandle(gateway, { resume_token: token, session_id });
  const key = caller.ownerKey;
  if (key === null || session_id === undefined) {
    return Promise.resolve(refuse({ code: "credential_missing" }));
  }
  return gateway.readCredential(session_id, `Bearer ${key}`);
}

export const parseCursor = (cursor: string | null | undefined): number | null =>
  cursor === null || cursor === undefined ? null : Number(cursor);

/** Readers of the log also see the event's payload. The log does not have `waiting` of that time. */
export const occurrencesOf = (session: SessionView, events: readonly LogEvent[]) =>
  toNotices(session, events, null).map(({ event, type, timestamp, data }) => {
    const { waiting: _, ...known } = data;
    return {
      eventId: eventIdOf(data),
      name: type,
      timestamp,
      data: { ...known, payload: event.payload },
    };
  });

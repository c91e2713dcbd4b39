/** A notice as it is sent. It is small, so that its receivers do not see the content of the session. */
import { omitUndefined } from "../result";
import type { SessionId } from "../ids";
import type { LogEvent } from "../log/event";
import type { Actor } from "../participants/actor";
import type { State } from "../session/state";
import { isNotice, type NoticeType } from "./catalogue";

/** What the session waits for (the first reason that applies), and since when. */
interface NoticeWaiting {
  readonly for: "review" | "person" | "job" | "time" | "agent";
  readonly since: string;
}

/** The parts that all notices of one commit share. */
export interface NoticeContext {
  readonly sessionId: SessionId;
  readonly waiting: NoticeWaiting | null;
  readonly title: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly externalId?: string | undefined;
  readonly owner?: string | undefined;
  /** The chain of the log up to and including the commit, if the server stores one. */
  readonly chain?: string | undefined;
}

export interface Notice {
  readonly type: NoticeType;
  readonly timestamp: string;
  readonly data: {
    /** Absent for a notice about an owner's endpoint, which belongs to no session. */
    readonly sessionId?: SessionId;
    readonly endpointId?: string;
    readonly origin?: string;
    readonly seq: number;
    readonly state?: State;
    readonly waiting: NoticeWaiting | null;
    readonly title?: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly externalId?: string;
    readonly owner?: string;
    readonly actor: Actor;
    /** The participant that caused it; null for the server, for owners' keys and for executors. */
    readonly participant: string | null;
    /** The handoff of the notice. A session may have several open ones. */
    readonly handoff?: { readonly id: string };
    readonly chain?: string;
  };
}

/** A message to a subscription of MCP Events that is not an event. */
export interface ControlMessage {
  readonly id: string;
  readonly body:
    | { readonly type: "gap"; readonly cursor: string }
    | {
        readonly type: "terminated";
        readonly error: {
          readonly code: number;
          readonly message: string;
          readonly data: { readonly kind: string };
        };
      };
}

/** A notice on its way to one endpoint. */
export interface OutgoingNotice {
  readonly notice: Notice;
  /** Sent instead of the notice, if the message is about the subscription itself. */
  readonly control?: ControlMessage;
  /**
   * The URL of a link, sealed for the Worker that delivers. Only for endpoints that a handoff
   * names.
   */
  readonly link?: string;
}

export function noticesIn(
  events: readonly LogEvent[],
  context: NoticeContext,
): readonly (Notice & { readonly event: LogEvent })[] {
  return events.flatMap((event) => {
    const { type } = event;
    return isNotice(type) ? [{ ...noticeOf(type, event, context), event }] : [];
  });
}

function noticeOf(type: NoticeType, event: LogEvent, context: NoticeContext): Notice {
  const { sessionId, waiting, title, labels, externalId, owner, chain } = context;
  return {
    type,
    timestamp: event.at,
    data: {
      sessionId,
      seq: event.seq,
      state: event.state,
      waiting,
      ...(title === null ? {} : { title }),
      labels,
      ...omitUndefined({ externalId, owner }),
      actor: event.actor,
      participant: event.participant,
      ...handoffIn(event),
      ...(chain === undefined ? {} : { chain }),
    },
  };
}

const handoffIn = ({ payload }: LogEvent): Pick<Notice["data"], "handoff"> => {
  const id = payload["handoffId"];
  return typeof id === "string" ? { handoff: { id } } : {};
};

/** The id in which the seq of the notice counts: its session, or the endpoint it is about. */
export const noticeSource = ({ data }: Notice): string => data.sessionId ?? data.endpointId ?? "";

/** A notice on its way through an owner's directory, with the endpoints that a handoff names. */
export interface ForwardedNotice extends OutgoingNotice {
  readonly named: readonly string[];
}

/** Removes all text of clients, for a notice of a session that is gone. */
export const withoutContent = ({ type, timestamp, data }: Notice): Notice => {
  const { sessionId, seq, state, actor, participant, owner, handoff, chain } = data;
  return {
    type,
    timestamp,
    data: {
      ...(sessionId === undefined ? {} : { sessionId }),
      seq,
      ...(state === undefined ? {} : { state }),
      waiting: null,
      labels: {},
      ...(owner === undefined ? {} : { owner }),
      actor: { kind: actor.kind, id: actor.id },
      participant,
      ...(handoff === undefined ? {} : { handoff }),
      ...(chain === undefined ? {} : { chain }),
    },
  };
};

/** The id by which a receiver recognises a delivery across attempts. */
export const webhookIdOf = ({ notice, control }: OutgoingNotice): string =>
  control === undefined ? `${noticeSource(notice)}:${notice.data.seq}` : control.id;

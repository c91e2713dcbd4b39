/**
 * Notices that follow from other events: entering a state, the end of a job, a new link. They are
 * added here for all operations, so that none can forget them. They are in the same commit, right
 * after their cause, and do not change the session.
 */
import { own } from "../json";
import type { NewServerEvent, NewEvent } from "../log/event";
import type { State } from "../session/state";
import type { NoticeType } from "./catalogue";

/** Sent when a session enters the state. For the other states, another event is already a notice. */
const ON_ENTERING: Readonly<Partial<Record<State, NoticeType>>> = {
  awaiting_input: "session.awaiting_input",
  needs_review: "session.needs_review",
  approved: "session.approved",
  rejected: "session.rejected",
};

/** Sent after an event, with the members of its payload that a receiver needs to find the rest. */
const ON_EVENT: Readonly<
  Record<string, { readonly type: NoticeType; readonly members: string[] }>
> = {
  "review.changes_requested": { type: "session.changes_requested", members: [] },
  "handoff.link_issued": {
    type: "handoff.created",
    members: ["handoffId", "participant", "madeBy", "to", "scopes", "expiresAt"],
  },
  "job.result": { type: "job.ended", members: ["jobId"] },
  "job.error": { type: "job.ended", members: ["jobId", "finalStatus", "code"] },
};

/** Adds the notices that follow from the events of a commit. `from` is the state before the commit. */
export function withDerivedNotices(
  events: readonly NewEvent[],
  from: State | null,
): readonly NewEvent[] {
  let state = from;
  return events.flatMap((event) => {
    const onEvent = own(ON_EVENT, event.type);
    const onEntering =
      event.state === undefined || event.state === state ? undefined : ON_ENTERING[event.state];
    state = event.state ?? state;
    return [
      event,
      ...(onEvent === undefined ? [] : [derivedNotice(onEvent.type, event, onEvent.members)]),
      ...(onEntering === undefined ? [] : [derivedNotice(onEntering, event, [])]),
    ];
  });
}

/** The compiler cannot infer which members are copied, so it does not check this event. */
const derivedNotice = (
  type: NoticeType,
  cause: NewEvent,
  members: readonly string[],
): NewServerEvent =>
  ({
    type,
    payload: {
      cause: cause.type,
      ...Object.fromEntries(
        Object.entries(cause.payload).filter(([name]) => members.includes(name)),
      ),
    },
  }) as NewServerEvent;

/**
 * Notices that follow from other events: entering a state, the end of a job, a new link. They are
 * added here for all operations, so that none can forget them. They are in the same commit, right
 * after their cause, and do not change the session.
 */
import { own } from "../json";
import type { NewEvent, UnnumberedEvent } from "../log/event";
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
  facts: readonly UnnumberedEvent[],
  from: State | null,
): readonly UnnumberedEvent[] {
  let state = from;
  return facts.flatMap((fact) => {
    const onEvent = own(ON_EVENT, fact.type);
    const onEntering =
      fact.state === undefined || fact.state === state ? undefined : ON_ENTERING[fact.state];
    state = fact.state ?? state;
    return [
      fact,
      ...(onEvent === undefined ? [] : [derivedNotice(onEvent.type, fact, onEvent.members)]),
      ...(onEntering === undefined ? [] : [derivedNotice(onEntering, fact, [])]),
    ];
  });
}

/** The compiler cannot infer which members are copied, so it does not check this event. */
const derivedNotice = (
  type: NoticeType,
  cause: UnnumberedEvent,
  members: readonly string[],
): NewEvent =>
  ({
    type,
    payload: {
      cause: cause.type,
      ...Object.fromEntries(
        Object.entries(cause.payload).filter(([name]) => members.includes(name)),
      ),
    },
  }) as NewEvent;

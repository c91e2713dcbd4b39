/**
 * Notices that follow from other events: reaching a state, the end of a job, a link. They are added
 * here, in one place for every way there, so that no operation can forget to say that somebody waits.
 * They stand in the same commit, right after what caused them, and change nothing of the session.
 */
import { own } from "../json";
import type { NewEvent, UnnumberedEvent } from "../log/event";
import type { State } from "../session/state";
import type { NoticeType } from "./catalogue";

/** Told when a session enters the state. The other states have events of their own that are notices. */
const ON_ENTERING: Readonly<Partial<Record<State, NoticeType>>> = {
  awaiting_input: "session.awaiting_input",
  needs_review: "session.needs_review",
  approved: "session.approved",
  rejected: "session.rejected",
};

/** Told beside an event, with what of its payload a receiver needs to find the rest. */
const ON_EVENT: Readonly<Record<string, { readonly type: NoticeType; readonly keeps: string[] }>> =
  {
    "review.changes_requested": { type: "session.changes_requested", keeps: [] },
    "handoff.link_issued": {
      type: "handoff.created",
      keeps: ["handoffId", "participant", "madeBy", "to", "scopes", "expiresAt"],
    },
    "job.result": { type: "job.ended", keeps: ["jobId"] },
    "job.error": { type: "job.ended", keeps: ["jobId", "finalStatus", "code"] },
  };

/** The facts of a commit with the notices that follow from them. `from` is the state before it. */
export function withDerivedNotices(
  facts: readonly UnnumberedEvent[],
  from: State | null,
): readonly UnnumberedEvent[] {
  let state = from;
  return facts.flatMap((fact) => {
    const beside = own(ON_EVENT, fact.type);
    const reached =
      fact.state === undefined || fact.state === state ? undefined : ON_ENTERING[fact.state];
    state = fact.state ?? state;
    return [
      fact,
      ...(beside === undefined ? [] : [derivedNotice(beside.type, fact, beside.keeps)]),
      ...(reached === undefined ? [] : [derivedNotice(reached, fact, [])]),
    ];
  });
}

/** The compiler cannot follow which members are kept, so this is the one fact it does not check. */
const derivedNotice = (
  type: NoticeType,
  cause: UnnumberedEvent,
  keeps: readonly string[],
): NewEvent =>
  ({
    type,
    payload: {
      cause: cause.type,
      ...Object.fromEntries(Object.entries(cause.payload).filter(([name]) => keeps.includes(name))),
    },
  }) as NewEvent;

/**
 * The notices: events that can be sent to receivers that are not connected. Each is an event of the
 * session's log with the same name, so it has a `seq`, and reading the log is enough to wait for
 * it. docs/notices.md shows an example of each, and a test compares that page with this list.
 */
export const NOTICES = {
  "session.created": "A session was created.",
  "session.awaiting_input": "The session waits for input.",
  "session.submitted": "The session was submitted.",
  "session.needs_review": "The session waits for a review.",
  "session.changes_requested": "A reviewer requested changes.",
  "session.approved": "The session has all the approvals it needs.",
  "session.rejected": "A reviewer rejected the session.",
  "session.finalized": "The session was finalized.",
  "session.cancelled": "The session was cancelled.",
  "session.expiring": "The session expires soon.",
  "session.expired": "The session expired.",
  "handoff.created": "A handoff was created.",
  "handoff.opened": "A person opened the link of a handoff.",
  "handoff.answered": "A person answered a handoff.",
  "handoff.declined": "A person declined a handoff.",
  "handoff.expired": "A handoff expired before it was answered.",
  "handoff.reminded": "A handoff or a request for input still waits.",
  "job.ended": "A job ended.",
  "stop.reported": "An agent reported that it stopped.",
  "resume.due": "A scheduled resume is due.",
  "resume.suspended": "Automatic resumes are suspended after failed resumes.",
  "wait.long": "The session has waited for a long time.",
  "endpoint.suspended": "An endpoint is suspended after five days of failed deliveries.",
} as const;

export type NoticeType = keyof typeof NOTICES;

export const NOTICE_TYPES = Object.keys(NOTICES) as readonly NoticeType[];

export const isNotice = (type: string): type is NoticeType => Object.hasOwn(NOTICES, type);

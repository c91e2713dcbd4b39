/**
 * The notices: events worth telling somebody who is not connected. Each is an event of the session's
 * log under the same name, so `seq` says where it stands and a wait for it is a read of the log.
 * docs/notices.md shows each with an example, and a test holds that page to this list.
 */
export const NOTICES = {
  "session.created": "A session began.",
  "session.awaiting_input": "The session waits for input.",
  "session.submitted": "The session was submitted.",
  "session.needs_review": "The session waits for a review.",
  "session.changes_requested": "A reviewer asked for changes.",
  "session.approved": "The session has all the approvals it needs.",
  "session.rejected": "A reviewer rejected the session.",
  "session.finalized": "The session was finalized.",
  "session.cancelled": "The session was cancelled.",
  "session.expiring": "The session expires soon.",
  "session.expired": "The session expired.",
  "handoff.created": "A handoff was made.",
  "handoff.opened": "A person opened the link of a handoff.",
  "handoff.answered": "A handoff was answered.",
  "handoff.declined": "A person declined a handoff.",
  "handoff.expired": "A handoff expired before it was answered.",
  "handoff.reminded": "A handoff or a request for input still waits.",
  "job.ended": "A job ended.",
  "stop.reported": "An agent reported that it stopped.",
  "resume.due": "A resume that was put off is due.",
  "resume.suspended": "Automatic resumption is suspended after failed resumes.",
  "wait.long": "The session has waited for a long time.",
  "endpoint.suspended": "An endpoint is suspended after five days of failed deliveries.",
} as const;

export type NoticeType = keyof typeof NOTICES;

export const NOTICE_TYPES = Object.keys(NOTICES) as readonly NoticeType[];

export const isNotice = (type: string): type is NoticeType => Object.hasOwn(NOTICES, type);

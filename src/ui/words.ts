/** Every word a person reads on the pages, in one place. Nothing here comes from a session. */
import type { LinkState } from "../domain/links/link";
import type { State } from "../domain/session/state";

export const PRODUCT = "Baton";

export const LANDING = {
  title: "Something waits for you here",
  lead: "Somebody asks for your part in a piece of work. Open it to see what it is.",
  name: "Your name (optional)",
  nameHelp: "Shown to those who work on it with you.",
  open: "Open",
  note: "Opening it makes this browser the place where you work on it.",
  typed: "Check the code for typing mistakes.",
} as const;

interface Explanation {
  readonly title: string;
  readonly text: string;
  readonly todo: string;
}

const ASK = "Ask whoever sent it to you for a new link.";

export const REFUSALS: Readonly<
  Record<Exclude<LinkState, "waiting"> | "slowed" | "superseded" | "forged", Explanation>
> = {
  unknown: {
    title: "This link is not known",
    text: "The code may have a typing mistake, or it was never given out.",
    todo: `Check the code, character by character. If it is right: ${ASK.charAt(0).toLowerCase()}${ASK.slice(1)}`,
  },
  revoked: { title: "This link was taken back", text: "Whoever sent it withdrew it.", todo: ASK },
  expired: {
    title: "This link has expired",
    text: "Its time was up before it was used, or the work itself has ended.",
    todo: ASK,
  },
  ended: {
    title: "This work is finished",
    text: "There is nothing left to do here.",
    todo: "You can close this page.",
  },
  used: {
    title: "This link was already opened",
    text: "It opens only once, and that was somewhere else.",
    todo: `Go on where you opened it. If that was not you: ${ASK.charAt(0).toLowerCase()}${ASK.slice(1)}`,
  },
  kept: {
    title: "This link is in use",
    text: "It was opened on another device and something was saved there.",
    todo: `Go on there. If that was not you: ${ASK.charAt(0).toLowerCase()}${ASK.slice(1)}`,
  },
  declined: {
    title: "This request was declined",
    text: "Whoever sent it has been told.",
    todo: "If that was a mistake, ask them to send you a new link.",
  },
  gone: { title: "This work is gone", text: "It was removed for good.", todo: ASK },
  slowed: {
    title: "Too many wrong codes",
    text: "To protect links, nothing is looked up for you for a while.",
    todo: "Wait a little, then try again.",
  },
  superseded: {
    title: "Opened on another device",
    text: "This link was opened somewhere else after you opened it here. What you saved is kept.",
    todo: "Go on there, or open it here again.",
  },
  forged: {
    title: "This did not come from this page",
    text: "The request came from elsewhere, or the page was open for too long.",
    todo: "Go back to the link and try again.",
  },
};

export const STATE_WORDS: Readonly<Record<State, string>> = {
  draft: "Just begun",
  in_progress: "In progress",
  awaiting_input: "Waits for input",
  awaiting_upload: "Waits for a file",
  submitted: "Submitted",
  needs_review: "Waits for review",
  approved: "Approved",
  finalized: "Finished",
  rejected: "Rejected",
  cancelled: "Cancelled",
  expired: "Expired",
};

export const KIND_WORDS = { agent: "agent", human: "person", system: "Baton" } as const;

export const PAGE = {
  untitled: "A piece of work",
  noteFrom: (who: string) => `${who} asks:`,
  timeLeft: (text: string) => `Open until ${text}`,
  progress: (done: number, needed: number) => `${done} of ${needed} needed fields done`,
  errors: "Please look at these:",
  conflicts: "Changed by somebody else meanwhile. Choose for each:",
  mine: "Keep mine",
  theirs: (value: string) => `Take theirs: ${value}`,
  empty: "(empty)",
  required: "needed",
  choose: "Choose…",
  yes: "Yes",
  no: "No",
  utc: "in UTC",
  filledBy: (who: string) => `Filled by ${who}`,
  unsure: (percent: number) => `not sure: ${percent} %, please check`,
  requested: "Changes asked for:",
  form: "Your part",
  review: "Your decision",
  values: "What was filled in",
  comment: "Comment",
  commentOn: (label: string) => `Comment on ${label}`,
  reason: "Reason",
  message: "Message to the agent",
  save: "Save",
  submit: "Submit",
  approve: "Approve",
  reject: "Reject",
  requestChanges: "Ask for changes",
  handBack: "Hand back to the agent",
  decline: "Decline",
  passOn: "Pass the work to an agent",
  passOnHelp: "Makes a token with which an agent goes on in your place. It is shown once.",
  timeline: "What happened",
  nothingToDo: "You can look at this, but there is nothing for you to do.",
  waiting: "Nothing to do for you right now. This page follows what happens.",
  addItem: "Add another",
  item: (label: string, number: number) => `${label} ${number}`,
  sending: (label: string) => `Sending: ${label}`,
  fileLimit: (size: string, types: string) =>
    `At most ${size}${types === "" ? "" : `, of type ${types}`}.`,
  removeFile: "Remove this file",
  live: "Follows live",
  refresh: "Reload to see what is new",
  more: "More",
  receipt: "Receipt",
  receiptText: "This work is finished. Keep this page if you need proof of it.",
  number: "Number",
} as const;

export const DONE: Readonly<Record<string, string>> = {
  opened: "Opened. You can begin.",
  saved: "Saved.",
  unchanged: "Nothing had changed.",
  submit: "Submitted.",
  approve: "Approved.",
  reject: "Rejected.",
  requestChanges: "Sent back with your comments.",
  handBack: "Handed back to the agent.",
  answered: "Sent. Thank you.",
  decline: "Declined. Whoever asked has been told.",
  uploaded: "The file has arrived.",
  removed: "The file was removed.",
};

export const PROBLEMS = {
  moved: "Somebody else changed this meanwhile. Nothing you typed is lost; look and try again.",
  state: "That is not possible any more: the work has moved on.",
  scope: "This link does not allow that.",
  ownWork: "Who filled in a piece of work cannot approve it.",
  invalid: "Some fields need another look. Nothing was saved yet; all you typed is still here.",
  missing: "Some needed fields are still empty. All you typed is saved.",
  tooLarge: "That is more than can be kept.",
  busy: "That did not get through. Please try again.",
  file: "The file was not taken.",
} as const;

export const FILE_PROBLEMS = {
  tooLarge: (limit: string) => `The file is larger than ${limit}.`,
  wrongType: "A file of this type is not wanted here.",
  empty: "The file is empty.",
} as const;

/** The timeline, by type of event; `who` is bold before it. */
export const EVENT_WORDS: Readonly<Record<string, string>> = {
  "session.created": "began the work",
  "session.updated": "changed the title or the next step",
  "session.input_requested": "asked for input",
  "session.submitted": "submitted it",
  "session.finalized": "finished it",
  "session.cancelled": "cancelled it",
  "session.expired": "closed it: the time was up",
  "session.extended": "gave it more time",
  "session.paused": "paused what runs by itself",
  "session.unpaused": "let it run by itself again",
  "session.forked": "began a new piece of work from it",
  "session.trimmed": "shortened the log",
  "fields.updated": "filled in",
  "review.approved": "approved it",
  "review.rejected": "rejected it",
  "review.changes_requested": "asked for changes",
  "handoff.created": "handed it to an agent",
  "handoff.link_issued": "made a link for a person",
  "handoff.opened": "opened the link",
  "handoff.resumed": "opened the link on another device",
  "handoff.revoked": "took a handoff back",
  "upload.requested": "began to add a file",
  "upload.confirmed": "added a file",
  "upload.removed": "removed a file",
  "checkpoint.created": "kept a copy",
  "checkpoint.restored": "went back to an earlier copy",
  "stop.reported": "stopped for now",
  "person.handed_back": "handed it back to the agent",
};

/** Events that tell a person nothing. */
export const QUIET_EVENTS = /^(token|checkpoint|resume)\./;

export const PASSED = {
  title: "Pass this to the agent",
  warning: "This token is shown only once. Who has it can act in this work; send it with care.",
  token: "Token",
  prompt: "Prompt",
  copy: "Copy",
  copied: "Copied.",
  back: "Back to the work",
  text: (session: string, url: string, token: string) =>
    `Continue the work in Baton session ${session}.
With the Baton MCP server: call the tool that resumes a session with the token below.
With the CLI or HTTP: POST ${url}/sessions/${session}/resume with the header "Authorization: Bearer <token>". Every write answers with the next token; always use the newest.
Token: ${token}`,
} as const;

export const SCRIPT_WORDS = {
  unsaved: "Not saved yet",
  saving: "Saving…",
  saved: "Saved",
  offline: "No connection. What you typed stays here and is saved when it is back.",
  online: "Connected again.",
  superseded: "Opened on another device. Reload to see more.",
  revoked: "This link was taken back.",
  ended: "This work is finished. Reload for the receipt.",
  expired: "The time is up.",
  gone: "This work was removed.",
  changed: "Changed meanwhile to:",
  uploading: "Sending…",
  failed: "That did not work. Please try again.",
  copied: "Copied.",
} as const;

export const FRONT = {
  title: "Baton",
  tagline: "Keeps a piece of work alive between the hands that work on it.",
  what: [
    "An agent starts a session and gets a resume token. Whoever presents the token next continues exactly where the last one stopped, with nothing lost and nothing done twice.",
    "When a person must fill in, decide or upload, the agent makes a short link. The person opens it on a phone, does their part, and the agent goes on.",
  ],
  tryTitle: "Try it",
  tryText:
    "Begin a session, see its log live, get a link and its QR code, open it in another tab, and see both move.",
  needsKey:
    "You need a key to create a session here. Ask the operator of this server for one; agents send it as Authorization: Bearer bkey_….",
  begin: "Begin a session",
  agentActs: "Let the agent fill a field",
  noScript: "The try-out needs JavaScript. Everything else here works without it; or use curl:",
  log: "The session's log, live",
  link: "The link for a person",
  docs: "Documents and API reference",
  working: "Working…",
  failed: "That did not work:",
} as const;

/** Every size that is bounded, with its reason. Tested at the limit and one past it. */
const KIB = 1024;

export const LIMITS = {
  /** A JSON request body. Well under what one stored row may hold once it is an event. */
  bodyBytes: 1024 * KIB,
  /** Nesting of a JSON body: deep enough for any form, shallow enough for every recursive reader. */
  jsonDepth: 32,
  /** One stored row: a commit with its events, or the session with everybody in it. The platform's limit is 2 MB. */
  rowBytes: 1_900_000,
  /** What is kept free above it, so that a full session can still be resumed, revoked, paused and ended. */
  rowReserveBytes: 60_000,
  /** Events in one append: one row, one answer, one replay page. */
  eventsPerAppend: 1_000,
  /** One event's payload: several fit a page, none dominates a replay. */
  eventBytes: 256 * KIB,
  eventTypeLength: 128,
  /** All fields together. A change stores the old and the new value in one row. */
  documentBytes: 512 * KIB,
  fields: 500,
  fieldNameLength: 200,
  /** A JSON Schema is read on every change of a field. */
  schemaBytes: 64 * KIB,
  titleLength: 300,
  /** Notes, reasons, comments and descriptions. */
  textLength: 4_000,
  /** The Markdown of a next step. */
  nextStepBodyLength: 64 * KIB,
  stepsCompleted: 1_000,
  actorIdLength: 200,
  /** The name of a principal, as a proxy says it: an address of mail has at most 254 characters. */
  principalLength: 320,
  /** Participants ever made in one session, revoked ones among them: the list is in every answer. */
  participants: 100,
  approvals: 20,
  /** Checkpoints of one session, pinned ones among them; by default ten are kept. */
  checkpoints: 100,
  checkpointNameLength: 100,
  /** Sessions forked off one session. */
  children: 100,
  /** A template for a continuation prompt. */
  templateLength: 16 * KIB,
  /** The longest wait a provider's hint may ask for: 90 days, as long as a session can live. */
  retryAfterMs: 90 * 24 * 60 * 60 * 1000,
  /** Generations shown of a line of forks. */
  lineage: 100,
  /** Jobs ever submitted in one session, ended ones among them. */
  jobs: 1_000,
  jobInputBytes: 256 * KIB,
  /** Executors that may begin one job before it counts as failed. */
  jobAttempts: 3,
  /** `name` or `name@version`. */
  agentNameLength: 100,
  /** What an event of a job is called, and a result that came in chunks. */
  jobWordLength: 100,
  /** How long an executor is trusted without a word of it: at least, at most, and by default. */
  jobLeaseMinMs: 1_000,
  jobLeaseMs: 10 * 60 * 1000,
  jobLeaseDefaultMs: 60_000,
  /** The longest a job may be allowed to run: 90 days, as long as a session can live. */
  jobRuntimeMs: 90 * 24 * 60 * 60 * 1000,
  /** Messages of one ARCP connection that may wait to be worked on. */
  arcpWaiting: 256,
  /** Message ids of one ARCP connection that are remembered, to drop what comes twice. */
  arcpMessageIds: 10_000,
  arcpFrameBytes: 1024 * KIB,
  /** Tokens of an ARCP session that are good at once while none is known to have arrived. */
  arcpUnconfirmed: 16,
  /** Jobs of others that one ARCP session may watch at once. */
  arcpSubscriptions: 20,
  /** Events of the answer to a resume, and of pages for tools; a page also ends at `pageBytes`. */
  pageEvents: 1_000,
  /** Events of one JSON page of the log: a whole replay in few requests. It also ends at `replayBytes`. */
  replayEvents: 10_000,
  replayBytes: 4 * 1024 * KIB,
  pageEventsDefault: 100,
  /** One page of a stream, inside the server: fewer calls, and still bounded by `pageBytes`. */
  streamEvents: 10_000,
  pageBytes: 1024 * KIB,
  /** Commits read to find matches for one filtered page, so that a rare type cannot stall the object. */
  scanCommits: 5_000,
  /** Missed events shown in a conflict. */
  missedEvents: 100,
  missedBytes: 256 * KIB,
  /** Commits among which an append's Idempotency-Key is looked for. */
  appendMemory: 1_024,
  idempotencyKeyLength: 255,
  /** A create key is a secret that finds the session: 22 base64url characters carry 128 bits. */
  createKeyMinLength: 22,
  /** Open connections that listen to one session, unless the deployment sets another number. */
  listeners: 1_000,
  /** A commit of up to this many characters is sent to listeners; a larger one is only announced. */
  announcedLength: 128 * KIB,
  /** Events that wait for a listener in the Worker; past this it reads on from the log instead. */
  listenerBacklog: 512 * KIB,
  /** What a WebSocket may leave unacknowledged before it counts as too slow. */
  unacknowledgedBytes: 8 * 1024 * KIB,
  /** The longest a long-poll waits. */
  waitMs: 60_000,
  /** One uploaded file: what a plan's request body may carry. */
  uploadBytes: 100 * 1024 * KIB,
  /** Files of one session, removed ones not counted. */
  uploads: 50,
  fileNameLength: 255,
  mediaTypeLength: 127,
  /** A form with a file in it, sent without JavaScript, is held in memory whole. */
  formBytes: 10 * 1024 * KIB,
  /** Types in one filter. */
  typeFilters: 50,
} as const;

/** How long a link can be opened, unless the handoff says otherwise. */
export const LINK_TTL_MS = 24 * 60 * 60 * 1000;

/** How long the identical create is answered with the same first token. */
export const CREATE_REPLAY_MS = 24 * 60 * 60 * 1000;

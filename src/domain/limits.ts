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
  /** What those without `own` may fill the session's row up to: a quarter stays for owners. */
  rowShareBytes: 1_425_000,
  /** The whole log of one session: hundreds of thousands of events of the usual size, and a bounded bill for whoever keeps it. Trimming makes room. */
  logBytes: 64 * 1024 * KIB,
  /** What is kept free above it for small writes of the server's own, so that a full session can still be handed on, reviewed and ended. */
  logReserveBytes: 4 * 1024 * KIB,
  /** What those without `own` may fill the log up to, all of them and executors together: a quarter stays for owners. */
  logShareBytes: 48 * 1024 * KIB,
  /** Of the reserve, what small writes of those without `own` may use: with the rest an owner can still steer and end the session. */
  logReserveShareBytes: 2 * 1024 * KIB,
  /** Events in one append: one row, one answer, one replay page. */
  eventsPerAppend: 1_000,
  /** One event's payload: several fit a page, none dominates a replay. */
  eventBytes: 256 * KIB,
  /** A namespaced name, not a message; types are filtered by and shown in lists. */
  eventTypeLength: 128,
  /** All fields together. A change stores the old and the new value in one row. */
  documentBytes: 512 * KIB,
  /** All private values together: they are read whole when one of them is written or the whole is checked. */
  privateBytes: 256 * KIB,
  /** More than a form anybody fills; all names are in every answer. */
  fields: 500,
  /** A name, not a text; it stands beside every problem and change of the field. */
  fieldNameLength: 200,
  /** A JSON Schema is read on every change of a field. */
  schemaBytes: 64 * KIB,
  /** Keywords and required names that speak of one value, references followed: a few references can double at each step and mean millions. */
  schemaWeight: 10_000,
  /** Schemas one behind the other for the same value: each is a call inside a call, and the stack ends. */
  schemaChain: 32,
  /** One pattern as it is written. */
  patternLength: 500,
  /** All patterns of a schema with their repetitions written out: what is kept and gone through to match. */
  patternSteps: 10_000,
  /** Work of checking fields against their schema, in keywords looked at, names and members compared and characters matched (schema-run.ts says what each costs): at most some tenths of a second in the object, during which nobody else is served. */
  validationSteps: 5_000_000,
  /** A text that is held against a `format`: longer than any address, shorter than what a square of it would cost. */
  formattedLength: 8 * KIB,
  /** One line in a list or a page's head. */
  titleLength: 300,
  /** Notes, reasons, comments and descriptions. */
  textLength: 4_000,
  /** The words on a button. */
  submitLabelLength: 60,
  /** The Markdown of a next step. */
  nextStepBodyLength: 64 * KIB,
  /** Numbers of steps; a plan of more is kept in a field. */
  stepsCompleted: 1_000,
  /** An id or a name; it is in every event of its actor. */
  actorIdLength: 200,
  /** The name of a principal, as a proxy says it: an address of mail has at most 254 characters. */
  principalLength: 320,
  /** Addresses with wrong codes in one counter of misses, the oldest fall out: some hundred KB in each of sixteen. */
  missesKept: 4_096,
  /** Participants of one session that can still act: the list is in every answer. */
  participants: 100,
  /** People who filled, as an OpenID provider names them: all are in the session's row, since none of them may approve. */
  fillers: 200,
  /** Of these, what one without `own` may make, directly or through others: a fifth, so that owners keep room. */
  participantsShare: 20,
  /** How many different participants must agree; a session has at most a hundred. */
  approvals: 20,
  /** Checkpoints of one session, pinned ones among them; by default ten are kept. */
  checkpoints: 100,
  /** A label in a list. */
  checkpointNameLength: 100,
  /** Sessions forked off one session. */
  children: 100,
  /** A template for a continuation prompt. */
  templateLength: 16 * KIB,
  /** The prompt made of it: the longest context several times. It is built whole and kept for a replay. */
  promptLength: 256 * KIB,
  /** The longest wait a provider's hint may ask for: 90 days, as long as a session can live. */
  retryAfterMs: 90 * 24 * 60 * 60 * 1000,
  /** Generations shown of a line of forks. */
  lineage: 100,
  /** Jobs of one session that have not ended. Those that have are bounded by the log's total, in which their inputs and results count. */
  jobs: 1_000,
  /** Jobs of one session that wait for an executor: more would only stand before its own. */
  jobsWaiting: 100,
  /** As much as one event holds, with the lease that is asked for. It is kept in the job's row. */
  jobInputBytes: 256 * KIB,
  /** Executors that may begin one job before it counts as failed. */
  jobAttempts: 3,
  /** Batches of a job's executor that are known again by their keys; they stand in the job's row. */
  jobBatches: 32,
  /** `name` or `name@version`. */
  agentNameLength: 100,
  /** What an event of a job is called, and a result that came in chunks. */
  jobWordLength: 100,
  /** How long an executor is trusted without a word of it: shorter, and a slow network loses the job. */
  jobLeaseMinMs: 1_000,
  /** Longer, and a job whose executor died waits that long for the next. */
  jobLeaseMs: 10 * 60 * 1000,
  /** Some heartbeats, and a lost executor is replaced within a minute. */
  jobLeaseDefaultMs: 60_000,
  /** The longest a job may be allowed to run: 90 days, as long as a session can live. */
  jobRuntimeMs: 90 * 24 * 60 * 60 * 1000,
  /** Writers that lost a race and wait to be answered in turn; one more is answered at once. */
  waitingLosers: 64,
  /** How long whoever is answered in turn has the next write to itself. */
  turnMs: 30,
  /** Messages of one ARCP connection that may wait to be worked on. */
  arcpWaiting: 256,
  /** Message ids of one ARCP connection that are remembered, to drop what comes twice. */
  arcpMessageIds: 10_000,
  /** As a JSON body: the same messages come both ways. */
  arcpFrameBytes: 1024 * KIB,
  /** Tokens of an ARCP session that are good at once while none is known to have arrived. */
  arcpUnconfirmed: 16,
  /** Jobs of others that one ARCP session may watch at once. */
  arcpSubscriptions: 20,
  /** Messages of one request over MCP: revisions since 2025-06-18 have one, and one request must not hold up all others. */
  mcpBatch: 10,
  /** Events of the answer to a resume, and of pages for tools; a page also ends at `pageBytes`. */
  pageEvents: 1_000,
  /** Events of one JSON page of the log: a whole replay in few requests. It also ends at `replayBytes`. */
  replayEvents: 20_000,
  /** Held once an answer and then no more, unlike a page of a stream. */
  replayBytes: 4 * 1024 * KIB,
  /** Some tens of kilobytes for events of the usual size. */
  pageEventsDefault: 100,
  /** What one answer holds in memory, with its copy on the way out. */
  pageBytes: 1024 * KIB,
  /** Characters of commits looked through for one filtered page, so that a rare type cannot stall the object: as much as a page holds. */
  scanLength: 1024 * KIB,
  /** Missed events shown in a conflict. */
  missedEvents: 100,
  /** A conflict is read by whoever lost it: enough to decide by, the rest is a page away. */
  missedBytes: 256 * KIB,
  /** Commits among which an append's Idempotency-Key is looked for. */
  appendMemory: 1_024,
  /** Room for any id with a prefix; only its hash is kept. */
  idempotencyKeyLength: 255,
  /** A create key is a secret that finds the session: 22 base64url characters carry 128 bits. */
  createKeyMinLength: 22,
  /** Open connections that listen to one session, unless the deployment sets another number. */
  listeners: 1_000,
  /** Of these, what one without `own` and those it brought in may take: a fifth, so that others keep room. */
  listenersShare: 200,
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
  /** Files of one session together, announced ones among them: two of the largest and many of the usual. */
  filesBytes: 250 * 1024 * KIB,
  /** One piece of large content: what a plan's request body may carry. */
  blobBytes: 100 * 1024 * KIB,
  /** Pieces of one session: each is a row, and all of them are gone through when it is purged. */
  blobs: 20_000,
  /** All pieces of one session together: a long transcript with its pictures, and a bounded bill for whoever keeps it. */
  blobsBytes: 1024 * 1024 * KIB,
  /** Up to how many pieces those without `own` may add one: a quarter stays for owners, because only a purge removes any. */
  blobsShare: 15_000,
  /** Up to how many bytes together those without `own` may add to them. */
  blobsShareBytes: 768 * 1024 * KIB,
  /** What file systems take. */
  fileNameLength: 255,
  /** Type and subtype as they are registered, with a parameter. */
  mediaTypeLength: 127,
  /** A form with a file in it, sent without JavaScript, is held in memory whole. */
  formBytes: 10 * 1024 * KIB,
  /** Entries of one posted form, five times what a page can draw: a megabyte can hold half a million, and each is taken apart by itself. */
  formEntries: 2_000,
  /** What is typed for one number, with its signs and its unit: they are taken off one by one. Four times the longest that JSON writes. */
  numberTextLength: 100,
  /** Inputs of one form, templates of rows among them; what is beyond is written as JSON. Drawing them takes some milliseconds. */
  formInputs: 400,
  /** Words of a schema on one page, in characters: many fields can refer to one long description. What is beyond is drawn without them. */
  formTextLength: 1_000_000,
  /** Rows of one list in a form; a longer list is written as JSON. */
  formRows: 100,
  /** Labels of one session: each is an entry of its owner's directory. */
  labels: 16,
  /** A word to sort by. */
  labelNameLength: 64,
  /** A word to be found by, not a text. */
  labelValueLength: 256,
  /** A name from somebody else's system: a key, a path, an address. */
  externalIdLength: 256,
  /** Sessions on one page of an owner's list. */
  sessionsPage: 200,
  /** What fits a screen or two. */
  sessionsPageDefault: 50,
  /** Changes of an owner's sessions in one answer. */
  changesPage: 1_000,
  /** Some tens of kilobytes. */
  changesPageDefault: 100,
  /** Templates of one owner, retired ones among them: the list is one answer. */
  templates: 200,
  /** Versions of one template that can be named; a session needs none of them once it has begun. */
  templateVersions: 100,
  /** `name` or `name@version`. */
  templateRefLength: 74,
  /** Types in one filter. */
  typeFilters: 50,
  /** Endpoints of one session: each is told of every notice it wants. */
  endpoints: 10,
  /** Endpoints of one owner: each is looked at for every notice of every session. */
  ownerEndpoints: 20,
  /** Subscriptions of one owner over MCP: one for each kind of notice, address and session. */
  ownerSubscriptions: 100,
  /** The address of a webhook: longer than any channel's. */
  webhookUrlLength: 2_000,
  /** What is posted: receivers refuse more, and a notice is a few hundred bytes. */
  webhookBytes: 20 * KIB,
  /** Deliveries that an endpoint remembers; the oldest that are not to be sent make room. */
  deliveries: 10_000,
  /** Deliveries in one list. */
  deliveriesPage: 100,
  /** Endpoints that one handoff rings. */
  notify: 10,
} as const;

/** A session that lives as long as it is used: a shorter idle time would end it over a weekend. */
export const IDLE_TTL_MIN_MS = 2 * 24 * 60 * 60 * 1000;

/** Use moves the end of such a session at most this often, because each move is written down. */
export const IDLE_STEP_MS = 24 * 60 * 60 * 1000;

/** How long a link can be opened, unless the handoff says otherwise. */
export const LINK_TTL_MS = 24 * 60 * 60 * 1000;

/** How long a participant lives that an owner's key opened, unless the request says otherwise. */
export const OPENED_TTL_MS = 24 * 60 * 60 * 1000;

/** How long the identical create is answered with the same first token. */
export const CREATE_REPLAY_MS = 24 * 60 * 60 * 1000;

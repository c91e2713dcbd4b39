/** Every size limit, with its reason. Each is tested at the limit and one past it. */
const KIB = 1024;

export const LIMITS = {
  /** A JSON request body. As an event it is still far below the size of one stored row. */
  bodyBytes: 1024 * KIB,
  /** Nesting of a JSON body. Deep enough for any form, shallow enough for every recursive reader. */
  jsonDepth: 32,
  /**
   * One stored row: a commit with its events, or the session with all its participants. The
   * platform's limit is 2 MB.
   */
  rowBytes: 1_900_000,
  /**
   * Reserved above rowBytes, so that a full session can still be resumed, revoked, paused and
   * ended.
   */
  rowReserveBytes: 60_000,
  /** How far participants without `own` may fill the session's row. A quarter stays for owners. */
  rowShareBytes: 1_425_000,
  /**
   * The whole log of one session: hundreds of thousands of typical events, and a bounded cost for
   * the operator. Trimming frees space.
   */
  logBytes: 64 * 1024 * KIB,
  /**
   * Reserved above logBytes for small writes, so that a full session can still be handed off,
   * reviewed and ended.
   */
  logReserveBytes: 4 * 1024 * KIB,
  /**
   * How far participants without `own` and executors together may fill the log. A quarter stays for
   * owners.
   */
  logShareBytes: 48 * 1024 * KIB,
  /**
   * How much of the reserve small writes of participants without `own` may use. With the rest an
   * owner can still control and end the session.
   */
  logReserveShareBytes: 2 * 1024 * KIB,
  /** Events in one append: one row, one response, one replay page. */
  eventsPerAppend: 1_000,
  /** One event's payload. Several fit in a page, and none dominates a replay. */
  eventBytes: 256 * KIB,
  /** A namespaced name, not a message. Types are used in filters and shown in lists. */
  eventTypeLength: 128,
  /** All fields together. A change stores the old and the new value in one row. */
  documentBytes: 512 * KIB,
  /**
   * All private values together. All of them are read when one is written or the document is
   * validated.
   */
  privateBytes: 256 * KIB,
  /** More than any form that a person fills in. Every response contains all names. */
  fields: 500,
  /** A name, not a text. It is repeated in every problem and change of the field. */
  fieldNameLength: 200,
  /** The JSON Schema is read on every change of a field. */
  schemaBytes: 64 * KIB,
  /**
   * Keywords and required names that apply to one value, with references followed. References can
   * double at each step, so a few of them can mean millions.
   */
  schemaWeight: 10_000,
  /** Nested schemas for the same value. Each is a nested call, and the stack is limited. */
  schemaChain: 32,
  /** The source of one pattern. */
  patternLength: 500,
  /** All patterns of a schema with their repetitions expanded: what is stored and searched to match. */
  patternSteps: 10_000,
  /**
   * Work to validate fields against their schema: keywords, names and members compared, and
   * characters matched (validation-run.ts defines the cost of each). At most some tenths of a
   * second, during which the object serves no other request.
   */
  validationSteps: 5_000_000,
  /**
   * A text that is checked against a `format`. Longer than any address, short enough for checks
   * with quadratic cost.
   */
  formattedLength: 8 * KIB,
  /** One line in a list or in the heading of a page. */
  titleLength: 300,
  /** Notes, reasons, comments and descriptions. */
  textLength: 4_000,
  /** The text on a button. */
  submitLabelLength: 60,
  /** The Markdown of a next step. */
  nextStepBodyLength: 64 * KIB,
  /** Numbers of steps. A longer plan belongs in a field. */
  stepsCompleted: 1_000,
  /** An id or a name. It is in every event of the actor. */
  actorIdLength: 200,
  /** The name of a principal, as a proxy sends it. An email address has at most 254 characters. */
  principalLength: 320,
  /**
   * Addresses with wrong codes in one counter. The oldest are dropped. Some hundred KB in each of
   * sixteen counters.
   */
  missesKept: 4_096,
  /** Participants of one session that can still act. Every response contains the list. */
  participants: 100,
  /**
   * People who filled, as identified by an OpenID provider. The session's row contains all of them,
   * because none of them may approve.
   */
  fillers: 200,
  /**
   * How many of these a participant without `own` may add, directly or through others. A fifth, so
   * that owners keep capacity.
   */
  participantsShare: 20,
  /** How many different participants must approve. A session has at most a hundred. */
  approvals: 20,
  /** Checkpoints of one session, including pinned ones. By default ten are stored. */
  checkpoints: 100,
  /** A label in a list. */
  checkpointNameLength: 100,
  /** Sessions forked off one session. */
  children: 100,
  /** A template for a continuation prompt. */
  templateLength: 16 * KIB,
  /**
   * The rendered prompt: several times the longest context. It is built in memory and stored for
   * replays.
   */
  promptLength: 256 * KIB,
  /**
   * The longest wait that a provider's hint may request: 90 days, the longest lifetime of a
   * session.
   */
  retryAfterMs: 90 * 24 * 60 * 60 * 1000,
  /** Generations of forks that are shown. */
  lineage: 100,
  /**
   * Open jobs of one session. Ended jobs are limited by the size of the log, which includes their
   * inputs and results.
   */
  jobs: 1_000,
  /** Jobs of one session that wait for an executor. More would only wait behind each other. */
  jobsWaiting: 100,
  /** The size of one event, including the requested lease. It is stored in the job's row. */
  jobInputBytes: 256 * KIB,
  /** Executors that may start one job before it fails. */
  jobAttempts: 3,
  /** Recent batches of a job's executor, recognised by their keys. They are stored in the job's row. */
  jobBatches: 32,
  /** `name` or `name@version`. */
  agentNameLength: 100,
  /** The kind of a job event, and the id of a result that is sent in chunks. */
  jobIdentifierLength: 100,
  /** The shortest lease of a silent executor. With a shorter one, a slow network loses the job. */
  jobLeaseMinMs: 1_000,
  /** The longest lease. A job whose executor died waits that long for the next one. */
  jobLeaseMs: 10 * 60 * 1000,
  /** Allows several heartbeats, and a lost executor is replaced within a minute. */
  jobLeaseDefaultMs: 60_000,
  /** The longest runtime that a job may have: 90 days, the longest lifetime of a session. */
  jobRuntimeMs: 90 * 24 * 60 * 60 * 1000,
  /** Leases of one session that are held at the same time. They are stored in the session's row. */
  leases: 64,
  /** The longest lease. Work whose process died waits that long for the next one. */
  leaseMs: 10 * 60 * 1000,
  /** Effects of one session that happen once. Each is a row that is never deleted. */
  onces: 1_000,
  /** The key of such an effect, which receivers get as their idempotency key. */
  onceKeyLength: 255,
  /** Their results together. A fork carries all of them in one message. */
  onceBytes: 8 * 1024 * KIB,
  /**
   * Conflicting writers that wait for their response in turn. Any further one gets its response at
   * once.
   */
  queuedConflicts: 64,
  /** How long a writer that got its response in turn has the next write to itself. */
  turnMs: 30,
  /** Messages of one ARCP connection that may wait to be processed. */
  arcpWaiting: 256,
  /** Message ids of one ARCP connection that are remembered, to drop duplicates. */
  arcpMessageIds: 10_000,
  /** The same as a JSON body, because both carry the same messages. */
  arcpFrameBytes: 1024 * KIB,
  /** Tokens of an ARCP session that are valid at the same time while none is confirmed. */
  arcpUnconfirmed: 16,
  /** Jobs of other sessions that one ARCP session may watch at the same time. */
  arcpSubscriptions: 20,
  /**
   * Messages in one MCP request. Revisions since 2025-06-18 have one. A single request must not
   * delay all others.
   */
  mcpBatch: 10,
  /** Events in the response to a resume and in pages for tools. A page also ends at `pageBytes`. */
  pageEvents: 1_000,
  /**
   * Events in one JSON page of the log: a whole replay in few requests. A page also ends at
   * `replayBytes`.
   */
  replayEvents: 20_000,
  /** Held once per response and then released, unlike a page of a stream. */
  replayBytes: 4 * 1024 * KIB,
  /** Some tens of kilobytes for typical events. */
  pageEventsDefault: 100,
  /** What one response holds in memory, including its encoded copy. */
  pageBytes: 1024 * KIB,
  /**
   * Characters of commits searched for one filtered page, so that a rare type cannot block the
   * object. The size of one page.
   */
  scanLength: 1024 * KIB,
  /** Missed events shown in a conflict. */
  missedEvents: 100,
  /** Read by the writer that lost the race: enough to decide, and the rest is one page away. */
  missedBytes: 256 * KIB,
  /** Commits in which an append's Idempotency-Key is searched. */
  appendMemory: 1_024,
  /** Long enough for any id with a prefix. Only its hash is stored. */
  idempotencyKeyLength: 255,
  /** A create key is a secret that identifies the session. 22 base64url characters carry 128 bits. */
  createKeyMinLength: 22,
  /** Open connections that listen to one session, unless the deployment sets another number. */
  listeners: 1_000,
  /**
   * How many of these a participant without `own`, together with those it brought in, may use. A
   * fifth, so that others keep capacity.
   */
  listenersShare: 200,
  /** A commit of up to this many characters is sent to listeners. A larger one is only announced. */
  announcedLength: 128 * KIB,
  /** Pending events of a listener in the Worker. Beyond this it reads the log instead. */
  listenerBacklog: 512 * KIB,
  /** What a WebSocket may leave unacknowledged before it is too slow. */
  unacknowledgedBytes: 8 * 1024 * KIB,
  /** The longest a long-poll waits. */
  waitMs: 60_000,
  /** One uploaded file: the largest request body that the platform's plan accepts. */
  uploadBytes: 100 * 1024 * KIB,
  /** Files of one session, without removed ones. */
  uploads: 50,
  /**
   * All files of one session together, including announced ones: two of the largest, or many
   * typical ones.
   */
  filesBytes: 250 * 1024 * KIB,
  /** One blob: the largest request body that the platform's plan accepts. */
  blobBytes: 100 * 1024 * KIB,
  /** Blobs of one session. Each is a row, and a purge processes all of them. */
  blobs: 20_000,
  /**
   * All blobs of one session together: a long transcript with its pictures, and a bounded cost for
   * the operator.
   */
  blobsBytes: 1024 * 1024 * KIB,
  /**
   * Blobs up to which participants without `own` may add one. A quarter stays for owners, because
   * only a purge removes blobs.
   */
  blobsShare: 15_000,
  /** Bytes of blobs up to which participants without `own` may add one. */
  blobsShareBytes: 768 * 1024 * KIB,
  /** The limit of file systems. */
  fileNameLength: 255,
  /** Registered types and subtypes, with a parameter. */
  mediaTypeLength: 127,
  /** A form with a file, sent without JavaScript. It is held in memory. */
  formBytes: 10 * 1024 * KIB,
  /**
   * Entries of one posted form: five times what a page can show. A megabyte can contain half a
   * million, and each is parsed separately.
   */
  formEntries: 2_000,
  /**
   * The text of one number, with its signs and its unit. They are removed one by one. Four times
   * the longest number in JSON.
   */
  numberTextLength: 100,
  /**
   * Inputs of one form, including templates of rows. Fields beyond that are edited as JSON.
   * Rendering takes some milliseconds.
   */
  formInputs: 400,
  /**
   * Characters of schema texts on one page. Many fields can refer to one long description. Fields
   * beyond that are shown without texts.
   */
  formTextLength: 1_000_000,
  /** Rows of one list in a form. A longer list is edited as JSON. */
  formRows: 100,
  /** Labels of one session. Each is an entry in the owner's directory. */
  labels: 16,
  /** A word to sort by. */
  labelNameLength: 64,
  /** A word to be found by, not a text. */
  labelValueLength: 256,
  /** An id from another system: a key, a path, an address. */
  externalIdLength: 256,
  /** Sessions on one page of an owner's list. */
  sessionsPage: 200,
  /** What fits a screen or two. */
  sessionsPageDefault: 50,
  /** Changes of an owner's sessions in one answer. */
  changesPage: 1_000,
  /** Some tens of kilobytes. */
  changesPageDefault: 100,
  /** Templates of one owner, including retired ones. The list is one response. */
  templates: 200,
  /**
   * Versions of one template that can be referenced. A session does not need them after its
   * creation.
   */
  templateVersions: 100,
  /** `name` or `name@version`. */
  templateRefLength: 74,
  /** Types in one filter, and in each list of a handoff's `events`. */
  typeFilters: 50,
  /** Bytes of JSON: what a handoff to an agent names in `ask`, `show` and `events` together. */
  termsBytes: 65_536,
  /** Endpoints of one session. Each receives every notice that it subscribed to. */
  endpoints: 10,
  /** Endpoints of one owner. Each is checked for every notice of every session. */
  ownerEndpoints: 20,
  /** MCP subscriptions of one owner: one for each kind of notice, address and session. */
  ownerSubscriptions: 100,
  /** The URL of a webhook. Longer than those of all known channels. */
  webhookUrlLength: 2_000,
  /** The body of a webhook. Receivers refuse larger ones, and a notice is a few hundred bytes. */
  webhookBytes: 20 * KIB,
  /** Deliveries that an endpoint stores. The oldest ones that are not pending are removed first. */
  deliveries: 10_000,
  /** Deliveries in one list. */
  deliveriesPage: 100,
  /** Endpoints that one handoff notifies. */
  notify: 10,
} as const;

/**
 * The shortest idle time of a session that lives as long as it is used. A shorter one would end it
 * over a weekend.
 */
export const IDLE_TTL_MIN_MS = 2 * 24 * 60 * 60 * 1000;

/** Use extends such a session at most this often, because each extension is a write. */
export const IDLE_STEP_MS = 24 * 60 * 60 * 1000;

/** How long a link can be opened, unless the handoff sets another time. */
export const LINK_TTL_MS = 24 * 60 * 60 * 1000;

/** How long a participant created by an owner's key lives, unless the request sets another time. */
export const OPENED_TTL_MS = 24 * 60 * 60 * 1000;

/** How long an identical create gets the same first token as its response. */
export const CREATE_REPLAY_MS = 24 * 60 * 60 * 1000;

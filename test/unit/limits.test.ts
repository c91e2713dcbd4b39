/** Every limit has a reason above it, and a test at the limit and one past it, named here. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits.ts";
import { decodeAnnouncement, encodeAnnouncement } from "../../src/domain/log/listener-protocol.ts";
import { Backlog } from "../../src/gateway/backlog.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const HERE = "test/unit/limits.test.ts";
const OWNED = "test/workers/owner-list.test.ts";
const TEMPLATES = "test/workers/templates.test.ts";
const BOUNDS = "test/workers/limits.test.ts";
const MANY = "test/workers/count-limits.test.ts";
const STREAMS = "test/workers/stream-limits.test.ts";
const JOBS = "test/workers/job-limits.test.ts";
const ARCP = "test/workers/arcp-limits.test.ts";
const LEASES = "test/workers/leases.test.ts";
const ONCE = "test/workers/once.test.ts";
const UPLOADS = "test/workers/uploads.test.ts";
const ENDPOINTS = "test/workers/endpoints.test.ts";
const BLOBS = "test/workers/blobs.test.ts";
const BLOB_BUDGETS = "test/workers/blob-budgets.test.ts";
const SCHEMA = "test/unit/domain/schema-cost.test.ts";
const BUDGETS = "test/workers/session-budgets.test.ts";
const FORM = "test/unit/ui/form.test.ts";
const CONFLICTS = "test/unit/conflict-queue.test.ts";
const ROW = "on the session's row counts everybody and everything in it";

/** A test's title, or the name of a row in a table of limits. A new limit does not compile without one. */
const TESTS: Readonly<Record<keyof typeof LIMITS, readonly [file: string, title: string]>> = {
  bodyBytes: [
    "test/workers/http.test.ts",
    "that arrives in pieces without a length is bounded as well",
  ],
  jsonDepth: ["test/workers/http.test.ts", "is nested 32 deep at most"],
  queuedConflicts: [
    CONFLICTS,
    "wait up to queuedConflicts together, and one more is answered at once",
  ],
  turnMs: [CONFLICTS, "are answered at once if they are alone, and otherwise in their order"],
  missesKept: [
    "test/unit/miss-store.test.ts",
    "hold missesKept addresses, and one more evicts the oldest",
  ],
  rowBytes: [BOUNDS, "on one commit counts what would be stored"],
  rowReserveBytes: [MANY, ROW],
  rowShareBytes: [
    "test/workers/owner-share.test.ts",
    "is filled up to rowShareBytes by those without own and not one byte more",
  ],
  logBytes: [BUDGETS, "holds logBytes of appended events and not one more"],
  fillers: [
    "test/workers/oidc.test.ts",
    "is remembered among all fillers, and one more filler is refused",
  ],
  logShareBytes: [BUDGETS, "accepts logShareBytes from those without own and not one more"],
  logReserveShareBytes: [
    BUDGETS,
    "accepts small writes of those without own into logReserveShareBytes of the reserve and not one more",
  ],
  logReserveBytes: [BUDGETS, "holds logReserveBytes more of small writes and not one more"],
  eventsPerAppend: [BOUNDS, "the events of one append"],
  eventBytes: [BOUNDS, "an event's payload"],
  eventTypeLength: [BOUNDS, "an event's type"],
  documentBytes: [BOUNDS, "all fields together"],
  privateBytes: [
    "test/workers/private-values.test.ts",
    "hold 256 KiB together and not one byte more",
  ],
  fields: [BOUNDS, "the number of fields"],
  fieldNameLength: [BOUNDS, "a field's name"],
  schemaBytes: [BOUNDS, "a schema"],
  schemaWeight: [SCHEMA, "holds schemaWeight keywords for one value and not one more"],
  schemaChain: [SCHEMA, "holds schemaChain schemas behind one another and not one more"],
  patternLength: [SCHEMA, "holds a pattern of patternLength characters and not one more"],
  patternSteps: [SCHEMA, "holds patternSteps steps of patterns together and not one more"],
  validationSteps: [SCHEMA, "spend exactly validationSteps steps and not one more"],
  formattedLength: [SCHEMA, "hold a formatted text to formattedLength characters and not one more"],
  titleLength: [BOUNDS, "a title"],
  textLength: [BOUNDS, "a note"],
  submitLabelLength: [BOUNDS, "the words on a button"],
  nextStepBodyLength: [BOUNDS, "a next step's body"],
  stepsCompleted: [BOUNDS, "the steps completed"],
  actorIdLength: [BOUNDS, "an actor's id"],
  participants: [BOUNDS, "on participants counts those that can still act"],
  participantsShare: [BOUNDS, "on participants created without own is a fifth"],
  principalLength: [
    "test/workers/binding.test.ts",
    "the name of a principal has at most 320 characters",
  ],
  approvals: [BOUNDS, "the approvals needed"],
  checkpoints: [MANY, "on checkpoints counts pinned ones, which are never evicted"],
  checkpointNameLength: [BOUNDS, "a checkpoint's name"],
  children: [MANY, "on children counts those that are open"],
  templateLength: [BOUNDS, "a template of a prompt"],
  promptLength: [
    "test/unit/continuation-prompt.test.ts",
    "holds promptLength characters and not one more",
  ],
  retryAfterMs: [BOUNDS, "the wait a provider asks for"],
  lineage: [MANY, "on a line of forks shown is a hundred generations"],
  jobs: [JOBS, "on jobs counts those that have not ended"],
  jobsWaiting: [BUDGETS, "lets jobsWaiting jobs wait and not one more"],
  jobInputBytes: [JOBS, "a job's input"],
  jobAttempts: [
    "test/workers/executors.test.ts",
    "is followed by at most the allowed number of other attempts",
  ],
  agentNameLength: [JOBS, "an agent's name"],
  jobIdentifierLength: [JOBS, "an event's kind"],
  jobLeaseMinMs: [JOBS, "on leases is also a minimum"],
  jobLeaseMs: [JOBS, "a lease"],
  jobLeaseDefaultMs: [ARCP, "on a lease without a chosen length is a minute"],
  jobRuntimeMs: [JOBS, "a job's runtime"],
  arcpWaiting: [ARCP, "on waiting messages lets 256 wait, and none of them is dropped"],
  arcpMessageIds: [
    ARCP,
    "on remembered message ids is ten thousand, and the oldest is forgotten first",
  ],
  arcpFrameBytes: [ARCP, "on a frame is a mebibyte"],
  arcpUnconfirmed: [
    ARCP,
    "on unconfirmed tokens is sixteen: the first of seventeen is no longer good",
  ],
  arcpSubscriptions: [ARCP, "on subscriptions is twenty at once, and ending one allows another"],
  jobBatches: [
    "test/workers/executors.test.ts",
    "writes a batch once if it is repeated after others, as far back as batches are remembered",
  ],
  pageEvents: [
    "test/workers/resume.test.ts",
    "with more events than a page holds reports it, and the cursor skips none of them",
  ],
  replayEvents: [BOUNDS, "the events of a page"],
  replayBytes: [
    BOUNDS,
    "ends before it holds more than four mebibytes, and the next one continues",
  ],
  pageEventsDefault: [BOUNDS, "holds a hundred events without a limit parameter"],
  pageBytes: [
    BOUNDS,
    "of a resume ends before it holds more than a mebibyte, and reading continues",
  ],
  scanLength: [BOUNDS, "looks through scanLength characters at a time for a rare type"],
  missedEvents: [BOUNDS, "are the first hundred missed ones, and whether there are more"],
  missedBytes: [BOUNDS, "are at most a quarter of a mebibyte, but at least one event"],
  appendMemory: [BOUNDS, "reaches back 1,024 commits"],
  idempotencyKeyLength: [BOUNDS, "an Idempotency-Key"],
  createKeyMinLength: [BOUNDS, "on the TTL and on the create key is also a minimum"],
  listenersShare: [
    "test/workers/live-limits.test.ts",
    "without own is refused beyond its share of connections, counted with the participants it created",
  ],
  listeners: [
    "test/workers/live-limits.test.ts",
    "is refused on every transport with 429 and Retry-After, and accepted once another has left",
  ],
  announcedLength: [HERE, "is sent up to announcedLength characters and only announced past it"],
  listenerBacklog: [HERE, "holds listenerBacklog characters and not one more"],
  unacknowledgedBytes: [
    "test/workers/live-slow.test.ts",
    "is closed as too slow at 8 MiB with the seq to continue from, and loses nothing",
  ],
  leases: [LEASES, "is one of 64 that are held at a time, and one more is refused"],
  leaseMs: [LEASES, "lasts at most ten minutes"],
  onces: [ONCE, "is one of 1,000, and one more is refused"],
  onceKeyLength: [ONCE, "has a key of 1 to 255 visible characters"],
  onceBytes: [ONCE, "shares onceBytes with the other results and not one byte more"],
  waitMs: [STREAMS, "on a long-poll is a minute"],
  uploadBytes: [UPLOADS, "is refused before it is sent if its field does not accept it"],
  uploads: [UPLOADS, "is one of so many"],
  labels: [OWNED, "holds 16 labels and not one more"],
  labelNameLength: [OWNED, "the lengths of labels and names are bounded: %s"],
  labelValueLength: [OWNED, "the lengths of labels and names are bounded: %s"],
  externalIdLength: [OWNED, "the lengths of labels and names are bounded: %s"],
  sessionsPage: [OWNED, "the sizes of a page of sessions and of changes are bounded"],
  sessionsPageDefault: [OWNED, "the sizes of a page of sessions and of changes are bounded"],
  changesPage: [OWNED, "the sizes of a page of sessions and of changes are bounded"],
  changesPageDefault: [OWNED, "the sizes of a page of sessions and of changes are bounded"],
  filesBytes: [BUDGETS, "holds filesBytes of files together and not one more"],
  blobBytes: [BLOBS, "has blobBytes and not one more"],
  blobs: [BLOB_BUDGETS, "is one of so many"],
  blobsShare: [BLOB_BUDGETS, "is one of blobsShare for those without own"],
  blobsShareBytes: [
    BLOB_BUDGETS,
    "fits blobsShareBytes for those without own and not one byte more",
  ],
  blobsBytes: [BLOB_BUDGETS, "fits blobsBytes of all of them together and not one byte more"],
  fileNameLength: [UPLOADS, "has a name and a type within their limits"],
  mediaTypeLength: [UPLOADS, "has a name and a type within their limits"],
  formBytes: [UPLOADS, "needs a length, which is limited"],
  mcpBatch: [
    "test/workers/mcp-arguments.test.ts",
    "accepts mcpBatch messages in one request and not one more",
  ],
  numberTextLength: [
    "test/workers/link-page.test.ts",
    "reads a number of numberTextLength characters and not one more",
  ],
  formEntries: [
    "test/workers/link-page.test.ts",
    "accepts a form of formEntries entries and not one more, in either encoding",
  ],
  endpoints: [ENDPOINTS, "holds ten endpoints and not one more"],
  ownerSubscriptions: [
    "test/workers/mcp-subscriptions.test.ts",
    "are at most a hundred of one owner",
  ],
  ownerEndpoints: ["test/workers/owner-endpoints.test.ts", "is one of at most twenty"],
  webhookUrlLength: [BOUNDS, "the address of an endpoint"],
  webhookBytes: [
    "test/unit/domain/notices.test.ts",
    "holds webhookBytes and drops labels for more",
  ],
  deliveries: [
    "test/unit/domain/notices.test.ts",
    "are at most as many as the limit, and not one more",
  ],
  deliveriesPage: [ENDPOINTS, "lists at most a hundred deliveries in one page"],
  notify: [ENDPOINTS, "notifies ten endpoints by one handoff and not one more"],
  formInputs: [FORM, "has formInputs inputs and not one more"],
  formTextLength: [FORM, "repeats formTextLength characters of a schema and not one more"],
  formRows: [FORM, "has formRows rows and not one more"],
  templates: [TEMPLATES, "the number of templates and of their versions is bounded"],
  templateVersions: [TEMPLATES, "the number of templates and of their versions is bounded"],
  templateRefLength: [TEMPLATES, "has a name of 1 to 64 characters"],
  typeFilters: [BOUNDS, "the types of a filter"],
  termsBytes: [BOUNDS, "the terms of an agent, in bytes"],
};

describe("a limit", () => {
  it.each(Object.entries(TESTS))("%s has the test that is named here", (_, [file, title]) => {
    expect(read(file)).toContain(`"${title}"`);
  });

  it("has its reason in the comment above it", () => {
    const source = read("src/domain/limits.ts");
    const bare = Object.keys(LIMITS).filter(
      (name) => !new RegExp(`\\*/\\n  ${name}: `).test(source),
    );
    expect(bare).toEqual([]);
  });
});

const text = (length: number): string => "x".repeat(length);
const announcement = (length: number) => ({ first: 1, last: 1, lines: [text(length)] });

describe("a commit", () => {
  it("is sent up to announcedLength characters and only announced past it", () => {
    expect(
      decodeAnnouncement(encodeAnnouncement(1, 2, text(LIMITS.announcedLength))).lines,
    ).toHaveLength(1);
    expect(
      decodeAnnouncement(encodeAnnouncement(1, 2, text(LIMITS.announcedLength + 1))).lines,
    ).toBeNull();
  });
});

describe("the backlog of a listener", () => {
  it("holds listenerBacklog characters and not one more", () => {
    // An entry counts 64 besides its lines.
    const capacity = LIMITS.listenerBacklog - 64;
    expect(new Backlog().add(announcement(capacity))).toBe(true);
    expect(new Backlog().add(announcement(capacity + 1))).toBe(false);
  });
});

/**
 * The table of operations, written out here a second time from the design: every pair of state and
 * operation is requested over HTTP.
 */
import { afterEach, describe, expect, it, vi } from "vitest";
import { env } from "cloudflare:workers";
import type { Env } from "../../src/env";
import { openStorage } from "../../src/object/storage-port";
import { BlobStore } from "../../src/storage/blob-store";
import { UploadStore } from "../../src/storage/upload-store";
import type { Answer, CreatedSession } from "../support/client";
import { client, inside, rewrite } from "../support/worker";

const { UPLOADS } = env as unknown as Env;
const HOUR_MS = 3_600_000;

const OPEN_STATES = [
  "draft",
  "in_progress",
  "awaiting_input",
  "awaiting_upload",
  "submitted",
  "needs_review",
  "approved",
] as const;
const ENDED_STATES = ["finalized", "rejected", "cancelled"] as const;
const STATES = [...OPEN_STATES, ...ENDED_STATES, "expired"] as const;
type State = (typeof STATES)[number];
type Targets = Partial<Record<State, State>>;

const keepState = (states: readonly State[]): Targets =>
  Object.fromEntries(states.map((state) => [state, state]));
const moveTo = (target: State, states: readonly State[]): Targets =>
  Object.fromEntries(states.map((state) => [state, target]));

interface Row {
  readonly as?: "reviewer";
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: 200 | 201 | 204;
  readonly isRead?: true;
  /** For each state in which it is allowed, the resulting state. An expired session allows nothing. */
  readonly targets: Targets;
}

const read = (path: string): Row => ({
  method: "GET",
  path,
  status: 200,
  isRead: true,
  targets: keepState([...OPEN_STATES, ...ENDED_STATES]),
});
const inOpenStates = (path: string, body: unknown, status: 200 | 201 = 200): Row => ({
  method: "POST",
  path,
  body,
  status,
  targets: keepState(OPEN_STATES),
});
const transition = (path: string, targets: Targets, as?: "reviewer"): Row => ({
  method: "POST",
  path,
  body: {},
  status: 200,
  targets,
  ...(as === undefined ? {} : { as }),
});

/** SHA-256 of "1", which every session has. */
const BLOB = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b";

/** The fixture knows the number of its lease. */
const UNDER_LEASE = { "Baton-Lease": "held=:lease" };

const UPLOADING: readonly State[] = ["draft", "in_progress", "awaiting_input", "awaiting_upload"];

const onEndpoint = (method: Row["method"], path: string, body?: unknown): Row => ({
  method,
  path: `/endpoints/:endpoint${path}`,
  body,
  status: 200,
  targets: keepState([...OPEN_STATES, ...ENDED_STATES]),
});

const TABLE: Readonly<Record<string, Row>> = {
  get: read(""),
  events: read("/events"),
  audit: read("/audit"),
  resumable: read("/resumable"),
  listHandoffs: read("/handoffs"),
  listCheckpoints: read("/checkpoints"),
  listEndpoints: read("/endpoints"),
  addEndpoint: {
    method: "POST",
    path: "/endpoints",
    body: { url: "https://receiver.test/204/states", notices: ["session.expired"] },
    status: 201,
    targets: keepState([...OPEN_STATES, ...ENDED_STATES]),
  },
  changeEndpoint: onEndpoint("PATCH", "", { format: "slack" }),
  rotateEndpoint: onEndpoint("POST", "/rotate"),
  replayEndpoint: onEndpoint("POST", "/replay", { since: "2026-11-16T09:00:00Z" }),
  removeEndpoint: onEndpoint("DELETE", ""),
  readPrivate: read("/private/hidden"),
  getCheckpoint: read("/checkpoints/chk_1"),
  lineage: read("/lineage"),
  getUpload: read("/uploads/upl_2"),
  getBlob: read(`/blobs/${BLOB}`),
  listJobs: read("/jobs"),
  getJob: read("/jobs/:job"),
  validate: { ...read("/validate"), method: "POST", body: {} },
  resume: inOpenStates("/resume", {}),
  append: inOpenStates("/events", { events: [{ type: "agent.said" }] }, 201),
  reportStop: inOpenStates("/stops", { reason: "crash", attempt: 1 }),
  takeLease: inOpenStates("/leases/free", { ttlMs: 60_000 }, 201),
  releaseLease: {
    ...inOpenStates("/leases/held", undefined),
    method: "DELETE",
    headers: UNDER_LEASE,
    status: 204,
  },
  startOnce: { ...inOpenStates("/once/effect", {}, 201), headers: UNDER_LEASE },
  endOnce: {
    ...inOpenStates("/once/started", { result: 1 }),
    method: "PUT",
    headers: UNDER_LEASE,
  },
  submitJob: inOpenStates("/jobs", { agent: "state-table" }, 201),
  cancelJob: inOpenStates("/jobs/:job/cancel", {}),
  setFields: {
    method: "PATCH",
    path: "",
    body: { fields: { city: "Oslo" } },
    status: 200,
    targets: {
      draft: "in_progress",
      awaiting_input: "in_progress",
      in_progress: "in_progress",
      awaiting_upload: "awaiting_upload",
    },
  },
  requestInput: transition("/request-input", moveTo("awaiting_input", ["draft", "in_progress"])),
  submit: transition("/submit", moveTo("needs_review", ["draft", "in_progress", "awaiting_input"])),
  requestUpload: {
    ...transition("/uploads", moveTo("awaiting_upload", UPLOADING)),
    body: { name: "a", type: "application/json", size: 1 },
    status: 201,
  },
  confirmUpload: transition("/uploads/upl_1/confirm", moveTo("in_progress", UPLOADING)),
  removeUpload: {
    method: "DELETE",
    path: "/uploads/upl_1",
    status: 200,
    targets: moveTo("in_progress", UPLOADING),
  },
  putUpload: {
    method: "PUT",
    path: "/uploads/upl_1",
    body: "1",
    headers: { "Content-Length": "1" },
    status: 200,
    targets: keepState(UPLOADING),
  },
  putBlob: {
    method: "PUT",
    path: `/blobs/${BLOB}`,
    body: "1",
    headers: { "Content-Length": "1" },
    status: 200,
    targets: keepState(OPEN_STATES),
  },
  approve: transition("/approve", { needs_review: "approved" }, "reviewer"),
  reject: transition("/reject", { needs_review: "rejected" }, "reviewer"),
  requestChanges: transition("/request-changes", { needs_review: "awaiting_input" }, "reviewer"),
  finalize: transition("/finalize", moveTo("finalized", ["submitted", "approved"])),
  cancel: transition("/cancel", moveTo("cancelled", OPEN_STATES)),
  handoff: inOpenStates("/handoffs", { to: "agent", scopes: ["view"] }, 201),
  reissue: inOpenStates("/handoffs/hnd_3/reissue", {}),
  revokeHandoff: { ...inOpenStates("/handoffs/hnd_2", undefined), method: "DELETE" },
  revoke: inOpenStates("/revoke", { others: true }),
  extend: inOpenStates("/extend", { ttlMs: 3_600_000 }),
  setLabels: {
    method: "PATCH",
    path: "",
    body: { labels: { a: "b" } },
    status: 200,
    targets: keepState([...OPEN_STATES, ...ENDED_STATES]),
  },
  erasePrivate: {
    method: "DELETE",
    path: "/private/hidden",
    status: 200,
    targets: keepState([...OPEN_STATES, ...ENDED_STATES]),
  },
  pause: inOpenStates("/pause", {}),
  unpause: inOpenStates("/unpause", {}),
  checkpoint: inOpenStates("/checkpoints", {}, 201),
  pinCheckpoint: { ...inOpenStates("/checkpoints/chk_1", { pinned: true }), method: "PATCH" },
  deleteCheckpoint: { ...inOpenStates("/checkpoints/chk_1", undefined), method: "DELETE" },
  trim: inOpenStates("/trim", { checkpoint: "chk_1" }),
  restore: transition(
    "/checkpoints/chk_1/restore",
    moveTo("in_progress", ["draft", "in_progress", "awaiting_input", "awaiting_upload"]),
  ),
  fork: {
    ...inOpenStates("/fork", {}, 201),
    targets: keepState([...OPEN_STATES, ...ENDED_STATES]),
  },
  purge: {
    method: "DELETE",
    path: "",
    status: 200,
    targets: keepState([...OPEN_STATES, ...ENDED_STATES]),
  },
};
const OPERATIONS = Object.keys(TABLE);
/** The response of these carries no token: they spend none, or there is none left. */
const WITHOUT_TOKEN: ReadonlySet<string> = new Set([
  "append",
  "reportStop",
  "takeLease",
  "releaseLease",
  "startOnce",
  "endOnce",
  "putUpload",
  "putBlob",
  "submitJob",
  "cancelJob",
  "purge",
]);

/** What a 409 must list: all operations that change something and are allowed in the state. */
const allowedIn = (state: State): readonly string[] =>
  OPERATIONS.filter(
    (name) => TABLE[name]?.isRead !== true && TABLE[name]?.targets[state] !== undefined,
  ).sort();

interface StateFixture {
  readonly session: CreatedSession;
  /** A job that was submitted at creation. */
  readonly job: string;
  /** An endpoint that was registered at creation. */
  readonly endpoint: string;
  /** The number of a lease that the owner holds. */
  readonly lease: string;
  owner: string;
  reviewer: string;
  version: number;
}

async function act(fixture: StateFixture, name: string): Promise<Answer> {
  const { as, method, path, body, headers } = TABLE[name] as Row;
  const named = path.replace(":job", fixture.job).replace(":endpoint", fixture.endpoint);
  const answer = await client.on(fixture.session, method, named, {
    token: as === "reviewer" ? fixture.reviewer : fixture.owner,
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers: filledIn(headers, fixture) }),
    // Owner and reviewer take turns, so each confirms the version that the other one created.
    ...(method === "GET" ? {} : { ifMatch: fixture.version }),
  });
  if (answer.body?.session !== undefined) fixture.version = answer.body.session.version;
  if (answer.body?.resumeToken !== undefined) {
    if (as === "reviewer") fixture.reviewer = answer.body.resumeToken;
    else fixture.owner = answer.body.resumeToken;
  }
  return answer;
}

const filledIn = (headers: Readonly<Record<string, string>>, { lease }: StateFixture) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace(":lease", lease)]),
  );

const PATHS: Readonly<Record<State, readonly string[]>> = {
  draft: [],
  in_progress: ["setFields"],
  awaiting_input: ["requestInput"],
  awaiting_upload: ["setFields"],
  submitted: ["submit"],
  needs_review: ["submit"],
  approved: ["submit", "approve"],
  finalized: ["submit", "approve", "finalize"],
  rejected: ["submit", "reject"],
  cancelled: ["cancel"],
  expired: ["setFields"],
};

/** Resources that only some operations use, by the part of the path that names them. */
const REFERENCES = [":job", ":endpoint", "hnd_3", "/once/"] as const;

async function sessionIn(state: State, path: string = REFERENCES.join()): Promise<StateFixture> {
  const session = await client.create({
    ttlMs: HOUR_MS,
    review: { required: state !== "submitted" },
    schema: { properties: { hidden: { "x-baton": { private: true } } } },
    fields: { hidden: "a value" },
  });
  let owner = session.token;
  async function make(subpath: string, body: unknown): Promise<Answer["body"]> {
    const created = await client.on(session, "POST", subpath, { token: owner, body });
    owner = created.body.resumeToken ?? owner;
    return created.body;
  }
  const reviewer = await make("/handoffs", { to: "agent", scopes: ["review"] });
  if (path.includes("hnd_3")) await make("/handoffs", { to: "human", scopes: ["view"] });
  const hook = path.includes(":endpoint")
    ? await make("/endpoints", {
        url: "https://receiver.test/204/states",
        notices: ["session.expired"],
      })
    : null;
  const lease = /\/once\/|\/held/.test(path) ? await holdLease(session, owner) : "";
  const submitted = path.includes(":job") ? await make("/jobs", { agent: "state-table" }) : null;
  const fixture: StateFixture = {
    session,
    job: submitted?.job.id ?? "",
    endpoint: hook?.endpoint.id ?? "",
    lease,
    owner,
    reviewer: reviewer.participantToken,
    version: reviewer.session.version,
  };
  // The first checkpoint exists in every state, for the operations on checkpoints.
  for (const name of ["checkpoint", ...PATHS[state]]) {
    const answer = await act(fixture, name);
    expect(answer.status, answer.text).toBe(TABLE[name]?.status);
  }
  await leaveFiles(session);
  if (state === "awaiting_upload") {
    // Only an upload leads to this state; the row is as an upload would leave it.
    await rewrite(session, (sql) => sql.exec("UPDATE session SET state = 'awaiting_upload'"));
  }
  if (state === "expired") vi.setSystemTime(Date.now() + HOUR_MS);
  return fixture;
}

/** A lease, under which one effect is started. */
async function holdLease(session: CreatedSession, token: string): Promise<string> {
  const taken = await client.on(session, "POST", "/leases/held", {
    token,
    body: { ttlMs: 600_000 },
  });
  const { number } = taken.body.lease;
  const headers = { "Baton-Lease": `held=${number}` };
  await client.on(session, "POST", "/once/started", { token, body: {}, headers });
  return String(number);
}

/** In every state there is one file that was uploaded and not confirmed, and one that is confirmed. */
async function leaveFiles(session: CreatedSession): Promise<void> {
  await UPLOADS.put("state-table/2", "1");
  await inside(session, (_, { storage }) => {
    const sql = openStorage(storage, { rowsRead: 0, rowsWritten: 0 });
    const blobs = new BlobStore(sql);
    blobs.prepare();
    blobs.insert({ sha256: BLOB, size: 1, key: "state-table/2" });
    const uploads = new UploadStore(sql);
    for (const [number, status] of [
      [1, "pending"],
      [2, "confirmed"],
    ] as const) {
      uploads.save({
        number,
        field: null,
        name: "a",
        type: "application/json",
        size: 1,
        sha256: null,
        status,
        requestedAt: 0,
        stored: { key: `state-table/${number}`, size: 1, sha256: "" },
      });
    }
  });
}

async function stateOf({ session, owner }: StateFixture): Promise<State> {
  const answer = await client.on(session, "GET", "", { token: owner });
  return answer.body.session.state as State;
}

afterEach(() => {
  vi.useRealTimers();
});

/** Reads and refusals change nothing, so all cases of a state share one session. */
const shared = new Map<State, Promise<StateFixture>>();
function sharedIn(state: State): Promise<StateFixture> {
  const fixture = shared.get(state) ?? sessionIn(state);
  shared.set(state, fixture);
  return fixture;
}

describe.each([...OPEN_STATES, ...ENDED_STATES])("in state %s", (state) => {
  const allowed = OPERATIONS.filter((name) => TABLE[name]?.targets[state] !== undefined);

  // Shows S-1, B-5.
  it.each(allowed)("%s is allowed", async (name) => {
    const { targets, status, isRead, path } = TABLE[name] as Row;
    const fixture = isRead ? await sharedIn(state) : await sessionIn(state, path);
    const answer = await act(fixture, name);
    expect(answer.status, answer.text).toBe(status);
    expect(answer.body?.resumeToken === undefined).toBe(isRead === true || WITHOUT_TOKEN.has(name));
    if (name !== "purge") expect(await stateOf(fixture)).toBe(targets[state]);
  });

  // Shows S-1, P-1.
  it.for(OPERATIONS.filter((name) => !allowed.includes(name)))("%s is refused", async (name) => {
    const fixture = await sharedIn(state);
    const answer = await act(fixture, name);
    expect(answer.status, answer.text).toBe(409);
    expect(answer.body).toMatchObject({
      code: "illegal_transition",
      from: state,
      operation: name,
      sessionId: fixture.session.id,
    });
    expect([...answer.body.allowed].sort()).toEqual(allowedIn(state));
    expect(answer.body.current.state).toBe(state);
    expect(answer.text).not.toContain("rtok_");
    expect(await stateOf(fixture)).toBe(state);
  });
});

describe("in state expired", () => {
  // Shows S-1.
  it.each(OPERATIONS)("%s is refused as expired", async (name) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const fixture = await sessionIn("expired", TABLE[name]?.path);
    const answer = await act(fixture, name);
    expect(answer.status, answer.text).toBe(410);
    expect(answer.body).toMatchObject({ code: "expired", sessionId: fixture.session.id });
  });
});

describe("besides the state", () => {
  // Shows W-2.
  it("submit leads to submitted if no review is required", async () => {
    const session = await client.create();
    const answer = await client.on(session, "POST", "/submit", { token: session.token, body: {} });
    expect(answer.body.session.state).toBe("submitted");
  });

  it("the session reaches approved only with the last needed approval", async () => {
    const session = await client.create({ review: { approvals: 2 } });
    let { token } = session;
    const reviewers: string[] = [];
    for (const id of ["first", "second"]) {
      const handedOff = await client.on(session, "POST", "/handoffs", {
        token,
        body: { to: "agent", scopes: ["review"], actor: { id } },
      });
      reviewers.push(handedOff.body.participantToken);
      token = handedOff.body.resumeToken;
    }
    let { version } = (await client.on(session, "POST", "/submit", { token, body: {} })).body
      .session;
    const states: State[] = [];
    for (const reviewer of reviewers) {
      const answer = await client.on(session, "POST", "/approve", {
        token: reviewer,
        body: {},
        ifMatch: version,
      });
      expect(answer.status, answer.text).toBe(200);
      ({ version } = answer.body.session);
      states.push(answer.body.session.state);
    }
    expect(states).toEqual(["needs_review", "approved"]);
  });

  // Shows P-2, P-3.
  it("paused refuses automatic resumes and nothing else", async () => {
    const fixture = await sessionIn("in_progress");
    expect((await act(fixture, "pause")).body).toMatchObject({ already: false });
    const { session, owner: token } = fixture;
    const auto = await client.on(session, "POST", "/resume", { token, body: { auto: true } });
    expect(auto.status).toBe(409);
    expect(auto.body).toMatchObject({ code: "paused", current: { paused: true } });
    const dryRun = await client.on(session, "GET", "/resumable?auto=true", { token });
    expect(dryRun.body).toMatchObject({ resumable: false, reason: "paused" });
    for (const name of ["setFields", "append", "resume", "submit"]) {
      expect((await act(fixture, name)).status, name).toBeLessThan(300);
    }
    expect((await act(fixture, "unpause")).body).toMatchObject({ already: false });
    expect((await act(fixture, "unpause")).body).toMatchObject({ already: true });
    const after = await client.on(session, "POST", "/resume", {
      token: fixture.owner,
      body: { auto: true },
    });
    expect(after.status).toBe(200);
  });
});

/**
 * Checks real answers against /openapi.json. One recorder sees every route, and the last test
 * checks that none was left out.
 */
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { text as streamText } from "node:stream/consumers";
import { createHash } from "node:crypto";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { randomKey, type Answer } from "../support/client.ts";
import { DescribedApi, type DescribedCall } from "../support/described-api.ts";
import { newKey, ownersText } from "../support/owners.ts";
import { startServer, temporaryFolder, type Server } from "../support/server.ts";

/**
 * These need an internal fault, missing keys, an overloaded object, or a thousand listeners: other
 * tests show them.
 */
const NOT_DRIVEN = new Set(["500", "501", "503", "429"]);

/** A body that each operation accepts unchanged, in any session. */
const BODIES: Readonly<Record<string, unknown>> = {
  setFields: { fields: { a: 1 } },
  extend: { ttlMs: 60_000 },
  appendEvents: { events: [{ type: "test.happened", payload: {} }] },
  createHandoff: { to: "agent", scopes: ["view"] },
  revoke: { others: true },
  reportStop: { reason: "user_exit", attempt: 1 },
  takeLease: { ttlMs: 60_000 },
  endOnce: { result: { id: 7 } },
  pinCheckpoint: { pinned: true },
  trim: { checkpoint: "chk_1" },
  requestUpload: { name: "a.json", type: "application/json", size: 1 },
  putUpload: "1",
  putBlob: "1",
  submitJob: { agent: "worker" },
  addEndpoint: { url: "https://hooks.example.com/a", notices: ["session.finalized"] },
  changeEndpoint: { format: "slack" },
  replayDeliveries: { since: "2026-11-16T09:00:00Z" },
};
const AGENT_KEY = "the-key-of-keyed";
const AGENTS = [
  { name: "worker" },
  { name: "keyed", keyHash: createHash("sha256").update(AGENT_KEY).digest("hex") },
];
/** Path parameters other than the session. */
const PATH = {
  handoffId: "hnd_2",
  checkpointId: "chk_1",
  uploadId: "upl_1",
  field: "hidden",
  jobId: "job_none",
  name: "worker",
  key: "effect",
  endpointId: `end_${"A".repeat(43)}`,
  /** The SHA-256 of "1". */
  sha256: "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b",
};
const SCHEMA = {
  type: "object",
  properties: { a: { type: "number" }, hidden: { "x-baton": { private: true } } },
  required: ["a"],
};

/** Sends bytes without a declared length, or more than are allowed. */
async function putBytes(path: string, token: string, body: BodyInit): Promise<Answer> {
  const response = await fetch(server.url + path, {
    method: "PUT",
    headers: { Authorization: `Bearer ${token}` },
    body,
    duplex: "half",
  } as RequestInit);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

/**
 * Sends none of the declared bytes: a client that is refused while it sends may lose the answer
 * with the connection.
 */
async function announceBytes(path: string, token: string, size: number): Promise<Answer> {
  const sent = request(server.url + path, {
    method: "PUT",
    headers: { Authorization: `Bearer ${token}`, "Content-Length": size },
  });
  sent.flushHeaders();
  const [received] = (await once(sent, "response")) as [IncomingMessage];
  const text = await streamText(received);
  sent.destroy();
  const headers = new Headers(Object.entries(received.headers).map(([k, v]) => [k, String(v)]));
  return { status: received.statusCode ?? 0, headers, text, body: JSON.parse(text) };
}

const data = temporaryFolder();
let server: Server;
let text: string;
let api: DescribedApi;
beforeAll(async () => {
  server = await startServer(data.path, undefined, { AGENTS: JSON.stringify(AGENTS) });
  ({ text } = await server.client.call("GET", "/openapi.json"));
  api = new DescribedApi(server.client, JSON.parse(text));
});
afterAll(async () => {
  await server.stop();
  data[Symbol.dispose]();
});

/** One participant of a session: after every accepted write it has the next token. */
class TestAgent {
  readonly id: string;
  token: string;

  constructor(id: string, token: string) {
    this.id = id;
    this.token = token;
  }

  static async create(body: unknown = {}): Promise<TestAgent> {
    const answer = await api.call("createSession", { body });
    return new TestAgent(answer.body.session.id, answer.body.resumeToken);
  }

  async call(operation: string, expected: number, call: DescribedCall = {}): Promise<Answer> {
    const path = { ref: this.id, ...call.path };
    const answer = await api.call(operation, { token: this.token, ...call, path });
    expect([operation, answer.status], answer.text).toEqual([operation, expected]);
    if (answer.body?.resumeToken !== undefined) this.token = answer.body.resumeToken;
    return answer;
  }

  async handOff(...scopes: readonly string[]): Promise<TestAgent & { readonly handoff: string }> {
    const { body } = await this.call("createHandoff", 201, { body: { to: "agent", scopes } });
    return Object.assign(new TestAgent(this.id, body.participantToken), {
      handoff: body.handoff.id,
    });
  }
}

/** The operations with an owner's key have their own test. */
const KEY_OPERATIONS = ["listSessions", "followSessions", "openSession", "openNamedSession"];
/** The owner's endpoints, each with a body that it accepts. */
const OWNER_ENDPOINT_BODIES: Readonly<Record<string, unknown>> = {
  listOwnerEndpoints: undefined,
  getOwnerEndpoint: undefined,
  changeOwnerEndpoint: { format: "slack" },
  rotateOwnerEndpoint: undefined,
  listOwnerDeliveries: undefined,
  replayOwnerDeliveries: { since: "2026-11-16T09:00:00Z" },
  removeOwnerEndpoint: undefined,
};
/** It needs a hundred thousand changes. */
const NOT_DRIVEN_HERE = ["followSessions 409"];
const sessionOperations = () =>
  api.operations.filter(
    ({ path, operationId }) =>
      path.startsWith("/sessions/") && !KEY_OPERATIONS.includes(operationId),
  );
const bodyOf = (operation: string) =>
  operation in BODIES ? { body: BODIES[operation] } : undefined;

/** A call of an executor: its path has no session. */
async function callAsExecutor(
  operation: string,
  expected: number,
  call: DescribedCall,
): Promise<Answer> {
  const answer = await api.call(operation, call);
  expect([operation, answer.status], answer.text).toEqual([operation, expected]);
  return answer;
}

async function lint(source: string): Promise<readonly string[]> {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
  return problems.filter(({ severity }) => severity === "error").map(({ message }) => message);
}

describe("/openapi.json", () => {
  // Shows M-7.
  it("passes the linter", async () => {
    expect(await lint(text)).toEqual([]);
  });

  it("would not pass it with a broken reference", async () => {
    const broken = text.replace("#/components/schemas/Session", "#/components/schemas/Nobody");
    expect(broken).not.toBe(text);
    expect(await lint(broken)).not.toEqual([]);
  });
});

describe("real answers", () => {
  it("would be distinguished from answers that do not fit", async () => {
    const answer = await server.client.call("POST", "/sessions", { body: {} });
    const operation = api.operation("createSession");
    const faultsWith = (change: Partial<Answer>) =>
      api.faultsOf(operation, { ...answer, ...change });
    expect(faultsWith({})).toEqual([]);
    expect(faultsWith({ status: 202 })).not.toEqual([]);
    expect(faultsWith({ body: { ...answer.body, more: 1 } })).not.toEqual([]);
    const session = { ...answer.body.session, version: "1" };
    expect(faultsWith({ body: { ...answer.body, session } })).not.toEqual([]);
    expect(faultsWith({ headers: new Headers({ "Content-Type": "text/html" }) })).not.toEqual([]);
    const undeclared = new Headers([...answer.headers, ["Baton-Head", "1"]]);
    expect(faultsWith({ headers: undeclared })).toEqual(["the header Baton-Head is not described"]);
    const withoutLocation = new Headers(answer.headers);
    withoutLocation.delete("Location");
    expect(faultsWith({ headers: withoutLocation })).toEqual(["the header Location is missing"]);
  });

  it("fit while a session is created, filled and reviewed", async () => {
    const owner = await TestAgent.create({
      title: "Described",
      actor: { id: "maker", name: "Maker" },
      schema: SCHEMA,
      review: { required: true, approvals: 1 },
      nextStep: { description: "Fill it", stepsCompleted: [1], body: "# Next" },
    });
    const reviewer = await owner.handOff("review");
    await owner.call("validate", 200, { body: { fields: { a: "x" } } });
    await owner.call("submit", 422);
    await owner.call("setFields", 422, { body: { fields: { a: "x" } } });
    await owner.call("requestInput", 200, { body: { note: "a is needed", fields: ["a"] } });
    await owner.call("setFields", 200, { body: { fields: { a: 1 }, confidence: 0.5 } });
    await owner.call("getPrivate", 404, { path: PATH });
    await owner.call("setFields", 200, { body: { fields: { hidden: "x" } } });
    await owner.call("getPrivate", 200, { path: PATH });
    await owner.call("erasePrivate", 200, { path: PATH });
    await owner.call("erasePrivate", 404, { path: PATH });
    await owner.call("submit", 200);
    const version = async () => {
      const { body } = await reviewer.call("getSession", 200);
      return { ifMatch: body.session.version as number };
    };
    const changes = { comment: "Not yet", fields: { a: "Higher" } };
    await reviewer.call("requestChanges", 409, { body: changes });
    await reviewer.call("requestChanges", 200, { body: changes, ...(await version()) });
    await owner.call("submit", 409);
    await owner.call("resume", 200, { body: { lastEventSeq: 1, actor: { id: "maker-2" } } });
    await owner.call("submit", 200);
    await reviewer.call("approve", 200, { body: { comment: "Good" }, ...(await version()) });
    await owner.call("resume", 200);
    await owner.call("finalize", 200, { body: { reason: "Done" } });
    await owner.call("getSession", 200);
    await owner.call("cancel", 409);
  });

  it("fit while a session is read", async () => {
    const owner = await TestAgent.create();
    await owner.call("setFields", 200, {
      body: { fields: { a: [1, { b: null }] }, title: "Read" },
    });
    await owner.call("appendEvents", 201, bodyOf("appendEvents"));
    const { headers } = await owner.call("getSession", 200);
    const etag = headers.get("ETag") ?? "";
    await owner.call("getSession", 304, { headers: { "If-None-Match": etag } });
    await owner.call("resumable", 200, { query: "?lastEventSeq=1&auto=true" });
    for (const operation of ["readEvents", "audit"]) {
      await owner.call(operation, 200, { query: "?limit=2" });
      const lines = { headers: { Accept: "application/x-ndjson" } };
      await owner.call(operation, 200, { ...lines, query: "?type=token.*,session.*" });
      await owner.call(operation, 400, { query: "?limit=none" });
    }
    await owner.call("readEvents", 400, { query: "?after=1000000" });
    await owner.call("cancel", 200);
    const live = { Accept: "text/event-stream" };
    const stream = await owner.call("readEvents", 200, { query: "?after=0", headers: live });
    const last = /^id: (\d+)$/gm;
    const seen = [...stream.text.matchAll(last)].map(([, id]) => Number(id)).at(-1);
    const again = { ...live, "Last-Event-ID": String(seen) };
    await owner.call("readEvents", 204, { headers: again });
  });

  it("fit while rights are handed off and revoked, and the session is ended", async () => {
    const owner = await TestAgent.create();
    const agent = await owner.handOff("own", "review");
    await owner.call("listHandoffs", 200);
    await owner.call("reissueHandoff", 404, { path: { handoffId: "hnd_99" } });
    const link = await owner.call("createHandoff", 201, {
      body: { to: "human", scopes: ["fill"], ask: ["city"] },
    });
    await owner.call("reissueHandoff", 200, { path: { handoffId: link.body.handoff.id } });
    await owner.call("revokeHandoff", 404, { path: { handoffId: "hnd_99" } });
    await owner.call("revokeHandoff", 200, { path: { handoffId: agent.handoff } });
    await owner.call("revoke", 404, { body: { participant: "par_99" } });
    await owner.call("revoke", 200, { body: { others: true } });
    await owner.call("pause", 200, { body: { reason: "Lunch" } });
    await owner.call("resume", 409, { body: { auto: true } });
    await owner.call("unpause", 200);
    await owner.call("extend", 200, bodyOf("extend"));
    await owner.call("purge", 200);
    const reviewed = await TestAgent.create({ review: {} });
    const reviewer = await reviewed.handOff("review");
    await reviewed.call("submit", 200);
    await reviewer.call("resume", 200);
    await reviewer.call("reject", 200, { body: { reason: "No" } });
  });

  it("fit while a session stops, is checkpointed, restored, trimmed and forked", async () => {
    const owner = await TestAgent.create({ fields: { a: 1 }, policy: { keepCheckpoints: 3 } });
    const key = randomKey();
    const report = {
      reason: "rate_limit",
      attempt: 1,
      retryAfterMs: 60_000,
      usage: { tokens: 1 },
      exitCode: 1,
      evidence: "429",
      confidence: 0.9,
    };
    for (const reason of ["rate_limit", "context_exhausted", "completed"]) {
      await owner.call("reportStop", 200, { body: { ...report, reason } });
    }
    await owner.call("reportStop", 200, { key, body: report });
    await owner.call("reportStop", 200, { key, body: report });
    await owner.call("reportStop", 422, { key, body: { ...report, attempt: 2 } });
    const leaseKey = crypto.randomUUID();
    const take = { path: PATH, ...bodyOf("takeLease") };
    const { lease } = (await owner.call("takeLease", 201, { ...take, key: leaseKey })).body;
    await owner.call("takeLease", 201, { ...take, key: leaseKey });
    await owner.call("takeLease", 422, { ...take, key: leaseKey, body: { ttlMs: 1 } });
    await owner.call("takeLease", 409, take);
    await owner.call("takeLease", 201, {
      path: PATH,
      body: { ttlMs: 60_000, number: lease.number },
    });
    const leased = { path: PATH, headers: { "Baton-Lease": `worker=${lease.number}` } };
    await owner.call("endOnce", 404, { ...leased, ...bodyOf("endOnce") });
    const onceKey = crypto.randomUUID();
    await owner.call("startOnce", 201, { ...leased, key: onceKey });
    await owner.call("startOnce", 422, { ...leased, key: onceKey, body: { retry: true } });
    await owner.call("startOnce", 200, leased);
    await owner.call("endOnce", 200, { ...leased, ...bodyOf("endOnce") });
    await owner.call("startOnce", 200, leased);
    await owner.call("releaseLease", 204, leased);
    await owner.call("appendEvents", 201, bodyOf("appendEvents"));
    await owner.call("takeCheckpoint", 201, { body: { name: "one", pinned: true } });
    await owner.call("takeCheckpoint", 201);
    await owner.call("listCheckpoints", 200);
    await owner.call("getCheckpoint", 200, { path: PATH });
    await owner.call("setFields", 200, { body: { fields: { a: 2 } } });
    const restored = await owner.call("restoreCheckpoint", 200, { path: PATH });
    expect(restored.body.session.fields).toEqual({ a: 1 });
    await owner.call("pinCheckpoint", 200, { path: PATH, body: { pinned: false } });
    await owner.call("trim", 200, bodyOf("trim"));
    await owner.call("readEvents", 409, { query: "?after=0" });
    await owner.call("resume", 409, { body: { lastEventSeq: 0 } });
    await owner.call("resumable", 200, { query: "?lastEventSeq=0" });
    await owner.call("audit", 200);
    await owner.call("exportSession", 200);
    await owner.call("getProof", 200);
    await owner.call("getReceipt", 200);
    await owner.call("deleteCheckpoint", 400, { path: PATH });
    await owner.call("deleteCheckpoint", 200, { path: { checkpointId: "chk_2" } });
    const none = { path: { checkpointId: "chk_99" } };
    for (const operation of ["getCheckpoint", "deleteCheckpoint", "restoreCheckpoint"]) {
      await owner.call(operation, 404, none);
    }
    await owner.call("pinCheckpoint", 404, { ...none, body: { pinned: true } });
    await owner.call("trim", 404, { body: { checkpoint: "chk_99" } });
    await owner.call("fork", 404, { body: { from: "chk_99" } });
    const forked = await owner.call("fork", 201, {
      body: { from: "chk_1", reason: "context_exhausted", template: "Go on at {step}." },
    });
    const child = new TestAgent(forked.body.child.id, forked.body.childToken);
    await child.call("lineage", 200);
    await owner.call("lineage", 200);
    await owner.call("fork", 201, { body: { finalizeParent: true } });
    await owner.call("takeCheckpoint", 409);
    await owner.call("fork", 400, { body: { finalizeParent: true } });
  });

  it("fit while endpoints are registered, changed, rotated and removed", async () => {
    const owner = await TestAgent.create();
    const none = { path: PATH };
    for (const operation of ["getEndpoint", "listDeliveries", "removeEndpoint", "rotateEndpoint"]) {
      await owner.call(operation, 404, none);
    }
    await owner.call("changeEndpoint", 404, { ...none, ...bodyOf("changeEndpoint") });
    await owner.call("replayDeliveries", 404, { ...none, ...bodyOf("replayDeliveries") });
    await owner.call("addEndpoint", 400, { body: { url: "https://10.0.0.1/", notices: [] } });
    const { body } = await owner.call("addEndpoint", 201, bodyOf("addEndpoint"));
    const one = { path: { endpointId: body.endpoint.id } };
    await owner.call("listEndpoints", 200);
    await owner.call("getEndpoint", 200, one);
    await owner.call("changeEndpoint", 200, { ...one, ...bodyOf("changeEndpoint") });
    await owner.call("rotateEndpoint", 200, one);
    await owner.call("listDeliveries", 200, one);
    await owner.call("replayDeliveries", 200, { ...one, ...bodyOf("replayDeliveries") });
    await owner.call("removeEndpoint", 200, one);
  });

  it("fit while files are uploaded and removed", async () => {
    const owner = await TestAgent.create({
      schema: {
        type: "object",
        properties: { scan: { type: "string", format: "file", maxLength: 1, accept: ["a/b"] } },
      },
    });
    const put = { path: PATH, ...bodyOf("putUpload") };
    for (const operation of ["putUpload", "getUpload", "confirmUpload", "removeUpload"]) {
      await owner.call(operation, 404, { path: PATH, ...bodyOf(operation) });
    }
    await owner.call("requestUpload", 415, {
      body: { field: "scan", name: "a", type: "a/c", size: 1 },
    });
    await owner.call("requestUpload", 201, {
      body: { field: "scan", name: "a", type: "a/b", size: 1 },
    });
    const typed = { ...put, headers: { "Content-Type": "a/b" } };
    await owner.call("putUpload", 415, put);
    await owner.call("putUpload", 413, { ...typed, body: "xx" });
    await owner.call("putUpload", 400, { ...typed, body: "" });
    await owner.call("putUpload", 200, typed);
    // The field requires one character, and an id has more.
    await owner.call("confirmUpload", 422, { path: PATH });
    await owner.call("removeUpload", 200, { path: PATH });
    await owner.call("requestUpload", 201, bodyOf("requestUpload"));
    const second = { path: { uploadId: "upl_2" } };
    await owner.call("putUpload", 200, { ...put, ...second });
    await owner.call("confirmUpload", 200, second);
    await owner.call("getUpload", 200, second);
    await owner.call("createHandoff", 201, { body: { to: "human", scopes: ["fill"] } });
    const unmeasured = await fetch(`${server.url}/sessions/${owner.id}/uploads/upl_2`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${owner.token}` },
      body: new Blob(["x"]).stream(),
      duplex: "half",
    } as RequestInit);
    const answer = await unmeasured.text();
    const { status, headers } = unmeasured;
    const seen = { status, headers, text: answer, body: JSON.parse(answer) };
    expect(api.faultsOf(api.operation("putUpload"), seen)).toEqual([]);
    expect(status).toBe(411);
    api.seen.add("putUpload 411");
  });

  // Shows BL-2.
  it("fit while large content is stored and removed", async () => {
    const owner = await TestAgent.create();
    const blob = { path: PATH, ...bodyOf("putBlob") };
    await owner.call("getBlob", 404, { path: PATH });
    await owner.call("putBlob", 400, { ...blob, body: "other bytes" });
    await owner.call("putBlob", 201, blob);
    await owner.call("putBlob", 200, blob);
    await owner.call("getBlob", 200, { path: PATH });
    const path = `/sessions/${owner.id}/blobs/${PATH.sha256}`;
    for (const [status, seen] of [
      [411, await putBytes(path, owner.token, new Blob(["1"]).stream())],
      [413, await announceBytes(path, owner.token, 100 * 1024 * 1024 + 1)],
    ] as const) {
      expect(api.faultsOf(api.operation("putBlob"), seen)).toEqual([]);
      expect(seen.status).toBe(status);
      api.seen.add(`putBlob ${status}`);
    }
    await owner.call("cancel", 200);
    await owner.call("putBlob", 409, blob);
  });

  // Shows J-1.
  it("fit while agents get jobs and executors do them", async () => {
    const owner = await TestAgent.create();
    const key = randomKey();
    const claim = (expected: number, call: DescribedCall = {}, name = "worker") =>
      callAsExecutor("claimJob", expected, { path: { name }, ...call });
    await claim(204);
    const submission = { agent: "worker", input: { a: 1 }, maxRuntimeMs: 60_000 };
    const { job } = (await owner.call("submitJob", 201, { key, body: submission })).body;
    await owner.call("submitJob", 201, { key, body: submission });
    await owner.call("submitJob", 422, { key, body: { ...submission, input: 2 } });
    await owner.call("submitJob", 400, { body: { agent: "no name" } });
    await owner.call("submitJob", 404, { body: { agent: "nobody" } });
    await owner.call("listJobs", 200, { query: "?status=pending,running&limit=1" });
    await owner.call("listJobs", 400, { query: "?status=asleep" });
    const { jobToken: token } = (await claim(200, { body: { waitMs: 1_000, leaseMs: 60_000 } }))
      .body;
    const reports: readonly (readonly [string, object])[] = [
      ["reportJobHeartbeat", {}],
      ["reportJobEvents", { events: [{ kind: "log", body: { message: "x" } }] }],
      ["reportJobError", { code: "X", message: "no", retryable: false }],
      ["reportJobResult", { result: 1, summary: "done" }],
    ];
    for (const [operation, body] of reports) {
      await callAsExecutor(operation, 401, { body });
      await callAsExecutor(operation, 403, { body, token: "jtok_none" });
      await callAsExecutor(operation, 400, { body: { ...body, more: 1 }, token });
      await callAsExecutor(operation, 413, { body: { x: "x".repeat(1_100_000) }, token });
      const plain = { "Content-Type": "text/plain" };
      await callAsExecutor(operation, 415, { body: "{}", headers: plain, token });
      if (operation !== "reportJobError") await callAsExecutor(operation, 200, { body, token });
    }
    const path = { jobId: job.id };
    expect((await owner.call("getJob", 200, { path })).body.job.status).toBe("success");
    await owner.call("getJob", 404, { path: PATH });
    await owner.call("cancelJob", 404, { path: PATH });
    await owner.call("cancelJob", 200, { path, body: { reason: "late" } });
    for (const [operation, body] of reports.slice(0, 3)) {
      await callAsExecutor(operation, 409, { body, token });
    }
    await owner.call("submitJob", 201, { body: { agent: "worker" } });
    const second = (await claim(200)).body.jobToken as string;
    await callAsExecutor("reportJobError", 200, {
      body: { code: "X", message: "no" },
      token: second,
    });
    await callAsExecutor("reportJobResult", 409, { body: { result: 1 }, token: second });
    await claim(401, {}, "keyed");
    await claim(403, { token: "another" }, "keyed");
    await claim(204, { token: AGENT_KEY }, "keyed");
    await claim(404, {}, "nobody");
    await claim(400, { body: { waitMs: -1 } });
    await claim(413, { body: { x: "x".repeat(1_100_000) } });
    await claim(415, { body: "{}", headers: { "Content-Type": "text/plain" } });
    await owner.call("purge", 200);
    for (const [operation, body] of reports) await callAsExecutor(operation, 410, { body, token });
  });

  it("fit if a key was used before, and if a resume creates a new session", async () => {
    const key = randomKey();
    const creates = ["One", "One", "Two"].map((title) => ({ key, body: { title } }));
    for (const call of creates) await api.call("createSession", call);
    const patched = await TestAgent.create();
    const { token } = patched;
    const patch = { token, key, ...bodyOf("setFields") };
    await patched.call("setFields", 200, patch);
    const again = await patched.call("setFields", 200, patch);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    const owner = await TestAgent.create();
    await owner.call("appendEvents", 201, { key, ...bodyOf("appendEvents") });
    await owner.call("appendEvents", 422, { key, body: { events: [{ type: "test.other" }] } });
    const fresh = { token: "rtok_none", body: { onInvalid: "fresh" } };
    await new TestAgent(owner.id, "").call("resume", 201, fresh);
    await new TestAgent(owner.id, "").call("resume", 422, { ...fresh, key });
  });

  it("fit if a create fails", async () => {
    for (const [expected, call] of [
      [400, { body: { titel: "One" } }],
      [400, { body: {}, key: "short" }],
      [413, { body: { title: "x".repeat(1_100_000) } }],
      [415, { body: "{}", headers: { "Content-Type": "text/plain" } }],
      [422, { body: { schema: SCHEMA, fields: { a: "x" } } }],
    ] as const) {
      expect((await api.call("createSession", call)).status).toBe(expected);
    }
  });

  it("fit if a create needs a key", async () => {
    const key = newKey();
    const OWNERS = ownersText({ tests: [key] });
    using folder = temporaryFolder();
    const keyed = await startServer(folder.path, undefined, { OWNERS });
    const keyedApi = new DescribedApi(keyed.client, JSON.parse(text));
    const createWith = (headers: Readonly<Record<string, string>>) =>
      keyedApi.call("createSession", { body: {}, headers });
    expect((await createWith({})).status).toBe(401);
    expect((await createWith({ "Baton-Key": newKey() })).status).toBe(403);
    const created = await createWith({ "Baton-Key": key });
    expect(created.status).toBe(201);
    const named = { body: { externalId: "one" }, token: key };
    expect((await keyedApi.call("createSession", named)).status).toBe(201);
    expect((await keyedApi.call("createSession", named)).status).toBe(409);
    const callAsOwner = async (operation: string, expected: number, call: DescribedCall) => {
      const path = { ref: created.body.session.id };
      const answer = await keyedApi.call(operation, { path, token: key, ...call });
      expect([operation, answer.status], answer.text).toEqual([operation, expected]);
    };
    const large = { title: "x".repeat(1_100_000) };
    for (const operation of KEY_OPERATIONS) {
      const isOpening = operation.startsWith("open");
      const body = operation === "openNamedSession" ? { externalId: "one" } : {};
      const call = isOpening ? { body } : {};
      await callAsOwner(operation, 401, { ...call, token: "" });
      await callAsOwner(operation, 403, { ...call, token: newKey() });
      await callAsOwner(operation, operation === "openSession" ? 201 : 200, call);
      await callAsOwner(operation, 400, isOpening ? { body: { x: 1 } } : { query: "?limit=0" });
      if (!isOpening) continue;
      await callAsOwner(operation, 413, { body: large });
      await callAsOwner(operation, 415, { body: "{}", headers: { "Content-Type": "text/plain" } });
    }
    await callAsOwner("openNamedSession", 404, { body: { externalId: "two" } });
    const misfit = { schema: SCHEMA, fields: { a: "x" } };
    await callAsOwner("openNamedSession", 422, { body: { externalId: "two", create: misfit } });
    await callAsOwner("openNamedSession", 201, { body: { externalId: "two", create: true } });
    await callAsOwner("cancel", 200, { body: {} });
    await callAsOwner("openSession", 409, { body: {} });
    await callAsOwner("purge", 200, {});
    await callAsOwner("openSession", 410, { body: {} });
    const [{ id }] = (await keyedApi.call("listSessions", { token: key, query: "?externalId=two" }))
      .body.sessions;
    await callAsOwner("cancel", 200, { path: { ref: id }, body: {} });
    await callAsOwner("openNamedSession", 410, { body: { externalId: "two" } });
    const template = { path: { name: "t" } };
    await callAsOwner("putTemplate", 201, { ...template, body: { title: "T" } });
    await callAsOwner("putTemplate", 200, { ...template, body: { title: "U" } });
    await callAsOwner("putTemplate", 400, { ...template, body: { x: 1 } });
    await callAsOwner("putTemplate", 413, { ...template, body: large });
    const plain = { body: "{}", headers: { "Content-Type": "text/plain" } };
    await callAsOwner("putTemplate", 415, { ...template, ...plain });
    await callAsOwner("listTemplates", 200, {});
    await callAsOwner("getTemplate", 200, template);
    await callAsOwner("getTemplate", 404, { path: { name: "none" } });
    await callAsOwner("createSession", 404, { body: { template: "none" } });
    await callAsOwner("retireTemplate", 200, template);
    await callAsOwner("createSession", 410, { body: { template: "t" } });
    await callAsOwner("retireTemplate", 404, { path: { name: "none" } });
    for (const operation of ["putTemplate", "listTemplates", "getTemplate", "retireTemplate"]) {
      const body = operation === "putTemplate" ? { body: {} } : {};
      await callAsOwner(operation, 400, { ...template, ...body, headers: { "If-Match": "x" } });
      await callAsOwner(operation, 401, { ...template, ...body, token: "" });
      await callAsOwner(operation, 403, { ...template, ...body, token: newKey() });
    }
    const hook = { url: "https://hooks.example.com/a", notices: ["session.finalized"] };
    const added = await keyedApi.call("addOwnerEndpoint", { token: key, body: hook });
    expect(added.status, added.text).toBe(201);
    const { endpointId: unknown } = PATH;
    const known = added.body.endpoint.id as string;
    for (const [operation, body] of Object.entries({
      addOwnerEndpoint: hook,
      ...OWNER_ENDPOINT_BODIES,
    })) {
      const input = body === undefined ? {} : { body };
      const at = { path: { endpointId: known } };
      await callAsOwner(operation, 401, { ...at, ...input, token: "" });
      await callAsOwner(operation, 403, { ...at, ...input, token: newKey() });
      if (body === undefined)
        await callAsOwner(operation, 400, { ...at, headers: { "If-Match": "x" } });
      if (body !== undefined) {
        await callAsOwner(operation, 400, { ...at, body: { x: 1 } });
        await callAsOwner(operation, 413, { ...at, body: large });
        await callAsOwner(operation, 415, { ...at, ...plain });
      }
      if (operation === "addOwnerEndpoint") continue;
      if (operation !== "listOwnerEndpoints") {
        await callAsOwner(operation, 404, { path: { endpointId: unknown }, ...input });
      }
      await callAsOwner(operation, 200, { ...at, ...input });
    }
    for (const seen of keyedApi.seen) api.seen.add(seen);
    await keyed.stop();
  });

  it("fit for tokens that are missing, wrong, spent, too narrow, expired or of a purged session", async () => {
    const purged = await TestAgent.create();
    await purged.call("purge", 200);
    const brief = await TestAgent.create({ ttlMs: 1_000 });
    const owner = await TestAgent.create();
    await owner.call("takeCheckpoint", 201);
    for (const operation of ["requestUpload", "putUpload", "confirmUpload"]) {
      const status = operation === "requestUpload" ? 201 : 200;
      await owner.call(operation, status, { path: PATH, ...bodyOf(operation) });
    }
    await owner.call("putBlob", 201, { path: PATH, ...bodyOf("putBlob") });
    const spent = owner.token;
    await owner.call("resume", 200);
    const { job } = (await owner.call("submitJob", 201, bodyOf("submitJob"))).body;
    await sleep(1_000);
    for (const { operationId: operation } of sessionOperations()) {
      const call = { path: { ...PATH, jobId: job.id }, ...bodyOf(operation) };
      const path = { ...call.path, ref: owner.id };
      expect((await api.call(operation, { ...call, path })).status).toBe(401);
      await owner.call(operation, 403, { ...call, token: "rtok_none" });
      await owner.call(operation, 409, { ...call, token: spent });
      await owner.call(operation, 400, { ...call, path: { ...path, ref: spent } });
      await purged.call(operation, 410, call);
      await brief.call(operation, 410, call);
      const viewer = await owner.handOff("view");
      const { status } = await api.call(operation, { ...call, token: viewer.token, path });
      expect([200, 403]).toContain(status);
    }
  });

  it("fit for failed preconditions and malformed bodies", async () => {
    const creator = await TestAgent.create();
    const owner = await creator.handOff("own", "review");
    for (const { operationId: operation, parameters, requestBody } of sessionOperations()) {
      const call = { path: PATH, ...bodyOf(operation) };
      if (parameters?.some(({ name }) => name === "If-Match")) {
        await owner.call(operation, 412, { ...call, ifMatch: 999 });
        await owner.call(operation, 400, { ...call, ifMatch: "*" });
      }
      if (requestBody !== undefined && !["putUpload", "putBlob"].includes(operation)) {
        const plain = { "Content-Type": "text/plain" };
        await owner.call(operation, 400, { ...call, body: "{" });
        await owner.call(operation, 413, { ...call, body: { title: "x".repeat(1_100_000) } });
        await owner.call(operation, 415, { ...call, body: "{}", headers: plain });
      }
    }
  });

  // Shows M-7, M-9.
  it("were seen for every operation and every status that it describes", () => {
    const described = api.operations.flatMap(({ operationId, responses }) =>
      Object.keys(responses)
        .filter((status) => !NOT_DRIVEN.has(status))
        .map((status) => `${operationId} ${status}`),
    );
    const unseen = described.filter((pair) => !api.seen.has(pair));
    expect(unseen).toEqual(NOT_DRIVEN_HERE);
  });
});

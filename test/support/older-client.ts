/**
 * The requests of a client of release 0.1.0, in that release's spelling. They are frozen: a later server
 * must answer each with the same status and at least the same members.
 */
import type { Answer, CallOptions, Client } from "./client.ts";

export interface ReceivedResponse {
  readonly name: string;
  readonly status: number;
  /** The received headers among those that clients use. */
  readonly headers: readonly string[];
  /** Members such as `session.participants[].actor.kind`, with the types seen there. */
  readonly members: Readonly<Record<string, readonly string[]>>;
}

const HEADERS = [
  "ETag",
  "Resume-Token",
  "Location",
  "Retry-After",
  "Idempotent-Replayed",
  "X-Request-Id",
  "WWW-Authenticate",
  "Cache-Control",
  "Allow",
];

export function membersOf(value: unknown): Readonly<Record<string, readonly string[]>> {
  const seen = new Map<string, Set<string>>();
  const walk = (one: unknown, path: string): void => {
    const type = one === null ? "null" : Array.isArray(one) ? "array" : typeof one;
    seen.set(path, (seen.get(path) ?? new Set()).add(type));
    if (Array.isArray(one)) for (const item of one) walk(item, `${path}[]`);
    else if (typeof one === "object" && one !== null) {
      for (const [name, member] of Object.entries(one)) walk(member, `${path}.${name}`);
    }
  };
  walk(value, "");
  return Object.fromEntries([...seen].map(([path, types]) => [path, [...types].sort()]));
}

const random = (): string => crypto.randomUUID() + crypto.randomUUID();

/** Sends all requests and records the responses. */
export async function replayOlderClient(client: Client): Promise<readonly ReceivedResponse[]> {
  const received: ReceivedResponse[] = [];
  const call = async (
    name: string,
    method: string,
    path: string,
    options: CallOptions = {},
  ): Promise<Answer> => {
    const answer = await client.call(method, path, options);
    const headers = HEADERS.filter((header) => answer.headers.has(header));
    const members = answer.body === undefined ? {} : membersOf(answer.body);
    received.push({ name, status: answer.status, headers, members });
    return answer;
  };

  const key = random();
  const create = {
    title: "Older",
    actor: { kind: "agent", id: "older-client", name: "Older client" },
    schema: {
      type: "object",
      properties: { a: { type: "number" }, file: { type: "object", format: "file" } },
      required: ["a"],
    },
    fields: { a: 1 },
    confidence: { a: 0.5 },
    ttlMs: 3_600_000,
    review: { required: true, approvals: 1 },
    nextStep: { step: 1, description: "Begin", stepsCompleted: [], body: "# One" },
    policy: { maxAttempts: 2, strategies: { crash: "same_session" } },
  };
  const created = await call("create", "POST", "/sessions", { body: create, key });
  await call("create again", "POST", "/sessions", { body: create, key });
  await call("create with nothing", "POST", "/sessions", {});
  await call("create by the other name", "POST", "/submissions", { body: {} });
  await call("create with an unknown member", "POST", "/sessions", { body: { titel: "x" } });
  const { id } = created.body.session;
  let token = created.body.resumeToken as string;
  const on = (name: string, method: string, path: string, options: CallOptions = {}) =>
    call(name, method, `/sessions/${id}${path}`, { token, ...options });
  const write = async (name: string, method: string, path: string, options: CallOptions = {}) => {
    const answer = await on(name, method, path, { key: random(), ...options });
    if (answer.body?.resumeToken !== undefined) token = answer.body.resumeToken;
    return answer;
  };

  const got = await on("get", "GET", "");
  await call("get by token", "GET", `/sessions/${token}`);
  await call("get by the other name", "GET", `/submissions/${id}`, { token });
  const etag = got.headers.get("ETag") ?? "";
  await on("get what is not changed", "GET", "", { headers: { "If-None-Match": etag } });
  await on("get with an unknown query", "GET", "?verbose=1");
  await on("get with unknown headers", "GET", "", {
    headers: { "X-Client": "older", "Baton-Version": "0.1.0", "User-Agent": "baton/0.1.0" },
  });
  await on("resumable", "GET", "/resumable?lastEventSeq=1&auto=true");
  await on("validate", "POST", "/validate", { body: { fields: { a: "x" } } });
  const first = token;
  const patch = {
    body: { fields: { a: 2, gone: null }, confidence: 1, title: "B" },
    key: random(),
  };
  await write("set fields", "PATCH", "", patch);
  await on("set fields again", "PATCH", "", { ...patch, token: first });
  await on("set fields with a spent token", "PATCH", "", { ...patch, token: first, key: random() });
  const version = (await on("get the version", "GET", "")).body.session.version as number;
  await write("set fields if it is this version", "PATCH", "", {
    body: { fields: { a: 3 } },
    ifMatch: version,
  });
  const whole = (await on("get the tag", "GET", "")).headers.get("ETag") ?? "";
  await write("next step if the tag is this", "PATCH", "", {
    body: { nextStep: { description: "Two" } },
    headers: { "If-Match": whole },
  });
  await on("set fields of another version", "PATCH", "", {
    body: { fields: { a: 4 } },
    ifMatch: 1,
  });
  await on("set a wrong field", "PATCH", "", { body: { fields: { a: "x" } } });
  await on("send no JSON", "PATCH", "", { body: "{" });
  const text = { "Content-Type": "application/json; charset=utf-8" };
  await write("set fields in UTF-8", "PATCH", "", { body: { fields: { a: 5 } }, headers: text });
  await write("resume", "POST", "/resume", { body: { lastEventSeq: 0, actor: { id: "again" } } });
  const append = { events: [{ type: "agent.progress", payload: { percent: 5 } }] };
  await on("append", "POST", "/events", { body: append, key: random() });
  await on("read events", "GET", "/events?after=0&limit=5");
  await on("wait for events", "GET", "/events?waitMs=1&type=agent.*");
  await on("audit", "GET", "/audit?type=session.*&actor=agent");
  await write("request input", "POST", "/request-input", { body: { note: "?", fields: ["a"] } });
  await write("pause", "POST", "/pause");
  await write("unpause", "POST", "/unpause", { body: {} });
  await write("extend", "POST", "/extend", { body: { ttlMs: 7_200_000 } });
  await write("checkpoint", "POST", "/checkpoints", { body: { name: "one" } });
  await on("checkpoints", "GET", "/checkpoints");
  await on("one checkpoint", "GET", "/checkpoints/chk_1");
  await write("pin", "PATCH", "/checkpoints/chk_1", { body: { pinned: true } });
  await write("trim", "POST", "/trim", { body: { checkpoint: "chk_1" } });
  await write("restore", "POST", "/checkpoints/chk_1/restore", { body: {} });
  await write("delete a checkpoint", "DELETE", "/checkpoints/chk_2");
  await on("report a stop", "POST", "/stops", { body: { reason: "rate_limit", retryAfter: "30" } });
  await write("fork", "POST", "/fork", { body: { reason: "other way" } });
  await on("lineage", "GET", "/lineage");
  const file = { field: "file", name: "a.txt", type: "text/plain", size: 2 };
  await write("request upload", "POST", "/uploads", { body: file });
  const plain = { "Content-Type": "text/plain" };
  await on("send a file", "PUT", "/uploads/upl_1", { body: "hi", headers: plain });
  await write("confirm upload", "POST", "/uploads/upl_1/confirm", { body: {} });
  await on("download", "GET", "/uploads/upl_1");
  await write("remove upload", "DELETE", "/uploads/upl_1");
  const agent = { to: "agent", scopes: ["review"], note: "Look" };
  const person = { to: "human", scopes: ["fill"], singleUse: true };
  const reviewer = await write("hand off to an agent", "POST", "/handoffs", { body: agent });
  await write("hand off to a person", "POST", "/handoffs", { body: person });
  await on("handoffs", "GET", "/handoffs");
  await write("revoke a handoff", "DELETE", "/handoffs/hnd_3");
  const job = { agent: "older-agent", input: { n: 1 }, maxRuntimeMs: 60_000 };
  const { jobId } = {
    jobId: (await on("submit a job", "POST", "/jobs", { body: job })).body.job.id,
  };
  await on("jobs", "GET", "/jobs?status=pending,running");
  await on("a job", "GET", `/jobs/${jobId}`);
  const claimed = await call("claim", "POST", "/agents/older-agent/claim", { body: { waitMs: 0 } });
  await call("claim where there is none", "POST", "/agents/older-agent/claim", { body: {} });
  const executor = { token: claimed.body.jobToken as string };
  const events = { events: [{ kind: "log", body: { line: "x" } }] };
  await call("report events", "POST", "/jobs/events", { ...executor, body: events });
  await call("heartbeat", "POST", "/jobs/heartbeat", { ...executor, body: {} });
  await call("report a result", "POST", "/jobs/result", { ...executor, body: { result: 1 } });
  await on("cancel a job", "POST", `/jobs/${jobId}/cancel`, { body: {} });
  await on("finalize too early", "POST", "/finalize", { body: {} });
  await write("submit", "POST", "/submit", { body: {} });
  const seen = (await on("get what is submitted", "GET", "")).body.session.version as number;
  const review = { token: reviewer.body.participantToken as string, ifMatch: seen };
  await on("approve", "POST", "/approve", { ...review, body: { comment: "Good" } });
  await write("resume after the review", "POST", "/resume", { body: { lastEventSeq: seen } });
  await write("finalize", "POST", "/finalize", { body: { reason: "Done" } });
  await on("use no token", "GET", "", { token: "" });
  await on("use a wrong token", "GET", "", { token: "rtok_wrong" });
  await on("ask for what is not there", "GET", "/nothing");
  await on("purge", "DELETE", "");
  await on("get what is gone", "GET", "");
  await on("begin anew", "POST", "/resume", { body: { onInvalid: "fresh" }, key: random() });
  await call("health", "GET", "/healthz");
  return received;
}

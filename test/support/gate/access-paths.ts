/**
 * One table of all requests over HTTP, MCP, WebSocket and ARCP that access a session with a token. It
 * does not know who is allowed what: tests send the same request with a valid right and without one.
 */
import type { ApiRouteId } from "../../../src/protocol/api-routes";
import { ArcpClient, resumeOf, type ArcpSocket } from "../arcp";
import type { CallOptions, Send } from "../client";
import { RawMcp } from "../mcp";
import { headersText, type ObservedResponse } from "./marker";
import { clientOf, type TestParticipant, type GateFixture } from "./fixture";

export interface AccessPath {
  readonly name: string;
  /** The name of the route or tool in the complete list. */
  readonly covers: string;
  /** True if a participant with `view` receives marked text. */
  readonly shows: boolean;
  readonly request: (
    participant: TestParticipant,
    fixture: GateFixture,
  ) => Promise<ObservedResponse>;
}

/** Sends a request and returns the whole response, headers included. */
export async function sendRaw(send: Send, request: Request): Promise<ObservedResponse> {
  const response = await send(request);
  const text = await response.text();
  const isJson = (response.headers.get("Content-Type") ?? "").endsWith("json");
  const body: unknown = isJson && text.startsWith("{") ? safeJson(text) : undefined;
  const code = (body as { code?: string } | undefined)?.code ?? null;
  return {
    status: response.status,
    code,
    text: `${headersText(response.headers)}\n\n${text}`,
    body,
  };
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Options = Omit<CallOptions, "token">;

/** The request of one route, with the fixture's ids. */
export interface HttpCall {
  readonly method: string;
  readonly path: string;
  readonly options?: Options;
}

export async function requestOverHttp(
  participant: TestParticipant,
  id: string,
  call: HttpCall,
): Promise<ObservedResponse> {
  const { method, path, options = {} } = call;
  const answer = await clientOf(participant).on({ id }, method, path, {
    token: participant.token,
    ...options,
  });
  return {
    status: answer.status,
    code: answer.body?.code ?? null,
    text: `${headersText(answer.headers)}\n\n${answer.text}`,
    body: answer.body,
  };
}

const http = (
  covers: ApiRouteId,
  method: string,
  path: string | ((fixture: GateFixture) => string),
  body?: unknown,
  more: { readonly shows?: boolean; readonly name?: string; readonly options?: Options } = {},
): AccessPath => ({
  name: more.name ?? covers,
  covers,
  shows: more.shows ?? false,
  request: (participant, fixture) =>
    requestOverHttp(participant, fixture.id, {
      method,
      path: typeof path === "string" ? path : path(fixture),
      options: { ...(body === undefined ? {} : { body }), ...more.options },
    }),
});

const shows = { shows: true } as const;
const file = (bytes: string): Options => ({
  body: bytes,
  headers: { "Content-Type": "text/plain", "Content-Length": String(bytes.length) },
});
const accept = (type: string): Options => ({ headers: { Accept: type } });

const NO_ENDPOINT = `end_${"A".repeat(43)}`;
export const ENDPOINT = { url: "https://receiver.test/204/gate", notices: ["session.finalized"] };

/** One or more requests for every route with a session in its path. */
export const HTTP_ACCESS_PATHS: readonly AccessPath[] = [
  http("getSession", "GET", "", undefined, shows),
  http("getSession", "GET", "", undefined, {
    name: "getSession, if it changed",
    options: { headers: { "If-None-Match": '"0.0"' } },
    shows: true,
  }),
  {
    name: "getSession, token in the path",
    covers: "getSession",
    shows: true,
    request: ({ send, token }) => sendRaw(send, new Request(`http://baton.test/sessions/${token}`)),
  },
  http("readEvents", "GET", "/events?after=0", undefined, shows),
  http("readEvents", "GET", "/events?after=0", undefined, {
    name: "readEvents by lines",
    options: accept("application/x-ndjson"),
    shows: true,
  }),
  http("readEvents", "GET", "/events?after=0&waitMs=500", undefined, {
    name: "readEvents, long-poll",
    shows: true,
  }),
  {
    name: "readEvents, event stream",
    covers: "readEvents",
    shows: true,
    request: requestEventStream,
  },
  http("audit", "GET", "/audit?limit=1000", undefined, shows),
  http("audit", "GET", "/audit?limit=1000", undefined, {
    name: "audit by lines",
    options: accept("application/x-ndjson"),
    shows: true,
  }),
  http("exportSession", "GET", "/export", undefined, shows),
  http("getProof", "GET", "/proof"),
  http("getReceipt", "GET", "/receipt", undefined, shows),
  http("getReceipt", "GET", "/receipt", undefined, {
    name: "getReceipt, as a page",
    options: accept("text/html"),
    shows: true,
  }),
  http("getPrivate", "GET", "/private/hidden", undefined, shows),
  http("erasePrivate", "DELETE", "/private/nothing"),
  http("resumable", "GET", "/resumable"),
  http("validate", "POST", "/validate", {}, shows),
  http("listHandoffs", "GET", "/handoffs", undefined, shows),
  http("listEndpoints", "GET", "/endpoints"),
  http("getEndpoint", "GET", `/endpoints/${NO_ENDPOINT}`),
  http("addEndpoint", "POST", "/endpoints", ENDPOINT),
  http("changeEndpoint", "PATCH", `/endpoints/${NO_ENDPOINT}`, { format: "slack" }),
  http("removeEndpoint", "DELETE", `/endpoints/${NO_ENDPOINT}`),
  http("rotateEndpoint", "POST", `/endpoints/${NO_ENDPOINT}/rotate`),
  http("listDeliveries", "GET", `/endpoints/${NO_ENDPOINT}/deliveries`),
  http("replayDeliveries", "POST", `/endpoints/${NO_ENDPOINT}/replay`, { delivery: "dlv_1" }),
  http("listCheckpoints", "GET", "/checkpoints"),
  http("getCheckpoint", "GET", "/checkpoints/chk_1", undefined, shows),
  http("lineage", "GET", "/lineage", undefined, shows),
  http("getUpload", "GET", "/uploads/upl_1", undefined, shows),
  http("listJobs", "GET", "/jobs", undefined, shows),
  http("getJob", "GET", ({ jobId }) => `/jobs/${jobId}`, undefined, shows),
  http("cancelJob", "POST", ({ jobId }) => `/jobs/${jobId}/cancel`, {}),
  http("submitJob", "POST", "/jobs", { agent: "nobody" }),
  http("appendEvents", "POST", "/events", { events: [{ type: "agent.note" }] }),
  http("appendEvents", "POST", "/events", undefined, {
    name: "appendEvents at a wrong head",
    options: { body: { events: [{ type: "agent.note" }], expectedHead: 1 } },
  }),
  http("reportStop", "POST", "/stops", { reason: "crash" }),
  http("takeLease", "POST", "/leases/gate", { ttlMs: 1 }),
  http("releaseLease", "DELETE", "/leases/gate"),
  http("startOnce", "POST", "/once/gate", {}),
  http("endOnce", "PUT", "/once/gate", { result: 1 }),
  http("resume", "POST", "/resume", {}),
  http("setFields", "PATCH", "", { fields: { other: "x" } }),
  http("setFields", "PATCH", "", undefined, {
    name: "setFields at a wrong version",
    options: { body: { fields: { other: "x" } }, ifMatch: 1 },
  }),
  http("requestInput", "POST", "/request-input", {}),
  http("submit", "POST", "/submit", {}),
  http("approve", "POST", "/approve", {}),
  http("reject", "POST", "/reject", {}),
  http("requestChanges", "POST", "/request-changes", {}),
  http("finalize", "POST", "/finalize", {}),
  http("cancel", "POST", "/cancel", {}),
  http("pause", "POST", "/pause", {}),
  http("unpause", "POST", "/unpause", {}),
  http("extend", "POST", "/extend", { ttlMs: 3_600_000 }),
  http("createHandoff", "POST", "/handoffs", { to: "agent", scopes: ["view"] }),
  http("reissueHandoff", "POST", ({ spare }) => `/handoffs/${spare.handoff}/reissue`, {}),
  http("revokeHandoff", "DELETE", ({ spare }) => `/handoffs/${spare.handoff}`),
  http("revoke", "POST", "/revoke", { others: true }),
  http("requestUpload", "POST", "/uploads", { name: "a.txt", type: "text/plain", size: 1 }),
  http("getBlob", "GET", ({ blob }) => `/blobs/${blob}`, undefined, shows),
  http("putBlob", "PUT", ({ blob }) => `/blobs/${blob}`, undefined, { options: file("x") }),
  http("putUpload", "PUT", "/uploads/upl_1", undefined, { options: file("x") }),
  http("confirmUpload", "POST", "/uploads/upl_1/confirm", {}),
  http("removeUpload", "DELETE", "/uploads/upl_1"),
  http("takeCheckpoint", "POST", "/checkpoints", {}),
  http("pinCheckpoint", "PATCH", "/checkpoints/chk_1", { pinned: true }),
  http("deleteCheckpoint", "DELETE", "/checkpoints/chk_1"),
  http("restoreCheckpoint", "POST", "/checkpoints/chk_1/restore", {}),
  http("trim", "POST", "/trim", { checkpoint: "chk_1" }),
  http("fork", "POST", "/fork", {}),
  http("purge", "DELETE", ""),
];

/** Reads a stream up to the end of its replay, or the whole body if the request was refused. */
async function requestEventStream(
  { send, token }: TestParticipant,
  { id }: GateFixture,
): Promise<ObservedResponse> {
  const headers = { Accept: "text/event-stream", Authorization: `Bearer ${token}` };
  const response = await send(
    new Request(`http://baton.test/sessions/${id}/events?after=0`, { headers }),
  );
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("replay.done")) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) break;
    text += chunk.value;
  }
  await reader?.cancel().catch(() => {});
  const body = safeJson(text) as { code?: string } | undefined;
  return {
    status: response.status,
    code: body?.code ?? null,
    text: `${headersText(response.headers)}\n\n${text}`,
    body,
  };
}

/** Performs a handshake. If a socket opens, sends hello and reads all messages until the replay ends. */
async function requestSocket(
  { send, token }: TestParticipant,
  { id }: GateFixture,
  tokenIn: "header" | "hello" | "resume",
): Promise<ObservedResponse> {
  const inHeader: Record<string, string> =
    tokenIn === "header" ? { Authorization: `Bearer ${token}` } : {};
  const response = await send(
    new Request(`http://baton.test/sessions/${id}/socket`, {
      headers: { Upgrade: "websocket", ...inHeader },
    }),
  );
  const socket = response.webSocket ?? null;
  if (socket === null) {
    const text = await response.text();
    const body = safeJson(text) as { code?: string } | undefined;
    const { status, headers } = response;
    return { status, code: body?.code ?? null, text: `${headersText(headers)}\n\n${text}`, body };
  }
  const messages: string[] = [];
  const ended = new Promise<void>((resolve) => {
    socket.addEventListener("message", ({ data }) => {
      messages.push(String(data));
      if (String(data).includes("replay.done")) resolve();
    });
    socket.addEventListener("close", ({ code, reason }) => {
      messages.push(`closed ${code} ${reason}`);
      resolve();
    });
  });
  socket.accept();
  const hello = { type: "hello", after: 0, ...(tokenIn === "header" ? {} : { token }) };
  socket.send(JSON.stringify(tokenIn === "resume" ? { ...hello, resume: true } : hello));
  await ended;
  socket.close();
  const refused = messages.map(
    (one) => safeJson(one) as { problem?: { code: string } } | undefined,
  );
  const problem = refused.find((one) => one?.problem !== undefined)?.problem;
  return { status: null, code: problem?.code ?? null, text: messages.join("\n"), body: problem };
}

export const SOCKET_ACCESS_PATHS: readonly AccessPath[] = [
  {
    name: "socket, token in the handshake",
    covers: "socket",
    shows: true,
    request: (participant, fixture) => requestSocket(participant, fixture, "header"),
  },
  {
    name: "socket, token in the hello",
    covers: "socket",
    shows: true,
    request: (participant, fixture) => requestSocket(participant, fixture, "hello"),
  },
  {
    name: "socket, resuming",
    covers: "socket",
    shows: false,
    request: (participant, fixture) => requestSocket(participant, fixture, "resume"),
  },
];

export const mcpOf = (send: Send): RawMcp => new RawMcp(send, "http://localhost:8787");

const tool = (
  covers: string,
  args: object | ((fixture: GateFixture) => object) = {},
  more: { readonly shows?: boolean } = {},
): AccessPath => ({
  name: `MCP ${covers}`,
  covers: `mcp ${covers}`,
  shows: more.shows ?? false,
  async request({ send, token }, fixture) {
    const values = typeof args === "function" ? args(fixture) : args;
    const params = { name: covers, arguments: { resume_token: token, ...values } };
    const { message, text, headers } = await mcpOf(send).request("tools/call", params);
    const { isError, content } = message.result;
    const problem = isError === true ? safeJson(content[1].text) : undefined;
    return {
      status: null,
      code: (problem as { code?: string } | undefined)?.code ?? null,
      text: `${headersText(headers)}\n\n${text}`,
      body: problem,
    };
  },
});

export const MCP_ACCESS_PATHS: readonly AccessPath[] = [
  tool("get_session", {}, shows),
  tool("check_session", {}),
  tool("read_events", { after: 0 }, shows),
  tool("wait_for", { after: 0, types: ["fields.*", "session.*"] }, shows),
  tool("validate", {}),
  tool("get_job", ({ jobId }) => ({ job_id: jobId }), shows),
  tool("cancel_job", ({ jobId }) => ({ job_id: jobId })),
  tool("submit_job", { agent: "nobody" }),
  tool("append_events", { events: [{ type: "agent.note" }] }),
  tool("report_stop", { reason: "crash" }),
  tool("resume_session", { on_invalid: "fail" }),
  tool("set_fields", { fields: { other: "x" } }),
  tool("submit"),
  tool("read_private", { field: "hidden" }, shows),
  tool("handoff_to_agent", { scopes: ["view"] }),
  tool("handoff_to_human", { scopes: ["view"] }),
  tool("reissue_link", { handoff: "hnd_9" }),
  tool("request_upload", { name: "a.txt", type: "text/plain", size: 1 }),
  tool("checkpoint"),
  tool("restore_checkpoint", { checkpoint: "chk_1" }),
  tool("review_session", { decision: "approve" }),
  tool("fork_session"),
  tool("pause_session"),
  tool("unpause_session"),
  tool("cancel_session"),
  tool("finalize_session"),
  tool("revoke_participant", ({ spare }) => ({ participant: spare.participant || "par_9" })),
  tool("download_file", { upload: "upl_1" }, shows),
  tool("extend_session", { ttl_ms: 3_600_000 }),
  {
    name: "MCP prompt continue_session",
    covers: "mcp prompt continue_session",
    shows: true,
    async request({ send, token }) {
      const params = { name: "continue_session", arguments: { resume_token: token } };
      const { text } = await mcpOf(send).request("prompts/get", params);
      const code = /cannot be continued \((\w+)\)/.exec(text)?.[1] ?? null;
      return { status: null, code, text };
    },
  },
];

/** These create a new session in place of one that no longer exists, so they are not refused. */
export const FRESH_ACCESS_PATHS: readonly AccessPath[] = [
  http(
    "resume",
    "POST",
    "/resume",
    { onInvalid: "fresh" },
    { name: "resume, or create a new session" },
  ),
  { ...tool("resume_session"), name: "MCP resume_session, or create a new session" },
];

export async function connectArcp(send: Send): Promise<ArcpClient> {
  const request = new Request("http://localhost:8787/arcp", { headers: { Upgrade: "websocket" } });
  const { webSocket } = await send(request);
  if (webSocket === null || webSocket === undefined) throw new Error("no socket");
  webSocket.accept();
  return new ArcpClient(webSocket as unknown as ArcpSocket);
}

export const ARCP_RESUME: AccessPath = {
  name: "ARCP resume",
  covers: "arcp resume",
  shows: false,
  async request({ send, token }) {
    const arcp = await connectArcp(send);
    const frame = await arcp.hello({ extra: resumeOf(token, 0) ?? {} });
    if (frame.type === "session.error") await arcp.closed;
    arcp.drop();
    const code = frame.type === "session.error" ? (frame.payload.code as string) : null;
    return { status: null, code, text: JSON.stringify(arcp.frames) };
  },
};

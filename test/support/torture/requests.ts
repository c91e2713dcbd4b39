/** An operation as a request over HTTP or as a call of an MCP tool, and the answer to either in one form. */
import type { LoggedEvent, Shown } from "./checker/history.ts";
import type { Heard, Sent } from "./send.ts";

export interface Asked {
  readonly name: string;
  readonly way: "http" | "mcp";
  readonly sessionId: string;
  readonly token: string;
  readonly key: string | null;
  readonly ifMatch: number | null;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Method and path of each operation, and the name of its tool where there is one. */
const ROUTES: Readonly<Record<string, readonly [method: string, path: string, tool?: string]>> = {
  create: ["POST", ""],
  get: ["GET", "", "get_session"],
  setFields: ["PATCH", "", "set_fields"],
  append: ["POST", "/events", "append_events"],
  resume: ["POST", "/resume", "resume_session"],
  requestInput: ["POST", "/request-input"],
  submit: ["POST", "/submit", "submit"],
  approve: ["POST", "/approve"],
  reject: ["POST", "/reject"],
  requestChanges: ["POST", "/request-changes"],
  finalize: ["POST", "/finalize"],
  cancel: ["POST", "/cancel", "cancel_session"],
  pause: ["POST", "/pause", "pause_session"],
  unpause: ["POST", "/unpause", "unpause_session"],
  extend: ["POST", "/extend", "extend_session"],
  checkpoint: ["POST", "/checkpoints", "checkpoint"],
  handoff: ["POST", "/handoffs", "handoff_to_agent"],
  link: ["POST", "/handoffs"],
  revoke: ["POST", "/revoke"],
  trim: ["POST", "/trim"],
  fork: ["POST", "/fork"],
  requestUpload: ["POST", "/uploads"],
  removeUpload: ["DELETE", ""],
  purge: ["DELETE", ""],
};

/** Under these names tools take what HTTP takes under others. */
const TOOL_NAMES: Readonly<Record<string, string>> = {
  ttlMs: "ttl_ms",
  lastEventSeq: "last_event_seq",
};

export function requestOf(asked: Asked): Sent {
  return asked.way === "mcp" ? toolCall(asked) : httpRequest(asked);
}

function httpRequest({ name, sessionId, token, key, ifMatch, body }: Asked): Sent {
  const { path: given, ...rest } = body as { path?: string };
  const [method, path] = ROUTES[name] ?? [name === "events" ? "GET" : "POST", given ?? ""];
  const isBare = method !== "POST" && method !== "PATCH";
  return {
    method,
    path: name === "create" ? "/sessions" : `/sessions/${sessionId}${given ?? path}`,
    headers: {
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      ...(isBare ? {} : { "content-type": "application/json" }),
      ...(key === null ? {} : { "idempotency-key": key }),
      ...(ifMatch === null ? {} : { "if-match": `"${ifMatch}"` }),
    },
    ...(isBare ? {} : { body: JSON.stringify(rest) }),
  };
}

function toolCall({ name, token, key, ifMatch, body }: Asked): Sent {
  const { path: _, query, to: __, ...rest } = body as Record<string, unknown>;
  const tool = name === "events" ? "read_events" : ROUTES[name]?.[2];
  const given = Object.entries({ ...rest, ...(query as object | undefined) });
  const args = {
    resume_token: token,
    ...(key === null ? {} : { idempotency_key: key }),
    ...(ifMatch === null || name === "resume" ? {} : { if_version: ifMatch }),
    ...(name === "resume" ? { on_invalid: "fail" } : {}),
    ...Object.fromEntries(given.map(([member, value]) => [TOOL_NAMES[member] ?? member, value])),
  };
  const call = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: tool, arguments: args },
  };
  const accept = "application/json, text/event-stream";
  return {
    method: "POST",
    path: "/mcp",
    headers: { "content-type": "application/json", accept },
    body: JSON.stringify(call),
  };
}

/** What was answered, by whatever way. */
export interface Answered {
  readonly code: string | null;
  readonly replayed: boolean;
  readonly token: string | null;
  readonly madeToken: string | null;
  readonly childToken?: string;
  /** Of a link to a person. */
  readonly link?: { readonly participant: number; readonly code: string };
  readonly shown?: Shown;
  readonly first?: number;
  readonly from?: string;
  readonly events?: readonly LoggedEvent[];
  readonly missed?: readonly LoggedEvent[];
  readonly nextAfter?: number;
}

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of every shape
type Body = any;

/** Null where the answer says nothing certain: a fault of the server's, or no answer to the call. */
export function readAnswer(way: "http" | "mcp", heard: Heard): Answered | null {
  if (way === "mcp") return readToolResult(heard);
  if (heard.status >= 500) return null;
  const replayed = heard.headers["idempotent-replayed"] === "true";
  return facts(JSON.parse(heard.text) as Body, heard.status >= 400, replayed);
}

function readToolResult({ status, text }: Heard): Answered | null {
  if (status !== 200) return null;
  const json = text.startsWith("{") ? text : /^data: (.*)$/m.exec(text)?.[1];
  const result = json === undefined ? undefined : (JSON.parse(json) as Body).result;
  if (result === undefined) return null;
  const isError = result.isError === true;
  const body = isError ? JSON.parse(result.content[1].text) : result.structuredContent;
  return facts(body, isError, false);
}

const UNCERTAIN = new Set(["internal", "overloaded"]);

function facts(body: Body, isRefusal: boolean, replayed: boolean): Answered | null {
  if (isRefusal && UNCERTAIN.has(body.code)) return null;
  const session = isRefusal ? body.current : body.session;
  return {
    code: isRefusal ? body.code : null,
    replayed,
    token: body.resumeToken ?? body.resume_token ?? null,
    madeToken: body.participantToken ?? body.participant_token ?? null,
    // Who may not look is shown an outline, which says nothing of what is inside.
    ...(session?.fields === undefined ? {} : { shown: shownIn(session) }),
    ...(body.childToken === undefined ? {} : { childToken: body.childToken }),
    ...(body.handoff?.code === undefined ? {} : { link: linkIn(body.handoff) }),
    first: body.first,
    from: body.from,
    events: body.events,
    missed: body.missed,
    nextAfter: body.nextAfter ?? body.next_after,
  };
}

const linkIn = ({ participant, code }: Body) => ({
  participant: Number(String(participant).slice("par_".length)),
  code: String(code),
});

export const shownIn = ({ state, version, head, paused, title, fields }: Body): Shown => ({
  state,
  version,
  head,
  paused,
  title,
  fields,
});

/** Participant and first seq of the commit that issued it, as the token's format has them. */
export function tokenParts(token: string): { readonly participant: number; readonly seq: number } {
  const bytes = Buffer.from(token.slice("rtok_".length), "base64url");
  return { participant: bytes.readUInt32BE(32), seq: bytes.readUIntBE(36, 6) };
}

export const objectIdOf = (sessionId: string): string =>
  Buffer.from(sessionId.slice("ses_".length), "base64url").toString("hex");

/** The session that a token is of. */
export const sessionOf = (token: string): string => {
  const bytes = Buffer.from(token.slice("rtok_".length), "base64url");
  return `ses_${bytes.subarray(0, 32).toString("base64url")}`;
};

/** An operation as a request over HTTP or as a call of an MCP tool, and the answer to either in one form. */
import { NO_ANSWER, type Answer, type ModelRequest } from "../driver.ts";
import { viewOf } from "../history.ts";
import { rowOf } from "../operations.ts";

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Under these names tools take what HTTP takes under others. */
const TOOL_NAMES: Readonly<Record<string, string>> = {
  ttlMs: "ttl_ms",
  lastEventSeq: "last_event_seq",
};

export function httpRequestOf(sessionId: string, request: ModelRequest): HttpRequest {
  const { name, token, key, ifMatch, args } = request;
  const [method, path, body] = rowOf(name).route(args);
  return {
    method,
    path: `/sessions/${sessionId}${path}`,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key === null ? {} : { "idempotency-key": key }),
      ...(ifMatch === null ? {} : { "if-match": `"${ifMatch}"` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

export function toolCallOf({ name, token, key, ifMatch, args }: ModelRequest): HttpRequest {
  const given = Object.entries(args).filter(([member]) => member !== "to");
  const call = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: rowOf(name).tool,
      arguments: {
        resume_token: token,
        ...(key === null ? {} : { idempotency_key: key }),
        ...(ifMatch === null ? {} : { if_version: ifMatch }),
        ...(name === "resume" ? { on_invalid: "fail" } : {}),
        ...Object.fromEntries(given.map(([member, to]) => [TOOL_NAMES[member] ?? member, to])),
      },
    },
  };
  const accept = "application/json, text/event-stream";
  return {
    method: "POST",
    path: "/mcp",
    headers: { "content-type": "application/json", accept },
    body: JSON.stringify(call),
  };
}

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of every shape are looked into
type Body = any;

/** Null if the answer does not say whether the operation happened. */
export function readHttpAnswer({ status, headers, text }: HttpResponse): Answer | null {
  if (status >= 500) return null;
  const replayed = headers["idempotent-replayed"] === "true";
  return answerIn(text === "" ? {} : (JSON.parse(text) as Body), status >= 400, replayed);
}

export function readToolAnswer({ status, text }: HttpResponse): Answer | null {
  if (status !== 200) return null;
  const json = text.startsWith("{") ? text : /^data: (.*)$/m.exec(text)?.[1];
  const result = json === undefined ? undefined : (JSON.parse(json) as Body).result;
  if (result === undefined) return null;
  const isError = result.isError === true;
  return answerIn(
    isError ? JSON.parse(result.content[1].text) : result.structuredContent,
    isError,
    false,
  );
}

const UNCERTAIN = new Set(["internal", "overloaded"]);

export function answerIn(body: Body, isRefusal: boolean, replayed: boolean): Answer | null {
  if (isRefusal && UNCERTAIN.has(body.code)) return null;
  const session = isRefusal ? body.current : body.session;
  return {
    ...NO_ANSWER,
    code: isRefusal ? body.code : null,
    replayed,
    token: body.resumeToken ?? body.resume_token ?? null,
    madeToken: body.participantToken ?? body.participant_token ?? null,
    childToken: body.childToken ?? null,
    link: body.handoff?.code === undefined ? null : linkIn(body.handoff),
    // Who may not look is shown an outline, which has no content.
    shown: session?.fields === undefined ? null : viewOf(session),
    first: body.first ?? (typeof body.seq === "number" ? body.seq : null),
    from: body.from ?? null,
    events: body.events ?? null,
    missed: body.missed ?? null,
  };
}

const linkIn = ({ participant, code }: Body) => ({
  participant: Number(String(participant).slice("par_".length)),
  code: String(code),
});

const bytesOf = (text: string): Uint8Array => {
  const base64 = text.replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
};

/** Participant and first seq of the commit that issued the token, as its format has them. */
export function tokenParts(token: string): { readonly participant: number; readonly seq: number } {
  const view = new DataView(bytesOf(token.slice("rtok_".length)).buffer);
  const seq = view.getUint16(36) * 2 ** 32 + view.getUint32(38);
  return { participant: view.getUint32(32), seq };
}

const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The id of a session's object, in hex. */
export const objectIdOf = (sessionId: string): string =>
  hexOf(bytesOf(sessionId.slice("ses_".length)));

/** The object of the session that a token belongs to. */
export const objectOfToken = (token: string): string =>
  hexOf(bytesOf(token.slice("rtok_".length)).subarray(0, 32));

/**
 * Requests whose headers claim to come from an edge, a proxy or another network, sent as raw bytes, so that
 * nothing on the way corrects them. Two sessions are bound elsewhere: to a network and to a principal. A server
 * that believes one of the headers shows them.
 */
import type { Random } from "../../live/random.ts";

/** The server trusts a proxy that the client is not, and limits callers whose address it believes. */
export const FORGED_HEADER_VARS = {
  TRUSTED_PROXY: JSON.stringify({ from: ["192.0.2.1"], header: "X-Forwarded-For" }),
  PRINCIPAL_HEADER: "X-Principal",
  RATE_LIMITS: JSON.stringify({ wrongToken: { limit: 5 }, create: { limit: 5 } }),
} as const;

const ELSEWHERE = "203.0.113.7";
export const BINDINGS = [{ network: ELSEWHERE }, { principal: "ada" }] as const;

export interface BoundSession {
  readonly id: string;
  readonly token: string;
}

const ADDRESSES = `${ELSEWHERE} ${ELSEWHERE}:443 "${ELSEWHERE}" 127.0.0.1 ::1 192.0.2.1`.split(" ");
const ODD = ['{ null [] \u00ff\u00fe " %00 -1 🙂'.split(" "), "", "a b", "x".repeat(8_000)].flat();
const HOSTS = ["localhost evil.example [::1 x:99999 .. %%% @ a/b?c#d".split(" "), "a b", ""].flat();
const URLS = ["http://evil.example/", "/healthz", "http://localhost/metrics", "file:///etc/passwd"];
const BLOBS = ['{"clientIp": "203.0.113.7:1"}', '{"clientIp": 1}', "{", '{"colo": "X"}'];

/** Headers, and values that a forger would try with them. */
const CLAIMS: readonly (readonly [string, readonly string[]])[] = [
  ["CF-Connecting-IP", ADDRESSES],
  ["CF-Connecting-IPv6", ADDRESSES],
  ["True-Client-IP", ADDRESSES],
  ["X-Real-IP", ADDRESSES],
  ["X-Forwarded-For", [...ADDRESSES, `${ELSEWHERE}, 192.0.2.1`, `192.0.2.1, ${ELSEWHERE}`]],
  ["Forwarded", ADDRESSES.map((address) => `for=${address};proto=https;host=evil.example`)],
  ["X-Forwarded-Host", HOSTS],
  ["X-Forwarded-Proto", ["https", "http", "javascript"]],
  ["X-Principal", ["ada"]],
  ["CF-Ray", ["1", "rtok_x"]],
  ["CF-Visitor", ['{"scheme":"https"}', "{"]],
  ["CF-Worker", HOSTS],
  ["CF-EW-Via", ["15"]],
  ["MF-Original-URL", URLS],
  ["MF-CF-Blob", BLOBS],
  ["MF-Custom-Fetch-Service", ["0", "docs", "objects"]],
  ["MF-Route-Override", ["baton", "core:entry"]],
  ["MF-Proxy-Shared-Secret", ["", "x"]],
  ["MF-Op", ["GET"]],
  ["MF-Disable-Pretty-Error", ["true"]],
  ["Origin", ["null", "http://evil.example", "http://localhost", "{"]],
  ["Sec-Fetch-Site", ["same-origin", "cross-site", "none", "x"]],
  ["Sec-Fetch-Mode", ["navigate", "cors", "x"]],
  ["Sec-WebSocket-Protocol", ["baton.v1", ", ,"]],
  ["Upgrade", ["websocket", "h2c"]],
  ["Expect", ["100-continue", "x"]],
  ["Accept", ["text/event-stream", "*/*", "x"]],
  ["Content-Type", ["application/json", "text/plain", "x"]],
  ["Cookie", ["__Secure-baton=x", "baton=hck_x", "=;="]],
];

const READ = ["", "healthz", "metrics", "docs", "openapi.json", "arcp", "h/0000-0000-00000"]
  .concat("cdn-cgi/mf/r2/public/baton-uploads/x", "cdn-cgi/handler/scheduled")
  .concat("cdn-cgi/local-explorer");
const WRITTEN = ["/sessions", "/mcp", "/h/0000-0000-00000", "/agents/nobody/claim"];
const REQUESTS: readonly (readonly [method: string, path: string])[] = [
  ...READ.map((path) => ["GET", `/${path}`] as const),
  ...WRITTEN.map((path) => ["POST", path] as const),
  ["OPTIONS", "/sessions"],
];

export function forgedRequest(
  bound: readonly BoundSession[],
  random: Random,
): { readonly bytes: Buffer; readonly isBound: boolean } {
  const isBound = random.chance(0.4);
  const { id, token } = random.pick(bound);
  const [method, path] = isBound ? ["GET", `/sessions/${id}`] : random.pick(REQUESTS);
  const address = random.chance(0.1) ? `http://evil.example${path}` : path;
  const lines = [`${method} ${address} HTTP/1.1`];
  lines.push(`Host: ${random.chance(0.5) ? "localhost" : random.pick(HOSTS)}`, "Connection: close");
  if (isBound) lines.push(`Authorization: Bearer ${token}`);
  for (let left = random.between(1, 8); left > 0; left -= 1) {
    const [name, values] = random.pick(CLAIMS);
    lines.push(`${name}: ${random.chance(0.15) ? random.pick(ODD) : random.pick(values)}`);
  }
  if (method === "POST") lines.push("Content-Length: 2");
  const text = `${lines.join("\r\n")}\r\n\r\n${method === "POST" ? "{}" : ""}`;
  return { bytes: Buffer.from(text), isBound };
}

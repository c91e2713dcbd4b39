/**
 * Requests whose headers claim to come from an edge, a proxy or another address, sent as raw bytes, so
 * that nothing corrects them on the way. Two sessions serve as bait: one is bound to another network,
 * one to another principal. A server that trusted one of the headers would show them.
 */
import { connect } from "node:net";
import { Chance } from "./fuzz/chance.ts";
import { clientOf } from "./server-process.ts";

/** The settings of the server: it trusts another proxy, and its rate limits are low. */
export const HOSTILE_SETTINGS = {
  TRUSTED_PROXY: JSON.stringify({ from: ["192.0.2.1"], header: "X-Forwarded-For" }),
  PRINCIPAL_HEADER: "X-Principal",
  RATE_LIMITS: JSON.stringify({ wrongToken: { limit: 5 }, create: { limit: 5 } }),
} as const;

const OTHER_ADDRESS = "203.0.113.7";
const CANARY = "canary-of-a-bound-session";

export interface HostileOutcome {
  readonly faults: readonly string[];
  /** The number of answers per status. */
  readonly statuses: ReadonlyMap<number, number>;
}

interface Bait {
  readonly id: string;
  readonly token: string;
}

const ADDRESSES = [
  OTHER_ADDRESS,
  `${OTHER_ADDRESS}:443`,
  `"${OTHER_ADDRESS}"`,
  "127.0.0.1",
  "::1",
  "192.0.2.1",
];
const ODD = [
  "",
  "{",
  "null",
  "[]",
  "\u00ff\u00fe",
  "a b",
  '"',
  "%00",
  "x".repeat(8_000),
  "-1",
  "🙂",
];
const HOSTS = [
  "localhost",
  "evil.example",
  "[::1",
  "a b",
  "",
  "x:99999",
  "..",
  "%%%",
  "@",
  "a/b?c#d",
];
const URLS = ["http://evil.example/", "/healthz", "http://localhost/metrics", "file:///etc/passwd"];
const BLOBS = ['{"clientIp": "203.0.113.7:1"}', '{"clientIp": 1}', "{", '{"colo": "X"}'];

/** Header names and the values that an attacker would try. */
const CLAIMS: readonly (readonly [string, readonly string[]])[] = [
  ["CF-Connecting-IP", ADDRESSES],
  ["CF-Connecting-IPv6", ADDRESSES],
  ["True-Client-IP", ADDRESSES],
  ["X-Real-IP", ADDRESSES],
  ["X-Forwarded-For", [...ADDRESSES, `${OTHER_ADDRESS}, 192.0.2.1`, `192.0.2.1, ${OTHER_ADDRESS}`]],
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

const PLACES: readonly (readonly [string, string])[] = [
  ["GET", "/"],
  ["GET", "/healthz"],
  ["GET", "/metrics"],
  ["GET", "/docs"],
  ["GET", "/openapi.json"],
  ["POST", "/sessions"],
  ["POST", "/mcp"],
  ["GET", "/arcp"],
  ["GET", "/h/0000-0000-00000"],
  ["POST", "/h/0000-0000-00000"],
  ["POST", "/agents/nobody/claim"],
  ["GET", "/cdn-cgi/mf/r2/public/baton-uploads/x"],
  ["GET", "/cdn-cgi/handler/scheduled"],
  ["GET", "/cdn-cgi/local-explorer"],
  ["OPTIONS", "/sessions"],
];

export async function sendHostileHeaders(options: {
  readonly url: string;
  readonly seed: number;
  readonly requests: number;
  readonly lanes?: number;
}): Promise<HostileOutcome> {
  const { url, seed, requests, lanes = 8 } = options;
  const client = clientOf(url);
  const baits: Bait[] = [];
  for (const bind of [{ network: OTHER_ADDRESS }, { principal: "ada" }]) {
    const { status, body, text } = await client.call("POST", "/sessions", {
      body: { title: CANARY, bind },
    });
    if (status !== 201) throw new Error(`the bait session was not created: ${text}`);
    baits.push({ id: body.session.id, token: body.resumeToken });
  }
  const faults: string[] = [];
  const statuses = new Map<number, number>();
  let left = requests;
  const lane = async (number: number): Promise<void> => {
    const chance = new Chance(seed + number);
    while (left-- > 0) {
      const { bytes, isBait } = hostileRequest(chance, baits);
      const answer = await exchange(url, bytes);
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 0);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const fault = faultIn(status, answer, isBait);
      if (fault !== null) faults.push(`${fault}: ${bytes.slice(0, 600)}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
  return { faults, statuses };
}

function faultIn(status: number, answer: string, isBait: boolean): string | null {
  // A test server has no documentation built, and reports that.
  if (status >= 500) return `${status}`;
  if (status === 429) return "the rate limit trusted an address from an untrusted header";
  if (answer.includes(CANARY)) return "a bound session was shown";
  return isBait && status < 400 ? `a token bound elsewhere got ${status}` : null;
}

function hostileRequest(chance: Chance, baits: readonly Bait[]) {
  const isBait = chance.is(0.4);
  const bait = chance.pick(baits);
  const [method, path] = isBait ? ["GET", `/sessions/${bait.id}`] : chance.pick(PLACES);
  const target = chance.is(0.1) ? `http://evil.example${path}` : path;
  const lines = [`${method} ${target} HTTP/1.1`];
  lines.push(`Host: ${chance.is(0.5) ? "localhost" : chance.pick(HOSTS)}`, "Connection: close");
  if (isBait) lines.push(`Authorization: Bearer ${bait.token}`);
  for (let n = 1 + chance.below(8); n > 0; n -= 1) {
    const [name, values] = chance.pick(CLAIMS);
    lines.push(`${name}: ${chance.is(0.15) ? chance.pick(ODD) : chance.pick(values)}`);
  }
  if (method === "POST") lines.push("Content-Length: 2");
  return { bytes: `${lines.join("\r\n")}\r\n\r\n${method === "POST" ? "{}" : ""}`, isBait };
}

/** Sends these bytes and returns the answer, up to its end or the timeout. */
function exchange(url: string, bytes: string): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("latin1");
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    socket.on("data", (text) => {
      answer += text;
      if (isWhole(answer)) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(answer));
  });
}

/** Ends a request that hangs. On a busy machine an answer may take seconds. */
const PATIENCE_MS = 60_000;

/** Streams and sockets do not end, so only their head is checked. */
function isWhole(answer: string): boolean {
  const [head = "", body] = answer.split("\r\n\r\n", 2);
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  return body !== undefined && (length === undefined || body.length >= Number(length));
}

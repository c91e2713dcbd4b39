/** Requests to the pages of a link: forms, files, cookies and codes nobody should send. */
import type { Chance } from "./chance.ts";
import type { Lane } from "./lane.ts";
import { toBytes, toText, wild, WORDS } from "./wild.ts";
import type { Sent } from "./wire.ts";

export function pageAttempt(lane: Lane, chance: Chance): Sent {
  const code = chance.is(0.8)
    ? lane.code
    : chance.pick([
        "",
        "0000",
        "%00",
        "%E0%A4%A",
        lane.code.toLowerCase(),
        `${lane.code}X`,
        "é",
        "a".repeat(3_000),
      ]);
  const rest = chance.pick([
    "",
    "",
    "/act",
    "/act",
    "/files",
    "/qr.svg",
    "/live",
    "/files/x",
    "/nothing",
  ]);
  const method = chance.pick(["GET", "POST", "POST", "PUT", "DELETE", "HEAD"]);
  const body = method === "GET" || method === "HEAD" ? Buffer.alloc(0) : formBody(chance);
  return {
    method,
    path:
      encodeURI(`/h/${code}${rest}`).replaceAll("%25", "%") +
      (chance.is(0.1) ? `?done=${encodeURIComponent(chance.pick(WORDS))}&again` : ""),
    headers: [
      ["Host", "localhost"],
      ["Content-Type", contentType(chance)],
      ["Content-Length", String(body.length)],
      ...(chance.is(0.6) ? [["Cookie", cookie(lane, chance)] as const] : []),
      ...(chance.is(0.2)
        ? [["Origin", chance.pick(["null", "http://localhost", "https://evil.example"])] as const]
        : []),
      ...(chance.is(0.2)
        ? [["Sec-Fetch-Site", chance.pick(["same-origin", "cross-site", "x"])] as const]
        : []),
    ],
    body,
  };
}

const contentType = (chance: Chance): string =>
  chance.pick([
    "application/x-www-form-urlencoded",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=b",
    "multipart/form-data",
    "multipart/form-data; boundary=",
    "application/json",
    "text/plain",
    "",
  ]);

function cookie(lane: Lane, chance: Chance): string {
  if (chance.is(0.8)) return lane.cookie;
  const value = chance.pick([
    lane.credentials.guest,
    "x",
    "",
    "a=b=c",
    "A".repeat(3_000),
    lane.credentials.guest.slice(5),
  ]);
  return `${chance.pick(["baton", "baton-nonce", "baton=;baton", "__Secure-baton"])}=${value}`;
}

function formBody(chance: Chance): Buffer {
  if (chance.is(0.2)) return toBytes(toText(wild(chance)), chance);
  if (chance.is(0.3)) {
    const part = `--b\r\nContent-Disposition: form-data; name="${chance.pick(["file", "a", "__proto__", ""])}"; filename="x"\r\n\r\nabc\r\n`;
    return toBytes(part + (chance.is(0.5) ? "--b--\r\n" : ""), chance);
  }
  const pairs = chance.times(8, () => {
    const name = chance.pick(NAMES);
    return `${encodeURIComponent(name)}=${encodeURIComponent(valueOf(name, chance))}`;
  });
  return toBytes(pairs.join("&"), chance);
}

const NAMES = [
  "nonce",
  "key",
  "version",
  "base",
  "base",
  "action",
  "action",
  "f/a",
  "f/n",
  "f/f",
  "f/__proto__",
  "file/f",
  "comment",
  "message",
  "reason",
  "__proto__",
];
const ACTIONS = [
  "save",
  "save",
  "submit",
  "handBack",
  "passOn",
  "approve",
  "reject",
  "requestChanges",
  "remove/upl_1",
  "remove/",
  "constructor",
];

function valueOf(name: string, chance: Chance): string {
  if (name === "action") return chance.pick(ACTIONS);
  if (name === "version") return chance.pick(["1", "2", "-1", "1e9", "", "x"]);
  if (name === "base" || name === "f/f") return chance.is(0.5) ? toText(wild(chance)) : '{"a":"a"}';
  return chance.pick(WORDS);
}

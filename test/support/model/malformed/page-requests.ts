/** Requests to the pages of a link that no browser sends: forms, files, cookies and codes. */
import type { Random } from "../../live/random.ts";
import { bodyBytes, jsonText, oddValue, ODD_TEXTS, several } from "./odd-values.ts";
import type { TargetSession } from "./target-session.ts";
import type { Sent } from "./transport.ts";

const PATHS = ["", "", "/act", "/act", "/files", "/qr.svg", "/live", "/files/x", "/nothing"];
const FORM = "application/x-www-form-urlencoded";
const MULTIPART = ["; boundary=b", "", "; boundary="].map((end) => `multipart/form-data${end}`);
const TYPES = [FORM, FORM, ...MULTIPART, "application/json", "text/plain", ""];
const ORIGINS = ["null", "http://localhost", "https://evil.example"];
const NAMES =
  "nonce key version base base action action f/a f/n f/f f/__proto__ file/f comment message reason __proto__".split(
    " ",
  );
const ACTIONS =
  "save save submit handBack passOn approve reject requestChanges remove/upl_1 remove/ constructor".split(
    " ",
  );

export function pageRequest(target: TargetSession, random: Random): Sent {
  const { code } = target;
  const wrong = ["", "0000", "%00", "%E0%A4%A", code.toLowerCase(), `${code}X`, "é"];
  const used = random.chance(0.8) ? code : random.pick([...wrong, "a".repeat(3_000)]);
  const path = encodeURI(`/h/${used}${random.pick(PATHS)}`).replaceAll("%25", "%");
  const query = `?done=${encodeURIComponent(random.pick(ODD_TEXTS))}&again`;
  const method = random.pick(["GET", "POST", "POST", "PUT", "DELETE", "HEAD"]);
  const body = method === "GET" || method === "HEAD" ? Buffer.alloc(0) : formBody(random);
  const headers: [string, string][] = [
    ["Host", "localhost"],
    ["Content-Type", random.pick(TYPES)],
    ["Content-Length", String(body.length)],
  ];
  if (random.chance(0.6)) headers.push(["Cookie", cookie(target, random)]);
  if (random.chance(0.2)) headers.push(["Origin", random.pick(ORIGINS)]);
  if (random.chance(0.2))
    headers.push(["Sec-Fetch-Site", random.pick(["same-origin", "cross-site", "x"])]);
  return { method, path: random.chance(0.1) ? path + query : path, headers, body };
}

function cookie({ cookie: own, credentials: { guest } }: TargetSession, random: Random): string {
  if (random.chance(0.8)) return own;
  const value = random.pick([guest, "x", "", "a=b=c", "A".repeat(3_000), guest.slice(5)]);
  return `${random.pick(["baton", "baton-nonce", "baton=;baton", "__Secure-baton"])}=${value}`;
}

function formBody(random: Random): Buffer {
  if (random.chance(0.2)) return bodyBytes(jsonText(oddValue(random)), random);
  if (random.chance(0.3)) {
    const name = random.pick(["file", "a", "__proto__", ""]);
    const part = `--b\r\nContent-Disposition: form-data; name="${name}"; filename="x"\r\n\r\nabc\r\n`;
    return bodyBytes(part + (random.chance(0.5) ? "--b--\r\n" : ""), random);
  }
  const pairs = several(random, 8, () => {
    const name = random.pick(NAMES);
    return `${encodeURIComponent(name)}=${encodeURIComponent(valueOf(name, random))}`;
  });
  return bodyBytes(pairs.join("&"), random);
}

function valueOf(name: string, random: Random): string {
  if (name === "action") return random.pick(ACTIONS);
  if (name === "version") return random.pick(["1", "2", "-1", "1e9", "", "x"]);
  if (name === "base" || name === "f/f")
    return random.chance(0.5) ? jsonText(oddValue(random)) : '{"a":"a"}';
  return random.pick(ODD_TEXTS);
}

/** Values that no client should send: as JSON values, and as text that only looks like JSON. */
import type { Random } from "../../live/random.ts";

/** JSON text to be put in as it is: numbers and texts no JavaScript value has. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Up to that many. */
export const several = <T>(random: Random, most: number, make: () => T): T[] =>
  Array.from({ length: random.between(0, most) }, make);

export const ODD_TEXTS: readonly string[] = [
  ..."__proto__ constructor toString hasOwnProperty null undefined NaN ../../etc/passwd".split(" "),
  ..."%00 %E0%A4%A <script>alert(1)</script> $ref $1$& 1e3 2026-02-30T25:61:61Z".split(" "),
  "",
  " ",
  "\u0000",
  "'; DROP TABLE commits;--",
  "\u202e\u200b\ufeff",
  "\r\nX-Injected: 1",
  "😀".repeat(40),
  "a".repeat(301),
  "x".repeat(5_000),
];

const RAW: readonly string[] = [
  ..."1e999 -1e400 -0 1e-400 9007199254740993 0.1e1 123456789012345678901234567890".split(" "),
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '{"a":1,"a":2}',
  '{"\\ud800":1}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
];
const BROKEN: readonly string[] = [
  ...`NaN Infinity -Infinity undefined 01 +1 .5 5. 0x10 'a' [1,] {"a":1,} {a:1} [ ] { " //`.split(
    " ",
  ),
  '"\\x41"',
  '"\n"',
  "",
];

/** A value of any kind, now and then one that breaks the whole text. */
export function oddValue(random: Random, depth = 0): unknown {
  const kind = random.between(0, depth > 3 ? 8 : 10);
  if (kind === 0) return null;
  if (kind === 1) return random.chance(0.5);
  if (kind === 2) return random.pick([0, 1, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324]);
  if (kind <= 4) return random.pick(ODD_TEXTS);
  if (kind <= 6) return new RawJson(random.pick(RAW));
  if (kind === 7) return random.chance(0.3) ? new RawJson(random.pick(BROKEN)) : nested(random);
  if (kind === 8) return several(random, 4, () => oddValue(random, depth + 1));
  if (kind === 9) return Array.from({ length: random.pick([51, 101, 1_001]) }, (_, n) => n);
  return Object.fromEntries(
    several(random, 4, () => [
      random.chance(0.02) ? "k".repeat(70_000) : random.pick(ODD_TEXTS),
      oddValue(random, depth + 1),
    ]),
  );
}

/** Deeper than is allowed, or just as deep. */
function nested(random: Random): RawJson {
  const depth = random.pick([28, 31, 32, 33, 500, 5_000]);
  return random.chance(0.5)
    ? new RawJson("[".repeat(depth) + "]".repeat(depth))
    : new RawJson('{"a":'.repeat(depth) + "1" + "}".repeat(depth));
}

export function jsonText(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(
      ([key, one]) => `${JSON.stringify(key)}:${jsonText(one)}`,
    );
    return `{${entries.join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}

/** Bytes of a body: mostly the text, sometimes damaged on the way. */
export function bodyBytes(text: string, random: Random): Buffer {
  const bytes = Buffer.from(text);
  switch (random.between(0, 19)) {
    case 0:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    case 1:
      return Buffer.concat([bytes, Buffer.from(random.pick([[0xff], [0xc3], [0xed, 0xa0, 0x80]]))]);
    case 2:
      return Buffer.from(text, "utf16le");
    case 3:
      return bytes.subarray(0, random.between(0, bytes.length));
    case 4: {
      const damaged = Buffer.from(bytes);
      for (let n = 0; n < 3 && damaged.length > 0; n += 1) {
        damaged[random.between(0, damaged.length - 1)] = random.between(0, 255);
      }
      return damaged;
    }
    case 5:
      return Buffer.from(
        Array.from({ length: random.between(0, 63) }, () => random.between(0, 255)),
      );
    default:
      return bytes;
  }
}

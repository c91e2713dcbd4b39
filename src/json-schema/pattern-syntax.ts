/**
 * Parses an ECMAScript regular expression (flag `u`) into a tree. The source is known to compile.
 * This only finds its structure, and the parts that cannot be matched in bounded work.
 */
export type PatternNode =
  | { readonly kind: "empty" }
  | { readonly kind: "one"; readonly matches: (character: string) => boolean }
  | { readonly kind: "edge"; readonly edge: "start" | "end" | "word" | "inWord" }
  | { readonly kind: "look"; readonly ahead: PatternNode; readonly isNot: boolean }
  | { readonly kind: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly parts: readonly PatternNode[] }
  | {
      readonly kind: "repeat";
      readonly part: PatternNode;
      readonly min: number;
      readonly max: number;
    };

/** The tree, or the name of an unsupported construct. */
export function parsePattern(source: string): PatternNode | string {
  const reader = { source, at: 0, unsupported: null as string | null };
  const node = choice(reader);
  return reader.unsupported ?? node;
}

interface Reader {
  readonly source: string;
  at: number;
  unsupported: string | null;
}

const isAt = (reader: Reader, text: string): boolean => reader.source.startsWith(text, reader.at);

function take(reader: Reader, text: string): boolean {
  if (!isAt(reader, text)) return false;
  reader.at += text.length;
  return true;
}

function takeMatch(reader: Reader, sticky: RegExp): string | null {
  sticky.lastIndex = reader.at;
  const [found] = sticky.exec(reader.source) ?? [];
  if (found !== undefined) reader.at += found.length;
  return found ?? null;
}

function choice(reader: Reader): PatternNode {
  const parts = [sequence(reader)];
  while (take(reader, "|")) parts.push(sequence(reader));
  return parts.length === 1 ? parts[0]! : { kind: "choice", parts };
}

function sequence(reader: Reader): PatternNode {
  const parts: PatternNode[] = [];
  while (reader.at < reader.source.length && !isAt(reader, "|") && !isAt(reader, ")")) {
    if (reader.unsupported !== null) return { kind: "empty" };
    parts.push(repeated(reader, atom(reader)));
  }
  return { kind: "sequence", parts };
}

const BRACES = /\{(\d+)(,?)(\d*)\}/y;

function repeated(reader: Reader, part: PatternNode): PatternNode {
  const bounds = boundsAt(reader);
  if (bounds === null) return part;
  // A lazy quantifier changes which match is found, never whether there is one.
  take(reader, "?");
  const [min, max] = bounds;
  return { kind: "repeat", part, min, max };
}

function boundsAt(reader: Reader): readonly [min: number, max: number] | null {
  if (take(reader, "*")) return [0, Infinity];
  if (take(reader, "+")) return [1, Infinity];
  if (take(reader, "?")) return [0, 1];
  const text = takeMatch(reader, BRACES);
  if (text === null) return null;
  const [, min = "", comma = "", max = ""] = /^\{(\d+)(,?)(\d*)\}$/.exec(text) ?? [];
  return [Number(min), comma === "" ? Number(min) : max === "" ? Infinity : Number(max)];
}

function atom(reader: Reader): PatternNode {
  if (take(reader, "(")) return group(reader);
  if (take(reader, "^")) return { kind: "edge", edge: "start" };
  if (take(reader, "$")) return { kind: "edge", edge: "end" };
  if (take(reader, "\\b")) return { kind: "edge", edge: "word" };
  if (take(reader, "\\B")) return { kind: "edge", edge: "inWord" };
  if (takeMatch(reader, /\\(?:[1-9]|k)/y) !== null) {
    reader.unsupported = "a backreference";
    return { kind: "empty" };
  }
  const set = takeMatch(reader, SET) ?? takeMatch(reader, ESCAPE) ?? takeMatch(reader, /\./y);
  if (set !== null) return { kind: "one", matches: memberOf(set) };
  const literal = String.fromCodePoint(reader.source.codePointAt(reader.at)!);
  reader.at += literal.length;
  return { kind: "one", matches: (character) => character === literal };
}

/** Without the flag `v`, sets do not nest. */
const SET = /\[(?:\\[^]|[^\]\\])*\]/y;
const ESCAPE =
  /\\(?:u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}|u\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[^])/y;

function group(reader: Reader): PatternNode {
  if (take(reader, "?=")) return inside(reader, (ahead) => ({ kind: "look", ahead, isNot: false }));
  if (take(reader, "?!")) return inside(reader, (ahead) => ({ kind: "look", ahead, isNot: true }));
  if (isAt(reader, "?<=") || isAt(reader, "?<!")) reader.unsupported = "a look behind";
  else if (!take(reader, "?:") && takeMatch(reader, /\?<[^>]*>/y) === null && isAt(reader, "?")) {
    reader.unsupported = "a change of flags";
  }
  return reader.unsupported === null ? inside(reader, (node) => node) : { kind: "empty" };
}

function inside(reader: Reader, wrap: (node: PatternNode) => PatternNode): PatternNode {
  const node = choice(reader);
  take(reader, ")");
  return wrap(node);
}

const ASCII = 128;

/** Tests one character against a set with the platform's own engine, in bounded time. */
function memberOf(set: string): (character: string) => boolean {
  const native = new RegExp(`^${set}$`, "u");
  const known: (boolean | undefined)[] = [];
  return (character) => {
    const code = character.codePointAt(0)!;
    if (code >= ASCII) return native.test(character);
    return (known[code] ??= native.test(character));
  };
}

/**
 * Parses JSON in which every object has each member once. Of two equal members `JSON.parse` uses the last
 * and other parsers the first, so the meaning of a correctly signed document would depend on the parser.
 */
export class StrictJsonError extends Error {}

/** Fatal, and it keeps a BOM, so that only the exact bytes of a text decode to it. */
const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** A string with a following colon, or a bracket. Nothing else in valid JSON matches. */
const TOKENS = /"(?:[^"\\]|\\.)*"(\s*:)?|[[\]{}]/g;

export function parseStrictly(input: string | Uint8Array): unknown {
  let text = "";
  let value: unknown;
  try {
    text = typeof input === "string" ? input : UTF_8.decode(input);
    value = JSON.parse(text, rejectInfinity);
  } catch {
    throw new StrictJsonError("it is not JSON in UTF-8");
  }
  const open: Set<string>[] = [];
  for (const [token, colon] of text.matchAll(TOKENS)) {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (colon !== undefined) addMember(open.at(-1), token.slice(0, -colon.length));
  }
  return value;
}

/** `1e999` parses to Infinity, which is serialized as `null`, so it would pass for a signed `null`. */
function rejectInfinity(_: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError();
  return value;
}

/** Compares parsed names, because `"\u0061"` is `"a"`. */
function addMember(members: Set<string> | undefined, written: string): void {
  const name = JSON.parse(written) as string;
  if (members?.has(name) === true) throw new StrictJsonError(`the member "${name}" appears twice`);
  members?.add(name);
}

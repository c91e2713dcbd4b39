/**
 * JSON in which every object names each member once. `JSON.parse` takes the last of two, other parsers the
 * first: what such a document says would depend on who reads it, although its signature is right.
 */
export class StrictJsonError extends Error {}

/** Other bytes than a text's own must not read as that text. */
const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** A string with what follows it, or a bracket. All else in valid JSON cannot be mistaken for one. */
const TOKENS = /"(?:[^"\\]|\\.)*"(\s*:)?|[[\]{}]/g;

export function parseStrictly(given: string | Uint8Array): unknown {
  let text = "";
  let value: unknown;
  try {
    text = typeof given === "string" ? given : UTF_8.decode(given);
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

/** `1e999` reads as Infinity, which is written as `null`: it would stand for a `null` that was signed. */
function rejectInfinity(_: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError();
  return value;
}

/** Compared as it reads, not as it is written: `"\u0061"` is `"a"`. */
function addMember(members: Set<string> | undefined, written: string): void {
  const name = JSON.parse(written) as string;
  if (members?.has(name) === true) throw new StrictJsonError(`the member "${name}" appears twice`);
  members?.add(name);
}

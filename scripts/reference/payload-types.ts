/**
 * Parses the text of src/domain/log/payloads.ts: the events and the members of each payload, with
 * the comment above each. It understands the few forms that file uses and fails on
 * any other, so that a new form cannot be left out of the documents unnoticed.
 */
export interface Member {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: string;
  readonly about: string;
}

export interface EventEntry {
  readonly type: string;
  readonly about: string;
  readonly members: readonly Member[];
}

/** The events of `source` in their order. */
export function eventsIn(source: string): readonly EventEntry[] {
  const shared = new Map<string, string>();
  let table = "";
  for (const [, name = "", body = ""] of source.matchAll(
    /^(?:export )?type (\w+) = ([^]*?);\n(?=\n|$)/gm,
  )) {
    if (name === "EventPayloads") table = body;
    else shared.set(name, body);
  }
  return membersOf(table, shared).map(({ name, type, about }) => ({
    type: name,
    about,
    members: membersOf(type, shared),
  }));
}

/** The members of `{ … }`, of a name, of `Partial<…>`, and of those joined by `&`. */
function membersOf(text: string, shared: ReadonlyMap<string, string>): readonly Member[] {
  return partsOf(text).flatMap((part) => {
    const partial = /^Partial<(\w+)>$/.exec(part)?.[1];
    if (partial !== undefined) {
      return membersOf(partial, shared).map((one) => ({ ...one, isOptional: true }));
    }
    const known = shared.get(part);
    if (known !== undefined) return membersOf(known, shared);
    if (/^\{ readonly \[member: string\]: never \}$/.test(part)) return [];
    if (!part.startsWith("{"))
      throw new Error(`payloads.ts uses a form that is not known: ${part}`);
    return literalMembers(part.slice(1, -1));
  });
}

/** Splits at each `&` outside braces. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const char of text) {
    if (char === "{" || char === "<") depth += 1;
    if (char === "}" || char === ">") depth -= 1;
    if (char === "&" && depth === 0) {
      parts.push(part.trim());
      part = "";
    } else part += char;
  }
  return [...parts, part.trim()].filter((one) => one !== "");
}

function literalMembers(body: string): readonly Member[] {
  const members: Member[] = [];
  let rest = body.trim();
  while (rest !== "") {
    const head = /^\/\*\* ([^]*?) \*\/\s*readonly ("[^"]+"|\w+)(\??): /.exec(rest);
    if (head === null)
      throw new Error(`payloads.ts: a member without its comment: ${rest.slice(0, 80)}`);
    const [start, about = "", name = "", mark] = head;
    const end = endOfType(rest, start.length);
    const type = rest.slice(start.length, end).trim();
    members.push({ name: name.replaceAll('"', ""), isOptional: mark === "?", type, about });
    rest = rest.slice(end + 1).trim();
  }
  return members;
}

/** The position of the `;` that ends a member that started before `from`. */
function endOfType(text: string, from: number): number {
  let depth = 0;
  for (let index = from; index < text.length; index++) {
    const char = text.charAt(index);
    if (char === "{") depth += 1;
    else if (char === "}") depth -= 1;
    else if (char === ";" && depth === 0) return index;
  }
  throw new Error("payloads.ts: a member that does not end");
}

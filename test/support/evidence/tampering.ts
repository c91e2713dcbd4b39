/** Ways to tamper with an export, given the file and a file of another session but no key of the server. */
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { canonicalJson, type JsonObject } from "../../../src/domain/json.ts";

export interface Tampered {
  readonly what: string;
  readonly bytes: Buffer;
}

/** A former signing key that is no longer listed. */
const OLD = generateKeyPairSync("ed25519").privateKey;

const sha = (...parts: readonly (string | Buffer)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();

export const linesOf = (text: string): string[] => text.trimEnd().split("\n");
export const joined = (lines: readonly string[]): Buffer => Buffer.from(`${lines.join("\n")}\n`);

const kindOf = (line: string): string => /^\{"(\w+)"/.exec(line)?.[1] ?? "";

/** Signs a line's content again with the old key, under its own name or that of a listed key. */
function signedByOldKey(line: string, change: (signed: JsonObject) => JsonObject): string {
  const kind = kindOf(line);
  const { signature: _, ...signed } = change(JSON.parse(line)[kind]);
  const signature = sign(null, Buffer.from(canonicalJson(signed)), OLD).toString("base64url");
  return JSON.stringify({ [kind]: { ...signed, signature } });
}

/** Recomputes the chain over the lines of a log, as an attacker who changed it would. */
export function chained(lines: readonly string[]): string[] {
  let chain: Buffer = Buffer.alloc(0);
  return lines.map((line) => {
    const [, body] = /^\{"commit":(.*),"chain":"\w{64}"\}$/s.exec(line) ?? [];
    if (body !== undefined) {
      if (chain.length === 0) chain = Buffer.from(String(JSON.parse(body).sessionId));
      chain = sha(chain, sha(body));
      return `{"commit":${body},"chain":"${chain.toString("hex")}"}`;
    }
    const trimmed: readonly [number, number, string][] =
      kindOf(line) === "trimmed" ? JSON.parse(line).trimmed : [];
    for (const [, , hash] of trimmed) chain = sha(chain, Buffer.from(hash, "hex"));
    return line;
  });
}

/** Also updates the signed lines to the new chain, as far as possible without a key. */
function rechained(lines: readonly string[]): string[] {
  const forged = chained(lines);
  const last = forged.findLast((line) => kindOf(line) === "commit") ?? "";
  const { chain, commit } = JSON.parse(last);
  return forged.map((line) =>
    kindOf(line) === "proof" || kindOf(line) === "seal"
      ? line
          .replace(/"chain":"\w+"/, `"chain":"${chain}"`)
          .replace(/"seq":\d+/, `"seq":${commit.last}`)
      : line,
  );
}

/** Writes one commit of the log in shapes that no server writes, and recomputes the chain. */
export function* malformedCommits(whole: string): Generator<Tampered & { readonly first: number }> {
  const lines = linesOf(whole);
  const at = lines.findLastIndex((line) => kindOf(line) === "commit");
  const { commit } = JSON.parse(lines[at] ?? "");
  const { first, last } = commit;
  const [event, ...events] = commit.events;
  const { payload: _, ...withoutPayload } = event;
  // No primitive can be made from this object: both methods are not functions.
  const opaque = { toString: 1, valueOf: 1 };
  const withEvent = (changed: unknown): unknown => ({ ...commit, events: [changed, ...events] });
  const bodies: Readonly<Record<string, unknown>> = {
    "no commit": null,
    "a list as commit": [],
    "a last seq as text": { ...commit, last: String(last) },
    "an object as last seq": { ...commit, last: opaque },
    "no events": { ...commit, events: null },
    "no event": withEvent(null),
    "a null payload": withEvent({ ...event, payload: null }),
    "an event without payload": withEvent(withoutPayload),
    "a list as payload": withEvent({ ...event, payload: [] }),
    "a text as payload": withEvent({ ...event, payload: "text" }),
    "a number as type": withEvent({ ...event, type: 1 }),
    "a trim with a null payload": withEvent({ ...event, type: "session.trimmed", payload: null }),
    "a file with a null payload": withEvent({ ...event, type: "upload.confirmed", payload: null }),
    "an object as state": withEvent({ ...event, state: opaque }),
    "a state with another line": withEvent({
      ...event,
      state: "draft)\n  signed with the key main",
    }),
  };
  for (const [what, body] of Object.entries(bodies)) {
    const line = `{"commit":${JSON.stringify(body)},"chain":"${"0".repeat(64)}"}`;
    yield { what, first, bytes: joined(chained(lines.with(at, line))) };
  }
}

type Entry = readonly [first: number, last: number, bodyHash: string];

const trimmedLine = (entries: readonly Entry[]): string => JSON.stringify({ trimmed: entries });

/** Computes the entry that a trim leaves of a commit. This needs no key. */
function toEntry(line: string): Entry {
  const [, body = ""] = /^\{"commit":(.*),"chain":"\w{64}"\}$/s.exec(line) ?? [];
  const { first, last } = JSON.parse(body);
  return [first, last, sha(body).toString("hex")];
}

/** Lists each run of commits as trimmed, except runs with the first or the last commit of the file. */
export function* hiddenCommits(whole: string): Generator<Tampered> {
  const lines = linesOf(whole);
  const isCommit = (at: number): boolean => kindOf(lines[at] ?? "") === "commit";
  const end = lines.findLastIndex((_, at) => isCommit(at));
  for (let from = 1; from < end; from++) {
    for (let to = from; to < end && isCommit(to); to++) {
      const entries = lines.slice(from, to + 1).map(toEntry);
      const what = `lines ${from} to ${to} passed off as trimmed`;
      yield { what, bytes: joined(lines.toSpliced(from, entries.length, trimmedLine(entries))) };
      // The same entries in one list with those of a trim before them.
      if (kindOf(lines[from - 1] ?? "") !== "trimmed") continue;
      const merged = [...JSON.parse(lines[from - 1] ?? "").trimmed, ...entries];
      const spliced = lines.toSpliced(from - 1, entries.length + 1, trimmedLine(merged));
      yield { what: `${what}, in the list before them`, bytes: joined(spliced) };
    }
  }
}

/** Changes each trimmed entry in every way that leaves no gap between the seqs. */
export function* changedEntries(whole: string): Generator<Tampered> {
  const lines = linesOf(whole);
  for (const [at, line] of lines.entries()) {
    if (kindOf(line) !== "trimmed") continue;
    const entries: readonly Entry[] = JSON.parse(line).trimmed;
    const changed = (what: string, to: readonly Entry[]): Tampered => ({
      what: `${what} in line ${at}`,
      bytes: joined(to.length === 0 ? lines.toSpliced(at, 1) : lines.with(at, trimmedLine(to))),
    });
    for (const [index, [first, last, hash]] of entries.entries()) {
      const next = entries[index + 1];
      if (last > first) {
        const parts: readonly Entry[] = [
          [first, first, hash],
          [first + 1, last, sha(hash).toString("hex")],
        ];
        yield changed("an added entry", entries.toSpliced(index, 1, ...parts));
      }
      if (next === undefined) {
        yield changed("a dropped entry", entries.toSpliced(index, 1));
        yield changed("a widened range", entries.with(index, [first, last + 1, hash]));
        continue;
      }
      const [, end, nextHash] = next;
      const both = sha(Buffer.from(hash + nextHash, "hex")).toString("hex");
      yield changed("a dropped entry", entries.toSpliced(index, 2, [first, end, nextHash]));
      for (const merged of [hash, nextHash, both]) {
        yield changed("merged entries", entries.toSpliced(index, 2, [first, end, merged]));
      }
      // The chain does not cover the seqs of trimmed commits, so only the digest shows these changes.
      for (const middle of [last - 1, last + 1]) {
        if (middle < first || middle >= end) continue;
        const moved: readonly Entry[] = [
          [first, middle, hash],
          [middle + 1, end, nextHash],
        ];
        yield changed("a moved border", entries.toSpliced(index, 2, ...moved));
      }
    }
  }
}

/** Applies one random change. It may leave the file as it was. */
export function tamper(random: () => number, whole: string, other: string): Tampered {
  const below = (limit: number): number => Math.floor(random() * limit);
  const lines = linesOf(whole);
  const others = linesOf(other);
  const at = below(lines.length);
  const line = lines[at] ?? "";
  const another = (at + 1 + below(lines.length - 1)) % lines.length;
  const end = lines.findLastIndex((one) => kindOf(one) === "commit");
  const proofAt = lines.findIndex((one) => kindOf(one) === "proof");
  const proof = lines[proofAt] ?? "";
  const otherProof = others.find((one) => kindOf(one) === "proof") ?? "";
  const { sessionId } = JSON.parse(proof).proof;
  const added = (): string => {
    const { commit } = JSON.parse(lines[end] ?? "");
    const { last } = commit;
    const events = [{ ...commit.events.at(-1), seq: last + 1 }];
    const next = { ...commit, first: last + 1, last: last + 1, events };
    return `{"commit":${JSON.stringify(next)},"chain":"${"0".repeat(64)}"}`;
  };
  const changes: readonly [string, () => Buffer][] = [
    ["a bit", () => flipped(Buffer.from(whole), below(Buffer.byteLength(whole)), below(8))],
    ["a dropped line", () => joined(lines.toSpliced(at, 1))],
    ["a doubled line", () => joined(lines.toSpliced(at, 0, line))],
    ["swapped lines", () => joined(lines.with(at, lines[another] ?? "").with(another, line))],
    ["a line of another session", () => joined(lines.with(at, others[below(others.length)] ?? ""))],
    ["an added line of another session", () => joined(lines.toSpliced(at, 0, others[at] ?? ""))],
    ["a proof of another session", () => joined(lines.with(proofAt, otherProof))],
    [
      "a proof of another session under this one's name",
      () =>
        joined(
          lines.with(
            proofAt,
            otherProof.replace(/"sessionId":"\w+"/, `"sessionId":"${sessionId}"`),
          ),
        ),
    ],
    ["an end that is cut off", () => joined(lines.slice(0, 1 + below(lines.length - 1)))],
    ["a byte that is cut off", () => Buffer.from(whole).subarray(0, below(whole.length))],
    [
      "a signature of an old key",
      () =>
        joined(
          lines.with(
            proofAt,
            signedByOldKey(proof, (of) => ({ ...of, keyId: "old" })),
          ),
        ),
    ],
    [
      "a signature of an old key under a listed name",
      () =>
        joined(
          lines.with(
            proofAt,
            signedByOldKey(proof, (of) => of),
          ),
        ),
    ],
    ["another key's name", () => joined(lines.with(proofAt, proof.replace(/"keyId":"/, "$&x")))],
    ["a space", () => joined(lines.with(at, line.replace(":", ": ")))],
    ["members in another order", () => joined(lines.with(at, reordered(line)))],
    [
      "a changed commit with every chain computed anew",
      () => joined(rechained(lines.with(at, line.replace(/"at":"2\d/, '"at":"19')))),
    ],
    [
      "an added commit with its chain computed",
      () => joined(rechained(lines.toSpliced(end + 1, 0, added()))),
    ],
    [
      "a dropped commit with every chain computed anew",
      () => joined(rechained(end === 0 || at > end || at === 0 ? lines : lines.toSpliced(at, 1))),
    ],
    [
      "a commit passed off as trimmed",
      () => {
        const hidden = [...hiddenCommits(whole)];
        return hidden[below(hidden.length)]?.bytes ?? Buffer.from(whole);
      },
    ],
    ["bytes cut in two lines", () => joined(lines.toSpliced(at, 1, ...cutInTwo(line)))],
  ];
  const [what, change] = changes[below(changes.length)] ?? ["nothing", () => Buffer.from(whole)];
  return { what: `${what} at line ${at}`, bytes: change() };
}

export function flipped(bytes: Buffer, position: number, bit: number): Buffer {
  bytes.writeUInt8(bytes.readUInt8(position) ^ (1 << bit), position);
  return bytes;
}

function reordered(line: string): string {
  const kind = kindOf(line);
  const value: unknown = JSON.parse(line)[kind];
  if (kind === "commit" || typeof value !== "object" || Array.isArray(value)) return line;
  return JSON.stringify({ [kind]: Object.fromEntries(Object.entries(value ?? {}).toReversed()) });
}

function cutInTwo(line: string): readonly string[] {
  const data: unknown = JSON.parse(line).data;
  if (typeof data !== "string" || data.length <= 4) return [line];
  return [data.slice(0, 4), data.slice(4)].map((part) => JSON.stringify({ data: part }));
}

/**
 * What an export proves. The chain is computed here a second time, from the text of the export alone:
 * chain(n) = SHA-256(chain(n-1) || SHA-256(body n)), starting with the session's id.
 */
import { createHash } from "node:crypto";
import { canonical, type LoggedCommit } from "../history.ts";
import { lawsAbout, type RunLaw } from "./law.ts";

export interface ExportObservation {
  readonly session: string;
  readonly lines: readonly string[];
  /** What the product's verifier finds wrong, with the server's keys; null if nothing. */
  readonly refusal: string | null;
  /** As stored when the export was taken. */
  readonly commits: readonly LoggedCommit[];
}

interface ExportedCommit {
  readonly first: number;
  readonly last: number;
  readonly events: readonly unknown[];
}

const COMMIT = /^\{"commit":(.*),"chain":"([0-9a-f]{64})"\}$/s;
const TRIMMED = /^\{"trimmed":(.*)\}$/s;

const sha256 = (...parts: readonly (string | Buffer)[]): Buffer => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

function chainProblems({ session, lines }: ExportObservation): readonly string[] {
  let chain: Buffer = Buffer.from(session);
  const found: string[] = [];
  for (const line of lines) {
    const [, body, stated] = COMMIT.exec(line) ?? [];
    if (body !== undefined) {
      chain = sha256(chain, sha256(body));
      if (chain.toString("hex") !== stated) found.push(`the chain breaks at ${body.slice(0, 60)}`);
    }
    for (const [, , hash] of trimmedIn(line)) chain = sha256(chain, Buffer.from(hash, "hex"));
    const { proof } = (line.startsWith('{"proof":') ? JSON.parse(line) : {}) as {
      readonly proof?: { readonly chain: string };
    };
    if (proof !== undefined && proof.chain !== chain.toString("hex")) {
      found.push("the signed head has another chain");
    }
  }
  return found;
}

const trimmedIn = (line: string): readonly (readonly [number, number, string])[] =>
  JSON.parse(TRIMMED.exec(line)?.[1] ?? "[]") as readonly (readonly [number, number, string])[];

function contentProblems({ lines, commits }: ExportObservation): readonly string[] {
  const exported = lines.flatMap((line) => {
    const [, body] = COMMIT.exec(line) ?? [];
    return body === undefined ? [] : [JSON.parse(body) as ExportedCommit];
  });
  const trimmed = lines.flatMap(trimmedIn);
  const isTrimmed = new Map(trimmed.map(([first, last]) => [first, last]));
  const shown = new Map(exported.map((commit) => [commit.first, commit]));
  const stored = new Set(commits.map(({ first }) => first));
  return [
    ...commits.flatMap((commit) => {
      const { first, last, events } = commit;
      if (commit.isTrimmed === true) {
        return isTrimmed.get(first) === last ? [] : [`seq ${first} is not listed as trimmed`];
      }
      const found = shown.get(first);
      if (found === undefined) return [`seq ${first} is stored and not exported`];
      return canonical(found.events) === canonical(events)
        ? []
        : [`seq ${first} is exported as something else`];
    }),
    ...[...shown.keys(), ...isTrimmed.keys()]
      .filter((first) => !stored.has(first))
      .map((first) => `seq ${first} is exported and not stored`),
  ];
}

const law = lawsAbout("exports");
const inEach =
  (problems: (one: ExportObservation) => readonly string[]) =>
  (exports: readonly ExportObservation[]): readonly string[] =>
    exports.flatMap((one) => problems(one).map((what) => `${one.session}: ${what}`));

export const EVIDENCE_LAWS: readonly RunLaw[] = [
  law(
    "an export verifies",
    ["EV-1", "EV-2"],
    inEach(({ refusal }) => (refusal === null ? [] : [refusal])),
  ),
  law("the chain of an export is that of its text", ["EV-1"], inEach(chainProblems)),
  law("an export holds the stored log", ["EV-1", "Y-1"], inEach(contentProblems)),
];

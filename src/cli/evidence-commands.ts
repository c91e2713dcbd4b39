/** Evidence: exporting a log from a server, and verifying one offline. */
import { createReadStream, createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { keptHeadIn, verifyDocument, verifyExport } from "../verify/index";
import type { KeptHead, SignedDocument, VerificationKey, Verdict, Whole } from "../verify/index";
import { successOutput, flag, textOption, UsageError } from "./command";
import type { Command, Context, CommandOutput } from "./command";
import { EXIT } from "./exit-codes";

const KEYS_PATH = "/.well-known/baton-keys.json";

/** Keys from a file, from the named server, or null. */
async function keysFor(context: Context): Promise<readonly VerificationKey[] | null> {
  const file = context.text("keys");
  const url = context.text("url");
  if (file !== undefined && url !== undefined) {
    throw new UsageError("Use --keys or --url, not both.");
  }
  if (file !== undefined) return parseKeys(await readFile(file, "utf8"));
  if (url === undefined) return null;
  const { signal } = context;
  const response = await fetch(url.replace(/\/+$/, "") + KEYS_PATH, { signal });
  if (!response.ok) throw new Error(`The server lists no keys (status ${response.status}).`);
  return parseKeys(await response.text());
}

function parseKeys(text: string): readonly VerificationKey[] {
  const { keys } = JSON.parse(text) as { readonly keys?: readonly VerificationKey[] };
  if (!Array.isArray(keys)) throw new UsageError("The keys are not a JSON Web Key Set.");
  return keys as readonly VerificationKey[];
}

/**
 * Reads a receipt, a certificate or a proof, which is one small JSON document; null for an export,
 * which starts with a commit.
 */
async function readSignedDocument(path: string): Promise<Uint8Array | null> {
  for await (const chunk of createReadStream(path, { end: 63, encoding: "utf8" })) {
    if (!/^\s*\{\s*"(?:receipt|certificate|proof)"/.test(String(chunk))) return null;
  }
  return readFile(path);
}

/** What the log must contain: an event, and the heads that were kept of it. */
async function expectedHeads(
  context: Context,
  keys: readonly VerificationKey[] | null,
): Promise<readonly KeptHead[]> {
  const seq = context.number("expect-seq");
  const file = context.text("kept");
  const expected = seq === undefined ? [] : [{ seq }];
  if (file === undefined) return expected;
  const head = keptHeadIn(JSON.parse(await readFile(file, "utf8")));
  if (head === null)
    throw new UsageError("The kept file is not a proof, receipt, certificate or notice.");
  // A notice is not signed inside; its keeper knows where it came from.
  const signed = await readSignedDocument(file);
  const verdict = keys === null || signed === null ? null : await verifyDocument(signed, keys);
  if (verdict?.whole === false) throw new UsageError(`The kept file is not whole: ${verdict.why}`);
  return [...expected, head];
}

async function verifyFile(context: Context, path: string): Promise<Verdict | SignedDocument> {
  const keys = await keysFor(context);
  const document = await readSignedDocument(path);
  const kept = await expectedHeads(context, keys);
  if (document === null) return verifyExport(createReadStream(path), keys, kept);
  if (kept.length > 0) throw new UsageError("--expect-seq and --kept are for exports.");
  if (keys === null)
    throw new UsageError("A signed document needs public keys: add --keys or --url.");
  return verifyDocument(document, keys);
}

function verdictOutput({ paint }: Context, verdict: Verdict | SignedDocument): CommandOutput {
  if (!verdict.whole) {
    const text = `${paint.bad("Not whole")}: the commit at event ${verdict.seq}: ${verdict.why}`;
    return { json: verdict, text, exitCode: EXIT.refused };
  }
  const { sessionId, signatures } = verdict;
  const what = "head" in verdict ? `events 1 to ${verdict.head}` : `the ${verdict.kind}`;
  const signed = signatures.map(
    ({ keyId, seq, at }) => `signed with the key ${keyId} up to event ${seq}, at ${at}`,
  );
  const signers =
    signed.length === 0 ? ["signatures were not checked: add --keys or --url"] : signed;
  const contents =
    "sealed" in verdict ? [`  ${describeContents(verdict)}`, `  ${describeTrimmed(verdict)}`] : [];
  const lines = [
    `${paint.good("Whole")}: ${what} of ${sessionId}`,
    ...("head" in verdict ? [`  ${describeEnd(verdict)}`] : []),
    ...signers.map((line) => `  ${line}`),
    ...contents,
  ];
  return { json: verdict, text: lines.join("\n") };
}

/** Always stated, because a log that was cut at an earlier event is consistent in itself. */
const describeEnd = ({ head, state }: Whole): string =>
  `complete up to event ${head}${state === null ? "" : ` (${state})`}; this file does not show what came after it`;

const describeContents = ({ sealed, files, blobs }: Whole): string =>
  sealed
    ? `with the document, files: ${files}, large content: ${blobs}`
    : "the log alone, without the document and files";

/** Says also that nothing is missing, so that no reader has to infer it. */
function describeTrimmed({ trimmed: { commits, events } }: Whole): string {
  if (commits === 0) return "nothing was trimmed";
  const what = `${commits} ${commits === 1 ? "commit" : "commits"} with ${events} ${events === 1 ? "event" : "events"}`;
  return `${what} ${commits === 1 ? "was" : "were"} trimmed: only the hashes are left`;
}

export const evidenceCommands: readonly Command[] = [
  {
    name: "private",
    summary: "read or erase the value of a private field",
    usage: "private <field>",
    example: "baton private iban",
    arity: [1, 1],
    options: { erase: flag("delete the value; its hash stays") },
    async run(context) {
      const [field = ""] = context.args;
      const { signal } = context;
      const session = await context.session();
      if (context.has("erase")) {
        const after = await session.erasePrivate(field, { signal });
        return successOutput(context, "Erased", ` ${field}`, { session: after });
      }
      const { value, ...rest } = await session.private(field, { signal });
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return { json: { ...rest, value }, text };
    },
  },
  {
    name: "export",
    summary: "write the whole log to a file, with its chain and a signed head",
    usage: "export <file>",
    example: "baton export claim.ndjson --files",
    arity: [1, 1],
    options: { files: flag("include the document, every file and all large content") },
    async run(context) {
      const [path = ""] = context.args;
      const session = await context.session();
      const stream = await session.export({ files: context.has("files"), signal: context.signal });
      const source = Readable.fromWeb(stream as unknown as ReadableStream);
      // The content of a log is only for its owner.
      await pipeline(source, createWriteStream(path, { mode: 0o600 }));
      return successOutput(context, "Exported", ` to ${path}`, { file: path });
    },
  },
  {
    name: "verify",
    summary: "check an export, a receipt or a certificate, and who signed it",
    usage: "verify <file>",
    example: "baton verify claim.ndjson --url https://baton.example",
    arity: [1, 1],
    options: {
      keys: textOption("<file>", "public keys as a JSON Web Key Set"),
      kept: textOption(
        "<file>",
        "a proof, receipt, certificate or notice that the log must agree with",
      ),
      "expect-seq": textOption("<n>", "an event that the log must reach"),
    },
    async run(context) {
      const [path = ""] = context.args;
      return verdictOutput(context, await verifyFile(context, path));
    },
  },
];

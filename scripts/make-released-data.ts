/**
 * Writes the data of a release as a fixture: `node scripts/make-released-data.ts`. It creates sessions
 * in every state on a server and records its databases as SQL, and its answers. It runs once per
 * release, with that release. Existing data is never rewritten.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "../test/support/client.ts";
import {
  codeHash,
  derivedCode,
  derivedSecret,
  RELEASED,
  rowsIn,
  sealed,
  tokenHash,
  UNIQUE_KEY,
  type ReleasedSession,
} from "../test/support/released-data.ts";
import { replayOlderClient } from "../test/support/older-client.ts";
import {
  runReleasedScenario,
  READ_PATHS,
  type ScenarioSession,
} from "../test/support/released-scenario.ts";
import { startLocalServer } from "./local-server.ts";

if (existsSync(join(RELEASED, "data.sql"))) {
  throw new Error(`${RELEASED} is there: the data of a release does not change`);
}
/** Long enough for all future tests. */
const YEAR_MS = 365 * 24 * 3_600_000;

const folder = mkdtempSync(join(tmpdir(), "baton-released-"));
const start = async () => {
  const server = await startLocalServer({
    port: 0,
    host: "127.0.0.1",
    dataFolder: folder,
    uniqueKey: UNIQUE_KEY,
    vars: {
      DEFAULT_TTL_MS: String(100 * YEAR_MS),
      MAX_TTL_MS: String(100 * YEAR_MS),
      RETENTION_MS: String(50 * YEAR_MS),
    },
  });
  if (server === null) throw new Error("the folder is taken");
  return server;
};

const server = await start();
const client = new Client(fetch, server.url);
const sessions = await runReleasedScenario(client);
const recorded: ReleasedSession[] = [];
for (const { label, id, tokens, spent, code } of sessions) {
  const answers: Record<string, { status: number; body: unknown }> = {};
  for (const path of READ_PATHS) {
    const { status, body } = await client.on({ id }, "GET", path, { token: tokens[1] ?? "" });
    answers[path] = { status, body };
  }
  const seqs = Object.fromEntries(
    Object.entries(tokens).map(([number, token]) => [number, partsOf(token).seq]),
  );
  const link = code === undefined ? {} : { code: nameOfCode(label, code) };
  const before = spent === undefined ? {} : { spentSeq: partsOf(spent).seq };
  recorded.push({ label, id, seqs, answers, ...before, ...link });
}
// On a separate server, because the data must contain only the sessions above.
const other = await startLocalServer({
  port: 0,
  host: "127.0.0.1",
  dataFolder: `${folder}-client`,
});
if (other === null) throw new Error("the folder is taken");
const responses = await replayOlderClient(new Client(fetch, other.url));
await other.stop();
rmSync(`${folder}-client`, { recursive: true, force: true });
// The alarm records the expiry of sessions that have expired since.
await sleep(3_000);
await server.stop();

function partsOf(token: string) {
  const bytes = Buffer.from(token.slice("rtok_".length), "base64url");
  return { seq: bytes.readUIntBE(36, 6), secret: bytes.subarray(42) };
}

/** Codes are stored in 64 objects by the first character of their hash, so the replacement must have the same one. */
function nameOfCode(label: string, code: string): string {
  for (let n = 1; ; n++) {
    const name = `${label} code ${n}`;
    if (codeHash(derivedCode(name)).charAt(0) === codeHash(code).charAt(0)) return name;
  }
}

/** Replaces each hash of a random secret by the hash of a derived one. */
function replacements({
  label,
  tokens,
  spent,
  code,
}: ScenarioSession): readonly (readonly [string, string])[] {
  const swaps: [string, string][] = Object.entries(tokens).map(([number, token]) => [
    tokenHash(partsOf(token).secret),
    tokenHash(derivedSecret(`${label} par_${number}`)),
  ]);
  if (spent !== undefined) {
    const name = `${label} spent`;
    swaps.push([tokenHash(partsOf(spent).secret), tokenHash(derivedSecret(name))]);
  }
  const name = recorded.find((one) => one.label === label)?.code;
  if (code !== undefined && name !== undefined) {
    swaps.push([codeHash(code), codeHash(derivedCode(name))]);
  }
  return swaps;
}
const swaps = sessions.flatMap(replacements);

function literal(value: unknown): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return String(value);
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString("hex")}'`;
  const text = swaps.reduce((all, [from, to]) => all.replaceAll(from, to), String(value));
  return `'${resealed(text).replaceAll("'", "''")}'`;
}

/** The answer to the last write with a spent token, sealed under the derived secret. */
function resealed(text: string): string {
  for (const { label, spent } of sessions) {
    if (spent === undefined) continue;
    const under = derivedSecret(`${label} spent`);
    const mark = `"consumed":"${tokenHash(under)}"`;
    if (!text.includes(mark)) continue;
    const blob = sealed(under, derivedSecret(`${label} par_1`)).toString("base64url");
    const at = text.indexOf(mark);
    return text.slice(0, at) + text.slice(at).replace(/"sealed":"[\w-]+"/, `"sealed":"${blob}"`);
  }
  return text;
}

function dump(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  const schema = database.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table'").all();
  database.close();
  const rows = rowsIn(path);
  return Object.entries(rows)
    .map(([table, all]) => {
      const created = schema.find(({ name }) => name === table)?.["sql"];
      const inserts = all.map(
        (row) =>
          `INSERT INTO ${table} (${Object.keys(row).join(", ")})\n` +
          `VALUES (${Object.values(row).map(literal).join(", ")});\n`,
      );
      return `${String(created)};\n${inserts.join("")}`;
    })
    .join("");
}

const root = join(folder, "do", UNIQUE_KEY);
const objects = readdirSync(join(folder, "do"), { recursive: true, encoding: "utf8" })
  .map((name) => join(folder, "do", name))
  .filter((path) => path.startsWith(root) && /\/[0-9a-f]{64}\.sqlite$/.test(path))
  .sort()
  .map((path) => ({ place: path.slice(root.length), text: dump(path) }))
  .filter(({ text }) => text !== "");
mkdirSync(RELEASED, { recursive: true });
const sql = objects
  .map(({ place: objectPath, text }) => `-- object ${objectPath}\n${text}`)
  .join("");
writeFileSync(join(RELEASED, "data.sql"), sql);
const lines = recorded.map((one) => `${JSON.stringify(one)}\n`).join("");
writeFileSync(join(RELEASED, "answers.jsonl"), lines);
const summary = responses.map((one) => `${JSON.stringify(one)}\n`).join("");
writeFileSync(join(RELEASED, "client.jsonl"), summary);
rmSync(folder, { recursive: true, force: true });
const target = relative(process.cwd(), RELEASED);
console.log(`${objects.length} databases of ${sessions.length} sessions are in ${target}`);

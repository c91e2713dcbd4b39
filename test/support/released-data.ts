/**
 * Data that release 0.1.0 wrote, stored as SQL under test/support/released, and the tokens for it. No
 * token is in the repository: when the data was created, the token hashes were replaced by hashes of
 * secrets that are derived here from a sentence and a name. The formats of that release are repeated
 * here, so that a change of the product's formats does not change them.
 */
import { createCipheriv, createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export const RELEASED = join(import.meta.dirname, "released", "0.1.0");
/** The key that the fixture's object ids are authenticated with. It guards nothing else. */
export const UNIQUE_KEY = "baton-released-0.1.0";

const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** 24 bytes, derived from a name such as `draft par_1`. */
export const derivedSecret = (name: string): Buffer =>
  sha256("what opens the released data of 0.1.0\0", name).subarray(0, 24);

export const tokenHash = (secret: Uint8Array): string =>
  sha256("baton/token-hash/v1\0", secret).toString("base64url");

/** The stored form of an answer's secrets for a replay: initialisation vector, bytes, tag. */
export function sealed(under: Uint8Array, secret: Uint8Array): Buffer {
  const iv = sha256("vector", under).subarray(0, 12);
  const cipher = createCipheriv("aes-256-gcm", sha256("baton/seal-key/v1\0", under), iv);
  return Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
}

export interface TokenPosition {
  /** `ses_…` */
  readonly id: string;
  readonly participant: number;
  readonly seq: number;
}

export function tokenAt({ id, participant, seq }: TokenPosition, name: string): string {
  const numbers = Buffer.alloc(10);
  numbers.writeUInt32BE(participant, 0);
  numbers.writeUIntBE(seq, 4, 6);
  const object = Buffer.from(id.slice("ses_".length), "base64url");
  const bytes = Buffer.concat([object, numbers, derivedSecret(name)]);
  return `rtok_${bytes.toString("base64url")}`;
}

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A link's code: 12 characters of base 32 and a Luhn check character. */
export function derivedCode(name: string): string {
  const data = [...derivedSecret(name).subarray(0, 12)].map((byte) => byte % 32);
  const sum = data.toReversed().reduce((total, value, index) => {
    const twice = value * (index % 2 === 0 ? 2 : 1);
    return total + Math.floor(twice / 32) + (twice % 32);
  }, 0);
  const text = [...data, (32 - (sum % 32)) % 32].map((value) => ALPHABET.charAt(value)).join("");
  return `${text.slice(0, 4)}-${text.slice(4, 8)}-${text.slice(8)}`;
}

export const codeHash = (code: string): string =>
  sha256("baton/link-code/v1\0", code).toString("base64url");

/** The answers recorded when the data was written, one line per session. */
export interface ReleasedSession {
  readonly label: string;
  readonly id: string;
  /** The first seq of the commit that issued the newest token, by participant. */
  readonly seqs: Readonly<Record<string, number>>;
  /** The same for the token that the creator's last write spent, if that write carried a key. */
  readonly spentSeq?: number;
  /** Answers by path, requested with the first participant's token. */
  readonly answers: Readonly<Record<string, { readonly status: number; readonly body: unknown }>>;
  /** The name from which the code of its link is derived. */
  readonly code?: string;
}

export const readReleasedSessions = (): readonly ReleasedSession[] =>
  readFileSync(join(RELEASED, "answers.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as ReleasedSession);

const MARK = "-- object ";

/** Writes the released data into a server's folder and returns the paths of its databases. */
export function restoreReleased(dataFolder: string): readonly string[] {
  const [, ...objects] = `\n${readFileSync(join(RELEASED, "data.sql"), "utf8")}`.split(`\n${MARK}`);
  return objects.map((text) => {
    const [file = "", ...statements] = text.split("\n");
    const path = join(dataFolder, "do", UNIQUE_KEY + file);
    mkdirSync(dirname(path), { recursive: true });
    const database = new DatabaseSync(path);
    database.exec(statements.join("\n"));
    database.close();
    return path;
  });
}

export type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

const TABLES = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'
  AND name NOT GLOB 'sqlite_*' ORDER BY name`;

/** Every row of every table of one database, without the platform's own tables. */
export function rowsIn(path: string): Rows {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 60_000 });
  try {
    return Object.fromEntries(
      database
        .prepare(TABLES)
        .all()
        .map(({ name }) => [name, database.prepare(`SELECT * FROM "${name}"`).all()]),
    ) as Rows;
  } finally {
    database.close();
  }
}

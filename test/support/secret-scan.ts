/**
 * Looks for secrets where none may be: in answers beside the members made to carry them, in files and
 * in log output, in every spelling in which a program could have written them.
 */
import { readFileSync } from "node:fs";
import type { Send } from "./client.ts";
import { filesUnder } from "./server.ts";
import { tokensIn } from "./token-pattern.ts";

const TOKEN_PREFIX = "rtok_";
/** A token ends with its secret: 24 bytes, 32 characters of base64url. */
const SECRET_CHARACTERS = 32;

export interface RecordedAnswer {
  readonly request: string;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
}

/** Sends as `fetch` does and keeps what came back. */
export function recordingSend(answers: RecordedAnswer[]): Send {
  return async (request) => {
    const response = await fetch(request);
    const copy = response.clone();
    answers.push({
      request: `${request.method} ${new URL(request.url).pathname}`,
      status: copy.status,
      headers: [...copy.headers],
      text: await copy.text(),
    });
    return response;
  };
}

/** Tokens where they belong: in answers to what succeeded, as these members and this header. */
const MEMBERS = new Set(["resumeToken", "participantToken"]);
const HEADER = "resume-token";

/** What the answer shows apart from the places meant for tokens, and the tokens in these places. */
function split({ status, headers, text }: RecordedAnswer): { tokens: string[]; rest: string } {
  if (status >= 300) return { tokens: [], rest: JSON.stringify([headers, text]) };
  const tokens = headers.filter(([name]) => name === HEADER).map(([, value]) => value);
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // Lines, a stream or nothing: no place in it is meant for a token.
  }
  if (typeof body === "object" && body !== null) {
    const entries = Object.entries(body);
    tokens.push(...entries.filter(([name]) => MEMBERS.has(name)).map(([, value]) => value));
    body = Object.fromEntries(entries.filter(([name]) => !MEMBERS.has(name)));
  }
  const others = headers.filter(([name]) => name !== HEADER);
  return { tokens: [...new Set(tokens)], rest: JSON.stringify([others, body]) };
}

export const issuedTokens = (answers: readonly RecordedAnswer[]): readonly string[] => [
  ...new Set(answers.flatMap((answer) => split(answer).tokens)),
];

const spellings = (bytes: Buffer): readonly Buffer[] => [
  bytes,
  ...[bytes.toString("hex"), bytes.toString("hex").toUpperCase()].map((text) => Buffer.from(text)),
  ...[bytes.toString("base64url"), bytes.toString("base64").replace(/=+$/, "")].map((text) =>
    Buffer.from(text),
  ),
];

/** All a token's secret, or a key, can look like. */
export function needlesFor(secret: string): readonly Buffer[] {
  if (!secret.startsWith(TOKEN_PREFIX)) return spellings(Buffer.from(secret));
  const part = secret.slice(-SECRET_CHARACTERS);
  return [...spellings(Buffer.from(part, "base64url")), ...spellings(Buffer.from(part))];
}

const contains = (haystack: Buffer, secrets: readonly string[]): boolean =>
  secrets.some((secret) => needlesFor(secret).some((needle) => haystack.includes(needle)));

/** Answers that show one of the secrets, or anything shaped as a token, outside its place. */
export const leakingAnswers = (
  answers: readonly RecordedAnswer[],
  secrets: readonly string[],
): readonly string[] =>
  answers
    .filter((answer) => {
      const { rest } = split(answer);
      return tokensIn(rest).length > 0 || contains(Buffer.from(rest), secrets);
    })
    .map(({ request, status }) => `${request} ${status}`);

export const leakingFiles = (folder: string, secrets: readonly string[]): readonly string[] =>
  filesUnder(folder).filter((path) => contains(readIfThere(path), secrets));

/** A running server closes databases, and with one goes its shared memory: then there is nothing. */
export function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}

export const isLeakedIn = (output: string | Buffer, secrets: readonly string[]): boolean =>
  contains(Buffer.from(output), secrets);

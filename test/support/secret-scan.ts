/**
 * Finds secrets where none are allowed: in answers outside the members that carry them, in files and in
 * log output, in every encoding that a program could have used.
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

/** Sends like `fetch` and records the responses. */
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

/** The members and the header in which a successful answer may carry tokens. */
const MEMBERS = new Set(["resumeToken", "participantToken"]);
const HEADER = "resume-token";

/** Splits an answer into the tokens in their members and the rest. */
function split({ status, headers, text }: RecordedAnswer): { tokens: string[]; rest: string } {
  if (status >= 300) return { tokens: [], rest: JSON.stringify([headers, text]) };
  const tokens = headers.filter(([name]) => name === HEADER).map(([, value]) => value);
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // Lines, a stream or an empty body: no part of it may carry a token.
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

/** All encodings of a token's secret, or of a key. */
export function needlesFor(secret: string): readonly Buffer[] {
  if (!secret.startsWith(TOKEN_PREFIX)) return spellings(Buffer.from(secret));
  const part = secret.slice(-SECRET_CHARACTERS);
  return [...spellings(Buffer.from(part, "base64url")), ...spellings(Buffer.from(part))];
}

const contains = (haystack: Buffer, secrets: readonly string[]): boolean =>
  secrets.some((secret) => needlesFor(secret).some((needle) => haystack.includes(needle)));

/** Answers with one of the secrets, or any text in the format of a token, outside its member. */
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

/** A running server closes databases and removes their shared memory, so a file may be gone. */
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

/**
 * Parses `--resume-command` into arguments. No shell reads it: a prompt is text of others, and it
 * reaches the program only as one whole argument or through its environment.
 */
import { UsageError } from "./command";

const PROMPT = "{prompt}";

/** Checked at the start, so that a run does not fail at its first resume. */
export function parseResumeCommand(text: string): readonly string[] {
  const words = splitWords(text);
  if (words.length === 0) throw new UsageError("--resume-command does not name a program to run.");
  if (words.some((word) => word.includes("{token}"))) {
    throw new UsageError(
      "{token} is not allowed in a command, because everybody on the machine can read the arguments. Use --with-token, and read BATON_TOKEN in the program.",
    );
  }
  if (words.some((word) => word.includes(PROMPT) && word !== PROMPT)) {
    throw new UsageError(
      `{prompt} must be a separate argument, as in: --resume-command 'my-agent --prompt {prompt}'. In a shell, read it from the environment: --resume-command "sh -c 'my-agent \\"\\$BATON_PROMPT\\"'"`,
    );
  }
  return words;
}

/** The server creates ids from letters, digits and dashes, so an id may be part of an argument. */
export const fillPlaceholders = (
  words: readonly string[],
  { sessionId, prompt }: { readonly sessionId: string; readonly prompt: string },
): readonly string[] =>
  words.map((word) => (word === PROMPT ? prompt : word.replaceAll("{sessionId}", () => sessionId)));

/**
 * Splits at spaces, except inside quotes. A backslash escapes the next character, except inside
 * '…'.
 */
function splitWords(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === "\\" && quote !== "'" && at + 1 < text.length) {
      at += 1;
      word = (word ?? "") + text[at]!;
    } else if (quote !== null) {
      if (character === quote) quote = null;
      else word = (word ?? "") + character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + character;
  }
  if (quote !== null) throw new UsageError(`A quote in --resume-command is not closed: ${quote}`);
  if (word !== null) words.push(word);
  return words;
}

/**
 * What the log records about a thrown error: its name and stack frames. The message is never
 * logged, because it may quote what a client sent.
 */
const FRAMES = 6;

export const describeBug = (error: unknown): { readonly error: string; readonly stack: string } =>
  error instanceof Error
    ? { error: error.name, stack: framesOf(error.stack ?? "") }
    : { error: typeof error, stack: "" };

/** Keeps only the lines of stack frames. The message itself may contain line feeds. */
const framesOf = (stack: string): string =>
  stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, FRAMES)
    .join("\n");

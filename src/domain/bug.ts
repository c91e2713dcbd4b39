/**
 * What a log may say of something thrown: its kind and where, never its message, which may quote
 * what a client sent.
 */
const FRAMES = 6;

export const describeBug = (error: unknown): { readonly error: string; readonly stack: string } =>
  error instanceof Error
    ? { error: error.name, stack: framesOf(error.stack ?? "") }
    : { error: typeof error, stack: "" };

/** Lines that name a place. A message may hold line feeds of its own. */
const framesOf = (stack: string): string =>
  stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, FRAMES)
    .join("\n");

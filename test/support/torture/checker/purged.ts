/** Once a purge is acknowledged nothing is left, and whoever comes is told that it is gone. */
import type { Violation } from "./history.ts";

export interface Purged {
  /** Rows of the log and files that are still there. */
  readonly rows: number;
  readonly files: number;
  /** What was asked afterwards, and the status it was answered with. */
  readonly asked: readonly { readonly what: string; readonly status: number }[];
}

/** A code may be unknown by then; a key that named the session finds that it was used. */
const GONE = new Set([404, 410, 422]);

export function checkPurged({ rows, files, asked }: Purged): readonly Violation[] {
  const left = [
    ...(rows === 0 ? [] : [`${rows} rows of the log are left`]),
    ...(files === 0 ? [] : [`${files} files are left`]),
    ...asked
      .filter(({ status }) => !GONE.has(status))
      .map(({ what, status }) => `${what} was answered with ${status}`),
  ];
  return left.map((what) => ({ rule: "what is purged is gone", what }));
}

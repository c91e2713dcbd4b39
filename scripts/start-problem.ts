/** Explains in one sentence why a server does not start, if the cause is the machine and not a bug. */
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_READONLY = 8;
/** Less than a new data folder needs. */
export const MIN_FREE_BYTES = 1024 * 1024;

/** The properties that the system and SQLite add to an error. */
interface Thrown {
  readonly code?: string;
  readonly errcode?: number;
  readonly path?: string;
}

/** Null for a bug, which is printed with its stack. */
export function startProblem(error: unknown, dataFolder: string): string | null {
  const { code, errcode, path = dataFolder } = error as Thrown;
  if (code === "ENOSPC" || errcode === SQLITE_FULL) return diskIsFull(path);
  const isRefused = code === "EACCES" || code === "EPERM" || code === "EROFS";
  if (isRefused || errcode === SQLITE_CANTOPEN || errcode === SQLITE_READONLY) {
    return `This user cannot read and write ${path}. Change who owns it, or choose another folder with --data.`;
  }
  return code === "ENOTDIR" || code === "EEXIST"
    ? `${path} is not a folder. Choose another one with --data.`
    : null;
}

const diskIsFull = (path: string): string =>
  `The disk of ${path} is full, so the server cannot write. Free some space, then start it again.`;

/** Why a server does not start, in one sentence, where the reason lies with the machine and not with us. */
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_READONLY = 8;
/** Less than a new data folder takes. */
export const MIN_FREE_BYTES = 1024 * 1024;

/** What the system and SQLite add to an error. */
interface Thrown {
  readonly code?: string;
  readonly errcode?: number;
  readonly path?: string;
}

/** Null for what is a fault of ours: that is told with its stack. */
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

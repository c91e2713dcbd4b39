/** Queries the disk and memory of a self-hosted server's machine. On Cloudflare there is no such machine. */
import type { Failure } from "../domain/failure";
import type { Env } from "../env";

export interface HostStatus {
  readonly diskFreeBytes: number;
  /** Of the server and its runtime together. */
  readonly memoryBytes: number;
}

type Settings = Pick<Env, "HOST">;

/** A write fails shortly before the disk is full: the largest is a row of 2 MB, with its journal. */
const FULL_BELOW_BYTES = 4 * 1024 * 1024;
/** The operator must free space first. */
const FULL_RETRY_MS = 30_000;

/** Null if it is not known. */
export function hostStatus(env: Settings): Promise<HostStatus | null> {
  return fetchHost<HostStatus>(env, "status");
}

/** The size of all files of the server, at most some minutes old. */
export async function dataBytes(env: Settings): Promise<number | null> {
  return (await fetchHost<{ readonly bytes: number }>(env, "data"))?.bytes ?? null;
}

async function fetchHost<T>({ HOST }: Settings, what: string): Promise<T | null> {
  if (HOST === undefined) return null;
  try {
    const response = await HOST.fetch(`http://host.invalid/host/${what}`);
    return response.ok ? await response.json<T>() : null;
  } catch {
    return null;
  }
}

/**
 * A failure if the disk is full, or would be with `more` bytes. It is checked after an error, because
 * the runtime writes the reason only to its own log; and before a file, because the runtime would wait
 * forever for space.
 */
export async function diskFailure(env: Settings, more = 0): Promise<Failure | null> {
  const status = await hostStatus(env);
  return status !== null && status.diskFreeBytes < FULL_BELOW_BYTES + more
    ? { code: "overloaded", retryAfterMs: FULL_RETRY_MS, why: "disk_full" }
    : null;
}

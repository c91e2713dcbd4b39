/** What the machine of a self-hosted server says of its resources. On Cloudflare there is no such machine. */
import type { Failure } from "../domain/failure";
import type { Env } from "../env";

export interface HostStatus {
  readonly diskFreeBytes: number;
  /** Of the server and its runtime together. */
  readonly memoryBytes: number;
}

type Settings = Pick<Env, "HOST">;

/** A write fails somewhat before the last byte: the largest is a row of 2 MB, with its journal. */
const FULL_BELOW_BYTES = 4 * 1024 * 1024;
/** Somebody has to make room first. */
const FULL_RETRY_MS = 30_000;

/** Null where nobody can say. */
export function hostStatus(env: Settings): Promise<HostStatus | null> {
  return fetchHost<HostStatus>(env, "status");
}

/** Of all files of the server, as of at most some minutes ago. */
export async function dataBytes(env: Settings): Promise<number | null> {
  return (await fetchHost<{ readonly bytes: number }>(env, "data"))?.bytes ?? null;
}

async function fetchHost<T>({ HOST }: Settings, what: string): Promise<T | null> {
  if (HOST === undefined) return null;
  try {
    const answer = await HOST.fetch(`http://host.invalid/host/${what}`);
    return answer.ok ? await answer.json<T>() : null;
  } catch {
    return null;
  }
}

/**
 * Null unless the disk is full, or would be with so many bytes more. Asked after something failed, because
 * the runtime says the reason to nobody but its own log; and before a file, which it would wait with for ever.
 */
export async function diskFailure(env: Settings, more = 0): Promise<Failure | null> {
  const status = await hostStatus(env);
  return status !== null && status.diskFreeBytes < FULL_BELOW_BYTES + more
    ? { code: "overloaded", retryAfterMs: FULL_RETRY_MS, why: "disk_full" }
    : null;
}

/** Parses entity tags and keys in request headers. */
import { invalid } from "../domain/failure";
import { parseLeaseRef, type LeaseRef } from "../domain/leases/lease";
import { LIMITS } from "../domain/limits";
import { ok, refuse, type Result } from "../domain/result";
import type { SessionText } from "../domain/session/view";

export const etagOf = ({ version, head }: Pick<SessionText, "version" | "head">): string =>
  `"${version}.${head}"`;

const VERSION_TAG = /^(?:"(\d{1,15})(?:\.\d{1,15})?"|(\d{1,15}))$/;

/** The version part of If-Match, or null if the header is absent. */
export function ifMatchOf(headers: Headers): Result<number | null> {
  const header = headers.get("If-Match");
  if (header === null) return ok(null);
  const match = VERSION_TAG.exec(header.trim());
  if (match === null) {
    return refuse(invalid('If-Match must be one version, as in If-Match: "7"', "If-Match"));
  }
  return ok(Number(match[1] ?? match[2]));
}

export function isNotModified(headers: Headers, etag: string): boolean {
  const header = headers.get("If-None-Match");
  if (header === null) return false;
  return header
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""))
    .some((tag) => tag === "*" || tag === etag);
}

/** The lease that the request names, or null if the header is absent. */
export function leaseOf(headers: Headers): Result<LeaseRef | null> {
  const header = headers.get("Baton-Lease");
  return header === null ? ok(null) : parseLeaseRef(header, "Baton-Lease");
}

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

export function idempotencyKeyOf(headers: Headers): Result<string | null> {
  const key = headers.get("Idempotency-Key");
  if (key === null) return ok(null);
  if (key.length > LIMITS.idempotencyKeyLength || !VISIBLE_ASCII.test(key)) {
    const detail = `Idempotency-Key must be 1 to ${LIMITS.idempotencyKeyLength} visible ASCII characters`;
    return refuse(invalid(detail, "Idempotency-Key"));
  }
  return ok(key);
}

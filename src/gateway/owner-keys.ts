/**
 * Authenticates owners' keys and decides who may create sessions. No right follows from the source
 * address of a request: behind a proxy on the same machine every caller is loopback. What counts is the
 * setting PUBLIC_URL, which only the operator writes.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "../domain/base64url";
import type { Failure } from "../domain/failure";
import { isKey, KEY_PREFIX, LOCAL_OWNER, parseOwners, quotaTable } from "../domain/owners/owners";
import type { Owner, OwnerKey, QuotaTable, Right } from "../domain/owners/owners";
import type { KeyCredential } from "../domain/owners/open-by-key";
import { ok, refuse, type Result } from "../domain/result";
import type { Env } from "../env";
import type { Caller } from "./caller";
import type { RateLimiter } from "./rate-limiter";
import { isLoopback } from "./public-url";

/** A valid key and its owner. */
export interface Holder {
  readonly owner: Owner;
  readonly key: OwnerKey;
}

/** Who owns a new session: no one, an owner by its key, or `local` without a key. */
export interface Creator {
  readonly owner: string | null;
  readonly holder: Holder | null;
}

type Settings = Pick<Env, "OWNERS" | "OPEN_CREATE" | "PUBLIC_URL">;

/** The session belongs only to its participants. */
const NO_OWNER: Creator = { owner: null, holder: null };

const encoder = new TextEncoder();
/** The setting is constant for the isolate's lifetime, so it is parsed once. */
let lastRead: { readonly text: string; readonly owners: readonly Owner[] } | null = null;

/** Null if the deployment lists no owners. An invalid list is the operator's mistake. */
function ownersOf({ OWNERS }: Pick<Env, "OWNERS">): Result<readonly Owner[] | null> {
  if (OWNERS === undefined || OWNERS === "") return ok(null);
  if (lastRead?.text === OWNERS) return ok(lastRead.owners);
  const owners = parseOwners(OWNERS);
  // The details may quote the list, so callers learn only that it is invalid.
  const detail = "The setting OWNERS is not a valid list of owners, so no key can be checked.";
  if (!owners.ok) return refuse({ code: "not_configured", setting: "OWNERS", detail });
  lastRead = { text: OWNERS, owners: owners.value };
  return owners;
}

/** Empty if the list is invalid. */
export function ownerNames(env: Pick<Env, "OWNERS">): readonly string[] {
  const owners = ownersOf(env);
  return owners.ok ? (owners.value ?? []).map(({ name }) => name) : [];
}

/** The quotas of each owner, for the object that creates a session. */
export function quotasOf(env: Pick<Env, "OWNERS">): QuotaTable {
  const owners = ownersOf(env);
  return owners.ok ? quotaTable(owners.value ?? []) : {};
}

/** The owner of sessions that are created without a key; null if they have none or cannot be created. */
export function keylessOwner(env: Settings): string | null {
  const owners = ownersOf(env);
  const isAttributed = owners.ok && owners.value !== null && isOpenAmong(owners.value, env);
  return isAttributed ? LOCAL_OWNER : null;
}

/** The holder of a key; null if it is not valid. Requires no right. */
export function holderByKey(env: Pick<Env, "OWNERS">, rawKey: string): Holder | null {
  if (!isKey(rawKey)) return null;
  const holder = holderOf(env, rawKey, null, Date.now());
  return holder.ok ? holder.value : null;
}

/** Can a session be created without a key? */
export function isOpenToAll(env: Settings): boolean {
  const owners = ownersOf(env);
  return owners.ok && isOpenAmong(owners.value, env);
}

function isOpenAmong(owners: readonly Owner[] | null, env: Settings): boolean {
  if (owners === null) return isLoopback(env) || env.OPEN_CREATE === "true";
  return isLoopback(env) && owners.some(({ name }) => name === LOCAL_OWNER);
}

/**
 * Who may create a session with this key, if there is one. If owners are listed, a wrong key is always
 * refused, even if no key is needed.
 */
export function admitCreator(env: Settings, rawKey: string | null, now: number): Result<Creator> {
  const owners = ownersOf(env);
  if (!owners.ok) return owners;
  const isOpen = isOpenAmong(owners.value, env);
  if (isOpen && owners.value === null) return ok(NO_OWNER);
  if (rawKey === null || rawKey === "" || (isOpen && !rawKey.startsWith(KEY_PREFIX))) {
    if (!isOpen) return refuse({ code: "credential_missing", what: "key" });
    return ok({ owner: LOCAL_OWNER, holder: null });
  }
  const holder = holderOf(env, rawKey, "create", now);
  return holder.ok ? ok({ owner: holder.value.owner.name, holder: holder.value }) : holder;
}

/** Adds the creator of a session, and the key, to the request's log line. */
export function recordCreator(
  { telemetry }: Pick<Caller, "telemetry">,
  { owner, holder }: Creator,
): void {
  if (telemetry === null || owner === null) return;
  telemetry.owner = owner;
  if (holder !== null) telemetry.key = holder.key.name;
}

/** The holder of a key. Without `right`, any valid key is accepted. */
export async function admitKey(
  caller: Pick<Caller, "settings" | "telemetry">,
  rawKey: string | null,
  rateLimiter: RateLimiter,
  right: Right | null = null,
): Promise<Result<Holder>> {
  if (rawKey === null || rawKey === "") {
    return refuse({ code: "credential_missing", what: "key" });
  }
  const holder = holderOf(caller.settings, rawKey, null, Date.now());
  if (holder.ok) {
    recordCreator(caller, { owner: holder.value.owner.name, holder: holder.value });
    const problem = right === null ? null : rightProblem(holder.value, right);
    return problem === null ? holder : refuse(problem);
  }
  return refuse(await reportRefusedKey(caller, rawKey, rateLimiter, holder.error));
}

/** The number of hash digits that a log shows, as in the session's own log. */
const SHOWN_DIGITS = 12;

/**
 * Logs and counts a wrong key. A valid key is never blocked because others were wrong: 256 random bits
 * cannot be guessed, and a client that still sends a removed key must not lock out other clients. If it
 * does not have a key's format, not even a hash is logged: it may be a password.
 */
export async function reportRefusedKey(
  { telemetry }: Pick<Caller, "telemetry">,
  rawKey: string | null,
  rateLimiter: RateLimiter,
  failure: Failure,
): Promise<Failure> {
  if (rawKey === null || failure.code !== "token_invalid") return failure;
  const loggedHash = isKey(rawKey) ? hashOf(rawKey).slice(0, SHOWN_DIGITS) : "malformed";
  if (telemetry !== null) telemetry.refusedKey = loggedHash;
  return rateLimiter.countInvalid("owner key", failure);
}

const hashOf = (key: string): string => bytesToHex(sha256(encoder.encode(key)));

/** The holder of the key with this hash; null if it is not listed or has expired. */
export function holderByHash(
  env: Pick<Env, "OWNERS">,
  keyHash: string,
  now: number,
): Holder | null {
  const owners = ownersOf(env);
  const listed = owners.ok ? (owners.value ?? []) : [];
  const holders = listed.flatMap((owner) =>
    owner.keys.flatMap((key) => (key.keyHash === keyHash ? [{ owner, key }] : [])),
  );
  const [holder = null] = holders;
  const hasExpired = holder?.key.expiresAt != null && now >= holder.key.expiresAt;
  return hasExpired ? null : holder;
}

/** The failure if the key lacks a right. */
export const rightProblem = ({ key }: Holder, right: Right): Failure | null =>
  key.rights.includes(right) ? null : { code: "scope_denied", needed: right, why: "key_lacks" };

/** The form in which objects receive a key. */
export const keyCredentialOf = ({ owner, key }: Holder): KeyCredential => ({
  owner: owner.name,
  name: key.name,
  hash: key.keyHash,
  rights: key.rights,
  expiresAt: key.expiresAt,
});

/** The holder of a key that is listed, has not expired and has the right. */
function holderOf(
  env: Pick<Env, "OWNERS">,
  rawKey: string,
  right: Right | null,
  now: number,
): Result<Holder> {
  const owners = ownersOf(env);
  if (!owners.ok) return owners;
  const hash = encoder.encode(hashOf(rawKey));
  // Every key is compared, each in constant time, so that the response time reveals nothing of the list.
  const holders = (owners.value ?? []).flatMap((owner) =>
    owner.keys.flatMap((key) =>
      crypto.subtle.timingSafeEqual(hash, encoder.encode(key.keyHash)) ? [{ owner, key }] : [],
    ),
  );
  const [holder] = holders;
  const hasExpired = holder?.key.expiresAt != null && now >= holder.key.expiresAt;
  if (holder === undefined || hasExpired || !isKey(rawKey)) {
    return refuse({ code: "token_invalid", what: "key" });
  }
  const problem = right === null ? null : rightProblem(holder, right);
  return problem === null ? ok(holder) : refuse(problem);
}

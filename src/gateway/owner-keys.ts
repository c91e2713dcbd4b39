/**
 * Whose key was presented, and who may begin sessions. No right follows from where a request comes
 * from: behind a proxy on the same machine everybody is loopback. What counts is the setting
 * PUBLIC_URL, which only the operator writes.
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

/** A key that was presented, with the owner it belongs to. */
export interface Holder {
  readonly owner: Owner;
  readonly key: OwnerKey;
}

/** Who a new session belongs to: nobody, an owner by its key, or `local` without one. */
export interface Creator {
  readonly owner: string | null;
  readonly holder: Holder | null;
}

type Settings = Pick<Env, "OWNERS" | "OPEN_CREATE" | "PUBLIC_URL">;

/** A session that belongs to nobody but its participants. */
const NO_OWNER: Creator = { owner: null, holder: null };

const encoder = new TextEncoder();
/** The setting is the same for as long as the isolate lives; a request need not read it anew. */
let lastRead: { readonly text: string; readonly owners: readonly Owner[] } | null = null;

/** Null where the deployment lists none. A text that cannot be read is a mistake of who deploys. */
function ownersOf({ OWNERS }: Pick<Env, "OWNERS">): Result<readonly Owner[] | null> {
  if (OWNERS === undefined || OWNERS === "") return ok(null);
  if (lastRead?.text === OWNERS) return ok(lastRead.owners);
  const owners = parseOwners(OWNERS);
  // What exactly is wrong may quote the list; strangers are told only that it is.
  const why = "The setting OWNERS is not a valid list of owners, so no key can be checked.";
  if (!owners.ok) return refuse({ code: "not_configured", setting: "OWNERS", why });
  lastRead = { text: OWNERS, owners: owners.value };
  return owners;
}

/** None where the list cannot be read. */
export function ownerNames(env: Pick<Env, "OWNERS">): readonly string[] {
  const owners = ownersOf(env);
  return owners.ok ? (owners.value ?? []).map(({ name }) => name) : [];
}

/** What each owner may have, for the object that begins a session. */
export function quotasOf(env: Pick<Env, "OWNERS">): QuotaTable {
  const owners = ownersOf(env);
  return owners.ok ? quotaTable(owners.value ?? []) : {};
}

/** Whose a session is that was begun without a key; null: nobody's, or there can be none. */
export function keylessOwner(env: Settings): string | null {
  const owners = ownersOf(env);
  const isAttributed = owners.ok && owners.value !== null && isOpenAmong(owners.value, env);
  return isAttributed ? LOCAL_OWNER : null;
}

/** Whose key this is; null where it is no key that counts. Asks for no right. */
export function holderByKey(env: Pick<Env, "OWNERS">, presented: string): Holder | null {
  if (!isKey(presented)) return null;
  const holder = holderOf(env, presented, null, Date.now());
  return holder.ok ? holder.value : null;
}

/** Can a session be begun without a key? */
export function isOpenToAll(env: Settings): boolean {
  const owners = ownersOf(env);
  return owners.ok && isOpenAmong(owners.value, env);
}

function isOpenAmong(owners: readonly Owner[] | null, env: Settings): boolean {
  if (owners === null) return isLoopback(env) || env.OPEN_CREATE === "true";
  return isLoopback(env) && owners.some(({ name }) => name === LOCAL_OWNER);
}

/**
 * Who may begin with what was presented, where anything was. Where owners are listed a key is never
 * taken for none: whoever sends a wrong one is told so, even where no key is needed.
 */
export function admitCreator(
  env: Settings,
  presented: string | null,
  now: number,
): Result<Creator> {
  const owners = ownersOf(env);
  if (!owners.ok) return owners;
  const isOpen = isOpenAmong(owners.value, env);
  if (isOpen && owners.value === null) return ok(NO_OWNER);
  if (presented === null || presented === "" || (isOpen && !presented.startsWith(KEY_PREFIX))) {
    if (!isOpen) return refuse({ code: "credential_missing", what: "key" });
    return ok({ owner: LOCAL_OWNER, holder: null });
  }
  const holder = holderOf(env, presented, "create", now);
  return holder.ok ? ok({ owner: holder.value.owner.name, holder: holder.value }) : holder;
}

/** The request's log line names who begins a session, and by which key. */
export function recordCreator(
  { telemetry }: Pick<Caller, "telemetry">,
  { owner, holder }: Creator,
): void {
  if (telemetry === null || owner === null) return;
  telemetry.owner = owner;
  if (holder !== null) telemetry.key = holder.key.name;
}

/** The holder of a key that was presented. Without a right any key will do. */
export async function admitKey(
  caller: Pick<Caller, "settings" | "telemetry">,
  presented: string | null,
  rateLimiter: RateLimiter,
  right: Right | null = null,
): Promise<Result<Holder>> {
  if (presented === null || presented === "") {
    return refuse({ code: "credential_missing", what: "key" });
  }
  const holder = holderOf(caller.settings, presented, null, Date.now());
  if (holder.ok) {
    recordCreator(caller, { owner: holder.value.owner.name, holder: holder.value });
    const lacking = right === null ? null : rightProblem(holder.value, right);
    return lacking === null ? holder : refuse(lacking);
  }
  return refuse(await reportRefusedKey(caller, presented, rateLimiter, holder.error));
}

/** Hex digits of a hash that a log shows, as the session's own log does. */
const SHOWN_DIGITS = 12;

/**
 * What a wrong key gets: it is logged and counted. A right one is never asked whether others were
 * wrong: 256 random bits are not found by trying, and who still sends a key that was removed must not
 * lock out who holds another. Of what is no key not even a hash is shown: it may be a password.
 */
export async function reportRefusedKey(
  { telemetry }: Pick<Caller, "telemetry">,
  presented: string | null,
  rateLimiter: RateLimiter,
  failure: Failure,
): Promise<Failure> {
  if (presented === null || failure.code !== "token_invalid") return failure;
  const shown = isKey(presented) ? hashOf(presented).slice(0, SHOWN_DIGITS) : "malformed";
  if (telemetry !== null) telemetry.refusedKey = shown;
  return rateLimiter.countInvalid("owner key", failure);
}

const hashOf = (key: string): string => bytesToHex(sha256(encoder.encode(key)));

/** Who holds the key of this hash now; null where it is not listed, or has ended. */
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
  const isOver = holder?.key.expiresAt != null && now >= holder.key.expiresAt;
  return isOver ? null : holder;
}

/** What stands against it where the key lacks a right. */
export const rightProblem = ({ key }: Holder, right: Right): Failure | null =>
  key.rights.includes(right) ? null : { code: "scope_denied", needed: right, why: "key_lacks" };

/** As the objects are told of it. */
export const keyCredentialOf = ({ owner, key }: Holder): KeyCredential => ({
  owner: owner.name,
  name: key.name,
  hash: key.keyHash,
  rights: key.rights,
  expiresAt: key.expiresAt,
});

/** The holder of a key that is listed, has not ended and carries the right. */
function holderOf(
  env: Pick<Env, "OWNERS">,
  presented: string,
  right: Right | null,
  now: number,
): Result<Holder> {
  const owners = ownersOf(env);
  if (!owners.ok) return owners;
  const given = encoder.encode(hashOf(presented));
  // Every key is looked at, each in constant time: the answer's time says nothing of the list.
  const holders = (owners.value ?? []).flatMap((owner) =>
    owner.keys.flatMap((key) =>
      crypto.subtle.timingSafeEqual(given, encoder.encode(key.keyHash)) ? [{ owner, key }] : [],
    ),
  );
  const [holder] = holders;
  const isOver = holder?.key.expiresAt != null && now >= holder.key.expiresAt;
  if (holder === undefined || isOver || !isKey(presented)) {
    return refuse({ code: "token_invalid", what: "key" });
  }
  const lacking = right === null ? null : rightProblem(holder, right);
  return lacking === null ? ok(holder) : refuse(lacking);
}

/**
 * Parses and checks the setting `OWNERS`. There are no accounts: a key is the account, and the
 * setting contains only its hash. Errors name the position of a problem, never the content.
 *
 * Imports have file extensions, so that scripts can use this file directly.
 */
import {
  firstLocation,
  isJurisdiction,
  isLocationHint,
  JURISDICTIONS,
  LOCATION_HINTS,
} from "../session/location.ts";
import type { Jurisdiction, LocationHint } from "../session/location.ts";
import { ok, refuse, type Result } from "../result.ts";

const RIGHTS = ["create", "read", "open", "manage"] as const;
export type Right = (typeof RIGHTS)[number];

export interface OwnerKey {
  /** The log contains it as the name of the acting key. */
  readonly name: string;
  /** SHA-256 of the whole text of the key, in lower-case hex. */
  readonly keyHash: string;
  readonly rights: readonly Right[];
  /** In ms since 1970. Null: until it is removed from the setting. */
  readonly expiresAt: number | null;
}

export interface Quotas {
  readonly openSessions: number | null;
  readonly createsPerMinute: number | null;
}

/** By the name of the owner. Only owners that have a quota. */
export type QuotaTable = Readonly<Record<string, Quotas>>;

export interface Owner {
  readonly name: string;
  /** Two valid keys at the same time make it possible to replace one. */
  readonly keys: readonly OwnerKey[];
  readonly quotas: Quotas;
  /** Where its sessions are stored unless they request another location. */
  readonly jurisdiction?: Jurisdiction;
  readonly locationHint?: LocationHint;
}

/** The owner that `npm start` creates. Creates without a key on this machine are attributed to it. */
export const LOCAL_OWNER = "local";

/**
 * The name of its directory object. Names of owners contain no slash; the number leaves room for
 * shards.
 */
export const directoryName = (owner: string): string => `${owner}/0`;

export const KEY_PREFIX = "bkey_";
const KEY = /^bkey_[A-Za-z0-9_-]{43}$/;
export const isKey = (text: string): boolean => KEY.test(text);

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const HASH = /^[0-9a-f]{64}$/i;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** The owners in the setting, or a sentence that explains what is wrong with it. */
export function parseOwners(text: string): Result<readonly Owner[], string> {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return refuse("OWNERS is not valid JSON.");
  }
  if (!Array.isArray(list)) return refuse("OWNERS must be a JSON list of owners.");
  const owners: Owner[] = [];
  for (const [at, entry] of list.entries()) {
    const owner = ownerIn(entry, `OWNERS[${at}]`);
    if (!owner.ok) return owner;
    owners.push(owner.value);
  }
  const duplicate = firstDuplicate(owners.map(({ name }) => name));
  if (duplicate !== null)
    return refuse(`OWNERS[${duplicate}].name is the name of an owner above it.`);
  const hashes = owners.flatMap(({ keys }) => keys.map(({ keyHash }) => keyHash));
  if (firstDuplicate(hashes) !== null)
    return refuse("OWNERS lists the same keyHash more than once.");
  return ok(owners);
}

/** Whether a key with this hash is listed and has not expired. An invalid setting lists none. */
export const isKeyListed = (text: string | undefined, keyHash: string, now: number): boolean =>
  rightsOfKey(text, keyHash, now) !== null;

/** The current rights of a key with this hash; null if it is not listed or has expired. */
export function rightsOfKey(
  text: string | undefined,
  keyHash: string,
  now: number,
): readonly Right[] | null {
  const owners = text === undefined || text === "" ? null : parseOwners(text);
  if (owners === null || !owners.ok) return null;
  const key = owners.value.flatMap(({ keys }) => keys).find((one) => one.keyHash === keyHash);
  if (key === undefined) return null;
  return key.expiresAt === null || now < key.expiresAt ? key.rights : null;
}

/** Only owners that have a quota. */
export const quotaTable = (owners: readonly Owner[]): QuotaTable =>
  Object.fromEntries(
    owners
      .filter(({ quotas }) => quotas.openSessions !== null || quotas.createsPerMinute !== null)
      .map(({ name, quotas }) => [name, quotas]),
  );

/** Whether the owner was removed from the setting. False if there is no valid setting. */
export function isOwnerRemoved(text: string | undefined, name: string): boolean {
  const owners = text === undefined || text === "" ? null : parseOwners(text);
  return owners?.ok === true && !owners.value.some((owner) => owner.name === name);
}

function ownerIn(entry: unknown, at: string): Result<Owner, string> {
  const members = membersOf(entry, ["name", "keys", "quotas", "jurisdiction", "locationHint"], at);
  if (!members.ok) return members;
  const { name, keys, quotas = {}, jurisdiction, locationHint } = members.value;
  if (!isName(name)) return refuse(`${at}.name ${NAME_RULE}`);
  if (!Array.isArray(keys)) return refuse(`${at}.keys must be a list of keys.`);
  const ownerKeys: OwnerKey[] = [];
  for (const [nth, key] of keys.entries()) {
    const one = keyIn(key, `${at}.keys[${nth}]`);
    if (!one.ok) return one;
    ownerKeys.push(one.value);
  }
  const duplicate = firstDuplicate(ownerKeys.map((key) => key.name));
  if (duplicate !== null)
    return refuse(`${at}.keys[${duplicate}].name is the name of a key above it.`);
  const parsedQuotas = quotasIn(quotas, `${at}.quotas`);
  if (!parsedQuotas.ok) return parsedQuotas;
  if (jurisdiction !== undefined && !isJurisdiction(jurisdiction)) {
    return refuse(`${at}.jurisdiction must be one of ${JURISDICTIONS.join(", ")}.`);
  }
  if (locationHint !== undefined && !isLocationHint(locationHint)) {
    return refuse(`${at}.locationHint must be one of ${LOCATION_HINTS.join(", ")}.`);
  }
  const location = firstLocation({ jurisdiction, locationHint });
  return ok({ name, keys: ownerKeys, quotas: parsedQuotas.value, ...location });
}

function keyIn(entry: unknown, at: string): Result<OwnerKey, string> {
  const members = membersOf(entry, ["name", "keyHash", "rights", "expiresAt"], at);
  if (!members.ok) return members;
  const { name, keyHash, rights, expiresAt } = members.value;
  if (!isName(name)) return refuse(`${at}.name ${NAME_RULE}`);
  if (typeof keyHash !== "string" || !HASH.test(keyHash)) {
    return refuse(`${at}.keyHash must be the SHA-256 of the key: 64 hexadecimal characters.`);
  }
  if (!Array.isArray(rights) || !rights.every(isRight)) {
    return refuse(`${at}.rights must be a list of ${RIGHTS.join(", ")}.`);
  }
  if (expiresAt !== undefined && !isTime(expiresAt)) {
    return refuse(`${at}.expiresAt must be a time such as 2027-01-31T00:00:00Z.`);
  }
  const end = expiresAt === undefined ? null : Date.parse(expiresAt);
  return ok({ name, keyHash: keyHash.toLowerCase(), rights, expiresAt: end });
}

function quotasIn(entry: unknown, at: string): Result<Quotas, string> {
  const members = membersOf(entry, ["openSessions", "createsPerMinute"], at);
  if (!members.ok) return members;
  const { openSessions = null, createsPerMinute = null } = members.value;
  if (!isQuota(openSessions)) return refuse(`${at}.openSessions must be a whole number.`);
  if (!isQuota(createsPerMinute)) return refuse(`${at}.createsPerMinute must be a whole number.`);
  return ok({ openSessions, createsPerMinute });
}

/** An unknown member is a spelling mistake: a quota or an expiry that would never apply. */
function membersOf(
  entry: unknown,
  known: readonly string[],
  at: string,
): Result<Readonly<Record<string, unknown>>, string> {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    return refuse(`${at} must be an object.`);
  }
  const isKnown = Object.keys(entry).every((name) => known.includes(name));
  return isKnown
    ? ok(entry as Readonly<Record<string, unknown>>)
    : refuse(`${at} may have only these members: ${known.join(", ")}.`);
}

/** The index of the first repeated text, or null. */
function firstDuplicate(texts: readonly string[]): number | null {
  const at = texts.findIndex((text, nth) => texts.indexOf(text) !== nth);
  return at === -1 ? null : at;
}

const NAME_RULE = "must be 1 to 64 letters, digits, dots, dashes and underscores.";
const isName = (value: unknown): value is string => typeof value === "string" && NAME.test(value);
const isRight = (value: unknown): value is Right => RIGHTS.some((right) => right === value);
export const isTime = (value: unknown): value is string =>
  typeof value === "string" && TIME.test(value) && !Number.isNaN(Date.parse(value));
const isQuota = (value: unknown): value is number | null =>
  value === null || (typeof value === "number" && Number.isSafeInteger(value) && value >= 0);

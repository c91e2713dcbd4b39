/**
 * Who runs agents here: the setting `OWNERS`, read and checked. There are no accounts; a key is the
 * account, and only its hash stands in the setting. What is wrong with the text is said by its place,
 * never by its content.
 *
 * Imports name their files in full, so that scripts can use this file as it is.
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
  /** Says in the log which key acted. */
  readonly name: string;
  /** SHA-256 of the whole text of the key, in lower-case hex. */
  readonly keyHash: string;
  readonly rights: readonly Right[];
  /** In ms since 1970; null: until it leaves the setting. */
  readonly expiresAt: number | null;
}

export interface Quotas {
  readonly openSessions: number | null;
  readonly createsPerMinute: number | null;
}

/** By the name of the owner; only owners that have a quota. */
export type QuotaTable = Readonly<Record<string, Quotas>>;

export interface Owner {
  readonly name: string;
  /** Two at once make it possible to replace one. */
  readonly keys: readonly OwnerKey[];
  readonly quotas: Quotas;
  /** Where its sessions are kept unless they ask for another place. */
  readonly jurisdiction?: Jurisdiction;
  readonly locationHint?: LocationHint;
}

/** The owner that `npm start` makes, to whom creates without a key on this machine are attributed. */
export const LOCAL_OWNER = "local";

/** The name of its directory. An owner's has no slash: what follows it leaves room for shards. */
export const directoryName = (owner: string): string => `${owner}/0`;

export const KEY_PREFIX = "bkey_";
const KEY = /^bkey_[A-Za-z0-9_-]{43}$/;
export const isKey = (text: string): boolean => KEY.test(text);

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const HASH = /^[0-9a-f]{64}$/i;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** The owners that the text lists, or a sentence that says what is wrong with it. */
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
  const twice = firstDuplicate(owners.map(({ name }) => name));
  if (twice !== null) return refuse(`OWNERS[${twice}].name is the name of an owner above it.`);
  const hashes = owners.flatMap(({ keys }) => keys.map(({ keyHash }) => keyHash));
  if (firstDuplicate(hashes) !== null)
    return refuse("OWNERS lists the same keyHash more than once.");
  return ok(owners);
}

/** Is a key with this hash listed, and has it not ended? A setting that cannot be read lists none. */
export const isKeyListed = (text: string | undefined, keyHash: string, now: number): boolean =>
  rightsOfKey(text, keyHash, now) !== null;

/** What a key with this hash may do now; null where it is not listed, or has ended. */
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

/** Of the owners that have any. */
export const quotaTable = (owners: readonly Owner[]): QuotaTable =>
  Object.fromEntries(
    owners
      .filter(({ quotas }) => quotas.openSessions !== null || quotas.createsPerMinute !== null)
      .map(({ name, quotas }) => [name, quotas]),
  );

/** Was an owner taken from the setting? Not where there is no setting that could list it. */
export function isOwnerRemoved(text: string | undefined, name: string): boolean {
  const owners = text === undefined || text === "" ? null : parseOwners(text);
  return owners?.ok === true && !owners.value.some((owner) => owner.name === name);
}

function ownerIn(entry: unknown, at: string): Result<Owner, string> {
  const given = membersOf(entry, ["name", "keys", "quotas", "jurisdiction", "locationHint"], at);
  if (!given.ok) return given;
  const { name, keys, quotas = {}, jurisdiction, locationHint } = given.value;
  if (!isName(name)) return refuse(`${at}.name ${NAME_RULE}`);
  if (!Array.isArray(keys)) return refuse(`${at}.keys must be a list of keys.`);
  const read: OwnerKey[] = [];
  for (const [nth, key] of keys.entries()) {
    const one = keyIn(key, `${at}.keys[${nth}]`);
    if (!one.ok) return one;
    read.push(one.value);
  }
  const twice = firstDuplicate(read.map((key) => key.name));
  if (twice !== null) return refuse(`${at}.keys[${twice}].name is the name of a key above it.`);
  const numbers = quotasIn(quotas, `${at}.quotas`);
  if (!numbers.ok) return numbers;
  if (jurisdiction !== undefined && !isJurisdiction(jurisdiction)) {
    return refuse(`${at}.jurisdiction must be one of ${JURISDICTIONS.join(", ")}.`);
  }
  if (locationHint !== undefined && !isLocationHint(locationHint)) {
    return refuse(`${at}.locationHint must be one of ${LOCATION_HINTS.join(", ")}.`);
  }
  const location = firstLocation({ jurisdiction, locationHint });
  return ok({ name, keys: read, quotas: numbers.value, ...location });
}

function keyIn(entry: unknown, at: string): Result<OwnerKey, string> {
  const given = membersOf(entry, ["name", "keyHash", "rights", "expiresAt"], at);
  if (!given.ok) return given;
  const { name, keyHash, rights, expiresAt } = given.value;
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
  const given = membersOf(entry, ["openSessions", "createsPerMinute"], at);
  if (!given.ok) return given;
  const { openSessions = null, createsPerMinute = null } = given.value;
  if (!isQuota(openSessions)) return refuse(`${at}.openSessions must be a whole number.`);
  if (!isQuota(createsPerMinute)) return refuse(`${at}.createsPerMinute must be a whole number.`);
  return ok({ openSessions, createsPerMinute });
}

/** A member that is not known is a word misspelled: a quota or an end that would never hold. */
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

/** The place of the first text that stood before. */
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

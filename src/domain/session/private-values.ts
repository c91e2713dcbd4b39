/**
 * Private values. A field that its schema calls private holds `{"$private": <hash>}` wherever the session
 * is shown, logged or copied; the value and its salt are a row of their own, which can be erased. The hash
 * is SHA-256 over the salt's text and the RFC 8785 JSON of the value.
 */
import { privateFields } from "../../json-schema/private-schema";
import { tooLarge, type Failure, type FieldProblem } from "../failure";
import { canonicalJson, isJsonObject, own, utf8Bytes, type Json, type JsonObject } from "../json";
import { LIMITS } from "../limits";
import type { Narrowing } from "../links/terms";
import type { Participant } from "../participants/participant";
import { ok, refuse, type Result } from "../result";
import type { ErasePrivate } from "./command";
import type { DecisionContext, DecisionResult } from "./decision";
import type { FieldMeta, Session } from "./session";

type Fields = Readonly<Record<string, Json>>;

export interface PrivateValue {
  readonly field: string;
  readonly value: Json;
  /** 32 random bytes, in hex. */
  readonly salt: string;
  /** What stands in the document instead. */
  readonly hash: string;
}

/** What a write does to the rows of private values. */
export interface PrivateChange {
  readonly kept: readonly PrivateValue[];
  readonly dropped: readonly string[];
}

/** What hiding a value takes and a rule has not: randomness and SHA-256. */
export interface HidingContext {
  readonly salt: () => string;
  /** SHA-256 in hex, which the object can do without waiting. */
  readonly digest: (text: string) => string;
  /** All that are kept now. */
  readonly privateValues: () => readonly PrivateValue[];
}

/** Does the schema ask for private values? */
export const hasPrivateFields = (schema: JsonObject | null): boolean =>
  privateFields(schema).size > 0;

const MARK = "$private";

const hashOfPrivate = (
  { salt, value }: Pick<PrivateValue, "salt" | "value">,
  digest: (text: string) => string,
): string => digest(`${salt}${canonicalJson(value)}`);

/** The hash that stands for a private value, or null for what is no such mark. */
export function privateHashIn(value: Json | undefined): string | null {
  if (value === undefined || !isJsonObject(value)) return null;
  const hash = own(value, MARK);
  return typeof hash === "string" && Object.keys(value).length === 1 ? hash : null;
}

export interface HiddenChanges {
  /** The changes as they may be written down. */
  readonly changes: Fields;
  /** The changes as they are validated: without those that only repeat a mark. */
  readonly given: Fields;
  readonly private?: PrivateChange;
}

/** Takes private values out of changes. A mark that is sent back as it stands changes nothing. */
export function hidePrivateValues(
  schema: JsonObject | null,
  before: Fields,
  changes: Fields,
  hiding: HidingContext,
): Result<HiddenChanges> {
  const names = privateFields(schema);
  const concerned = Object.entries(changes).filter(([field]) => names.has(field));
  if (concerned.length === 0) return ok({ changes, given: changes });
  const repeated = concerned.filter(([field, to]) => isRepeated(own(before, field), to));
  const rest = concerned.filter((entry) => !repeated.includes(entry));
  const strange = rest
    .filter(([, to]) => privateHashIn(to) !== null)
    .map(([field]) => foreignHashProblem(field));
  if (strange.length > 0) return refuse({ code: "invalid_fields", problems: strange });
  const kept = rest
    .filter(([, to]) => to !== null)
    .map(([field, value]): PrivateValue => {
      const salt = hiding.salt();
      return { field, value, salt, hash: hashOfPrivate({ salt, value }, hiding.digest) };
    });
  const dropped = rest.filter(([, to]) => to === null).map(([field]) => field);
  const failure = sizeProblem(hiding.privateValues(), kept, dropped);
  if (failure !== null) return refuse(failure);
  const isLeftAlone = new Set(repeated.map(([field]) => field));
  return ok({
    changes: {
      ...changes,
      ...Object.fromEntries(kept.map(({ field, hash }) => [field, { [MARK]: hash }])),
    },
    given: Object.fromEntries(Object.entries(changes).filter(([field]) => !isLeftAlone.has(field))),
    ...(rest.length === 0 ? {} : { private: { kept, dropped } }),
  });
}

const isRepeated = (before: Json | undefined, to: Json): boolean =>
  privateHashIn(to) !== null && privateHashIn(to) === privateHashIn(before);

const foreignHashProblem = (field: string): FieldProblem => ({
  field,
  problem: "invalid",
  message: "is private: send the value itself, not a hash",
});

function sizeProblem(
  stored: readonly PrivateValue[],
  kept: readonly PrivateValue[],
  dropped: readonly string[],
): Failure | null {
  if (kept.length === 0) return null;
  const changed = new Set([...dropped, ...kept.map(({ field }) => field)]);
  const after = [...stored.filter(({ field }) => !changed.has(field)), ...kept];
  const bytes = after.reduce((sum, { value }) => sum + utf8Bytes(JSON.stringify(value)), 0);
  return bytes > LIMITS.privateBytes
    ? tooLarge("the total size of all private values, in bytes", LIMITS.privateBytes)
    : null;
}

/** The document with the true values, for validation. What was erased is not in it. */
export function revealPrivate(
  schema: JsonObject | null,
  fields: Fields,
  stored: () => readonly PrivateValue[],
): Fields {
  const names = privateFields(schema);
  if (![...names].some((name) => privateHashIn(own(fields, name)) !== null)) return fields;
  const values = new Map(stored().map((one) => [one.field, one]));
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, value]): readonly (readonly [string, Json])[] => {
      const hash = names.has(field) ? privateHashIn(value) : null;
      if (hash === null) return [[field, value]];
      const found = values.get(field);
      return found?.hash === hash ? [[field, found.value]] : [];
    }),
  );
}

/**
 * The document as somebody may have it checked: with the private values that `readable` gives them. The
 * others stand as their marks, so that they are there, and nothing depends on what they are.
 */
export const revealReadable = (
  { schema, fields, fieldMeta }: Pick<Session, "schema" | "fields" | "fieldMeta">,
  readable: readonly PrivateValue[],
): { readonly document: Fields; readonly isUnread: (field: string) => boolean } => {
  const known = new Map(readable.map(({ field, value }) => [field, value]));
  const names = privateFields(schema);
  const whole = withoutErased({ fields, fieldMeta });
  return {
    document: Object.fromEntries(
      Object.entries(whole).map(([field, value]) => [field, known.get(field) ?? value]),
    ),
    isUnread: (field) =>
      names.has(field) && !known.has(field) && privateHashIn(own(whole, field)) !== null,
  };
};

interface Reader {
  readonly session: Pick<Session, "fields">;
  readonly participant: Pick<Participant, "scopes">;
}

/** Those that somebody may read: the ones that stand in the document, and of these what is shown to them. */
export function readablePrivate(
  { session, participant: { scopes } }: Reader,
  narrowing: Narrowing | null,
  stored: readonly PrivateValue[],
): readonly PrivateValue[] {
  // A restore may have left values behind that do not stand in the document.
  if (!scopes.includes("fill") && !scopes.includes("review")) return [];
  return stored
    .filter(({ field, hash }) => privateHashIn(own(session.fields, field)) === hash)
    .filter(({ field }) => narrowing === null || narrowing.visible.includes(field));
}

/** The document without fields whose value was erased: nobody can read them any more. */
export const withoutErased = ({
  fields,
  fieldMeta,
}: Pick<Session, "fields" | "fieldMeta">): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([field]) => own(fieldMeta, field)?.erasedAt === undefined),
  );

/** Nobody's private values leave their session with a fork: each could be erased here and live on there. */
export function withheldFields(schema: JsonObject | null, fields: Fields): readonly string[] {
  const names = privateFields(schema);
  return Object.keys(fields).filter((field) => names.has(field));
}

interface CopiedDocument {
  readonly fields: Fields;
  readonly fieldMeta: Readonly<Record<string, FieldMeta>>;
}

/** A document of earlier: marks whose values are no longer kept are said to be erased. */
export function markErased<T extends CopiedDocument>(
  schema: JsonObject | null,
  document: T,
  stored: () => readonly PrivateValue[],
  at: string,
): { readonly document: T; readonly erased: readonly string[] } {
  const whole = revealPrivate(schema, document.fields, stored);
  const erased = Object.keys(document.fields).filter((field) => !Object.hasOwn(whole, field));
  if (erased.length === 0) return { document, erased };
  const metas = erased.flatMap((field) => {
    const meta = own(document.fieldMeta, field);
    return meta === undefined ? [] : [[field, { erasedAt: at, ...meta }] as const];
  });
  const fieldMeta = { ...document.fieldMeta, ...Object.fromEntries(metas) };
  return { document: { ...document, fieldMeta }, erased };
}

/** Deletes the value; the hash stays wherever it stands, and with it the chain. */
export function erasePrivate({ field }: ErasePrivate, context: DecisionContext): DecisionResult {
  const found = context.privateValues().find((one) => one.field === field);
  if (found === undefined) return refuse({ code: "not_found", what: "private value" });
  const payload = { field, hash: found.hash, outcome: "success" } as const;
  return ok({
    facts: [{ type: "private.erased", payload }],
    outcome: {},
    private: { kept: [], dropped: [field] },
  });
}

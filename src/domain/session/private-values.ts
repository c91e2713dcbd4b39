/**
 * Private values. A field that its schema marks as private contains `{"$private": <hash>}` wherever
 * the session is shown, logged or copied. The value and its salt are stored in their own row, which
 * can be erased. The hash is SHA-256 over the salt's text and the RFC 8785 JSON of the value.
 */
import { privateFields } from "../../json-schema/private-schema";
import { tooLarge, type Failure, type FieldProblem } from "../failure";
import { canonicalJson, isJsonObject, own, utf8Bytes, type Json, type JsonObject } from "../json";
import { LIMITS } from "../limits";
import { canSeeField, type Narrowing } from "../participants/narrowing";
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
  /** The document contains this instead of the value. */
  readonly hash: string;
}

/** Changes in the rows of private values. */
export interface PrivateChange {
  readonly kept: readonly PrivateValue[];
  readonly dropped: readonly string[];
}

/** What hiding a value needs and a pure rule does not have: randomness and SHA-256. */
export interface HidingContext {
  readonly salt: () => string;
  /** SHA-256 in hex, synchronous. */
  readonly digest: (text: string) => string;
  /** All private values that are stored now. */
  readonly privateValues: () => readonly PrivateValue[];
}

/** Whether the schema has private fields. */
export const hasPrivateFields = (schema: JsonObject | null): boolean =>
  privateFields(schema).size > 0;

const PLACEHOLDER = "$private";

const hashOfPrivate = (
  { salt, value }: Pick<PrivateValue, "salt" | "value">,
  digest: (text: string) => string,
): string => digest(`${salt}${canonicalJson(value)}`);

/** The hash in the placeholder of a private value, or null if the value is not one. */
export function privateHashIn(value: Json | undefined): string | null {
  if (value === undefined || !isJsonObject(value)) return null;
  const hash = own(value, PLACEHOLDER);
  return typeof hash === "string" && Object.keys(value).length === 1 ? hash : null;
}

export interface HiddenChanges {
  /** The changes as the log may contain them. */
  readonly changes: Fields;
  /** The changes as they are validated: without unchanged placeholders. */
  readonly given: Fields;
  readonly private?: PrivateChange;
}

/**
 * Replaces private values in changes by placeholders. A placeholder that is sent back changes
 * nothing.
 */
export function hidePrivateValues(
  schema: JsonObject | null,
  before: Fields,
  changes: Fields,
  hiding: HidingContext,
): Result<HiddenChanges> {
  const names = privateFields(schema);
  const privateChanges = Object.entries(changes).filter(([field]) => names.has(field));
  if (privateChanges.length === 0) return ok({ changes, given: changes });
  const repeated = privateChanges.filter(([field, to]) => isRepeated(own(before, field), to));
  const rest = privateChanges.filter((entry) => !repeated.includes(entry));
  const foreign = rest
    .filter(([, to]) => privateHashIn(to) !== null)
    .map(([field]) => foreignHashProblem(field));
  if (foreign.length > 0) return refuse({ code: "invalid_fields", problems: foreign });
  const saved = rest
    .filter(([, to]) => to !== null)
    .map(([field, value]): PrivateValue => {
      const salt = hiding.salt();
      return { field, value, salt, hash: hashOfPrivate({ salt, value }, hiding.digest) };
    });
  const deleted = rest.filter(([, to]) => to === null).map(([field]) => field);
  const failure = sizeProblem(hiding.privateValues(), saved, deleted);
  if (failure !== null) return refuse(failure);
  const unchanged = new Set(repeated.map(([field]) => field));
  return ok({
    changes: {
      ...changes,
      ...Object.fromEntries(saved.map(({ field, hash }) => [field, { [PLACEHOLDER]: hash }])),
    },
    given: Object.fromEntries(Object.entries(changes).filter(([field]) => !unchanged.has(field))),
    ...(rest.length === 0 ? {} : { private: { kept: saved, dropped: deleted } }),
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
  saved: readonly PrivateValue[],
  deleted: readonly string[],
): Failure | null {
  if (saved.length === 0) return null;
  const changed = new Set([...deleted, ...saved.map(({ field }) => field)]);
  const after = [...stored.filter(({ field }) => !changed.has(field)), ...saved];
  const bytes = after.reduce((sum, { value }) => sum + utf8Bytes(JSON.stringify(value)), 0);
  return bytes > LIMITS.privateBytes
    ? tooLarge("the total size of all private values, in bytes", LIMITS.privateBytes)
    : null;
}

/** The document with its private values, for validation. Erased values are absent. */
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
 * The document for a caller's validation, with the private values in `readable`. The others stay as
 * placeholders: they are present, and no check depends on their values.
 */
export const revealReadable = (
  { schema, fields, fieldMeta }: Pick<Session, "schema" | "fields" | "fieldMeta">,
  readable: readonly PrivateValue[],
): { readonly document: Fields; readonly isUnread: (field: string) => boolean } => {
  const known = new Map(readable.map(({ field, value }) => [field, value]));
  const names = privateFields(schema);
  const remaining = withoutErased({ fields, fieldMeta });
  return {
    document: Object.fromEntries(
      Object.entries(remaining).map(([field, value]) => [field, known.get(field) ?? value]),
    ),
    isUnread: (field) =>
      names.has(field) && !known.has(field) && privateHashIn(own(remaining, field)) !== null,
  };
};

interface Reader {
  readonly session: Pick<Session, "fields">;
  readonly participant: Pick<Participant, "scopes">;
}

/**
 * The private values that a caller may read: those in the document, limited to its visible fields.
 * A restore may have left stored values that are not in the document.
 */
export function readablePrivate(
  { session, participant: { scopes } }: Reader,
  narrowing: Narrowing | null,
  stored: readonly PrivateValue[],
): readonly PrivateValue[] {
  if (!scopes.includes("fill") && !scopes.includes("review")) return [];
  return stored
    .filter(({ field, hash }) => privateHashIn(own(session.fields, field)) === hash)
    .filter(({ field }) => canSeeField(narrowing, field));
}

/** The document without fields whose value was erased, because nobody can read them any more. */
export const withoutErased = ({
  fields,
  fieldMeta,
}: Pick<Session, "fields" | "fieldMeta">): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([field]) => own(fieldMeta, field)?.erasedAt === undefined),
  );

/**
 * Private values never leave their session with a fork. Otherwise a value erased here would still
 * exist there.
 */
export function withheldFields(schema: JsonObject | null, fields: Fields): readonly string[] {
  const names = privateFields(schema);
  return Object.keys(fields).filter((field) => names.has(field));
}

interface CopiedDocument {
  readonly fields: Fields;
  readonly fieldMeta: Readonly<Record<string, FieldMeta>>;
}

/** Marks the private values of an earlier document as erased if they are no longer stored. */
export function markErased<T extends CopiedDocument>(
  schema: JsonObject | null,
  document: T,
  stored: () => readonly PrivateValue[],
  at: string,
): { readonly document: T; readonly erased: readonly string[] } {
  const revealed = revealPrivate(schema, document.fields, stored);
  const erased = Object.keys(document.fields).filter((field) => !Object.hasOwn(revealed, field));
  if (erased.length === 0) return { document, erased };
  const metas = erased.flatMap((field) => {
    const meta = own(document.fieldMeta, field);
    return meta === undefined ? [] : [[field, { erasedAt: at, ...meta }] as const];
  });
  const fieldMeta = { ...document.fieldMeta, ...Object.fromEntries(metas) };
  return { document: { ...document, fieldMeta }, erased };
}

/** Deletes the value. The hash stays everywhere, so the chain stays valid. */
export function erasePrivate({ field }: ErasePrivate, context: DecisionContext): DecisionResult {
  const found = context.privateValues().find((one) => one.field === field);
  if (found === undefined) return refuse({ code: "not_found", what: "private value" });
  const payload = { field, hash: found.hash, outcome: "success" } as const;
  return ok({
    events: [{ type: "private.erased", payload }],
    outcome: {},
    private: { kept: [], dropped: [field] },
  });
}

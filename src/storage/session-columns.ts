/**
 * The one list of the session's columns: each member of a session, the name of its column, and how
 * the two are written into each other. The statements are made from it, so that a new member is one
 * line here and a migration.
 */
import type { Session } from "../domain/session/session";
import { jsonCell, jsonCellOrNull, type Cell } from "./cells";
import type { SqlRow, SqlValue } from "./sql-port";

interface Column<Value> {
  readonly name: string;
  /** Is it written once, at creation? */
  readonly isFixed: boolean;
  readonly write: (value: Value) => SqlValue;
  readonly read: (cell: Cell) => Value;
}

/** A text or a number that is stored as it is. */
const plain = <Value extends string | number | null>(name: string): Column<Value> => ({
  name,
  isFixed: false,
  write: (value) => value,
  read: (cell) => cell as Value,
});

const json = <Value extends object>(name: string): Column<Value> => ({
  name,
  isFixed: false,
  write: (value) => JSON.stringify(value),
  read: jsonCell<Value>,
});

const jsonOrNull = <Value extends object>(name: string): Column<Value | null> => ({
  name,
  isFixed: false,
  write: (value) => (value === null ? null : JSON.stringify(value)),
  read: jsonCellOrNull<Value>,
});

const flag = (name: string): Column<boolean> => ({
  name,
  isFixed: false,
  write: Number,
  read: (cell) => cell === 1,
});

/** A map that is NULL while it has no members: most sessions have no labels. */
const sparseMap = <Value extends object>(name: string, empty: Value): Column<Value> => ({
  name,
  isFixed: false,
  write: (value) => (Object.keys(value).length === 0 ? null : JSON.stringify(value)),
  read: (cell) => jsonCellOrNull<Value>(cell) ?? empty,
});

const fixed = <Value>(column: Column<Value>): Column<Value> => ({ ...column, isFixed: true });

const COLUMNS: { readonly [Member in keyof Session]-?: Column<Session[Member]> } = {
  state: plain("state"),
  paused: flag("paused"),
  version: plain("version"),
  title: plain("title"),
  fields: json("fields"),
  fieldMeta: json("field_meta"),
  review: json("review"),
  nextStep: jsonOrNull("next_step"),
  schema: fixed(jsonOrNull("schema")),
  createdAt: fixed(plain("created_at")),
  createdBy: fixed(json("created_by")),
  updatedAt: plain("updated_at"),
  updatedBy: json("updated_by"),
  expiresAt: plain("expires_at"),
  retentionMs: fixed(plain("retention_ms")),
  idleTtlMs: fixed(plain("idle_ttl_ms")),
  endedAt: plain("ended_at"),
  revoked: json("revoked"),
  policy: fixed(jsonOrNull("policy")),
  automation: json("automation"),
  parent: fixed(jsonOrNull("parent")),
  children: json("children"),
  checkpointsMade: plain("checkpoints_made"),
  trimmed: jsonOrNull("trimmed"),
  request: jsonOrNull("request"),
  belongs: fixed(jsonOrNull("belongs")),
  labels: sparseMap("labels", {}),
  location: fixed(jsonOrNull("location")),
};

type Member = keyof Session;
const MEMBERS = Object.keys(COLUMNS) as Member[];
const CHANGING = MEMBERS.filter((member) => !COLUMNS[member].isFixed);

const namesOf = (members: readonly Member[]): readonly string[] =>
  members.map((member) => COLUMNS[member].name);

const valuesOf = (session: Session, members: readonly Member[]): readonly SqlValue[] =>
  members.map((member) => (COLUMNS[member] as Column<unknown>).write(session[member]));

export const SESSION_COLUMNS = namesOf(MEMBERS);
export const CHANGING_COLUMNS = namesOf(CHANGING);

/** In the order of SESSION_COLUMNS. */
export const sessionValues = (session: Session): readonly SqlValue[] => valuesOf(session, MEMBERS);

/** In the order of CHANGING_COLUMNS. */
export const changingValues = (session: Session): readonly SqlValue[] =>
  valuesOf(session, CHANGING);

export const toSession = (row: SqlRow): Session =>
  Object.fromEntries(
    MEMBERS.map((member) => [member, COLUMNS[member].read(row[COLUMNS[member].name] ?? null)]),
  ) as unknown as Session;

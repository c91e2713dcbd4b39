/**
 * Events as their readers see them: a union over the server's catalogue, whose payloads are declared
 * where the server writes them, and over the types that a caller declares of its own.
 */
import type { LogEvent } from "../domain/log/event";
import type { JsonObject } from "../domain/json";
import type { EventPayloads, EventType } from "../domain/log/payloads";
import type { StandardSchema } from "./fields";
import type { EventInput } from "./inputs";

/** An event of this type with this payload. */
export interface TypedEvent<T extends string, P> extends Omit<LogEvent, "type" | "payload"> {
  /** What happened. */
  readonly type: T;
  /** The facts of it. */
  readonly payload: P;
}

/** No events of one's own are declared. */
// oxlint-disable-next-line typescript/no-empty-object-type -- nothing is known, so there are no keys
export type OwnEvents = {};

/** Any event that the server writes. */
export type CatalogueEvent = {
  [T in EventType]: TypedEvent<T, EventPayloads[T]>;
}[EventType];

type DeclaredEvent<E extends object> = {
  [T in keyof E & string]: TypedEvent<T, E[T]>;
}[keyof E & string];

/**
 * Any event of a session, told apart by `type`: those of the server, and those of your own that you
 * declared (`baton.session<Fields, Events>()`). Your own events that are not declared are given too:
 * ask for them by `types`, or read the event as a `LogEvent`, whose payload is any JSON.
 */
export type SessionEvent<E extends object = OwnEvents> = CatalogueEvent | DeclaredEvent<E>;

/** An event to append: where events are declared, one of those with its payload. */
export type AppendInput<E extends object = OwnEvents> = [keyof E] extends [never]
  ? EventInput
  : { [T in keyof E & string]: TypeMember<T> & PayloadMember<E[T]> }[keyof E & string];

interface TypeMember<T extends string> {
  /** One of the declared types. */
  readonly type: T;
}

/** A payload of which nothing is required may be left out. */
type PayloadMember<P> = OwnEvents extends P
  ? {
      /** What was declared for it. */
      readonly payload?: P;
    }
  : {
      /** What was declared for it. */
      readonly payload: P;
    };

/** A schema of zod, or of another library that follows Standard Schema, for each type of your events. */
export type EventSchemas = Readonly<Record<string, StandardSchema>>;

/** The events that their schemas describe. */
export type EventsOf<S extends EventSchemas> = {
  readonly [T in keyof S]: S[T] extends StandardSchema<infer I> ? I : never;
};

/** Beside the sessions, so that nobody else can change them. */
const schemasBySession = new WeakMap<object, EventSchemas>();

export const declaredEvents = (session: object): EventSchemas | null =>
  schemasBySession.get(session) ?? null;

export function declareEvents(session: object, schemas: EventSchemas | null): void {
  if (schemas !== null) schemasBySession.set(session, schemas);
}

/** Throws where an event has no schema, or does not fit the one it has; none are checked where none are declared. */
export async function checkEvents(session: object, events: readonly EventInput[]): Promise<void> {
  const schemas = declaredEvents(session);
  if (schemas === null) return;
  for (const { type, payload = {} } of events) {
    const schema = Object.hasOwn(schemas, type) ? schemas[type] : undefined;
    if (schema === undefined) throw new TypeError(`The event "${type}" is not declared.`);
    const { issues } = (await schema["~standard"].validate?.(payload)) ?? {};
    if (issues === undefined) continue;
    const [{ message, path = [] } = { message: "" }] = issues;
    const place = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
    const member = place === "" ? "" : ` at ${place}`;
    throw new TypeError(`The payload of "${type}" does not fit its schema${member}: ${message}`);
  }
}

/** The catalogue's types that `job.*`, say, stands for. */
type MatchingTypes<T extends string, E extends object> = T extends `${infer Space}.*`
  ? [KnownTypes<Space, E>] extends [never]
    ? `${Space}.${string}`
    : KnownTypes<Space, E>
  : T;

type KnownTypes<Space extends string, E extends object> = Extract<
  EventType | (keyof E & string),
  `${Space}.${string}`
>;

/** The events of these types: `EventOf<"handoff.answered">`, `EventOf<"job.*">`. */
export type EventOf<T extends string, E extends object = OwnEvents> = string extends T
  ? SessionEvent<E>
  : EventOfType<MatchingTypes<T, E>, E>;

type EventOfType<T extends string, E extends object> = T extends EventType
  ? TypedEvent<T, EventPayloads[T]>
  : T extends keyof E
    ? TypedEvent<T, E[T]>
    : TypedEvent<T, JsonObject>;

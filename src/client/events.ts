/**
 * Types of events for readers: a union of the server's catalogue, with payloads declared where the
 * server writes them, and of the types that a caller declares.
 */
import type { LogEvent } from "../domain/log/event";
import type { JsonObject } from "../domain/json";
import type { EventPayloads, EventType } from "../domain/log/payloads";
import type { StandardSchema } from "./fields";
import type { EventInput } from "./inputs";

/** An event of this type with this payload. */
export interface TypedEvent<T extends string, P> extends Omit<LogEvent, "type" | "payload"> {
  /** The type of the event. */
  readonly type: T;
  /** The data of the event. */
  readonly payload: P;
}

/** No events are declared by the caller. */
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
 * Any event of a session, distinguished by `type`: the server's events, and your own events that
 * you declared (`baton.session<Fields, Events>()`). Your own undeclared events are returned too:
 * select them by `types`, or read the event as a `LogEvent`, whose payload is any JSON.
 */
export type SessionEvent<E extends object = OwnEvents> = CatalogueEvent | DeclaredEvent<E>;

/** An event to append. If events are declared, it is one of those with its payload. */
export type AppendInput<E extends object = OwnEvents> = [keyof E] extends [never]
  ? EventInput
  : { [T in keyof E & string]: TypeMember<T> & PayloadMember<E[T]> }[keyof E & string];

interface TypeMember<T extends string> {
  /** One of the declared types. */
  readonly type: T;
}

/** A payload without required members may be omitted. */
type PayloadMember<P> = OwnEvents extends P
  ? {
      /** The payload as declared. */
      readonly payload?: P;
    }
  : {
      /** The payload as declared. */
      readonly payload: P;
    };

/**
 * For each type of your events, a schema of zod or another library that follows Standard Schema.
 */
export type EventSchemas = Readonly<Record<string, StandardSchema>>;

/** The events that the schemas describe. */
export type EventsOf<S extends EventSchemas> = {
  readonly [T in keyof S]: S[T] extends StandardSchema<infer I> ? I : never;
};

/** Kept outside the sessions, so that callers cannot change them. */
const schemasBySession = new WeakMap<object, EventSchemas>();

export const declaredEvents = (session: object): EventSchemas | null =>
  schemasBySession.get(session) ?? null;

export function declareEvents(session: object, schemas: EventSchemas | null): void {
  if (schemas !== null) schemasBySession.set(session, schemas);
}

/**
 * Throws if an event has no schema or does not match it. Checks nothing if no events are declared.
 */
export async function checkEvents(session: object, events: readonly EventInput[]): Promise<void> {
  const schemas = declaredEvents(session);
  if (schemas === null) return;
  for (const { type, payload = {} } of events) {
    const schema = Object.hasOwn(schemas, type) ? schemas[type] : undefined;
    if (schema === undefined) throw new TypeError(`The event "${type}" is not declared.`);
    const { issues } = (await schema["~standard"].validate?.(payload)) ?? {};
    if (issues === undefined) continue;
    const [{ message, path = [] } = { message: "" }] = issues;
    const location = path
      .map((segment) => String(typeof segment === "object" ? segment.key : segment))
      .join(".");
    const member = location === "" ? "" : ` at ${location}`;
    throw new TypeError(`The payload of "${type}" does not fit its schema${member}: ${message}`);
  }
}

/** The known types that a pattern such as `job.*` matches. */
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

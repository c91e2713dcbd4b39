/** Sessions of one kind: their fields and events as types, and the schema that each begins with. */
import type { JsonObject } from "../domain/json";
import type { Baton } from "./baton";
import { declareEvents, type EventSchemas, type OwnEvents } from "./events";
import type { Fields } from "./fields";
import type { CreateInput, FindOptions, Named, OpenOptions, ResumeInput } from "./inputs";
import type { Session } from "./session";
import type { SavedSession } from "./token-store";

/**
 * Begins and takes up sessions whose fields and events are known to the compiler.
 *
 * @example
 * ```ts
 * interface Visa {
 *   country: string;
 *   days: number;
 * }
 * const visas = baton.session<Visa>();
 * const session = await visas.open("visa-17");
 * unwrap(await session.setFields({ days: 90 }));
 * ```
 */
export class SessionKind<F extends object = Fields, E extends object = OwnEvents> {
  /** The JSON Schema that new sessions of this kind get; null where none was given. */
  readonly schema: JsonObject | null;
  readonly #baton: Baton;
  readonly #events: EventSchemas | null;

  /** @internal */
  constructor(baton: Baton, schema: JsonObject | null, events: EventSchemas | null) {
    this.#baton = baton;
    this.schema = schema;
    this.#events = events;
  }

  /** As `baton.create`. */
  create(input: CreateInput<F> = {}, options: Named = {}): Promise<Session<F, E>> {
    return this.#withEvents(this.#baton.create(this.#withSchema(input), options));
  }

  /** As `baton.open`. */
  open(
    name: string,
    input: CreateInput<F> = {},
    options: OpenOptions = {},
  ): Promise<Session<F, E>> {
    return this.#withEvents(this.#baton.open(name, this.#withSchema(input), options));
  }

  /** As `baton.resume`. */
  resume(
    saved: string | SavedSession,
    input: ResumeInput = {},
    options: Named = {},
  ): Promise<Session<F, E>> {
    return this.#withEvents(this.#baton.resume(saved, input, options));
  }

  /** As `baton.attach`. */
  attach(saved: string | SavedSession, options: Named = {}): Promise<Session<F, E>> {
    return this.#withEvents(this.#baton.attach(saved, options));
  }

  /** As `baton.find`. */
  find(name: string, options: FindOptions = {}): Promise<Session<F, E> | null> {
    return this.#withEvents(this.#baton.find(name, options));
  }

  async #withEvents<S extends Session | null>(taken: Promise<S>): Promise<never> {
    const session = await taken;
    if (session !== null) declareEvents(session, this.#events);
    return session as never;
  }

  #withSchema(input: CreateInput<F>): CreateInput {
    const schema = this.schema === null ? {} : { schema: this.schema };
    return { ...schema, ...input } as CreateInput;
  }
}

/** Sessions of one kind: typed fields and events, and the schema of new sessions. */
import type { JsonObject } from "../domain/json";
import type { Baton } from "./baton";
import { declareEvents, type EventSchemas, type OwnEvents } from "./events";
import type { Fields } from "./fields";
import type { CreateInput, FindOptions, Named, OpenOptions, ResumeInput } from "./inputs";
import type { Session } from "./session";
import type { SavedSession } from "./token-store";

/**
 * Creates and opens sessions whose fields and events have declared types.
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
  /** The JSON Schema of new sessions of this kind; null if none was given. */
  readonly schema: JsonObject | null;
  readonly #baton: Baton;
  readonly #events: EventSchemas | null;

  /** @internal */
  constructor(baton: Baton, schema: JsonObject | null, events: EventSchemas | null) {
    this.#baton = baton;
    this.schema = schema;
    this.#events = events;
  }

  /** Like `baton.create`. */
  create(input: CreateInput<F> = {}, options: Named = {}): Promise<Session<F, E>> {
    return this.#withEvents(this.#baton.create(this.#withSchema(input), options));
  }

  /** Like `baton.open`. */
  open(
    name: string,
    input: CreateInput<F> = {},
    options: OpenOptions = {},
  ): Promise<Session<F, E>> {
    return this.#withEvents(this.#baton.open(name, this.#withSchema(input), options));
  }

  /** Like `baton.resume`. */
  resume(
    saved: string | SavedSession,
    input: ResumeInput = {},
    options: Named = {},
  ): Promise<Session<F, E>> {
    return this.#withEvents(this.#baton.resume(saved, input, options));
  }

  /** Like `baton.attach`. */
  attach(saved: string | SavedSession, options: Named = {}): Promise<Session<F, E>> {
    return this.#withEvents(this.#baton.attach(saved, options));
  }

  /** Like `baton.find`. */
  find(name: string, options: FindOptions = {}): Promise<Session<F, E> | null> {
    return this.#withEvents(this.#baton.find(name, options));
  }

  async #withEvents<S extends Session | null>(opened: Promise<S>): Promise<never> {
    const session = await opened;
    if (session !== null) declareEvents(session, this.#events);
    return session as never;
  }

  #withSchema(input: CreateInput<F>): CreateInput {
    const schema = this.schema === null ? {} : { schema: this.schema };
    return { ...schema, ...input } as CreateInput;
  }
}

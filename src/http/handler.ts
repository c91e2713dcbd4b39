/** What a handler is given, and what most handlers do: one command, and the common answer. */
import type { Context } from "hono";
import type * as z from "zod";
import type { Result } from "../domain/result";
import type { Command } from "../domain/session/command";
import type { Env } from "../env";
import { Caller } from "../gateway/caller";
import { publicUrlOf } from "../gateway/public-url";
import { Gateway, type GatewayRefusal } from "../gateway/gateway";
import type { GatewayReply, Unsigned, Presented } from "../gateway/session-calls";
import type { Reads } from "../object/door";
import { NO_TOKEN, type WriteAnswer } from "../gateway/write-answer";
import type { Executor, PresentedJob } from "../gateway/job-gateway";
import type { Creator, Holder } from "../gateway/owner-keys";
import type { ENDPOINTS, EndpointId } from "../protocol/endpoints";
import { answerJson, answerProblem, answerText, sessionHeaders, withSession } from "./answers";

type Table = typeof ENDPOINTS;
type BodyOf<K extends EndpointId> = Table[K] extends { body: infer B extends z.ZodType }
  ? z.output<B>
  : undefined;
type QueryOf<K extends EndpointId> = Table[K] extends { query: infer Q extends z.ZodType }
  ? z.output<Q>
  : undefined;

/** What a handler is given of who asks. */
export interface Presentations {
  readonly none: null;
  readonly token: Presented;
  readonly owner: Creator;
  readonly key: Holder;
  readonly agent: Executor;
  readonly job: PresentedJob;
}

type PresentedTo<K extends EndpointId> = Table[K] extends { takesWrongToken: true }
  ? Result<Presented>
  : Table[K] extends { who: infer W extends keyof Presentations }
    ? Presentations[W]
    : Presented;

/** What a handler needs of the server, whatever was asked. */
export type Services = Omit<Given, keyof Parsed | "presented" | "take">;

export interface Input<K extends EndpointId = EndpointId> extends Services {
  readonly body: BodyOf<K>;
  readonly query: QueryOf<K>;
  readonly ifMatch: number | null;
  readonly idempotencyKey: string | null;
  /** Who asks, as the route's `who` says. */
  readonly presented: PresentedTo<K>;
}

export type RequestContext = Context<{ Bindings: Env }>;

/** A request whose shape is right. */
export interface Parsed {
  readonly body: unknown;
  readonly query: unknown;
  readonly ifMatch: number | null;
  readonly idempotencyKey: string | null;
}

export class Given {
  readonly #env: Env;
  readonly #caller: Caller;
  /** The request itself, for what is not JSON. */
  readonly raw: Request;
  readonly headers: Headers;
  readonly gateway: Gateway;
  readonly params: Readonly<Record<string, string>>;
  body = undefined as never;
  query = undefined as never;
  presented = undefined as never;
  ifMatch: number | null = null;
  idempotencyKey: string | null = null;

  constructor({ env, req }: RequestContext) {
    this.#env = env;
    this.#caller = Caller.of(req.raw, env);
    this.raw = req.raw;
    this.headers = req.raw.headers;
    this.gateway = new Gateway(env, this.#caller);
    this.params = req.param() as Record<string, string>;
  }

  take({ body, query, ifMatch, idempotencyKey }: Parsed, presented: unknown): void {
    this.body = body as never;
    this.query = query as never;
    this.presented = presented as never;
    this.ifMatch = ifMatch;
    this.idempotencyKey = idempotencyKey;
  }

  /** Fires when the client is gone, where the platform tells. */
  get signal(): AbortSignal {
    return this.raw.signal;
  }

  get publicUrl(): string {
    return publicUrlOf(this.#env);
  }

  /** The use cases of a kind. What few handlers need is made when it is asked for. */
  get use(): <T>(Kind: new (env: Env, caller: Caller) => T) => T {
    return (Kind) => new Kind(this.#env, this.#caller);
  }
}

/** Endpoints of participants, who are presented by a token that may count. */
type TokenEndpointId = {
  [K in EndpointId]: PresentedTo<K> extends Presented ? K : never;
}[EndpointId];

export type Handler<K extends EndpointId> = (input: Input<K>) => Promise<Response>;
/** Those of the named endpoints, and of no other. */
export type Handlers = { readonly [E in EndpointId]: Handler<E> };
/** Those of one kind: `handlers` does not compile while one is missing. */
export type SomeHandlers = Partial<Handlers>;

export const refused = ({ failure, ...context }: GatewayRefusal): Response =>
  answerProblem(failure, context);

/** The value as JSON, or what is made of it. */
export const answered = <T>(
  reply: GatewayReply<T>,
  toBody: (value: T) => unknown = (value) => value,
  status = 200,
): Response => (reply.ok ? answerJson(status, toBody(reply.value)) : refused(reply));

/** Most writes are one command and the common answer. */
export const writing =
  <K extends TokenEndpointId>(toCommand: (input: Input<K>) => Command): Handler<K> =>
  async (input) => {
    // True of every TokenEndpointId, which the compiler does not see of a K that it does not know.
    const presented = input.presented as Presented;
    const reply = await input.gateway.write(presented, toCommand(input), input);
    return reply.ok ? answerWrite(reply.value, proofIn(reply.value)) : refused(reply);
  };

export function answerWrite(
  answer: WriteAnswer,
  extra: Record<string, unknown> = {},
  status = 200,
): Response {
  const { shown, resumeToken, replayed } = answer;
  if (resumeToken === NO_TOKEN) {
    return answerText(status, withSession(shown, extra), sessionHeaders(shown));
  }
  const headers = sessionHeaders(shown, resumeToken, replayed);
  return answerText(status, withSession(shown, { resumeToken, ...extra }), headers);
}

/** What a query takes that asks for nothing in particular. */
export const noArguments = () => ({});

/** A query whose answer is its value, or is made of it. */
export const reading =
  <K extends TokenEndpointId, Q extends keyof Reads>(
    kind: Q,
    toRequest: (input: Input<K>) => Unsigned<Reads[Q]["request"]>,
    toBody?: (value: Reads[Q]["value"]) => unknown,
  ): Handler<K> =>
  async (input) => {
    const presented = input.presented as Presented;
    return answered(await input.gateway.read(presented, kind, toRequest(input)), toBody);
  };

/** A write whose answer says more than the session and its token. */
export const answering =
  <I extends Omit<Input<TokenEndpointId>, "body" | "query">>(
    toCommand: (input: I) => Command,
    toMembers: (answer: WriteAnswer, input: I) => Record<string, unknown>,
    status = 200,
  ) =>
  async (input: I): Promise<Response> => {
    const reply = await input.gateway.write(input.presented, toCommand(input), input);
    return reply.ok
      ? answerWrite(reply.value, toMembers(reply.value, input), status)
      : refused(reply);
  };

/** Only of an operation that is proven, and only where the server signs. */
const proofIn = ({ proof }: WriteAnswer): Record<string, unknown> =>
  proof === null ? {} : { proof };

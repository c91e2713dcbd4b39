/**
 * The context of a handler, and the builders for most handlers: one command or query, and the common
 * response.
 */
import type { Context } from "hono";
import type * as z from "zod";
import type { Result } from "../domain/result";
import type { Command } from "../domain/session/command";
import type { Env } from "../env";
import { Caller } from "../gateway/caller";
import { publicUrlOf } from "../gateway/public-url";
import { Gateway, type GatewayRefusal } from "../gateway/gateway";
import type {
  GatewayReply,
  WithoutCredential,
  UnverifiedCredential,
} from "../gateway/session-calls";
import type { ReadRpcs } from "../object/session-rpc";
import { NO_TOKEN, type WriteAnswer } from "../gateway/write-answer";
import type { Executor, UnverifiedJobCredential } from "../gateway/job-gateway";
import type { Creator, Holder } from "../gateway/owner-keys";
import type { API_ROUTES, ApiRouteId } from "../protocol/api-routes";
import { answerJson, answerProblem, answerText, sessionHeaders, withSession } from "./answers";

type Table = typeof API_ROUTES;
type BodyOf<K extends ApiRouteId> = Table[K] extends { body: infer B extends z.ZodType }
  ? z.output<B>
  : undefined;
type QueryOf<K extends ApiRouteId> = Table[K] extends { query: infer Q extends z.ZodType }
  ? z.output<Q>
  : undefined;

/** Who makes the request, by the route's `auth`. A token is verified later, by its session. */
export interface Principals {
  readonly none: null;
  readonly token: UnverifiedCredential;
  readonly owner: Creator;
  readonly key: Holder;
  readonly agent: Executor;
  readonly job: UnverifiedJobCredential;
}

type PrincipalOf<K extends ApiRouteId> = Table[K] extends { takesWrongToken: true }
  ? Result<UnverifiedCredential>
  : Table[K] extends { auth: infer W extends keyof Principals }
    ? Principals[W]
    : UnverifiedCredential;

/** What a handler can use, whatever the route. */
export type Services = Omit<RequestContext, keyof ParsedRequest | "principal" | "setInput">;

export interface Input<K extends ApiRouteId = ApiRouteId> extends Services {
  readonly body: BodyOf<K>;
  readonly query: QueryOf<K>;
  readonly ifMatch: number | null;
  readonly idempotencyKey: string | null;
  /** Who makes the request, by the route's `auth`. */
  readonly principal: PrincipalOf<K>;
}

export type HonoContext = Context<{ Bindings: Env }>;

/** A validated request. */
export interface ParsedRequest {
  readonly body: unknown;
  readonly query: unknown;
  readonly ifMatch: number | null;
  readonly idempotencyKey: string | null;
}

export class RequestContext {
  readonly #env: Env;
  readonly #caller: Caller;
  /** The request itself, for bodies that are not JSON. */
  readonly raw: Request;
  readonly headers: Headers;
  readonly gateway: Gateway;
  readonly params: Readonly<Record<string, string>>;
  body = undefined as never;
  query = undefined as never;
  principal = undefined as never;
  ifMatch: number | null = null;
  idempotencyKey: string | null = null;

  constructor({ env, req }: HonoContext) {
    this.#env = env;
    this.#caller = Caller.of(req.raw, env);
    this.raw = req.raw;
    this.headers = req.raw.headers;
    this.gateway = new Gateway(env, this.#caller);
    this.params = req.param() as Record<string, string>;
  }

  setInput({ body, query, ifMatch, idempotencyKey }: ParsedRequest, principal: unknown): void {
    this.body = body as never;
    this.query = query as never;
    this.principal = principal as never;
    this.ifMatch = ifMatch;
    this.idempotencyKey = idempotencyKey;
  }

  /** Aborted when the client disconnects, if the platform reports it. */
  get signal(): AbortSignal {
    return this.raw.signal;
  }

  get publicUrl(): string {
    return publicUrlOf(this.#env);
  }

  /** Creates the use cases of a kind on demand, because few handlers need them. */
  get use(): <T>(Kind: new (env: Env, caller: Caller) => T) => T {
    return (Kind) => new Kind(this.#env, this.#caller);
  }
}

/** Routes of participants, with a token that may still be invalid. */
type TokenRouteId = {
  [K in ApiRouteId]: PrincipalOf<K> extends UnverifiedCredential ? K : never;
}[ApiRouteId];

export type Handler<K extends ApiRouteId> = (input: Input<K>) => Promise<Response>;
/** Exactly one handler per route. */
export type Handlers = { readonly [E in ApiRouteId]: Handler<E> };
/** Some of the handlers: `handlers` does not compile if one is missing. */
export type SomeHandlers = Partial<Handlers>;

export const answerRefusal = ({ failure, ...context }: GatewayRefusal): Response =>
  answerProblem(failure, context);

/** The value as JSON, or the body that is made of it. */
export const answerReply = <T>(
  reply: GatewayReply<T>,
  toBody: (value: T) => unknown = (value) => value,
  status = 200,
): Response => (reply.ok ? answerJson(status, toBody(reply.value)) : answerRefusal(reply));

/** Most writes are one command and the common response. */
export const commandHandler =
  <K extends TokenRouteId>(toCommand: (input: Input<K>) => Command): Handler<K> =>
  async (input) => {
    // True of every TokenRouteId, which the compiler cannot infer for a generic K.
    const credential = input.principal as UnverifiedCredential;
    const reply = await input.gateway.write(credential, toCommand(input), input);
    return reply.ok ? answerWrite(reply.value, proofIn(reply.value)) : answerRefusal(reply);
  };

export function answerWrite(
  answer: WriteAnswer,
  extra: Record<string, unknown> = {},
  status = 200,
): Response {
  const { session, resumeToken, replayed } = answer;
  if (resumeToken === NO_TOKEN) {
    return answerText(status, withSession(session, extra), sessionHeaders(session));
  }
  const headers = sessionHeaders(session, resumeToken, replayed);
  return answerText(status, withSession(session, { resumeToken, ...extra }), headers);
}

/** For queries without arguments. */
export const noArguments = () => ({});

/** A query whose response is its value, or is made of it. */
export const queryHandler =
  <K extends TokenRouteId, Q extends keyof ReadRpcs>(
    kind: Q,
    toRequest: (input: Input<K>) => WithoutCredential<ReadRpcs[Q]["request"]>,
    toBody?: (value: ReadRpcs[Q]["value"]) => unknown,
  ): Handler<K> =>
  async (input) => {
    const credential = input.principal as UnverifiedCredential;
    return answerReply(await input.gateway.read(credential, kind, toRequest(input)), toBody);
  };

/** A write whose response has more members than the session and its token. */
export const commandHandlerWith =
  <I extends Omit<Input<TokenRouteId>, "body" | "query">>(
    toCommand: (input: I) => Command,
    toMembers: (answer: WriteAnswer, input: I) => Record<string, unknown>,
    status = 200,
  ) =>
  async (input: I): Promise<Response> => {
    const reply = await input.gateway.write(input.principal, toCommand(input), input);
    return reply.ok
      ? answerWrite(reply.value, toMembers(reply.value, input), status)
      : answerRefusal(reply);
  };

/** Only if the operation is proven and the server signs. */
const proofIn = ({ proof }: WriteAnswer): Record<string, unknown> =>
  proof === null ? {} : { proof };

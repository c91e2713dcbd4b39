/** One request to one endpoint: its credential, its shape, its handler. */
import type { Context } from "hono";
import { invalid, type Failure } from "../domain/failure";
import { ok, refuse, type Result } from "../domain/result";
import type { Env } from "../env";
import { Blobs } from "../gateway/blobs";
import { callOf } from "../gateway/call";
import { Caller } from "../gateway/caller";
import { Gateway } from "../gateway/gateway";
import { JobGateway } from "../gateway/job-gateway";
import type { Presented } from "../gateway/presented";
import { publicUrlOf } from "../gateway/public-url";
import { Uploads } from "../gateway/uploads";
import type { Endpoint } from "../protocol/endpoint";
import type { EndpointId } from "../protocol/endpoints";
import { parseAs } from "../protocol/json-guard";
import { answerProblem } from "./answers";
import { createSession, resume } from "./beginnings";
import { idempotencyKeyOf, ifMatchOf } from "./conditions";
import { admitExecutor, serveExecutor, type ExecutorEndpointId } from "./executors";
import { refused, type Input } from "./handler";
import { handlers } from "./handlers";
import { readJsonBody } from "./json-body";

type RequestContext = Context<{ Bindings: Env }>;

const callerOf = ({ req: { raw }, env }: RequestContext): Caller =>
  new Caller(raw.headers, env, callOf(raw));

/** Shape of the credential first, then of the request; the rest of the order is the object's. */
export async function serve(
  id: EndpointId,
  endpoint: Endpoint,
  context: RequestContext,
): Promise<Response> {
  if (endpoint.bearer !== undefined)
    return serveBearer(id as ExecutorEndpointId, endpoint, context);
  const caller = callerOf(context);
  const gateway = new Gateway(context.env, caller);
  const { headers } = context.req.raw;
  const params = context.req.param() as Record<string, string>;
  const presented =
    id === "createSession"
      ? null
      : await gateway.present(params["ref"] ?? "", headers.get("Authorization"));
  if (presented !== null && !presented.ok && id !== "resume") return answerProblem(presented.error);
  const creator = presented === null ? await gateway.creator() : null;
  if (creator?.ok === false) return answerProblem(creator.error);

  const parsed = await parse(endpoint, context);
  if (!parsed.ok) return answerMalformed(gateway, presented, parsed.error);
  const input = new Given(context, caller, gateway, params, parsed.value);
  if (presented === null) return createSession(input as never);
  if (id === "resume") return resume(input as never, presented);
  if (!presented.ok) return answerProblem(presented.error);
  const handler = handlers[id as keyof typeof handlers] as (input: Input) => Promise<Response>;
  input.presented = presented.value;
  return handler(input as unknown as Input);
}

/** What a handler is given. What few of them need is made when it is asked for. */
class Given {
  readonly #env: Env;
  readonly #caller: Caller;
  readonly raw: Request;
  readonly headers: Headers;
  readonly gateway: Gateway;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly query: unknown;
  readonly ifMatch: number | null;
  readonly idempotencyKey: string | null;
  presented: Presented | undefined;

  constructor(
    { env, req }: RequestContext,
    caller: Caller,
    gateway: Gateway,
    params: Readonly<Record<string, string>>,
    { body, query, ifMatch, idempotencyKey }: Parsed,
  ) {
    this.#env = env;
    this.#caller = caller;
    this.raw = req.raw;
    this.headers = req.raw.headers;
    this.gateway = gateway;
    this.params = params;
    this.body = body;
    this.query = query;
    this.ifMatch = ifMatch;
    this.idempotencyKey = idempotencyKey;
  }

  get signal(): AbortSignal {
    return this.raw.signal;
  }

  get publicUrl(): string {
    return publicUrlOf(this.#env);
  }

  get uploads(): Uploads {
    return new Uploads(this.#env, this.#caller);
  }

  get blobs(): Blobs {
    return new Blobs(this.#env, this.#caller);
  }

  get jobs(): JobGateway {
    return new JobGateway(this.#env, this.#caller);
  }
}

/** What executors call: who they are first, then the shape of what they say. */
async function serveBearer(
  id: ExecutorEndpointId,
  endpoint: Endpoint,
  context: RequestContext,
): Promise<Response> {
  const { headers, signal } = context.req.raw;
  const jobs = new JobGateway(context.env, callerOf(context));
  const name = context.req.param("name") ?? "";
  const bearer = endpoint.bearer ?? "job";
  const executor = await admitExecutor(jobs, bearer, name, headers.get("Authorization"));
  if (!executor.ok) return answerProblem(executor.error);
  return serveExecutor(jobs, id, executor.value, await parse(endpoint, context), signal);
}

/** A wrong, gone, expired or fenced token is told before what is wrong with the rest of its request. */
async function answerMalformed(
  gateway: Gateway,
  presented: Result<Presented, Failure> | null,
  failure: Failure,
): Promise<Response> {
  if (presented === null) return answerProblem(failure);
  if (!presented.ok) return answerProblem(presented.error);
  return refused(await gateway.refusal(presented.value, failure));
}

const NOTHING = ok(undefined);

type Parsed = Pick<Input, "body" | "query" | "ifMatch" | "idempotencyKey">;

async function parse(
  endpoint: Endpoint,
  context: RequestContext,
): Promise<Result<Parsed, Failure>> {
  const { headers } = context.req.raw;
  const ifMatch = ifMatchOf(headers);
  if (!ifMatch.ok) return ifMatch;
  const idempotencyKey = idempotencyKeyOf(headers);
  if (!idempotencyKey.ok) return idempotencyKey;
  const query =
    endpoint.query === undefined ? NOTHING : parseAs(endpoint.query, context.req.query());
  if (!query.ok) return query;
  const body = await parseBody(endpoint, context.req.raw);
  if (!body.ok) return body;
  return ok({
    body: body.value as never,
    query: query.value as never,
    ifMatch: ifMatch.value,
    idempotencyKey: idempotencyKey.value,
  });
}

async function parseBody(endpoint: Endpoint, request: Request): Promise<Result<unknown, Failure>> {
  if (endpoint.body === undefined) return NOTHING;
  const body = await readJsonBody(request);
  if (!body.ok) return body;
  if (body.value === undefined && endpoint.bodyOptional !== true) {
    return refuse(invalid("a JSON body is needed"));
  }
  if (endpoint.isPlain?.(body.value) === true) return body;
  return parseAs(endpoint.body, body.value === undefined ? {} : body.value);
}

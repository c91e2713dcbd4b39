/** One request to one endpoint: its credential, its shape, its handler. */
import type { Context } from "hono";
import { invalid, type Failure } from "../domain/failure";
import { ok, refuse, type Result } from "../domain/result";
import type { Env } from "../env";
import { Blobs } from "../gateway/blobs";
import { callOf } from "../gateway/call";
import { Caller } from "../gateway/caller";
import { Endpoints } from "../gateway/endpoints";
import { Evidence } from "../gateway/evidence";
import { Gateway } from "../gateway/gateway";
import { OwnerEndpoints } from "../gateway/owner-endpoints";
import { OwnerGateway } from "../gateway/owner-gateway";
import { JobGateway } from "../gateway/job-gateway";
import { publicUrlOf } from "../gateway/public-url";
import { Uploads } from "../gateway/uploads";
import type { Endpoint } from "../protocol/endpoint";
import type { EndpointId } from "../protocol/endpoints";
import { parseAs } from "../protocol/json-guard";
import { answerProblem } from "./answers";
import { idempotencyKeyOf, ifMatchOf } from "./conditions";
import { DOORS } from "./doors";
import type { Handler, Input } from "./handler";
import { handlers } from "./handlers";
import { readJsonBody } from "./json-body";

type RequestContext = Context<{ Bindings: Env }>;

/** Shape of the credential first, then of the request; the rest of the order is the object's. */
export async function serve(
  id: EndpointId,
  endpoint: Endpoint,
  context: RequestContext,
): Promise<Response> {
  // What the table says of an endpoint ties door, presentation and handler together.
  const door = DOORS[endpoint.who ?? "token"] as (typeof DOORS)["token"];
  const handler = handlers[id] as Handler<EndpointId>;
  const given = new Given(context);
  const presented = await door.admit(given, endpoint);
  if (!presented.ok && endpoint.takesWrongToken !== true) return answerProblem(presented.error);
  const parsed = await parse(endpoint, context);
  if (!parsed.ok) {
    return presented.ok
      ? door.tellMalformed(given, presented.value, parsed.error)
      : answerProblem(presented.error);
  }
  given.take(parsed.value, presented.ok && !endpoint.takesWrongToken ? presented.value : presented);
  return handler(given);
}

/** What a handler is given. What few of them need is made when it is asked for. */
class Given implements Input {
  readonly #env: Env;
  readonly #caller: Caller;
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
    this.#caller = new Caller(req.raw.headers, env, callOf(req.raw));
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

  get endpoints(): Endpoints {
    return new Endpoints(this.#env, this.#caller, this.gateway);
  }

  get evidence(): Evidence {
    return new Evidence(this.#env, this.#caller);
  }

  get ownerEndpoints(): OwnerEndpoints {
    return new OwnerEndpoints(this.#env, this.#caller);
  }

  get owners(): OwnerGateway {
    return new OwnerGateway(this.#env, this.#caller);
  }

  get jobs(): JobGateway {
    return new JobGateway(this.#env, this.#caller);
  }
}

const NOTHING = ok(undefined);

interface Parsed {
  readonly body: unknown;
  readonly query: unknown;
  readonly ifMatch: number | null;
  readonly idempotencyKey: string | null;
}

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
    body: body.value,
    query: query.value,
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

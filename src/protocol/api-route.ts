/** The type of a route, and the parts that most routes share: their failures and their responses. */
import * as z from "zod";
import type { FailureCode } from "../domain/failure";
import type { Right } from "../domain/owners/owners";
import { visibleSessionSchema } from "./session-schemas";
import { namedSchema } from "./named-schemas";

/**
 * Who may call a route: anyone, a participant with a resume token, whoever may create sessions, an owner
 * with a key, an agent with a key, an executor with a job token, an operator, or a person on a page.
 */
type RouteAuth = "none" | "token" | "owner" | "key" | "agent" | "job" | "operator" | "page";

export interface Route {
  readonly method: "get" | "post" | "put" | "patch" | "delete" | "any";
  /** A parameter is `{name}`; `{name*}` matches the rest of the path. */
  readonly path: string;
  /** Default: `token`. */
  readonly auth?: RouteAuth;
  readonly summary: string;
  /** Pages of other origins must not read its responses. */
  readonly origins?: "own";
}

export interface ApiRoute extends Route {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  readonly auth?: Exclude<RouteAuth, "operator" | "page">;
  readonly tag: string;
  readonly body?: z.ZodType;
  /** True if a body certainly matches the schema, so that a frequent request needs no zod. */
  readonly matchesFastPath?: (body: unknown) => boolean;
  /** Required although all members are optional. Any other such body may be left out. */
  readonly bodyRequired?: true;
  /** The body is a file, not JSON. */
  readonly takesFile?: true;
  readonly query?: z.ZodObject;
  /** The right that the owner's key must have, if `auth` is `key`. */
  readonly right?: Right;
  /** Its handler is also called with an invalid token, because it may have a response to that. */
  readonly takesWrongToken?: true;
  readonly headers?: readonly (
    | "Idempotency-Key"
    | "If-Match"
    | "If-None-Match"
    | "Last-Event-ID"
    | "Baton-Lease"
  )[];
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** In addition to the failures of its authentication, its headers and its body. */
  readonly failures?: readonly FailureCode[];
}

export const isBodyOptional = ({ body, bodyRequired }: ApiRoute): boolean =>
  bodyRequired !== true && body?.safeParse({}).success === true;

export interface RouteResponse {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Also offered as one JSON document per line. */
  readonly lines?: z.ZodType;
  /** Also offered as a stream of server-sent events. */
  readonly stream?: true;
  /** A file, not JSON. */
  readonly file?: true;
  /** Only as one JSON document per line. */
  readonly onlyLines?: true;
  /** Also offered as a page for a browser. */
  readonly page?: true;
}

/** Failures of every request with a bearer token or key, and of requests with a token that writes spend. */
const BEARER_FAILURES = ["credential_missing", "token_invalid"] as const;
const TOKEN_FAILURES = [...BEARER_FAILURES, "token_superseded", "expired", "gone"] as const;

/** Failures of every request, by who may call the route. */
const FAILURES_BY_AUTH: {
  readonly [W in NonNullable<ApiRoute["auth"]>]: readonly FailureCode[];
} = {
  none: [],
  token: [...TOKEN_FAILURES, "scope_denied", "lease_lost", "rate_limited"],
  owner: BEARER_FAILURES,
  key: [...BEARER_FAILURES, "scope_denied", "rate_limited"],
  agent: BEARER_FAILURES,
  job: [...TOKEN_FAILURES, "rate_limited"],
};

/** All failures of a request: of its authentication, its own, of its headers and of its body. */
export function failureCodes(route: ApiRoute): readonly FailureCode[] {
  const { auth = "token", headers = [], body, query, failures = [] } = route;
  return [
    ...(body === undefined && query === undefined ? [] : (["invalid_request"] as const)),
    ...FAILURES_BY_AUTH[auth],
    ...failures,
    ...(headers.includes("If-Match") ? (["precondition_failed"] as const) : []),
    ...(body === undefined ? [] : (["too_large", "unsupported_media_type"] as const)),
  ];
}

export const resumeToken = z
  .string()
  .describe("The next token of this participant; the token you sent is spent");
export const writeAnswerSchema = namedSchema("WriteAnswer", {
  session: visibleSessionSchema,
  resumeToken,
});
/** The response to a write by a token or by an owner's key. A key gets no token. */
const tokenOrKeyAnswerSchema = namedSchema("SteeredAnswer", {
  session: visibleSessionSchema,
  resumeToken: resumeToken.optional(),
});
/** Failures of a write beyond a wrong token. `If-Match` and a body add their own. */
export const WRITE_FAILURES = ["illegal_transition"] as const;
export const VERSIONED_WRITE_FAILURES = [...WRITE_FAILURES, "version_conflict"] as const;

export const WRITE_HEADERS = ["Idempotency-Key", "If-Match"] as const;

export const okResponse = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  200: { description, schema },
});
export const createdResponse = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  201: { description, schema },
});

export const readRoute = (summary: string, tag: string) =>
  ({ method: "get", summary, tag }) as const;

export const postRoute = (summary: string, tag: string) =>
  ({ method: "post", summary, tag }) as const;

export const writeRoute = (
  summary: string,
  tag: string,
  failures: readonly FailureCode[] = WRITE_FAILURES,
) =>
  ({
    ...postRoute(summary, tag),
    headers: WRITE_HEADERS,
    responses: okResponse("Done", writeAnswerSchema),
    failures,
  }) as const;

/** A write that is also allowed with an owner's key. */
export const tokenOrKeyWriteRoute = (...args: Parameters<typeof writeRoute>) =>
  ({ ...writeRoute(...args), responses: okResponse("Done", tokenOrKeyAnswerSchema) }) as const;

/** For an owner's key with this right. Pages of other origins must not read the responses. */
export const ownerKeyRoute = <M extends ApiRoute["method"]>(method: M, right: Right) =>
  ({ tag: "Owners", auth: "key", origins: "own", method, right }) as const;

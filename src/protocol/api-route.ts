/** What a route is, as data, and what most routes share: how they fail and what they answer. */
import * as z from "zod";
import type { FailureCode } from "../domain/failure";
import type { Right } from "../domain/owners/owners";
import { visibleSessionSchema } from "./session-schemas";
import { namedSchema } from "./named-schemas";

/**
 * Who may ask: nobody in particular, a participant with a resume token, who may begin sessions, an owner
 * with a key, an agent with a key, an executor with a job token, an operator, or a person at a page.
 */
type RouteAuth = "none" | "token" | "owner" | "key" | "agent" | "job" | "operator" | "page";

export interface Route {
  readonly method: "get" | "post" | "put" | "patch" | "delete" | "any";
  /** Open segments are `{named}`; `{named*}` takes the rest. */
  readonly path: string;
  /** Absent: `token`. */
  readonly auth?: RouteAuth;
  readonly summary: string;
  /** Pages of other origins may not read its answers. */
  readonly origins?: "own";
}

export interface ApiRoute extends Route {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  readonly auth?: Exclude<RouteAuth, "operator" | "page">;
  readonly tag: string;
  readonly body?: z.ZodType;
  /** Tells a body that certainly has that shape and needs no parsing, because it comes often. */
  readonly isPlain?: (body: unknown) => boolean;
  /** Needed even where it has nothing but optional members: any other such body may be left out. */
  readonly bodyRequired?: true;
  /** The body is a file, not JSON. */
  readonly takesFile?: true;
  readonly query?: z.ZodObject;
  /** What the owner's key must carry, if `auth` is `key`. */
  readonly right?: Right;
  /** Its handler is given a token that proves nothing too: it may have an answer to that. */
  readonly takesWrongToken?: true;
  readonly headers?: readonly (
    | "Idempotency-Key"
    | "If-Match"
    | "If-None-Match"
    | "Last-Event-ID"
  )[];
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** Beyond what whoever may ask, its headers and its body can fail with. */
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

/** How every request with a bearer token or key can fail, and how with a token that is spent by use. */
const BEARER_FAILURES = ["credential_missing", "token_invalid"] as const;
const TOKEN_FAILURES = [...BEARER_FAILURES, "token_superseded", "expired", "gone"] as const;

/** How every request can fail, by who may ask. */
const FAILURES_BY_AUTH: {
  readonly [Who in NonNullable<ApiRoute["auth"]>]: readonly FailureCode[];
} = {
  none: [],
  token: [...TOKEN_FAILURES, "scope_denied", "rate_limited"],
  owner: BEARER_FAILURES,
  key: [...BEARER_FAILURES, "scope_denied", "rate_limited"],
  agent: BEARER_FAILURES,
  job: [...TOKEN_FAILURES, "rate_limited"],
};

/** All that a request can fail with: by who asks, by itself, by its headers and by its body. */
export function failureCodes(endpoint: ApiRoute): readonly FailureCode[] {
  const { auth = "token", headers = [], body, query, failures = [] } = endpoint;
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
/** Of a write by a token or by an owner's key: a key gets no token in the answer. */
const tokenOrKeyAnswerSchema = namedSchema("SteeredAnswer", {
  session: visibleSessionSchema,
  resumeToken: resumeToken.optional(),
});
/** What a write meets beyond a wrong token; `If-Match` and a body add what they can fail with. */
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

/** A write that an owner's key may do too. */
export const tokenOrKeyWriteRoute = (...given: Parameters<typeof writeRoute>) =>
  ({ ...writeRoute(...given), responses: okResponse("Done", tokenOrKeyAnswerSchema) }) as const;

/** For an owner's key that has the right; pages of other origins may not read the answers. */
export const ownerKeyRoute = <M extends ApiRoute["method"]>(method: M, right: Right) =>
  ({ tag: "Owners", auth: "key", origins: "own", method, right }) as const;

/** What a route is, as data, and what most routes share: how they fail and what they answer. */
import * as z from "zod";
import type { FailureCode } from "../domain/failure";
import type { Right } from "../domain/owners/owners";
import { shownSchema } from "./session";
import { named } from "./shapes";

/**
 * Who may ask: nobody in particular, a participant with a resume token, who may begin sessions, an owner
 * with a key, an agent with a key, an executor with a job token, an operator, or a person at a page.
 */
type Who = "none" | "token" | "owner" | "key" | "agent" | "job" | "operator" | "page";

export interface Route {
  readonly method: "get" | "post" | "put" | "patch" | "delete" | "any";
  /** Open segments are `{named}`; `{named*}` takes the rest. */
  readonly path: string;
  /** Absent: `token`. */
  readonly who?: Who;
  readonly summary: string;
  /** Pages of other origins may not read its answers. */
  readonly origins?: "own";
}

export interface Endpoint extends Route {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  readonly who?: Exclude<Who, "operator" | "page">;
  readonly tag: string;
  readonly body?: z.ZodType;
  /** Tells a body that certainly has that shape and needs no parsing, because it comes often. */
  readonly isPlain?: (body: unknown) => boolean;
  /** Needed even where it has nothing but optional members: any other such body may be left out. */
  readonly bodyRequired?: true;
  /** The body is a file, not JSON. */
  readonly takesFile?: true;
  readonly query?: z.ZodObject;
  /** What the owner's key must carry, where `who` is `key`. */
  readonly right?: Right;
  /** Its handler is given a token that proves nothing too: it may have an answer to that. */
  readonly takesWrongToken?: true;
  readonly headers?: readonly (
    | "Idempotency-Key"
    | "If-Match"
    | "If-None-Match"
    | "Last-Event-ID"
  )[];
  readonly answers: Readonly<Record<number, Answer>>;
  /** Beyond what whoever may ask, its headers and its body can fail with. */
  readonly failures?: readonly FailureCode[];
}

export const isBodyOptional = ({ body, bodyRequired }: Endpoint): boolean =>
  bodyRequired !== true && body?.safeParse({}).success === true;

export interface Answer {
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
const BEARER = ["credential_missing", "token_invalid"] as const;
const SPENT = [...BEARER, "token_superseded", "expired", "gone"] as const;

/** How every request can fail, by who may ask. */
const OF_WHO: { readonly [Who in NonNullable<Endpoint["who"]>]: readonly FailureCode[] } = {
  none: [],
  token: [...SPENT, "scope_denied", "rate_limited"],
  owner: BEARER,
  key: [...BEARER, "scope_denied", "rate_limited"],
  agent: BEARER,
  job: [...SPENT, "rate_limited"],
};

/** All that a request can fail with: by who asks, by itself, by its headers and by its body. */
export function failureCodes(endpoint: Endpoint): readonly FailureCode[] {
  const { who = "token", headers = [], body, query, failures = [] } = endpoint;
  return [
    ...(body === undefined && query === undefined ? [] : (["invalid_request"] as const)),
    ...OF_WHO[who],
    ...failures,
    ...(headers.includes("If-Match") ? (["precondition_failed"] as const) : []),
    ...(body === undefined ? [] : (["too_large", "unsupported_media_type"] as const)),
  ];
}

export const resumeToken = z
  .string()
  .describe("The next token of this participant; the token you sent is spent");
export const written = named("WriteAnswer", { session: shownSchema, resumeToken });
/** Of a write by a token or by an owner's key: a key gets no token in the answer. */
const writtenByEither = named("SteeredAnswer", {
  session: shownSchema,
  resumeToken: resumeToken.optional(),
});
/** What a write meets beyond a wrong token; `If-Match` and a body add what they can fail with. */
export const WRITE = ["illegal_transition"] as const;
export const MOVE = [...WRITE, "version_conflict"] as const;

export const WRITE_HEADERS = ["Idempotency-Key", "If-Match"] as const;

export const done = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  200: { description, schema },
});
export const made = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  201: { description, schema },
});

export const reads = (summary: string, tag: string) => ({ method: "get", summary, tag }) as const;

export const posts = (summary: string, tag: string) => ({ method: "post", summary, tag }) as const;

export const writes = (summary: string, tag: string, failures: readonly FailureCode[] = WRITE) =>
  ({
    ...posts(summary, tag),
    headers: WRITE_HEADERS,
    answers: done("Done", written),
    failures,
  }) as const;

/** A write that an owner's key may do too. */
export const writesByKeyToo = (...given: Parameters<typeof writes>) =>
  ({ ...writes(...given), answers: done("Done", writtenByEither) }) as const;

/** For an owner's key that has the right; pages of other origins may not read the answers. */
export const sameOriginByKey = <M extends Endpoint["method"]>(method: M, right: Right) =>
  ({ tag: "Owners", who: "key", origins: "own", method, right }) as const;

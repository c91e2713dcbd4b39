/** What a route is, as data, and what most routes share: how they fail and what they answer. */
import * as z from "zod";
import type { FailureCode } from "../domain/failure";
import type { Right } from "../domain/owners/owners";
import { shownSchema } from "./session";

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
  /** A body of nothing but optional members may be left out. */
  readonly bodyOptional?: true;
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
  readonly failures: readonly FailureCode[];
}

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

export const resumeToken = z
  .string()
  .describe("The next token of this participant; the token you sent is spent");
/** What a write answers, with the members that are special to it. */
export const writtenWith = <S extends z.ZodRawShape>(id: string, special: S) =>
  z.object({ session: shownSchema, resumeToken, ...special }).meta({ id });
export const written = writtenWith("WriteAnswer", {});
/** What an owner's key may do too: then there is no token in the answer. */
export const steered = z
  .object({ session: shownSchema, resumeToken: resumeToken.optional() })
  .meta({ id: "SteeredAnswer" });
/** How every request with a token can fail. */
export const TOKEN: readonly FailureCode[] = [
  "credential_missing",
  "token_invalid",
  "token_superseded",
  "expired",
  "gone",
  "scope_denied",
  "rate_limited",
];
/** How every request with a body can fail. */
export const BODY = ["too_large", "unsupported_media_type"] as const;
export const WRITE: readonly FailureCode[] = [
  ...TOKEN,
  "illegal_transition",
  "precondition_failed",
  ...BODY,
];
export const MOVE: readonly FailureCode[] = [...WRITE, "version_conflict"];
export const WRITE_HEADERS = ["Idempotency-Key", "If-Match"] as const;
export const writing =
  <S extends z.ZodType>(schema: S) =>
  (summary: string, tag: string) =>
    ({
      method: "post",
      summary,
      tag,
      headers: WRITE_HEADERS,
      answers: { 200: { description: "Done", schema } },
    }) as const;
export const writes = writing(written);
export const steers = writing(steered);
/** A read with a token; `description` and `schema` are of its answer. */
export const reads = <S extends z.ZodType>(
  summary: string,
  tag: string,
  description: string,
  schema: S,
) =>
  ({
    method: "get",
    summary,
    tag,
    answers: { 200: { description, schema } },
    failures: TOKEN,
  }) as const;

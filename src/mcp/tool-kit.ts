/**
 * Parts that all tools share: reading the token, the common facts of a result, and refusals. The rules
 * are in the gateway; tools must not have rules of their own.
 */
import * as z from "zod";
import type { Command } from "../domain/session/command";
import { invalid, type Failure } from "../domain/failure";
import { parseLeaseRef } from "../domain/leases/lease";
import { LIMITS } from "../domain/limits";
import { refuse, type Result } from "../domain/result";
import type { SessionView } from "../domain/session/view";
import type { RequestTelemetry } from "../gateway/request-telemetry";
import type { Gateway, GatewayRefusal, GatewayReply } from "../gateway/gateway";
import type { WriteAnswer } from "../gateway/write-answer";
import type { JobGateway } from "../gateway/job-gateway";
import type { OwnerGateway } from "../gateway/owner-gateway";
import type { UnverifiedCredential } from "../gateway/session-calls";
import type { Uploads } from "../gateway/uploads";
import type { ApiRouteId } from "../protocol/api-routes";
import { bodyFromArguments, bodyMembersOf, type RouteBody } from "./route-input";
import { warnOfUnknownFields } from "./unknown-fields";

export interface ToolServices {
  readonly gateway: Gateway;
  readonly jobs: JobGateway;
  readonly owners: OwnerGateway;
  readonly uploads: Uploads;
  readonly publicUrl: string;
  readonly request: RequestTelemetry | null;
  /** Nothing may be logged. */
  readonly isSilent: boolean;
}

/** The result of a tool: a text for the model, and facts for its program. */
export interface ToolResult {
  readonly text: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface Tool {
  /** The API route whose request it makes. */
  readonly route: ApiRouteId;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly readOnly: boolean;
  /** It ends the session or a job, or may shorten its life. Changing a field is not destructive: the log has the old value. */
  readonly destructive: boolean;
  /** The same call again changes nothing more. True of every tool that spends the token. */
  readonly idempotent: boolean;
  /** False if its result has no resume token. */
  readonly hasHandle?: false;
  run(
    services: ToolServices,
    args: Readonly<Record<string, unknown>>,
  ): Promise<GatewayReply<ToolResult>>;
}

/** The hints of the four kinds of tools. */
export const READ_ONLY = { readOnly: true, destructive: false, idempotent: true };
export const MODIFYING = { readOnly: false, destructive: false, idempotent: true };
export const DESTRUCTIVE = { readOnly: false, destructive: true, idempotent: true };
export const ADDITIVE = { readOnly: false, destructive: false, idempotent: false };

type Descriptions<K extends ApiRouteId> = { readonly [M in keyof RouteBody<K>]?: string };

/** A tool, declared by its API route and the differences to it. */
interface ToolDeclaration<K extends ApiRouteId, H extends z.ZodRawShape>
  extends Omit<Tool, "input" | "run"> {
  readonly route: K;
  /** Members of the request that the tool does not have. They are never in the body. */
  readonly omit?: readonly (keyof RouteBody<K>)[];
  /** Descriptions that are shorter, or mention tools instead of HTTP. */
  readonly descriptions?: Descriptions<K>;
  /** Arguments that are not in the body: the token, and parts of the path, the query or the headers. */
  readonly extraInput: H;
  /** A condition on the request as a whole. */
  readonly check?: {
    readonly holds: (body: Partial<RouteBody<K>>) => boolean;
    readonly error: string;
  };
  run(
    services: ToolServices,
    args: z.output<z.ZodObject<H>>,
    body: RouteBody<K>,
  ): Promise<GatewayReply<ToolResult>>;
}

export function defineTool<K extends ApiRouteId, H extends z.ZodRawShape>(
  tool: ToolDeclaration<K, H>,
): Tool {
  const members = bodyMembersOf(
    tool.route,
    (tool.omit ?? []) as readonly string[],
    tool.descriptions,
  );
  const shown = members.map(({ argument, schema }) => [argument, schema]);
  const plain = z.object({ ...tool.extraInput, ...Object.fromEntries(shown) });
  const { check } = tool;
  const input =
    check === undefined
      ? plain
      : plain.refine((args) => check.holds(bodyFromArguments(members, args) as never), {
          error: check.error,
        });
  return {
    ...tool,
    input,
    run: (services, args) =>
      tool.run(services, args as never, bodyFromArguments(members, args) as never),
  };
}

export const handleInput = {
  resume_token: z.string().describe("Your newest"),
  session_id: z.string().optional(),
};

/** For reads that an owner's key may do too, with the session id instead of a token. */
export const readInput = {
  resume_token: handleInput.resume_token.optional(),
  session_id: z.string().describe("Instead of a token, if you send an owner's key").optional(),
};

const idempotency_key = z.string().min(1).max(LIMITS.idempotencyKeyLength).optional();

/** The same as the header Baton-Lease. */
const lease = z
  .string()
  .refine((text) => parseLeaseRef(text, "lease").ok, {
    error: "must be the name and the number of a lease, as in worker=42",
  })
  .optional();

/** For writes that spend no token and must happen only once. */
export const idempotentInput = { ...handleInput, idempotency_key, lease };

export const writeInput = {
  ...idempotentInput,
  /** A version conflict names the value to send here. */
  if_version: z.int().min(0).optional(),
};

export const SPENDS_TOKEN = "Spends the token; returns the next.";
export const KEEPS_TOKEN = "Keeps the token.";

export const TOKEN_MISSING =
  '"resume_token" is missing. If you do not have it, ask the user for it. If this connection sends an owner\'s key, find the session with list_sessions and call open_session. create_session is only for new work.';

type HandleArgs = z.output<z.ZodObject<typeof handleInput>> & LeaseArgument;
type WriteArgs = z.output<z.ZodObject<typeof writeInput>>;

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

export function readHandle(
  gateway: Gateway,
  { resume_token, session_id, lease: named }: HandleArgs,
): Promise<Result<UnverifiedCredential, Failure>> {
  const held = named === undefined ? null : parseLeaseRef(named, "lease");
  // As in a header: anything else cannot be a token.
  return VISIBLE_ASCII.test(resume_token)
    ? gateway.readCredential(
        session_id ?? resume_token,
        `Bearer ${resume_token}`,
        held?.ok === true ? held.value : null,
      )
    : Promise.resolve(refuse({ code: "token_invalid" }));
}

/** Only writes have it. Its form was checked with the other arguments. */
interface LeaseArgument {
  readonly lease?: string | undefined;
}

type ReadArgs = z.output<z.ZodObject<typeof readInput>> & LeaseArgument;

/** From the token, or from the session id and the owner's key of the connection. */
async function resolveCredential(
  { gateway, owners }: ToolServices,
  { resume_token, session_id, lease: named }: ReadArgs,
): Promise<Result<UnverifiedCredential, Failure>> {
  if (resume_token !== undefined) {
    return readHandle(gateway, { resume_token, session_id, lease: named });
  }
  if (session_id === undefined) return refuse(invalid(TOKEN_MISSING, "resume_token"));
  const holder = await owners.admit("read");
  return holder.ok ? owners.credentialFromKey(holder.value, session_id) : holder;
}

export const toRefusal = (failure: Failure): GatewayRefusal => ({ ok: false, failure });

export const sessionFacts = (session: SessionView) => ({ expires_at: session.expiresAt, session });

export const handleFacts = (resumeToken: string, session: SessionView) => ({
  resume_token: resumeToken,
  ...sessionFacts(session),
});

/** Without the fields: a model that set them knows them, and get_session returns the rest. */
export const briefFacts = (session: SessionView) => {
  const { id, state, version, head, missingFields } = session;
  const missing =
    missingFields === undefined || missingFields.length === 0 ? {} : { missingFields };
  return { expires_at: session.expiresAt, session: { id, state, version, head, ...missing } };
};

export const pluralize = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? "" : "s"}`;

export const describeSession = ({ id, state, version, head, paused }: SessionView): string =>
  `Session ${id} is ${state}${paused ? " and paused" : ""}, version ${version}, ${pluralize(head, "event")}.`;

const SAME_TOKEN = "Your resume_token is unchanged.";

/** A spent token can read and append until the next resume, so a model would otherwise notice only at its next write. */
const SPENT_TOKEN =
  "Warning: the resume_token that you sent is not your newest: it is spent. Use the newest.";

const BY_KEY = "Read with the owner's key; to act, call open_session.";

export const NEXT_TOKEN = "Keep resume_token from this result; the one you sent is spent.";

/** Runs a tool that is one command, and returns the session. */
export const runCommand =
  <A extends WriteArgs, B extends object>(
    toCommand: (body: B, args: A) => Command,
    describe: (answer: WriteAnswer) => string,
    extra: (answer: WriteAnswer, publicUrl: string) => Record<string, unknown> = () => ({}),
  ) =>
  async (
    { gateway, publicUrl }: ToolServices,
    args: A,
    body: B,
  ): Promise<GatewayReply<ToolResult>> => {
    const credential = await readHandle(gateway, args);
    if (!credential.ok) return toRefusal(credential.error);
    const reply = await gateway.write(credential.value, toCommand(body, args), {
      ifMatch: args.if_version ?? null,
      idempotencyKey: args.idempotency_key ?? null,
    });
    if (!reply.ok) return reply;
    const { session, resumeToken, replayed, proof } = reply.value;
    const warning = warnOfUnknownFields(session.view, body);
    const repeated = replayed ? " This repeats an earlier call; nothing happened twice." : "";
    return {
      ok: true,
      value: {
        text: `${describe(reply.value)}${warning.text}${repeated} ${NEXT_TOKEN}`,
        facts: {
          resume_token: resumeToken,
          ...briefFacts(session.view),
          ...warning.facts,
          ...(proof === null ? {} : { proof }),
          ...extra(reply.value, publicUrl),
        },
      },
    };
  };

/** Runs a tool that spends no token. The token stays valid unless it was spent before. */
export const runKeepingToken =
  <A extends ReadArgs, B, T>(
    execute: (
      services: ToolServices,
      credential: UnverifiedCredential,
      body: B,
      args: A,
    ) => Promise<GatewayReply<T>>,
    describe: (value: T, args: A, body: B) => ToolResult,
  ) =>
  async (services: ToolServices, args: A, body: B): Promise<GatewayReply<ToolResult>> => {
    const credential = await resolveCredential(services, args);
    if (!credential.ok) return toRefusal(credential.error);
    const reply = await execute(services, credential.value, body, args);
    if (!reply.ok) return reply;
    const { text, facts } = describe(reply.value, args, body);
    const [note, handle] = handleNote(args.resume_token, reply.isSpent === true);
    return { ok: true, value: { text: `${text} ${note}`, facts: { ...handle, ...facts } } };
  };

function handleNote(resume_token: string | undefined, isSpent: boolean): [string, object] {
  if (resume_token === undefined) return [BY_KEY, {}];
  return isSpent ? [SPENT_TOKEN, { token_spent: true }] : [SAME_TOKEN, { resume_token }];
}

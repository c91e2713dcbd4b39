/**
 * What every tool shares: how a handle is presented, what a result always carries, and how a refusal
 * becomes a tool error. The rules themselves are the gateway's; there is no second set.
 */
import * as z from "zod";
import type { Command } from "../domain/session/command";
import { invalid, type Failure } from "../domain/failure";
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

/** What tools work with. */
export interface ToolServices {
  readonly gateway: Gateway;
  readonly jobs: JobGateway;
  readonly owners: OwnerGateway;
  readonly uploads: Uploads;
  readonly publicUrl: string;
  readonly request: RequestTelemetry | null;
  /** Nothing at all is to be logged. */
  readonly isSilent: boolean;
}

/** What a tool gives back: a sentence for the model, and the facts. */
export interface ToolResult {
  readonly text: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface Tool {
  /** The endpoint whose request it makes. */
  readonly route: ApiRouteId;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly readOnly: boolean;
  /** Ends the session or a job, or may shorten its life. A changed field is not: the log keeps what it was. */
  readonly destructive: boolean;
  /** The same arguments again change nothing more; so it is wherever the token is spent. */
  readonly idempotent: boolean;
  /** Its answer holds a resume token; left out where it does. */
  readonly hasHandle?: false;
  run(
    services: ToolServices,
    args: Readonly<Record<string, unknown>>,
  ): Promise<GatewayReply<ToolResult>>;
}

/** What the four kinds of tools do to what is there. */
export const READ_ONLY = { readOnly: true, destructive: false, idempotent: true };
export const MODIFYING = { readOnly: false, destructive: false, idempotent: true };
export const DESTRUCTIVE = { readOnly: false, destructive: true, idempotent: true };
export const ADDITIVE = { readOnly: false, destructive: false, idempotent: false };

type Descriptions<K extends ApiRouteId> = { readonly [M in keyof RouteBody<K>]?: string };

/** A tool, by the endpoint whose request it makes, and what it says differently. */
interface ToolDeclaration<K extends ApiRouteId, H extends z.ZodRawShape>
  extends Omit<Tool, "input" | "run"> {
  readonly route: K;
  /** Members of the request that models are not offered: they are never in the body. */
  readonly omit?: readonly (keyof RouteBody<K>)[];
  /** Shorter, or of tools where the request speaks of HTTP. */
  readonly descriptions?: Descriptions<K>;
  /** Arguments that no body has: the handle, what stands in a path, a query or a header. */
  readonly extraInput: H;
  /** What must hold of the request as a whole. */
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

/** Of what also an owner's key may look at: the session by its id, without a token. */
export const readInput = {
  resume_token: handleInput.resume_token.optional(),
  session_id: z.string().describe("Instead of a token, if you send an owner's key").optional(),
};

const idempotency_key = z.string().min(1).max(LIMITS.idempotencyKeyLength).optional();

/** Of what spends no token and is still done once. */
export const idempotentInput = { ...handleInput, idempotency_key };

export const writeInput = {
  ...idempotentInput,
  /** A refusal for its version says what to give here. */
  if_version: z.int().min(0).optional(),
};

export const SPENDS_TOKEN = "Spends the token; returns the next.";
export const KEEPS_TOKEN = "Keeps the token.";

export const TOKEN_MISSING =
  '"resume_token" is missing. If you do not have it, ask the user for it. If this connection sends an owner\'s key, find the session with list_sessions and call open_session. create_session is only for new work.';

type HandleArgs = z.output<z.ZodObject<typeof handleInput>>;
type WriteArgs = z.output<z.ZodObject<typeof writeInput>>;

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

export function readHandle(
  gateway: Gateway,
  { resume_token, session_id }: HandleArgs,
): Promise<Result<UnverifiedCredential, Failure>> {
  // As a header would: anything else cannot be a token.
  return VISIBLE_ASCII.test(resume_token)
    ? gateway.readCredential(session_id ?? resume_token, `Bearer ${resume_token}`)
    : Promise.resolve(refuse({ code: "token_invalid" }));
}

type ReadArgs = z.output<z.ZodObject<typeof readInput>>;

/** By its token; or by its id, with the owner's key that the connection sends. */
async function resolveCredential(
  { gateway, owners }: ToolServices,
  { resume_token, session_id }: ReadArgs,
): Promise<Result<UnverifiedCredential, Failure>> {
  if (resume_token !== undefined) return readHandle(gateway, { resume_token, session_id });
  if (session_id === undefined) return refuse(invalid(TOKEN_MISSING, "resume_token"));
  const holder = await owners.admit("read");
  return holder.ok ? owners.credentialFromKey(holder.value, session_id) : holder;
}

export const toRefusal = (failure: Failure): GatewayRefusal => ({ ok: false, failure });

/** With the whole session, for tools that look at it. */
export const sessionFacts = (session: SessionView) => ({ expires_at: session.expiresAt, session });

export const handleFacts = (resumeToken: string, session: SessionView) => ({
  resume_token: resumeToken,
  ...sessionFacts(session),
});

/** With what one acts by: a model that set fields knows them, and get_session has the rest. */
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

/** It reads and appends until the next resume, so nothing else would say so before the next write. */
const SPENT_TOKEN =
  "Warning: the resume_token that you sent is not your newest: it is spent. Use the newest.";

const BY_KEY = "Read with the owner's key; to act, call open_session.";

export const NEXT_TOKEN = "Keep resume_token from this result; the one you sent is spent.";

/** A tool that is one command and answers with the session. */
export const runCommand =
  <A extends WriteArgs, B extends object>(
    toCommand: (body: B, args: A) => Command,
    tell: (answer: WriteAnswer) => string,
    extra: (answer: WriteAnswer, publicUrl: string) => Record<string, unknown> = () => ({}),
  ) =>
  async (
    { gateway, publicUrl }: ToolServices,
    args: A,
    body: B,
  ): Promise<GatewayReply<ToolResult>> => {
    const presented = await readHandle(gateway, args);
    if (!presented.ok) return toRefusal(presented.error);
    const reply = await gateway.write(presented.value, toCommand(body, args), {
      ifMatch: args.if_version ?? null,
      idempotencyKey: args.idempotency_key ?? null,
    });
    if (!reply.ok) return reply;
    const { session, resumeToken, replayed, proof } = reply.value;
    const warned = warnOfUnknownFields(session.view, body);
    const repeated = replayed ? " This repeats an earlier call; nothing happened twice." : "";
    return {
      ok: true,
      value: {
        text: `${tell(reply.value)}${warned.text}${repeated} ${NEXT_TOKEN}`,
        facts: {
          resume_token: resumeToken,
          ...briefFacts(session.view),
          ...warned.facts,
          ...(proof === null ? {} : { proof }),
          ...extra(reply.value, publicUrl),
        },
      },
    };
  };

/** A tool that spends no token: the same one stays good, unless it is spent already. */
export const runKeepingToken =
  <A extends ReadArgs, B, T>(
    ask: (
      services: ToolServices,
      credential: UnverifiedCredential,
      body: B,
      args: A,
    ) => Promise<GatewayReply<T>>,
    tell: (value: T, args: A, body: B) => ToolResult,
  ) =>
  async (services: ToolServices, args: A, body: B): Promise<GatewayReply<ToolResult>> => {
    const presented = await resolveCredential(services, args);
    if (!presented.ok) return toRefusal(presented.error);
    const reply = await ask(services, presented.value, body, args);
    if (!reply.ok) return reply;
    const { text, facts } = tell(reply.value, args, body);
    const [words, handle] = handleNote(args.resume_token, reply.isSpent === true);
    return { ok: true, value: { text: `${text} ${words}`, facts: { ...handle, ...facts } } };
  };

function handleNote(resume_token: string | undefined, isSpent: boolean): [string, object] {
  if (resume_token === undefined) return [BY_KEY, {}];
  return isSpent ? [SPENT_TOKEN, { token_spent: true }] : [SAME_TOKEN, { resume_token }];
}

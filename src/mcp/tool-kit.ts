/**
 * What every tool shares: how a handle is presented, what a result always carries, and how a refusal
 * becomes a tool error. The rules themselves are the gateway's; there is no second set.
 */
import * as z from "zod";
import type { Command } from "../domain/session/command";
import type { Failure } from "../domain/failure";
import { LIMITS } from "../domain/limits";
import { refuse, type Result } from "../domain/result";
import type { SessionView } from "../domain/session/view";
import type { Call } from "../gateway/call";
import type { Gateway, GatewayRefusal, GatewayReply } from "../gateway/gateway";
import type { WriteAnswer } from "../gateway/write-answer";
import type { JobGateway } from "../gateway/job-gateway";
import type { OwnerGateway } from "../gateway/owner-gateway";
import type { Presented } from "../gateway/presented";
import type { Uploads } from "../gateway/uploads";
import { sessionSchema } from "../protocol/session";

/** What tools work with. */
export interface Services {
  readonly gateway: Gateway;
  readonly jobs: JobGateway;
  readonly owners: OwnerGateway;
  readonly uploads: Uploads;
  readonly publicUrl: string;
  readonly request: Call | null;
  /** Nothing at all is to be logged. */
  readonly isSilent: boolean;
}

/** What a tool gives back: a sentence for the model, and the facts. */
export interface Told {
  readonly text: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface Tool<I extends z.ZodObject = z.ZodObject> {
  readonly title: string;
  readonly description: string;
  readonly input: I;
  readonly output: z.ZodObject;
  readonly readOnly: boolean;
  /** Ends the session or a job, or may shorten its life. A changed field is not: the log keeps what it was. */
  readonly destructive: boolean;
  /** The same arguments again change nothing more; so it is wherever the token is spent. */
  readonly idempotent: boolean;
  run(services: Services, args: z.output<I>): Promise<GatewayReply<Told>>;
}

export const defineTool = <I extends z.ZodObject>(tool: Tool<I>): Tool => tool as unknown as Tool;

export const handleInput = {
  resume_token: z.string().describe("Your newest resume token"),
  session_id: z.string().optional(),
};

export const writeInput = {
  ...handleInput,
  idempotency_key: z.string().min(1).max(LIMITS.idempotencyKeyLength).optional(),
  if_version: z.int().min(0).describe("Seen after a conflict").optional(),
};

/** What a model acts by. The answer holds the whole session; the list of tools stays short. */
export const shownSession = sessionSchema
  .pick({
    id: true,
    title: true,
    state: true,
    version: true,
    head: true,
    fields: true,
    missingFields: true,
  })
  // A call that is repeated after the session expired gets only its outline.
  .partial({ title: true, fields: true, missingFields: true })
  .describe("The session as it is now");

/** Under these names in every result. */
export const handleOutput = {
  resume_token: z.string().describe("Use this from now on"),
  expires_at: z.string().describe("When the session expires"),
};

export const sessionOutput = { ...handleOutput, session: shownSession };

export const ROTATES = "Spends the resume token; returns the next.";
export const KEEPS = "Does not spend the resume token.";

export interface HandleArgs {
  readonly resume_token: string;
  readonly session_id?: string | undefined;
}

export interface WriteArgs extends HandleArgs {
  readonly idempotency_key?: string | undefined;
  readonly if_version?: number | undefined;
}

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

export function readHandle(
  gateway: Gateway,
  { resume_token, session_id }: HandleArgs,
): Promise<Result<Presented, Failure>> {
  // As a header would: anything else cannot be a token.
  return VISIBLE_ASCII.test(resume_token)
    ? gateway.readCredential(session_id ?? resume_token, `Bearer ${resume_token}`)
    : Promise.resolve(refuse({ code: "token_invalid" }));
}

export const refusedBy = (failure: Failure): GatewayRefusal => ({ ok: false, failure });

/** With the whole session, for tools that look at it. */
export const handleFacts = (resumeToken: string, session: SessionView) => ({
  resume_token: resumeToken,
  expires_at: session.expiresAt,
  session,
});

/** With what one acts by: a model that set fields knows them, and get_session has the rest. */
const briefFacts = (resumeToken: string, session: SessionView) => {
  const { id, state, version, head, missingFields } = session;
  const missing =
    missingFields === undefined || missingFields.length === 0 ? {} : { missingFields };
  return {
    resume_token: resumeToken,
    expires_at: session.expiresAt,
    session: { id, state, version, head, ...missing },
  };
};

export const standing = ({ id, state, version, head }: SessionView): string =>
  `Session ${id} is ${state}, version ${version}, ${head} events.`;

export const SAME_TOKEN = "Your resume_token is unchanged.";

export const NEXT_TOKEN = "Keep resume_token from this result; the one you sent is spent.";

/** A tool that is one command and answers with the session. */
export const writing =
  <A extends WriteArgs>(
    toCommand: (args: A) => Command,
    tell: (answer: WriteAnswer) => string,
    extra: (answer: WriteAnswer, publicUrl: string) => Record<string, unknown> = () => ({}),
  ) =>
  async ({ gateway, publicUrl }: Services, args: A): Promise<GatewayReply<Told>> => {
    const presented = await readHandle(gateway, args);
    if (!presented.ok) return refusedBy(presented.error);
    const reply = await gateway.write(presented.value, toCommand(args), {
      ifMatch: args.if_version ?? null,
      idempotencyKey: args.idempotency_key ?? null,
    });
    if (!reply.ok) return reply;
    const { shown, resumeToken, replayed, proof } = reply.value;
    const session = shown.view;
    const repeated = replayed ? " This repeats an earlier call; nothing happened twice." : "";
    return {
      ok: true,
      value: {
        text: `${tell(reply.value)}${repeated} ${NEXT_TOKEN}`,
        facts: {
          ...briefFacts(resumeToken, session),
          ...(proof === null ? {} : { proof }),
          ...extra(reply.value, publicUrl),
        },
      },
    };
  };

/** A tool that spends no token: the same one stays good. */
export const keeping =
  <A extends HandleArgs, T>(
    ask: (services: Services, presented: Presented, args: A) => Promise<GatewayReply<T>>,
    tell: (value: T, args: A) => Told,
  ) =>
  async (services: Services, args: A): Promise<GatewayReply<Told>> => {
    const presented = await readHandle(services.gateway, args);
    if (!presented.ok) return refusedBy(presented.error);
    const reply = await ask(services, presented.value, args);
    return reply.ok ? { ok: true, value: tell(reply.value, args) } : reply;
  };

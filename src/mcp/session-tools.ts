/** Tools that begin, continue, look at and end sessions. */
import { eventsIn } from "../domain/log/event-line";
import * as z from "zod";
import type { CreateArguments } from "../domain/session/command";
import { invalid } from "../domain/failure";
import { resumeOrBegin } from "../gateway/resume-or-begin";
import { explained, warningText } from "./fresh-warning";
import { actorClaim } from "../protocol/request-parts";
import { createBody, extendBody, reasonBody } from "../protocol/session-requests";
import { eventSchema, seq } from "../protocol/session";
import {
  defineTool,
  handleFacts,
  handleInput,
  handleOutput,
  KEEPS,
  NEXT_TOKEN,
  readHandle,
  keeping,
  refusedBy,
  ROTATES,
  SAME_TOKEN,
  sessionOutput,
  standing,
  writeInput,
  writing,
} from "./tool-kit";

const LIFETIME = "It lives 7 days or ttl_ms; extend_session prolongs it.";

const eventsOutput = {
  events: z.array(eventSchema).describe("What happened, oldest first"),
  head: seq.describe("Number of the last event"),
  more: z.boolean().describe("There are more; continue with read_events"),
};

const create = createBody.shape;

const create_session = defineTool({
  title: "Create a session",
  description: `Creates a session that survives this conversation and returns its resume_token. Keep it: it is the only way back. ${LIFETIME}`,
  input: z.object({
    title: create.title,
    actor: create.actor.describe("Who you are"),
    schema: create.schema,
    fields: create.fields,
    confidence: create.confidence,
    ttl_ms: create.ttlMs,
    review: create.review,
    next_step: create.nextStep,
    policy: create.policy,
    bind: create.bind,
    idempotency_key: z
      .string()
      .min(22)
      .max(255)
      .describe("At least 22 random characters; the same call with the same key finds the session")
      .optional(),
  }),
  output: z.object(sessionOutput),
  readOnly: false,
  destructive: false,
  idempotent: false,
  async run({ gateway }, { ttl_ms: ttlMs, next_step: nextStep, idempotency_key, ...rest }) {
    const args = { ...rest, ttlMs, nextStep } as CreateArguments;
    const reply = await gateway.create(args, idempotency_key ?? null);
    if (!reply.ok) return reply;
    const { shown, resumeToken } = reply.value;
    const session = shown.view;
    const text = `Begun. ${standing(session)} Keep resume_token: it is the only way back to this session.`;
    return { ok: true, value: { text, facts: handleFacts(resumeToken, session) } };
  },
});

const resume_session = defineTool({
  title: "Continue a session",
  description: `Continues a session where it stopped and returns the events missed since last_event_seq. ${ROTATES} If the token is invalid, expired or gone, it creates a new, empty session with a warning; with on_invalid "fail" it returns an error. A superseded token never creates one.`,
  input: z.object({
    resume_token: z.string().describe("Your newest resume token").optional(),
    resumeToken: z.string().optional(),
    session_id: z.string().optional(),
    sessionId: z.string().optional(),
    last_event_seq: z.int().min(0).describe("Number of the last event you have seen").optional(),
    on_invalid: z.enum(["fresh", "fail"]).default("fresh"),
    actor: actorClaim.optional(),
    auto: z.boolean().describe("True when a machine decided to resume").optional(),
    idempotency_key: writeInput.idempotency_key.describe(
      "At least 22 random characters; the same again when you repeat a call",
    ),
  }),
  output: z.object({
    ...sessionOutput,
    outcome: z.enum(["resumed", "fresh"]),
    warning: z
      .object({
        code: z.string(),
        requested: z.object({ sessionId: z.string().nullable(), lastEventSeq: seq.nullable() }),
        reason: z.string(),
        malformed: z.boolean().optional(),
        recover: z.string(),
      })
      .optional(),
    ...eventsOutput,
  }),
  readOnly: false,
  destructive: false,
  idempotent: false,
  async run({ gateway }, args) {
    const resume_token = args.resume_token ?? args.resumeToken;
    const session_id = args.session_id ?? args.sessionId;
    if (resume_token !== (args.resumeToken ?? resume_token)) {
      return refusedBy(invalid("resume_token and resumeToken differ", "resumeToken"));
    }
    if (session_id !== (args.sessionId ?? session_id)) {
      return refusedBy(invalid("session_id and sessionId differ", "sessionId"));
    }
    if (resume_token === undefined) {
      return refusedBy(
        invalid("resume_token is required; use create_session to create a session", "resume_token"),
      );
    }
    const reply = await resumeOrBegin(gateway, {
      presented: await readHandle(gateway, { resume_token, session_id }),
      command: { lastEventSeq: args.last_event_seq, actor: args.actor, auto: args.auto },
      options: { ifMatch: null, idempotencyKey: args.idempotency_key ?? null },
      onInvalid: args.on_invalid,
      named: session_id ?? null,
    });
    if (!reply.ok) return reply;
    const { outcome, answer } = reply.value;
    const session = answer.shown.view;
    const facts = { outcome, ...handleFacts(answer.resumeToken, session) };
    if (reply.value.outcome === "fresh") {
      const warning = explained(reply.value.warning, resume_token);
      const log = { events: [], head: session.head, more: false };
      const text = `${warningText(warning)} ${standing(session)} ${NEXT_TOKEN}`;
      // First of all in both parts: what comes after it is read as if all were well.
      return { ok: true, value: { text, facts: { warning, ...facts, ...log } } };
    }
    const { page } = reply.value.answer;
    const events = eventsIn(page?.texts ?? []);
    const text = `Resumed. ${events.length} missed events are in events. ${standing(session)} ${NEXT_TOKEN}`;
    const log = { events, head: page?.head, more: page?.more };
    return { ok: true, value: { text, facts: { ...facts, ...log } } };
  },
});

const check_session = defineTool({
  title: "Check whether a session can be continued",
  description: `A dry run of resume_session: whether it would succeed, and how far behind you are. ${KEEPS} Changes nothing.`,
  input: z.object({
    ...handleInput,
    last_event_seq: z.int().min(0).optional(),
    auto: z.boolean().optional(),
  }),
  output: z.object({
    ...handleOutput,
    resumable: z.boolean(),
    reason: z.string().describe("The code a resume would fail with").optional(),
    version: seq,
    head: seq,
    behind_by: z.int(),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  run: keeping(
    ({ gateway }, presented, args) =>
      gateway.read(presented, "resumable", {
        lastEventSeq: args.last_event_seq ?? null,
        auto: args.auto ?? false,
      }),
    ({ resumable, reason, version, head, behindBy, expiresAt }, { resume_token }) => ({
      text: resumable
        ? `It can be resumed; you are ${behindBy} events behind.`
        : `It cannot be resumed with this token: ${reason}.`,
      facts: {
        resume_token,
        expires_at: expiresAt,
        resumable,
        ...(reason === undefined ? {} : { reason }),
        version,
        head,
        behind_by: behindBy,
      },
    }),
  ),
});

const get_session = defineTool({
  title: "Read a session",
  description: `Returns the session. ${KEEPS} Changes nothing.`,
  input: z.object(handleInput),
  output: z.object(sessionOutput),
  readOnly: true,
  destructive: false,
  idempotent: true,
  run: keeping(
    ({ gateway }, presented) => gateway.get(presented),
    ({ view }, { resume_token }) => ({
      text: `${standing(view)} ${SAME_TOKEN}`,
      facts: handleFacts(resume_token, view),
    }),
  ),
});

/** Tools that say a reason at most. */
const lifecycle = (
  operation: "pause" | "unpause" | "cancel" | "finalize",
  title: string,
  description: string,
  done: string,
) =>
  defineTool({
    title,
    description: `${description} ${ROTATES}`,
    input: z.object({ ...writeInput, reason: reasonBody.shape.reason }),
    output: z.object(sessionOutput),
    readOnly: false,
    destructive: operation === "cancel" || operation === "finalize",
    idempotent: true,
    run: writing(
      ({ reason }: { reason?: string | undefined; resume_token: string }) => ({
        operation,
        reason,
      }),
      () => done,
    ),
  });

const extend_session = defineTool({
  title: "Extend a session",
  description: `Moves the session's expiry to ttl_ms from now. ${ROTATES}`,
  input: z.object({ ...writeInput, ttl_ms: extendBody.shape.ttlMs }),
  output: z.object(sessionOutput),
  readOnly: false,
  destructive: true,
  idempotent: true,
  run: writing(
    ({ ttl_ms: ttlMs }: { ttl_ms: number; resume_token: string }) => ({
      operation: "extend",
      ttlMs,
    }),
    ({ shown }) => `It now expires at ${shown.view.expiresAt}.`,
  ),
});

export const sessionTools = {
  create_session,
  resume_session,
  check_session,
  get_session,
  finalize_session: lifecycle(
    "finalize",
    "Finalize a session",
    "Ends a submitted or approved session as finished.",
    "Finalized.",
  ),
  pause_session: lifecycle(
    "pause",
    "Pause a session",
    "While paused, the session is not resumed automatically. Participants can still act.",
    "Paused.",
  ),
  unpause_session: lifecycle(
    "unpause",
    "Unpause a session",
    "Ends a pause, and resets automatic resumption after too many failures.",
    "Not paused.",
  ),
  cancel_session: lifecycle(
    "cancel",
    "Cancel a session",
    "Ends the session permanently.",
    "Cancelled.",
  ),
  extend_session,
};

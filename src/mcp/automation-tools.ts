/** Tools for stopping and going on: stop reports, checkpoints, forks. */
import * as z from "zod";
import { numberOf } from "../domain/ids";
import { STRATEGIES } from "../domain/stops/policy";
import type { StopReport } from "../domain/stops/stop";
import { checkpointBody, forkBody, stopBody } from "../protocol/automation-requests";
import { checkpointSchema, seq } from "../protocol/session";
import {
  defineTool,
  handleInput,
  handleOutput,
  readHandle,
  refusedBy,
  ROTATES,
  KEEPS,
  SAME_TOKEN,
  sessionOutput,
  shownSession,
  writeInput,
  writing,
} from "./tool-kit";

const stop = stopBody.shape;

const report_stop = defineTool({
  title: "Report why you stop",
  description: `Records why the work stops and returns a decision: wait and continue this session, continue in a new one (fork_session), or stop. ${KEEPS}`,
  input: z.object({
    ...handleInput,
    idempotency_key: writeInput.idempotency_key,
    reason: stop.reason,
    attempt: stop.attempt,
    retry_after_ms: stop.retryAfterMs,
    usage: stop.usage,
    exit_code: stop.exitCode,
    evidence: stop.evidence,
    confidence: stop.confidence,
  }),
  output: z.object({
    ...handleOutput,
    seq,
    decision: z.object({
      strategy: z.enum(STRATEGIES),
      resumeAt: z.string().nullable(),
      waitMs: z.int(),
      attempt: z.int().nullable(),
      why: z.string(),
    }),
  }),
  readOnly: false,
  destructive: false,
  idempotent: false,
  async run({ gateway }, args) {
    const presented = await readHandle(gateway, args);
    if (!presented.ok) return refusedBy(presented.error);
    const report: StopReport = {
      reason: args.reason,
      attempt: args.attempt,
      retryAfterMs: args.retry_after_ms,
      usage: args.usage as StopReport["usage"],
      exitCode: args.exit_code,
      evidence: args.evidence,
      confidence: args.confidence,
    };
    const reply = await gateway.reportStop(presented.value, report, args.idempotency_key ?? null);
    if (!reply.ok) return reply;
    const { decision, seq: at, expiresAt: expires_at } = reply.value;
    const text = `${ADVICE[decision.strategy](decision.waitMs)} (${decision.why}). ${SAME_TOKEN}`;
    const { resume_token } = args;
    return { ok: true, value: { text, facts: { resume_token, expires_at, seq: at, decision } } };
  },
});

const ADVICE = {
  same_session: (waitMs: number) =>
    `Wait ${waitMs} ms, then continue this session with resume_session`,
  new_session: () => "Start a new session from the next step with fork_session",
  none: () => "Do not resume by yourself",
} as const;

const checkpoint = defineTool({
  title: "Save a checkpoint",
  description: `Saves a verified copy of the document and the next step. If there are too many, it replaces the oldest unpinned one. ${ROTATES}`,
  input: z.object({ ...writeInput, ...checkpointBody.shape }),
  output: z.object({ ...sessionOutput, checkpoint: checkpointSchema }),
  readOnly: false,
  destructive: false,
  idempotent: true,
  run: writing(
    ({ name, pinned }) => ({
      operation: "checkpoint",
      name,
      pinned,
    }),
    () => "Kept.",
    ({ outcome }) => ({ checkpoint: outcome["checkpoint"] }),
  ),
});

const fork_session = defineTool({
  title: "Start a new session from this one",
  description: `Creates a child session with this session's document and next step (or a checkpoint's), and returns a prompt to continue with. ${ROTATES} Continue the work with child_token.`,
  input: z.object({
    ...writeInput,
    from: forkBody.shape.from,
    reason: forkBody.shape.reason,
    finalize_parent: forkBody.shape.finalizeParent,
    template: forkBody.shape.template,
  }),
  output: z.object({
    ...sessionOutput,
    child: shownSession.nullable(),
    child_token: z.string(),
    prompt: z.string(),
  }),
  readOnly: false,
  destructive: true,
  idempotent: true,
  run: writing(
    (args) => ({
      operation: "fork",
      from: args.from === undefined ? undefined : (numberOf(args.from, "chk_") ?? 0),
      reason: args.reason,
      finalizeParent: args.finalize_parent,
      template: args.template,
    }),
    () => "Forked: continue the work in the child, with child_token and prompt.",
    ({ child, childToken, outcome }) => ({
      child,
      child_token: childToken,
      prompt: outcome["prompt"],
    }),
  ),
});

export const automationTools = { report_stop, checkpoint, fork_session };

/** Tools for stopping and going on: stop reports, checkpoints, forks. */
import { numberOf } from "../domain/ids";
import type { StopReport } from "../domain/stops/stop";
import { withoutSchema } from "./schema-names";
import {
  ADDS,
  CHANGES,
  defineTool,
  ENDS,
  keeping,
  KEEPS,
  onceInput,
  ROTATES,
  SAME_TOKEN,
  writeInput,
  writing,
} from "./tool-kit";

const report_stop = defineTool({
  title: "Report why you stop",
  description: `Records why the work stops and returns a decision: wait and continue this session, continue in a new one (fork_session), or stop. ${KEEPS}`,
  of: "reportStop",
  without: ["retryAfter"],
  takes: onceInput,
  ...ADDS,
  run: keeping(
    ({ gateway }, presented, body, { idempotency_key = null }) =>
      gateway.reportStop(presented, body as StopReport, idempotency_key),
    ({ decision, seq, expiresAt }, { resume_token }) => ({
      text: `${ADVICE[decision.strategy](decision.waitMs)} (${decision.why}). ${SAME_TOKEN}`,
      facts: { resume_token, expires_at: expiresAt, seq, decision },
    }),
  ),
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
  of: "takeCheckpoint",
  takes: writeInput,
  ...CHANGES,
  run: writing(
    (body) => ({ operation: "checkpoint", ...body }),
    () => "Kept.",
    ({ outcome }) => ({ checkpoint: outcome["checkpoint"] }),
  ),
});

const fork_session = defineTool({
  title: "Start a new session from this one",
  description: `Creates a child session with this session's document and next step (or a checkpoint's), and returns a prompt to continue with. ${ROTATES} Continue the work with child_token.`,
  of: "fork",
  takes: writeInput,
  ...ENDS,
  run: writing(
    ({ from, ...body }) => ({
      operation: "fork",
      ...body,
      from: from === undefined ? undefined : (numberOf(from, "chk_") ?? 0),
    }),
    () => "Forked: continue the work in the child, with child_token and prompt.",
    ({ child, childToken, outcome }) => ({
      child: child && withoutSchema(child),
      child_token: childToken,
      prompt: outcome["prompt"],
    }),
  ),
});

export const automationTools = { report_stop, checkpoint, fork_session };

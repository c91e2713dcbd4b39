/** Tools for stopping and continuing: stop reports, checkpoints, restores and forks. */
import * as z from "zod";
import { handoffId, numberOf } from "../domain/ids";
import type { Command } from "../domain/session/command";
import type { SessionView } from "../domain/session/view";
import type { StopReport } from "../domain/stops/stop";
import { withoutSchema } from "./unknown-fields";
import * as kit from "./tool-kit";

const report_stop = kit.defineTool({
  title: "Report why you stop",
  description: `Records why the work stops and returns a decision: wait and continue this session, continue in a new one (fork_session), or stop. ${kit.KEEPS_TOKEN}`,
  route: "reportStop",
  omit: ["retryAfter"],
  extraInput: kit.idempotentInput,
  ...kit.ADDITIVE,
  run: kit.runKeepingToken(
    ({ gateway }, credential, body, { idempotency_key = null }) =>
      gateway.reportStop(credential, body as StopReport, idempotency_key),
    ({ decision, seq, expiresAt }, _, { reason }) => ({
      text:
        reason === "completed"
          ? "Recorded. The session stays open: submit it if it is not submitted yet."
          : `${ADVICE[decision.strategy](decision.waitMs)} (${decision.why}).`,
      facts: { expires_at: expiresAt, seq, decision },
    }),
  ),
});

const ADVICE = {
  same_session: (waitMs: number) =>
    `Wait ${waitMs} ms, then continue this session with resume_session`,
  new_session: () => "Start a new session from the next step with fork_session",
  none: () => "Do not resume automatically",
} as const;

const checkpoint = kit.defineTool({
  title: "Save a checkpoint",
  description: `Saves a verified copy of the document and the next step. If there are too many, it replaces the oldest unpinned one. ${kit.SPENDS_TOKEN}`,
  route: "takeCheckpoint",
  extraInput: kit.writeInput,
  ...kit.MODIFYING,
  run: kit.runCommand(
    (body) => ({ operation: "checkpoint", ...body }),
    ({ outcome }) => {
      const { id } = outcome["checkpoint"] as { readonly id: string };
      const [restore, fork] = [{ checkpoint: id }, { from: id }].map((one) => JSON.stringify(one));
      return `Saved as ${id}. To go back to it: restore_checkpoint ${restore}, or fork_session ${fork} for a new session.`;
    },
    ({ outcome }) => ({ checkpoint: outcome["checkpoint"] }),
  ),
});

const restore_checkpoint = kit.defineTool({
  title: "Restore a checkpoint",
  description: `Puts a checkpoint's document back; the current one is checkpointed first. ${kit.SPENDS_TOKEN}`,
  route: "restoreCheckpoint",
  extraInput: {
    ...kit.writeInput,
    checkpoint: z
      .string()
      .refine((id) => numberOf(id, "chk_") !== null, {
        error: "must be the id of a checkpoint, such as chk_1",
      })
      .describe("Such as chk_1"),
  },
  ...kit.MODIFYING,
  run: kit.runCommand(
    (_, { checkpoint: id }): Command => ({
      operation: "restore",
      checkpoint: numberOf(id, "chk_") ?? 0,
    }),
    () => "Restored.",
  ),
});

const fork_session = kit.defineTool({
  title: "Start a new session from this one",
  description: `Creates a child session with this session's document and next step (or a checkpoint's), and returns a prompt to continue with. ${kit.SPENDS_TOKEN}`,
  route: "fork",
  extraInput: kit.writeInput,
  ...kit.DESTRUCTIVE,
  run: kit.runCommand(
    ({ from, ...body }) => ({
      operation: "fork",
      ...body,
      from: from === undefined ? undefined : (numberOf(from, "chk_") ?? 0),
    }),
    ({ session: { view } }) =>
      `Forked: continue the work in the child, with child_token and prompt.${linksLeft(view)}`,
    ({ child, childToken, outcome }) => ({
      child: child && withoutSchema(child),
      child_token: childToken,
      prompt: outcome["prompt"],
    }),
  ),
});

/** A replayed response has only the outline of the session if it has expired since. */
function linksLeft({ participants = [] }: Partial<SessionView>): string {
  const links = participants
    .filter(({ actor, revoked }) => actor.kind === "human" && !revoked)
    .map(({ id }) => handoffId(numberOf(id, "par_") ?? 0));
  if (links.length === 0) return "";
  return ` ${links.join(", ")} ${links.length === 1 ? "stays" : "stay"} with this session.`;
}

export const automationTools = { report_stop, checkpoint, restore_checkpoint, fork_session };

/** Routes of stops, checkpoints and forks. */
import * as z from "zod";
import { STRATEGIES } from "../domain/stops/policy";
import { done, made, MOVE, reads, resumeToken, WRITE, writes, written } from "./endpoint";
import type { Endpoint } from "./endpoint";
import { emptyBody } from "./session-requests";
import { stopBody, checkpointBody, pinBody, forkBody, trimBody } from "./automation-requests";
import { anyJson, checkpointSchema, seq, shownSchema, timestamp } from "./session";
import { named } from "./shapes";

const checkpointed = named("CheckpointAnswer", { ...written.shape, checkpoint: checkpointSchema });
const decisionSchema = named("Decision", {
  strategy: z.enum(STRATEGIES),
  resumeAt: timestamp.nullable(),
  waitMs: z.int(),
  attempt: z.int().nullable().describe("The next attempt"),
  why: z.string(),
});

export const automationEndpoints = {
  reportStop: {
    method: "post",
    path: "/sessions/{ref}/stops",
    summary: "Report why the work stopped, and get a decision; spends no token",
    tag: "Automation",
    body: stopBody,
    headers: ["Idempotency-Key"],
    answers: done(
      "Recorded, with the decision",
      named("StopAnswer", { decision: decisionSchema, seq }),
    ),
    failures: ["illegal_transition", "idempotency_mismatch"],
  },
  takeCheckpoint: {
    ...writes("Save a verified copy of the document", "Automation"),
    path: "/sessions/{ref}/checkpoints",
    body: checkpointBody,
    answers: made("Kept", checkpointed),
    failures: [...WRITE, "checkpoint_corrupt"],
  },
  listCheckpoints: {
    ...reads("List the checkpoints", "Automation"),
    path: "/sessions/{ref}/checkpoints",
    answers: done("Oldest first", named("Checkpoints", { checkpoints: z.array(checkpointSchema) })),
  },
  getCheckpoint: {
    ...reads("Read a checkpoint with its document", "Automation"),
    path: "/sessions/{ref}/checkpoints/{checkpointId}",
    answers: done(
      "The checkpoint",
      named("CheckpointContent", {
        checkpoint: checkpointSchema.extend({ document: z.record(z.string(), anyJson) }),
      }),
    ),
    failures: ["not_found", "checkpoint_corrupt"],
  },
  pinCheckpoint: {
    ...writes("Pin or unpin a checkpoint", "Automation"),
    method: "patch",
    path: "/sessions/{ref}/checkpoints/{checkpointId}",
    body: pinBody,
    answers: done("Done", checkpointed),
    failures: [...WRITE, "not_found"],
  },
  deleteCheckpoint: {
    ...writes("Delete a checkpoint", "Automation"),
    method: "delete",
    path: "/sessions/{ref}/checkpoints/{checkpointId}",
    failures: [...WRITE, "not_found", "invalid_request"],
  },
  restoreCheckpoint: {
    ...writes("Restore a checkpoint's document; the current one is saved first", "Automation"),
    path: "/sessions/{ref}/checkpoints/{checkpointId}/restore",
    body: emptyBody,
    failures: [...MOVE, "not_found", "checkpoint_corrupt"],
  },
  trim: {
    ...writes("Trim client and job events below a checkpoint", "Automation"),
    path: "/sessions/{ref}/trim",
    body: trimBody,
    answers: done(
      "Trimmed",
      named("Trimmed", {
        session: shownSchema,
        resumeToken,
        floor: seq.describe("Replay starts here or later"),
        trimmed: z.boolean().describe("False when there was nothing to trim"),
      }),
    ),
    failures: [...WRITE, "not_found", "checkpoint_corrupt"],
  },
  fork: {
    ...writes("Create a new session from this one, or from a checkpoint", "Automation"),
    path: "/sessions/{ref}/fork",
    body: forkBody,
    answers: made(
      "Forked",
      named("Forked", {
        session: shownSchema.describe("The parent"),
        resumeToken,
        child: shownSchema
          .nullable()
          .describe("Null if it was purged, or if the caller was revoked there"),
        childToken: z.string().describe("The first token of the new session"),
        prompt: z
          .string()
          .describe(
            "How to continue, from the template; empty if the parent can no longer be viewed",
          ),
      }),
    ),
    failures: [...MOVE, "not_found", "checkpoint_corrupt", "busy"],
  },
  lineage: {
    ...reads("The lineage: from the root through this session to its newest fork", "Automation"),
    path: "/sessions/{ref}/lineage",
    answers: done(
      "Root first",
      named("Lineage", {
        lineage: z.array(
          z.object({
            sessionId: z.string(),
            title: z.string().nullable(),
            state: z.string().describe("A state, or `gone`"),
            createdAt: timestamp.nullable(),
            forkedAt: seq.nullable().describe("The parent's head when this one was forked"),
            reason: z.string().nullable(),
            children: z.array(z.string()),
            current: z.boolean().describe("The session that was asked"),
          }),
        ),
      }),
    ),
  },
} as const satisfies Record<string, Endpoint>;

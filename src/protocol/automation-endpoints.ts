/** Routes of stops, checkpoints and forks. */
import * as z from "zod";
import { STRATEGIES } from "../domain/stops/policy";
import { type Endpoint, BODY, TOKEN, WRITE, MOVE, reads, writes, writtenWith } from "./endpoint";
import { emptyBody } from "./session-requests";
import { stopBody, checkpointBody, pinBody, forkBody, trimBody } from "./automation-requests";
import { anyJson, checkpointSchema, seq, shownSchema, timestamp } from "./session";

const checkpointed = writtenWith("CheckpointAnswer", { checkpoint: checkpointSchema });
const decisionSchema = z
  .object({
    strategy: z.enum(STRATEGIES),
    resumeAt: timestamp.nullable(),
    waitMs: z.int(),
    attempt: z.int().nullable().describe("The next attempt"),
    why: z.string(),
  })
  .meta({ id: "Decision" });

const relative = z.object({
  sessionId: z.string(),
  title: z.string().nullable(),
  state: z.string().describe("A state, or `gone`"),
  createdAt: timestamp.nullable(),
  forkedAt: seq.nullable().describe("The parent's head when this one was forked"),
  reason: z.string().nullable(),
  children: z.array(z.string()),
  current: z.boolean().describe("The session that was asked"),
});

export const automationEndpoints = {
  reportStop: {
    method: "post",
    path: "/sessions/{ref}/stops",
    summary: "Report why the work stopped, and get a decision; spends no token",
    tag: "Automation",
    body: stopBody,
    headers: ["Idempotency-Key"],
    answers: {
      200: {
        description: "Recorded, with the decision",
        schema: z.object({ decision: decisionSchema, seq }).meta({ id: "StopAnswer" }),
      },
    },
    failures: [...TOKEN, "illegal_transition", "idempotency_mismatch", ...BODY],
  },
  takeCheckpoint: {
    ...writes("Keep a verified copy of the document", "Automation"),
    path: "/sessions/{ref}/checkpoints",
    body: checkpointBody,
    bodyOptional: true,
    answers: { 201: { description: "Kept", schema: checkpointed } },
    failures: [...WRITE, "checkpoint_corrupt"],
  },
  listCheckpoints: {
    ...reads(
      "List the checkpoints",
      "Automation",
      "Oldest first",
      z.object({ checkpoints: z.array(checkpointSchema) }).meta({ id: "Checkpoints" }),
    ),
    path: "/sessions/{ref}/checkpoints",
  },
  getCheckpoint: {
    ...reads(
      "Read a checkpoint with its document",
      "Automation",
      "The checkpoint",
      z
        .object({
          checkpoint: checkpointSchema.extend({ document: z.record(z.string(), anyJson) }),
        })
        .meta({ id: "CheckpointContent" }),
    ),
    path: "/sessions/{ref}/checkpoints/{checkpointId}",
    failures: [...TOKEN, "not_found", "checkpoint_corrupt"],
  },
  pinCheckpoint: {
    ...writes("Pin a checkpoint, or let it go when its time comes", "Automation"),
    method: "patch",
    path: "/sessions/{ref}/checkpoints/{checkpointId}",
    body: pinBody,
    answers: { 200: { description: "Done", schema: checkpointed } },
    failures: [...WRITE, "not_found"],
  },
  deleteCheckpoint: {
    ...writes("Delete a checkpoint", "Automation"),
    method: "delete",
    path: "/sessions/{ref}/checkpoints/{checkpointId}",
    failures: [...WRITE, "not_found", "invalid_request"],
  },
  restoreCheckpoint: {
    ...writes("Put a checkpoint's document back; what was there is kept first", "Automation"),
    path: "/sessions/{ref}/checkpoints/{checkpointId}/restore",
    body: emptyBody,
    bodyOptional: true,
    failures: [...MOVE, "not_found", "checkpoint_corrupt"],
  },
  trim: {
    ...writes("Trim client and job events below a checkpoint", "Automation"),
    path: "/sessions/{ref}/trim",
    body: trimBody,
    answers: {
      200: {
        description: "Trimmed",
        schema: writtenWith("Trimmed", {
          floor: seq.describe("Replay starts here or later"),
          trimmed: z.boolean().describe("False when there was nothing to trim"),
        }),
      },
    },
    failures: [...WRITE, "not_found", "checkpoint_corrupt"],
  },
  fork: {
    ...writes("Begin a new session from this one, or from a checkpoint", "Automation"),
    path: "/sessions/{ref}/fork",
    body: forkBody,
    bodyOptional: true,
    answers: {
      201: {
        description: "Forked",
        schema: writtenWith("Forked", {
          session: shownSchema.describe("The parent"),
          child: shownSchema
            .nullable()
            .describe("Null if it was purged, or if the caller was revoked there"),
          childToken: z.string().describe("The first token of the new session"),
          prompt: z
            .string()
            .describe(
              "How the work goes on, from the template; empty where the parent may no longer be seen",
            ),
        }),
      },
    },
    failures: [...MOVE, "not_found", "checkpoint_corrupt", "busy"],
  },
  lineage: {
    ...reads(
      "The lineage: from the root through this session to its newest fork",
      "Automation",
      "Root first",
      z.object({ lineage: z.array(relative) }).meta({ id: "Lineage" }),
    ),
    path: "/sessions/{ref}/lineage",
  },
} as const satisfies Record<string, Endpoint>;

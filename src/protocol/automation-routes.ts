/** Routes of stops, checkpoints, trims and forks. */
import * as z from "zod";
import { STRATEGIES } from "../domain/stops/policy";
import {
  okResponse,
  createdResponse,
  VERSIONED_WRITE_FAILURES,
  readRoute,
  resumeToken,
  WRITE_FAILURES,
  writeRoute,
  writeAnswerSchema,
} from "./api-route";
import type { ApiRoute } from "./api-route";
import { emptyBody } from "./session-requests";
import { stopBody, checkpointBody, pinBody, forkBody, trimBody } from "./automation-requests";
import { anyJson, checkpointSchema, seq, visibleSessionSchema, timestamp } from "./session-schemas";
import { namedSchema } from "./named-schemas";

const checkpointAnswer = namedSchema("CheckpointAnswer", {
  ...writeAnswerSchema.shape,
  checkpoint: checkpointSchema,
});
const decisionSchema = namedSchema("Decision", {
  strategy: z.enum(STRATEGIES),
  resumeAt: timestamp.nullable(),
  waitMs: z.int(),
  attempt: z.int().nullable().describe("The number of the next attempt"),
  why: z.string(),
});

export const automationRoutes = {
  reportStop: {
    method: "post",
    path: "/sessions/{ref}/stops",
    summary: "Report why the work stopped, and get a decision; spends no token",
    tag: "Automation",
    body: stopBody,
    headers: ["Idempotency-Key"],
    responses: okResponse(
      "Recorded, with the decision",
      namedSchema("StopAnswer", { decision: decisionSchema, seq }),
    ),
    failures: ["illegal_transition", "idempotency_mismatch"],
  },
  takeCheckpoint: {
    ...writeRoute("Save a verified copy of the document", "Automation"),
    path: "/sessions/{ref}/checkpoints",
    body: checkpointBody,
    responses: createdResponse("Kept", checkpointAnswer),
    failures: [...WRITE_FAILURES, "checkpoint_corrupt"],
  },
  listCheckpoints: {
    ...readRoute("List the checkpoints", "Automation"),
    path: "/sessions/{ref}/checkpoints",
    responses: okResponse(
      "Oldest first",
      namedSchema("Checkpoints", { checkpoints: z.array(checkpointSchema) }),
    ),
  },
  getCheckpoint: {
    ...readRoute("Read a checkpoint with its document", "Automation"),
    path: "/sessions/{ref}/checkpoints/{checkpointId}",
    responses: okResponse(
      "The checkpoint",
      namedSchema("CheckpointContent", {
        checkpoint: checkpointSchema.extend({ document: z.record(z.string(), anyJson) }),
      }),
    ),
    failures: ["not_found", "checkpoint_corrupt"],
  },
  pinCheckpoint: {
    ...writeRoute("Pin or unpin a checkpoint", "Automation"),
    method: "patch",
    path: "/sessions/{ref}/checkpoints/{checkpointId}",
    body: pinBody,
    responses: okResponse("Done", checkpointAnswer),
    failures: [...WRITE_FAILURES, "not_found"],
  },
  deleteCheckpoint: {
    ...writeRoute("Delete a checkpoint", "Automation"),
    method: "delete",
    path: "/sessions/{ref}/checkpoints/{checkpointId}",
    failures: [...WRITE_FAILURES, "not_found", "invalid_request"],
  },
  restoreCheckpoint: {
    ...writeRoute("Restore a checkpoint's document; the current one is saved first", "Automation"),
    path: "/sessions/{ref}/checkpoints/{checkpointId}/restore",
    body: emptyBody,
    failures: [...VERSIONED_WRITE_FAILURES, "not_found", "checkpoint_corrupt"],
  },
  trim: {
    ...writeRoute("Trim client and job events below a checkpoint", "Automation"),
    path: "/sessions/{ref}/trim",
    body: trimBody,
    responses: okResponse(
      "Trimmed",
      namedSchema("Trimmed", {
        session: visibleSessionSchema,
        resumeToken,
        floor: seq.describe("The seq of the last event that was removed; replay starts after it"),
        trimmed: z.boolean().describe("False if there was nothing to trim"),
      }),
    ),
    failures: [...WRITE_FAILURES, "not_found", "checkpoint_corrupt"],
  },
  fork: {
    ...writeRoute("Create a new session from this one, or from a checkpoint", "Automation"),
    path: "/sessions/{ref}/fork",
    body: forkBody,
    responses: createdResponse(
      "Forked",
      namedSchema("Forked", {
        session: visibleSessionSchema.describe("The parent session"),
        resumeToken,
        child: visibleSessionSchema
          .nullable()
          .describe("The child session; null if it was purged or the caller was revoked in it"),
        childToken: z.string().describe("The first token of the new session"),
        prompt: z
          .string()
          .describe(
            "How to continue, from the template; empty if the parent can no longer be viewed",
          ),
      }),
    ),
    failures: [...VERSIONED_WRITE_FAILURES, "not_found", "checkpoint_corrupt", "busy"],
  },
  lineage: {
    ...readRoute(
      "The lineage: from the root through this session to its newest fork",
      "Automation",
    ),
    path: "/sessions/{ref}/lineage",
    responses: okResponse(
      "Root first",
      namedSchema("Lineage", {
        lineage: z.array(
          z.object({
            sessionId: z.string(),
            title: z.string().nullable(),
            state: z.string().describe("A state, or `gone`"),
            createdAt: timestamp.nullable(),
            forkedAt: seq.nullable().describe("The parent's head when this one was forked"),
            reason: z.string().nullable(),
            children: z.array(z.string()),
            current: z.boolean().describe("True for the session that the request names"),
          }),
        ),
      }),
    ),
  },
} as const satisfies Record<string, ApiRoute>;

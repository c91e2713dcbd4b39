/** Routes by which rights are handed on and taken back. */
import * as z from "zod";
import { type Endpoint, WRITE, reads, writes, writtenWith, steers } from "./endpoint";
import { handoffBody, reissueBody, revokeBody } from "./handoff-requests";
import { handoffSchema } from "./session";

export const handoffEndpoints = {
  createHandoff: {
    ...writes("Hand off: a token for an agent, a short link for a person", "Participants"),
    path: "/sessions/{ref}/handoffs",
    body: handoffBody,
    answers: {
      201: {
        description: "Made",
        schema: writtenWith("HandoffMade", {
          handoff: handoffSchema,
          participantToken: z
            .string()
            .describe("For an agent: the first token of the new participant")
            .optional(),
        }),
      },
    },
    failures: WRITE,
  },
  reissueHandoff: {
    ...writes(
      "Issue a link anew: another code, and the old one no longer opens it",
      "Participants",
    ),
    path: "/sessions/{ref}/handoffs/{handoffId}/reissue",
    body: reissueBody,
    bodyOptional: true,
    answers: {
      200: {
        description: "Issued anew",
        schema: writtenWith("HandoffReissued", { handoff: handoffSchema }),
      },
    },
    failures: [...WRITE, "not_found"],
  },
  listHandoffs: {
    ...reads(
      "List handoffs: all with own, otherwise your own",
      "Participants",
      "The handoffs",
      z.object({ handoffs: z.array(handoffSchema) }).meta({ id: "Handoffs" }),
    ),
    path: "/sessions/{ref}/handoffs",
  },
  revokeHandoff: {
    ...writes("Take a handoff back, with those it made", "Participants"),
    method: "delete",
    path: "/sessions/{ref}/handoffs/{handoffId}",
    failures: [...WRITE, "not_found"],
  },
  revoke: {
    ...steers("Revoke a participant or all others", "Participants"),
    path: "/sessions/{ref}/revoke",
    body: revokeBody,
    failures: [...WRITE, "not_found"],
  },
} as const satisfies Record<string, Endpoint>;

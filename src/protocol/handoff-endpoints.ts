/** Routes by which rights are handed on and taken back. */
import * as z from "zod";
import { type Endpoint, resumeToken, TOKEN, WRITE, writes, steers } from "./endpoint";
import { handoffBody, reissueBody, revokeBody } from "./handoff-requests";
import { handoffSchema, shownSchema } from "./session";

export const handoffEndpoints = {
  createHandoff: {
    ...writes("Hand off: a token for an agent, a short link for a person", "Participants"),
    path: "/sessions/{ref}/handoffs",
    body: handoffBody,
    answers: {
      201: {
        description: "Made",
        schema: z
          .object({
            session: shownSchema,
            resumeToken,
            handoff: handoffSchema,
            participantToken: z
              .string()
              .describe("For an agent: the first token of the new participant")
              .optional(),
          })
          .meta({ id: "HandoffMade" }),
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
        schema: z
          .object({ session: shownSchema, resumeToken, handoff: handoffSchema })
          .meta({ id: "HandoffReissued" }),
      },
    },
    failures: [...WRITE, "not_found"],
  },
  listHandoffs: {
    method: "get",
    path: "/sessions/{ref}/handoffs",
    summary: "List handoffs: all with own, otherwise your own",
    tag: "Participants",
    answers: {
      200: {
        description: "The handoffs",
        schema: z.object({ handoffs: z.array(handoffSchema) }).meta({ id: "Handoffs" }),
      },
    },
    failures: TOKEN,
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

/** Routes by which rights are handed on and taken back. */
import * as z from "zod";
import { done, made, reads, resumeToken, WRITE, writes, writesByKeyToo } from "./endpoint";
import type { Endpoint } from "./endpoint";
import { handoffBody, reissueBody, revokeBody } from "./handoff-requests";
import { handoffSchema, shownSchema } from "./session";
import { named } from "./shapes";

const handedOff = { session: shownSchema, resumeToken, handoff: handoffSchema };

export const handoffEndpoints = {
  createHandoff: {
    ...writes("Hand off: a token for an agent, a short link for a person", "Participants"),
    path: "/sessions/{ref}/handoffs",
    body: handoffBody,
    answers: made(
      "Made",
      named("HandoffMade", {
        ...handedOff,
        participantToken: z
          .string()
          .describe("For an agent: the first token of the new participant")
          .optional(),
      }),
    ),
  },
  reissueHandoff: {
    ...writes("Issue a link again with a new code; the old code stops working", "Participants"),
    path: "/sessions/{ref}/handoffs/{handoffId}/reissue",
    body: reissueBody,
    answers: done("Issued anew", named("HandoffReissued", handedOff)),
    failures: [...WRITE, "not_found"],
  },
  listHandoffs: {
    ...reads("List handoffs: all with own, otherwise your own", "Participants"),
    path: "/sessions/{ref}/handoffs",
    answers: done("The handoffs", named("Handoffs", { handoffs: z.array(handoffSchema) })),
  },
  revokeHandoff: {
    ...writes("Revoke a handoff and everyone it brought in", "Participants"),
    method: "delete",
    path: "/sessions/{ref}/handoffs/{handoffId}",
    failures: [...WRITE, "not_found"],
  },
  revoke: {
    ...writesByKeyToo("Revoke a participant or all others", "Participants"),
    path: "/sessions/{ref}/revoke",
    body: revokeBody,
    failures: [...WRITE, "not_found"],
  },
} as const satisfies Record<string, Endpoint>;

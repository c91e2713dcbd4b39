/** Routes of handoffs and revocations. */
import * as z from "zod";
import {
  okResponse,
  createdResponse,
  readRoute,
  resumeToken,
  WRITE_FAILURES,
  writeRoute,
  tokenOrKeyWriteRoute,
} from "./api-route";
import type { ApiRoute } from "./api-route";
import { handoffBody, reissueBody, revokeBody } from "./handoff-requests";
import { handoffSchema, visibleSessionSchema } from "./session-schemas";
import { namedSchema } from "./named-schemas";

const handoffAnswer = { session: visibleSessionSchema, resumeToken, handoff: handoffSchema };

export const handoffRoutes = {
  createHandoff: {
    ...writeRoute("Hand off: a token for an agent, a short link for a person", "Participants"),
    path: "/sessions/{ref}/handoffs",
    body: handoffBody,
    responses: createdResponse(
      "Made",
      namedSchema("HandoffMade", {
        ...handoffAnswer,
        participantToken: z
          .string()
          .describe("For an agent: the first token of the new participant")
          .optional(),
      }),
    ),
  },
  reissueHandoff: {
    ...writeRoute("Issue a link again with a new code; the old code stops working", "Participants"),
    path: "/sessions/{ref}/handoffs/{handoffId}/reissue",
    body: reissueBody,
    responses: okResponse("Issued anew", namedSchema("HandoffReissued", handoffAnswer)),
    failures: [...WRITE_FAILURES, "not_found"],
  },
  listHandoffs: {
    ...readRoute("List handoffs: all with own, otherwise your own", "Participants"),
    path: "/sessions/{ref}/handoffs",
    responses: okResponse(
      "The handoffs",
      namedSchema("Handoffs", { handoffs: z.array(handoffSchema) }),
    ),
  },
  revokeHandoff: {
    ...writeRoute("Revoke a handoff and everyone it brought in", "Participants"),
    method: "delete",
    path: "/sessions/{ref}/handoffs/{handoffId}",
    failures: [...WRITE_FAILURES, "not_found"],
  },
  revoke: {
    ...tokenOrKeyWriteRoute("Revoke a participant or all others", "Participants"),
    path: "/sessions/{ref}/revoke",
    body: revokeBody,
    failures: [...WRITE_FAILURES, "not_found"],
  },
} as const satisfies Record<string, ApiRoute>;

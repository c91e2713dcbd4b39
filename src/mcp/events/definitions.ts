/** The notices as event types of MCP Events, with the schemas of their arguments and payloads. */
import { NOTICE_TYPES, NOTICES } from "../../domain/notices/catalogue";

const inputSchema = {
  type: "object",
  properties: {
    session_id: { type: "string", description: "Only this session's. Poll and stream need it" },
    resume_token: {
      type: "string",
      description: "For poll and stream, where no header carries a token or an owner's key",
    },
    labels: {
      type: "object",
      additionalProperties: { type: "string" },
      description: "For webhooks: only of sessions that have all of these labels",
    },
  },
  additionalProperties: false,
} as const;

const payloadSchema = {
  type: "object",
  properties: {
    sessionId: { type: "string" },
    seq: { type: "integer", description: "Its place in the session's log" },
    state: { type: "string" },
    actor: { type: "object" },
    participant: { type: ["string", "null"], description: "Who wrote it; null for the server" },
    title: { type: "string" },
    labels: { type: "object", additionalProperties: { type: "string" } },
    externalId: { type: "string" },
    owner: { type: "string" },
    handoff: { type: "object", description: "For webhooks: the handoff's id, if it is about one" },
    waiting: { type: ["object", "null"], description: "For webhooks: what the session waits for" },
    chain: { type: "string" },
    url: { type: "string", description: "The link of a handoff that names this subscription" },
    payload: { type: "object", description: "For poll and stream: as in the log" },
  },
  required: ["seq", "actor"],
} as const;

/** `endpoint.suspended` of an owner's endpoint belongs to no session, so poll and stream never return it. */
export const EVENT_DEFINITIONS = NOTICE_TYPES.map((name) => ({
  name,
  description: NOTICES[name],
  delivery: ["poll", "push", "webhook"],
  inputSchema,
  payloadSchema,
}));

/**
 * The handshake of a connection: authenticates the hello, creates or resumes the session, and builds the
 * welcome.
 */
import { LIMITS } from "../domain/limits";
import { refuse, type Result } from "../domain/result";
import type { ArcpGateway, Bearer, ArcpSession } from "../gateway/arcp-gateway";
import type { Reply } from "../object/messages";
import { parseAs } from "../protocol/parse-json";
import { commonFeatures, RUNTIME, type describeAgents, type Feature } from "./features";
import { hello, resumeIn, type Envelope } from "./frame";

export interface Handshake {
  readonly session: ArcpSession;
  readonly bearer: Bearer | null;
  readonly features: readonly Feature[];
  readonly lastEventSeq: number;
  readonly isResume: boolean;
}

export async function acceptHello(
  arcp: ArcpGateway,
  message: Envelope,
): Promise<Result<Handshake>> {
  const parsed = parseAs(hello, message.payload);
  if (!parsed.ok) return parsed;
  const { client, auth, capabilities, close_policy: closePolicy } = parsed.value;
  const isBearer = (auth?.scheme ?? "bearer").toLowerCase() === "bearer";
  const token = isBearer ? (auth?.token ?? "") : "";
  const bearer = token === "" ? null : arcp.bearer(token);
  const resumeInput = resumeIn(parsed.value, message.type === "session.resume");
  const name = (client?.name ?? "arcp").slice(0, LIMITS.actorIdLength);
  const create = async (): Promise<Reply<ArcpSession>> =>
    bearer === null
      ? { ok: false, failure: { code: "credential_missing" } }
      : arcp.createSession(bearer, token, name, closePolicy ?? "keep");
  const reply = resumeInput === null ? await create() : await arcp.resume(resumeInput, bearer);
  if (!reply.ok) return refuse(reply.failure);
  const features = commonFeatures(capabilities?.features ?? []);
  const lastEventSeq = resumeInput?.lastEventSeq ?? 0;
  const isResume = resumeInput !== null;
  return { ok: true, value: { session: reply.value, bearer, features, lastEventSeq, isResume } };
}

export function welcomePayload(
  { session: { credential, resumeToken, view }, features }: Handshake,
  heartbeatMs: number,
  agents: ReturnType<typeof describeAgents>,
) {
  const now = Date.now();
  return {
    session_id: credential.sessionId,
    runtime: RUNTIME,
    resume_token: resumeToken,
    // Clients require a positive number, even in the session's last second.
    resume_window_sec: Math.max(1, Math.floor((Date.parse(view.expiresAt) - now) / 1000)),
    heartbeat_interval_sec: Math.max(1, Math.round(heartbeatMs / 1000)),
    accepted_at: new Date(now).toISOString(),
    capabilities: { encodings: ["json"], features, agents },
  };
}

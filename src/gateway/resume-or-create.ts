/**
 * A resume that creates a new session if its token cannot be resumed. The answer always states that the
 * session is new. A superseded token never creates one: its answer is the conflict.
 */
import type { Resume } from "../domain/session/command";
import type { Failure } from "../domain/failure";
import type { Result } from "../domain/result";
import { describeFailure } from "../protocol/problem-text";
import type { Gateway, GatewayRefusal, AsyncReply } from "./gateway";
import type { CreateAnswer, WriteAnswer, WriteOptions } from "./write-answer";
import type { UnverifiedCredential } from "./session-calls";

export interface FreshWarning {
  readonly code: Failure["code"];
  /** What was requested: the session, if the caller named it, and the last event that it has seen. */
  readonly requested: { readonly sessionId: string | null; readonly lastEventSeq: number | null };
  readonly reason: string;
}

type ResumeOutcome =
  | { readonly outcome: "resumed"; readonly answer: WriteAnswer }
  | {
      readonly outcome: "fresh";
      readonly answer: CreateAnswer;
      readonly warning: FreshWarning;
      /** Why the old session was not resumed. */
      readonly failure: Failure;
    };

interface ResumeRequest {
  /** May be a refusal: the token is then invalid or missing. */
  readonly credential: Result<UnverifiedCredential>;
  readonly command: Omit<Resume, "operation">;
  readonly options: WriteOptions;
  readonly onInvalid: "fail" | "fresh";
  /** The session id, if the caller sent one next to its token. */
  readonly namedSession: string | null;
}

export async function resumeOrCreate(
  gateway: Gateway,
  { credential, command, options, onInvalid, namedSession }: ResumeRequest,
): AsyncReply<ResumeOutcome> {
  const reply = credential.ok
    ? await gateway.write(credential.value, { operation: "resume", ...command }, options)
    : ({ ok: false, failure: credential.error } as const);
  if (reply.ok) return { ok: true, value: { outcome: "resumed", answer: reply.value } };
  if (onInvalid === "fail" || !isUnresumable(reply.failure)) return reply;
  const created = await gateway.create({ actor: command.actor }, options.idempotencyKey);
  if (!created.ok) return created;
  const warning = warningFor(reply, namedSession, command.lastEventSeq ?? null);
  const { failure } = reply;
  return { ok: true, value: { outcome: "fresh", answer: created.value, warning, failure } };
}

const isUnresumable = ({ code }: Failure): boolean =>
  code === "token_invalid" || code === "expired" || code === "gone";

const warningFor = (
  { failure, sessionId }: GatewayRefusal,
  namedSession: string | null,
  lastEventSeq: number | null,
): FreshWarning => ({
  code: failure.code,
  requested: { sessionId: sessionId ?? namedSession, lastEventSeq },
  reason: `${describeFailure(failure).title}. A new session was created; it contains nothing of the old one.`,
});

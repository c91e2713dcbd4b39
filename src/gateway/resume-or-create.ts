/**
 * A resume that may begin a new session where its token leads nowhere. A fresh beginning always says
 * so, and a superseded token never leads to one: there the answer is the conflict.
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
  /** What was asked for: the session, where the caller named it, and the event it had seen last. */
  readonly requested: { readonly sessionId: string | null; readonly lastEventSeq: number | null };
  readonly reason: string;
}

type ResumeOutcome =
  | { readonly outcome: "resumed"; readonly answer: WriteAnswer }
  | {
      readonly outcome: "fresh";
      readonly answer: CreateAnswer;
      readonly warning: FreshWarning;
      /** Why the old one was not resumed. */
      readonly failure: Failure;
    };

interface ResumeRequest {
  /** May be a refusal: then there is a session to resume only in the caller's memory. */
  readonly credential: Result<UnverifiedCredential>;
  readonly command: Omit<Resume, "operation">;
  readonly options: WriteOptions;
  readonly onInvalid: "fail" | "fresh";
  /** The session id, where the caller gave one beside its token. */
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
  const begun = await gateway.create({ actor: command.actor }, options.idempotencyKey);
  if (!begun.ok) return begun;
  const warning = warningFor(reply, namedSession, command.lastEventSeq ?? null);
  const { failure } = reply;
  return { ok: true, value: { outcome: "fresh", answer: begun.value, warning, failure } };
}

const isUnresumable = ({ code }: Failure): boolean =>
  code === "token_invalid" || code === "expired" || code === "gone";

const warningFor = (
  { failure, sessionId }: GatewayRefusal,
  named: string | null,
  lastEventSeq: number | null,
): FreshWarning => ({
  code: failure.code,
  requested: { sessionId: sessionId ?? named, lastEventSeq },
  reason: `${describeFailure(failure).title}. A new session was created; it contains nothing of the old one.`,
});

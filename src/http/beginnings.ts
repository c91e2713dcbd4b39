/**
 * The two requests that can begin a session: create, and a resume that was told to begin fresh where
 * its token leads nowhere. A fresh beginning always says so; a superseded token never leads to one.
 */
import type { CreateArguments } from "../domain/command";
import { invalid, type Failure } from "../domain/failure";
import { objectIdHexOf } from "../domain/ids";
import { LIMITS } from "../domain/limits";
import type { Result } from "../domain/result";
import type { GatewayRefusal, GatewayReply, CreateAnswer } from "../gateway/gateway";
import type { Presented } from "../gateway/presented";
import { describe } from "../protocol/problem";
import { answerJson, answerText, locationOf, sessionHeaders } from "./answers";
import { refused, withEvents, type Input } from "./handlers";

type CreateInput = Omit<Input<"createSession">, "presented">;
type ResumeInput = Omit<Input<"resume">, "presented">;

export async function createSession(input: CreateInput): Promise<Response> {
  const reply = await begin(input, input.body as CreateArguments);
  if (!reply.ok) return refused(reply);
  const { session, resumeToken, replayed } = reply.value;
  const headers = { ...locationOf(session), ...sessionHeaders(session, resumeToken, replayed) };
  return answerJson(201, { session, resumeToken }, headers);
}

/** `presented` may be a refusal: then there is a session to resume only in the caller's memory. */
export async function resume(
  input: ResumeInput,
  presented: Result<Presented, Failure>,
): Promise<Response> {
  const { body, gateway } = input;
  const { onInvalid, ...command } = body;
  const reply = presented.ok
    ? await gateway.write(presented.value, { operation: "resume", ...command }, input)
    : ({ ok: false, failure: presented.error } as const);
  if (!reply.ok) {
    return onInvalid === "fresh" && leadsNowhere(reply.failure)
      ? beginFresh(input, reply)
      : refused(reply);
  }
  const { session, resumeToken, replayed, page } = reply.value;
  if (page === null) throw new Error("a resume brings a page of events");
  const { lines, head, more } = page;
  const members = { outcome: "resumed", session, resumeToken, head, more };
  return answerText(
    200,
    withEvents(members, lines),
    sessionHeaders(session, resumeToken, replayed),
  );
}

const leadsNowhere = ({ code }: Failure): boolean =>
  code === "token_invalid" || code === "expired" || code === "gone";

async function beginFresh(input: ResumeInput, lost: GatewayRefusal): Promise<Response> {
  const { actor, lastEventSeq = null } = input.body;
  const reply = await begin(input, { actor });
  if (!reply.ok) return refused(reply);
  const { session, resumeToken, replayed } = reply.value;
  const warning = {
    code: lost.failure.code,
    requested: { sessionId: lost.sessionId ?? namedInPath(input), lastEventSeq },
    reason: `${describe(lost.failure).title}. A new session was begun; nothing of the old one is in it.`,
  };
  const log = { events: [], head: session.head, more: false };
  const headers = { ...locationOf(session), ...sessionHeaders(session, resumeToken, replayed) };
  return answerJson(201, { outcome: "fresh", warning, session, resumeToken, ...log }, headers);
}

/** The session id, where the caller put one in the path beside its token. */
const namedInPath = ({ params }: ResumeInput): string | null => {
  const ref = params["ref"] ?? "";
  return objectIdHexOf(ref) === null ? null : ref;
};

async function begin(
  { gateway, idempotencyKey }: Pick<CreateInput, "gateway" | "idempotencyKey">,
  args: CreateArguments,
): Promise<GatewayReply<CreateAnswer>> {
  if (idempotencyKey !== null && idempotencyKey.length < LIMITS.createKeyMinLength) {
    const detail = `to begin a session the Idempotency-Key must be at least ${LIMITS.createKeyMinLength} random characters: it finds the session, so it must not be guessable`;
    return { ok: false, failure: invalid(detail, "Idempotency-Key") };
  }
  return gateway.create(args, idempotencyKey);
}

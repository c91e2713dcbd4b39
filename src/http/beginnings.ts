/** The two requests that can begin a session: create, and a resume that was told to begin fresh. */
import type { CreateArguments } from "../domain/command";
import type { Failure } from "../domain/failure";
import { objectIdHexOf } from "../domain/ids";
import type { Result } from "../domain/result";
import type { Presented } from "../gateway/presented";
import { resumeOrBegin } from "../gateway/resume-or-begin";
import { answerJson, answerText, locationOf, sessionHeaders } from "./answers";
import { refused, withEvents, type Input } from "./handlers";

type CreateInput = Omit<Input<"createSession">, "presented">;
type ResumeInput = Omit<Input<"resume">, "presented">;

export async function createSession(input: CreateInput): Promise<Response> {
  const reply = await input.gateway.create(input.body as CreateArguments, input.idempotencyKey);
  if (!reply.ok) return refused(reply);
  const { session, resumeToken, replayed } = reply.value;
  const headers = { ...locationOf(session), ...sessionHeaders(session, resumeToken, replayed) };
  return answerJson(201, { session, resumeToken }, headers);
}

export async function resume(
  input: ResumeInput,
  presented: Result<Presented, Failure>,
): Promise<Response> {
  const { onInvalid = "fail", ...command } = input.body;
  const ref = input.params["ref"] ?? "";
  const named = objectIdHexOf(ref) === null ? null : ref;
  const request = { presented, command, options: input, onInvalid, named };
  const reply = await resumeOrBegin(input.gateway, request);
  if (!reply.ok) return refused(reply);
  const { outcome, answer } = reply.value;
  const { session, resumeToken, replayed } = answer;
  const headers = sessionHeaders(session, resumeToken, replayed);
  if (reply.value.outcome === "fresh") {
    const { warning } = reply.value;
    const log = { events: [], head: session.head, more: false };
    const body = { outcome, warning, session, resumeToken, ...log };
    return answerJson(201, body, { ...locationOf(session), ...headers });
  }
  const { page } = reply.value.answer;
  if (page === null) throw new Error("a resume brings a page of events");
  const { lines, head, more } = page;
  return answerText(200, withEvents({ outcome, session, resumeToken, head, more }, lines), headers);
}

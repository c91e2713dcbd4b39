/** The two requests that can begin a session: create, and a resume that was told to begin fresh. */
import type { CreateArguments } from "../domain/session/command";
import { objectIdHexOf } from "../domain/ids";
import { resumeOrBegin } from "../gateway/resume-or-begin";
import { answerText, locationOf, sessionHeaders, withSession } from "./answers";
import { refused, type HandlersOf, type Input } from "./handler";
import { withEvents } from "./log-pages";

export const beginnings: HandlersOf<"createSession" | "resume"> = { createSession, resume };

async function createSession(input: Input<"createSession">): Promise<Response> {
  const reply = await input.gateway.create(input.body as CreateArguments, input.idempotencyKey);
  if (!reply.ok) return refused(reply);
  const { shown, resumeToken, replayed } = reply.value;
  const headers = { ...locationOf(shown), ...sessionHeaders(shown, resumeToken, replayed) };
  return answerText(201, withSession(shown, { resumeToken }), headers);
}

async function resume(input: Input<"resume">): Promise<Response> {
  const { presented } = input;
  const { onInvalid = "fail", ...command } = input.body;
  const ref = input.params["ref"] ?? "";
  const named = objectIdHexOf(ref) === null ? null : ref;
  const request = { presented, command, options: input, onInvalid, named };
  const reply = await resumeOrBegin(input.gateway, request);
  if (!reply.ok) return refused(reply);
  const { outcome, answer } = reply.value;
  const { shown, resumeToken, replayed } = answer;
  const headers = sessionHeaders(shown, resumeToken, replayed);
  if (reply.value.outcome === "fresh") {
    const { warning } = reply.value;
    const log = { events: [], head: shown.head, more: false };
    const body = withSession(shown, { outcome, warning, resumeToken, ...log });
    return answerText(201, body, { ...locationOf(shown), ...headers });
  }
  const { page } = reply.value.answer;
  if (page === null) throw new Error("a resume brings a page of events");
  const { texts, head, more } = page;
  const body = withSession(shown, { outcome, resumeToken, head, more });
  return answerText(200, withEvents(body, texts), headers);
}

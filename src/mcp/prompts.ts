/** What a model needs to take up a session: where it stands, what was missed, what comes next. */
import { stepOf } from "../domain/checkpoints/continuation";
import type { Failure } from "../domain/failure";
import { LIMITS } from "../domain/limits";
import type { Gateway } from "../gateway/gateway";
import { describe } from "../protocol/problem-words";
import { readHandle, standing } from "./tool-kit";
import { inToolWords } from "./tool-words";

// A type, not an interface: the protocol's results are open to further members.
type PromptAnswer = { messages: { role: "user"; content: { type: "text"; text: string } }[] };

export async function continuePrompt(gateway: Gateway, token: string): Promise<PromptAnswer> {
  const presented = await readHandle(gateway, { resume_token: token });
  if (!presented.ok) return refuse(presented.error);
  const [session, page] = await Promise.all([
    gateway.get(presented.value),
    gateway.events(presented.value, "events", {
      after: null,
      limit: LIMITS.pageEventsDefault,
      types: [],
    }),
  ]);
  if (!session.ok) return refuse(session.failure);
  const { view } = session.value;
  const { nextStep, fields, missingFields } = view;
  return say(
    [
      `Continue this work. ${standing(view)}`,
      `Next is step ${stepOf(nextStep)}: ${nextStep?.description ?? "not described"}`,
      nextStep?.body ?? "",
      `Fields: ${JSON.stringify(fields)}`,
      missingFields.length > 0 ? `Still missing: ${missingFields.join(", ")}` : "",
      page.ok && page.value.count > 0
        ? `Since your last resume:\n${page.value.texts.join("\n")}`
        : "",
      "Call resume_session with your resume token first, then continue from there.",
    ]
      .filter((part) => part !== "")
      .join("\n\n"),
  );
}

const say = (text: string): PromptAnswer => ({
  messages: [{ role: "user", content: { type: "text", text } }],
});

function refuse(failure: Failure): PromptAnswer {
  const { detail, nextActions } = describe(failure);
  const told = [`The session cannot be continued (${failure.code}).`, detail, ...nextActions];
  return say(told.map(inToolWords).join(" "));
}

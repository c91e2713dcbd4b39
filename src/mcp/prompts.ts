/** The prompt with which a model continues a session: its state, the missed events, the next step. */
import { nextStepNumber } from "../domain/checkpoints/continuation-prompt";
import type { Failure } from "../domain/failure";
import { LIMITS } from "../domain/limits";
import type { Gateway } from "../gateway/gateway";
import { describeFailure } from "../protocol/problem-text";
import { readHandle, describeSession } from "./tool-kit";
import { toToolTerms } from "./tool-terms";

// A type, not an interface: the protocol's results are open to further members.
type PromptResult = { messages: { role: "user"; content: { type: "text"; text: string } }[] };

export async function continuePrompt(gateway: Gateway, token: string): Promise<PromptResult> {
  const credential = await readHandle(gateway, { resume_token: token });
  if (!credential.ok) return refusalPrompt(credential.error);
  const [session, page] = await Promise.all([
    gateway.get(credential.value),
    gateway.events(credential.value, "events", {
      after: null,
      limit: LIMITS.pageEventsDefault,
      types: [],
    }),
  ]);
  if (!session.ok) return refusalPrompt(session.failure);
  const { view } = session.value;
  const { nextStep, fields, missingFields } = view;
  return userMessage(
    [
      `Continue this work. ${describeSession(view)}`,
      `Next is step ${nextStepNumber(nextStep)}: ${nextStep?.description ?? "not described"}`,
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

const userMessage = (text: string): PromptResult => ({
  messages: [{ role: "user", content: { type: "text", text } }],
});

function refusalPrompt(failure: Failure): PromptResult {
  const { detail, nextActions } = describeFailure(failure);
  const sentences = [`The session cannot be continued (${failure.code}).`, detail, ...nextActions];
  return userMessage(sentences.map(toToolTerms).join(" "));
}

/** The prompt that starts a new session, rendered from a template. */
import { tooLarge } from "../failure";
import { LIMITS } from "../limits";
import { ok, refuse, type Result } from "../result";
import type { NextStep } from "../session/session";

const DEFAULT_TEMPLATE = `Continue this work from step {step}: {description}

What is known so far:
{context}
`;

/** The given number, or one after the highest completed step, or 1. */
export const nextStepNumber = (nextStep: NextStep | null): number =>
  nextStep?.step ?? Math.max(0, ...(nextStep?.stepsCompleted ?? [])) + 1;

const PLACEHOLDERS = /\{(step|description|context)\}/g;

/**
 * Renders in one pass, so inserted text is never expanded again. The length is computed before
 * rendering, because a template may repeat a long text a thousand times.
 */
export function renderPrompt(
  nextStep: NextStep | null,
  template: string = DEFAULT_TEMPLATE,
): Result<string> {
  const values: Readonly<Record<string, string>> = {
    step: String(nextStepNumber(nextStep)),
    description: nextStep?.description ?? "",
    context: nextStep?.body ?? "",
  };
  let length = template.length;
  for (const [placeholder, name = ""] of template.matchAll(PLACEHOLDERS)) {
    length += (values[name] ?? "").length - placeholder.length;
  }
  if (length > LIMITS.promptLength) {
    return refuse(tooLarge("the prompt, in characters", LIMITS.promptLength));
  }
  return ok(template.replaceAll(PLACEHOLDERS, (_, name: string) => values[name] ?? ""));
}

/** The prompt with which a fresh session begins, from a template. */
import { tooLarge } from "../failure";
import { LIMITS } from "../limits";
import { ok, refuse, type Result } from "../result";
import type { NextStep } from "../session/session";

const DEFAULT_TEMPLATE = `Continue this work from step {step}: {description}

What is known so far:
{context}
`;

/** Given, or one after the highest completed, or 1. */
export const nextStepNumber = (nextStep: NextStep | null): number =>
  nextStep?.step ?? Math.max(0, ...(nextStep?.stepsCompleted ?? [])) + 1;

const PLACEHOLDERS = /\{(step|description|context)\}/g;

/**
 * One pass: what is put in is never looked at again, whatever it contains. Its length is counted before
 * it is written out: a template may name a long text a thousand times.
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
  for (const [place, name = ""] of template.matchAll(PLACEHOLDERS)) {
    length += (values[name] ?? "").length - place.length;
  }
  if (length > LIMITS.promptLength) {
    return refuse(tooLarge("the prompt, in characters", LIMITS.promptLength));
  }
  return ok(template.replaceAll(PLACEHOLDERS, (_, name: string) => values[name] ?? ""));
}

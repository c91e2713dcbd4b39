/** The prompt with which a fresh session begins, from a template. */
import type { NextStep } from "../session/session";

const DEFAULT_TEMPLATE = `Continue this work from step {step}: {description}

What is known so far:
{context}
`;

/** Given, or one after the highest completed, or 1. */
export const stepOf = (nextStep: NextStep | null): number =>
  nextStep?.step ?? Math.max(0, ...(nextStep?.stepsCompleted ?? [])) + 1;

/** One pass: what is put in is never looked at again, whatever it contains. */
export function renderPrompt(
  nextStep: NextStep | null,
  template: string = DEFAULT_TEMPLATE,
): string {
  const values: Readonly<Record<string, string>> = {
    step: String(stepOf(nextStep)),
    description: nextStep?.description ?? "",
    context: nextStep?.body ?? "",
  };
  return template.replaceAll(
    /\{(step|description|context)\}/g,
    (_, name: string) => values[name] ?? "",
  );
}

/** Shows a form in steps, one section at a time. With problems or conflicts, all sections are shown. */
import { buttonFor, form, word } from "./dom";

/** Each step is an entry of the browser's history, so that Back and a reload work. */
const HASH = /^#step-(\d+)$/;
const stepFromHash = (): number => Number(HASH.exec(location.hash)?.[1] ?? 1) - 1;
const hashOf = (step: number): string => `#step-${step + 1}`;

/** The current step, which must survive when a new page from the server replaces this one. */
let current = stepFromHash();

const sections = (): readonly HTMLElement[] => [
  ...(form()?.querySelectorAll<HTMLElement>("[data-section]") ?? []),
];

export function showStep(): void {
  const here = form();
  const all = sections();
  if (here === null || here.dataset["steps"] === undefined || all.length < 2) return;
  here.querySelector(".steps")?.remove();
  const isWhole = document.querySelector("#problems, .conflict") !== null;
  current = Math.min(current, all.length - 1);
  all.forEach((section, index) => {
    section.hidden = !isWhole && index !== current;
  });
  const isLast = isWhole || current === all.length - 1;
  // Only the buttons wait for the last step: declining is possible in every step.
  for (const part of here.querySelectorAll<HTMLElement>(":scope > .actions")) part.hidden = !isLast;
  if (isWhole) return;
  all[current]?.after(stepNavigation(all.length));
  if (stepFromHash() !== current) history.replaceState(history.state, "", hashOf(current));
}

const format = (number: number): string => number.toLocaleString(document.documentElement.lang);

function stepNavigation(count: number): HTMLElement {
  const tools = document.createElement("div");
  tools.className = "steps actions";
  const position = document.createElement("span");
  position.textContent = word("step")
    .replace("{step}", format(current + 1))
    .replace("{steps}", format(count));
  tools.append(position);
  if (current > 0) tools.append(buttonFor("step", "-1", word("back")));
  if (current < count - 1) {
    const next = buttonFor("step", "1", word("next"));
    next.className = "primary";
    tools.append(next);
  }
  return tools;
}

/** True if the click was for a step. The next step is shown only if this one is valid. */
export function handleStepClick(
  button: HTMLElement,
  isRight: (section: HTMLElement | undefined) => Promise<boolean>,
): boolean {
  const step = Number(button.dataset["step"] ?? 0);
  if (step === 0) return false;
  // If this page created the history entry, the entry before it is the step before.
  if (step < 0 && isOwnHistoryEntry()) history.back();
  else if (step < 0) go(step);
  else {
    const from = current;
    void isRight(sections()[from]).then((isFine) => isFine && from === current && go(step));
  }
  return true;
}

const isOwnHistoryEntry = (): boolean =>
  (history.state as { readonly step?: number } | null)?.step === current;

function go(step: number): void {
  current = Math.max(0, current + step);
  history.pushState({ step: current }, "", hashOf(current));
  focusStep();
}

addEventListener("popstate", () => {
  const isStep = location.hash === "" || HASH.test(location.hash);
  if (!isStep || form()?.dataset["steps"] === undefined) return;
  current = stepFromHash();
  focusStep();
});

function focusStep(): void {
  showStep();
  const section = sections()[current];
  section?.scrollIntoView();
  section?.focus();
}

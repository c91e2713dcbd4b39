/** A form in steps: one part at a time. Where something is to be mended, all parts are in sight. */
import { buttonFor, form, word } from "./dom";

/** Each step is an entry of the browser's history, so that Back and a reload stay among the steps. */
const HASH = /^#step-(\d+)$/;
const stepFromHash = (): number => Number(HASH.exec(location.hash)?.[1] ?? 1) - 1;
const hashOf = (step: number): string => `#step-${step + 1}`;

/** Stays where it is while the server draws the page anew. */
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
  // Who does not want to answer, or cannot, says so in any step.
  for (const part of here.querySelectorAll<HTMLElement>(":scope > .actions")) part.hidden = !isLast;
  if (isWhole) return;
  all[current]?.after(stepNavigation(all.length));
  if (stepFromHash() !== current) history.replaceState(history.state, "", hashOf(current));
}

const format = (number: number): string => number.toLocaleString(document.documentElement.lang);

function stepNavigation(count: number): HTMLElement {
  const tools = document.createElement("div");
  tools.className = "steps actions";
  const place = document.createElement("span");
  place.textContent = word("step")
    .replace("{step}", format(current + 1))
    .replace("{steps}", format(count));
  tools.append(place);
  if (current > 0) tools.append(buttonFor("step", "-1", word("back")));
  if (current < count - 1) {
    const next = buttonFor("step", "1", word("next"));
    next.className = "primary";
    tools.append(next);
  }
  return tools;
}

/** True if the click was for a step. One goes on only from a step in which nothing is wrong. */
export function handleStepClick(
  button: HTMLElement,
  isRight: (section: HTMLElement | undefined) => Promise<boolean>,
): boolean {
  const step = Number(button.dataset["step"] ?? 0);
  if (step === 0) return false;
  // The entry before this one is the step before it, where this page has made it.
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

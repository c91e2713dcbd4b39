/** Shows errors at their inputs: those of the server, and missing answers that the page finds. */
import { form, textsIn, word } from "./dom";

type Errors = ReadonlyMap<string, string>;

/** The errors on a drawn page, by input name. */
export const errorsIn = (root: ParentNode): Map<string, string> =>
  new Map(
    [...root.querySelectorAll(".error[id]")].map((note) => [
      note.id.replace(/-error$/, ""),
      note.textContent ?? "",
    ]),
  );

/** Whether the input belongs to the part with that name. */
export const isPartOf = (input: string, name: string): boolean =>
  input === name || (input.startsWith(name) && /^[/=@]/.test(input.slice(name.length)));

function setError(name: string, text: string | null): void {
  const input = document.getElementById(name);
  const part = input?.closest(".control, fieldset") ?? null;
  if (input === null || part === null) return;
  const id = `${name}-error`;
  const note = document.getElementById(id) ?? document.createElement("p");
  const others = (input.getAttribute("aria-describedby") ?? "")
    .split(" ")
    .filter((one) => one !== id && one !== "");
  if (text === null) note.remove();
  else {
    note.id = id;
    note.className = "error";
    note.textContent = text;
    const above = part.querySelector(":scope > p.help") ?? part.querySelector("label, legend");
    if (!note.isConnected) above?.after(note);
    others.unshift(id);
  }
  part.classList.toggle("wrong", text !== null);
  input.setAttribute("aria-describedby", others.join(" "));
  if (others.length === 0) input.removeAttribute("aria-describedby");
  if (text === null || input.matches("fieldset")) input.removeAttribute("aria-invalid");
  else input.setAttribute("aria-invalid", "true");
}

/** Errors of the part with the focus. They are shown when the person leaves it. */
let heldErrors: Errors = new Map();

const hasFocusIn = (name: string): boolean =>
  document.getElementById(name)?.closest(".control, fieldset")?.contains(document.activeElement) ===
  true;

export function showErrors(errors: Errors): void {
  for (const [name, text] of errors) setError(name, text);
}

export function showErrorsWhenLeft(errors: Errors): void {
  heldErrors = new Map([...errors].filter(([name]) => hasFocusIn(name)));
  showErrors(new Map([...errors].filter(([name]) => !hasFocusIn(name))));
}

let isPressed = false;
/** Long enough for the click after a press. */
const CLICK_MS = 50;

/** Not during a press, because moving elements would make it miss. */
function showHeldErrors(): void {
  if (isPressed) return;
  const left = [...heldErrors].filter(([name]) => !hasFocusIn(name));
  heldErrors = new Map([...heldErrors].filter(([name]) => hasFocusIn(name)));
  showErrors(new Map(left));
}

document.addEventListener("pointerdown", () => {
  isPressed = true;
});
for (const end of ["focusout", "pointerup", "pointercancel"]) {
  document.addEventListener(end, () => {
    if (end !== "focusout") isPressed = false;
    setTimeout(showHeldErrors, CLICK_MS);
  });
}

/** Removes the errors of an input that was changed. */
export function clearErrors(input: string): void {
  heldErrors = new Map([...heldErrors].filter(([name]) => !isPartOf(input, name)));
  for (const name of errorsIn(document).keys()) if (isPartOf(input, name)) setError(name, null);
  removeSolvedProblems();
}

/** Removes list entries whose error or conflict is gone. */
export function removeSolvedProblems(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>("#problems li > a")) {
    const name = link.hash.slice(1);
    const problemId = name.startsWith("choice/") ? name : `${name}-error`;
    const isShown = document.getElementById(problemId) !== null;
    if (!isShown) link.parentElement?.remove();
  }
  const problems = document.getElementById("problems");
  if (problems?.querySelector("ul") != null && problems.querySelector("li") === null) {
    problems.remove();
  }
}

/** Focuses the first input with an error. False if there is none. */
export function focusError(root: ParentNode | null): boolean {
  const [name] = root === null ? [] : errorsIn(root).keys();
  if (name === undefined) return false;
  const input = document.getElementById(name);
  input?.closest(".control, fieldset")?.scrollIntoView({ block: "center" });
  input?.focus({ preventScroll: true });
  return true;
}

/** Required and empty answers. It must never report one that the server would accept. */
export function missingIn(root: ParentNode | null): Errors {
  const missing = new Map<string, string>();
  for (const mark of root?.querySelectorAll(".required") ?? []) {
    const part = mark.closest<HTMLElement>(".control, fieldset");
    if (part === null || part.closest("[data-when][hidden]") !== null) continue;
    if (isInEmptyGroup(part)) continue;
    const found = missingAt(part);
    if (found !== null) missing.set(...found);
  }
  return missing;
}

function missingAt(part: HTMLElement): [string, string] | null {
  const file = part.querySelector<HTMLInputElement>(":scope > input[type=file]");
  if (file !== null) return part.querySelector(".file") === null ? [file.id, word("file")] : null;
  if (part.matches("fieldset")) {
    const isRadio = part.querySelector(`input[type=radio][name="${CSS.escape(part.id)}"]`) !== null;
    return isRadio && textsIn(part).get(part.id) === "" ? [part.id, word("choose")] : null;
  }
  const [[name, text] = ["", "?"]] = textsIn(part);
  if (text.trim() !== "") return null;
  const input = document.getElementById(name);
  const kind = input?.matches("select")
    ? "choose"
    : input?.matches("[type=checkbox]")
      ? "consent"
      : "required";
  return [name, word(kind)];
}

/** A required field inside an optional group is required only if any part of the group is answered. */
function isInEmptyGroup(part: HTMLElement): boolean {
  for (let group = part.parentElement?.closest("fieldset"); group != null; ) {
    const isOptional = group.querySelector(":scope > legend .required") === null;
    const isEmpty = [...textsIn(group)].every(
      ([name, text]) => text === "" || name.endsWith("@zone"),
    );
    if (isOptional && isEmpty) return true;
    group = group.parentElement?.closest("fieldset");
  }
  return false;
}

/** Shows missing answers and focuses the first. False if none is missing. */
export function focusMissing(): boolean {
  showErrors(missingIn(form()));
  return focusError(form());
}

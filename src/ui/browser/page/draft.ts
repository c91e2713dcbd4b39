/**
 * The draft: texts that were typed and not saved by the server yet. This browser keeps them until they are
 * saved or the person discards them. A participant has one draft. Each tab writes only its own changes into it.
 */
import {
  buttonFor,
  form,
  hiddenInput,
  inputs,
  keysOf,
  showStatus,
  setText,
  textsIn,
  word,
} from "./dom";
import { readNumber, writeNumber } from "../../form/number-text";
import { dropFiles, waitingFiles } from "./files";
import { addRowsFor } from "./rows";
import { readDraft, writeDraft, type Draft } from "./draft-store";

/** The texts that the server showed. */
let shownTexts = new Map<string, string>();
/** The names that this tab has put into the draft. The others belong to another tab. */
const ownNames = new Set<string>();

export const rememberShown = (): void => {
  shownTexts = textsIn();
};

/** The field of an input, as the prefix of its name. */
export const rootOf = (name: string): string => /^f\/@?[^/=@]+/.exec(name)?.[0] ?? name;

/** Remembers the shown texts of one part that was drawn again, perhaps with other rows. */
export function rememberPart(part: ParentNode): void {
  const texts = textsIn(part);
  const roots = new Set([...texts.keys()].map(rootOf));
  for (const name of shownTexts.keys()) if (roots.has(rootOf(name))) shownTexts.delete(name);
  for (const [name, text] of texts) shownTexts.set(name, text);
}

/** After a refusal: texts that differ from the sent ones come from the server. */
export function rememberChanges(sent: ReadonlyMap<string, string>): void {
  for (const [name, text] of textsIn()) if (sent.get(name) !== text) shownTexts.set(name, text);
}

/** The texts that differ from the shown ones. A removed row has empty texts. */
export function touched(): ReadonlyMap<string, string> {
  const now = textsIn();
  const removed = [...shownTexts].filter(([name, text]) => text !== "" && !now.has(name));
  return new Map([
    ...[...now].filter(([name, text]) => (shownTexts.get(name) ?? "") !== text),
    ...removed.map(([name]): [string, string] => [name, ""]),
  ]);
}

/** The choice in a conflict is not an answer, so it is removed with the conflict. */
export function forgetChoices(): void {
  for (const names of [shownTexts, ownNames]) {
    for (const name of names.keys()) if (name.startsWith("choice/")) names.delete(name);
  }
}

export const isTouched = (): boolean => touched().size > 0;

/** Passwords and private fields are never stored in the browser. */
const isSecret = (name: string): boolean =>
  inputs().some(
    (input) =>
      input.name === name &&
      (input.type === "password" || input.closest("[data-private]") !== null),
  );

/** A secret was typed before a reload and has to be typed again. */
let isSecretMissing = false;

export const hasSecret = (): boolean => [...touched().keys()].some(isSecret);

/** Says that the draft is kept while there is no network, and that secrets are not. */
export function showOffline(name: "offline" | "waiting" | "notSent"): void {
  showStatus(`${word(name)}${hasSecret() ? ` ${word("secrets")}` : ""}`, true);
}

/** `waiting` is an action that waits for the network. Null removes it. */
export async function saveDraft(waiting?: string | null): Promise<void> {
  if (form() === null) return;
  if (hasSecret()) isSecretMissing = false;
  const { texts, said, base, sent, waiting: before } = withoutNames(readDraft(), ownNames);
  const shownBase = JSON.parse(hiddenInput("base")?.value ?? "{}") as Record<string, unknown>;
  for (const [name, text] of touched()) {
    if (isSecret(name)) continue;
    texts[name] = text;
    said[name] = describeAnswer(name, text);
    ownNames.add(name);
    for (const key of keysFor(name)) {
      base[key] ??= Object.hasOwn(shownBase, key) ? { value: shownBase[key] } : {};
    }
  }
  const pending = waiting === undefined ? before : waiting;
  await writeOwnDraft({
    texts,
    said,
    base,
    ...(sent && { sent }),
    ...(pending && { waiting: pending }),
  });
}

/** All texts that this tab sent last. Texts of another tab are not an echo. */
let lastSent: ReadonlyMap<string, string> = new Map();

/** Stores which texts are being sent, until the server confirms them. */
export function markSending(): void {
  lastSent = textsIn();
  const sent = Object.fromEntries([...touched()].filter(([name]) => !isSecret(name)));
  void writeOwnDraft({ ...readDraft(), sent });
}

/** Whether the server shows exactly what this tab sent, although its response was lost. */
export function isEcho(texts: ReadonlyMap<string, string>): boolean {
  const roots = new Set([...texts.keys()].map(rootOf));
  const sent = [...lastSent.keys()].filter((name) => roots.has(rootOf(name)));
  const isSame = (name: string): boolean => (lastSent.get(name) ?? "") === (texts.get(name) ?? "");
  return sent.length > 0 && [...sent, ...texts.keys()].every(isSame);
}

/** The same after a reload, which has only the stored draft. */
const isStoredEcho = (name: string, sent: Draft["sent"] = {}): boolean => {
  const ours = Object.entries(sent).filter(([one]) => rootOf(one) === rootOf(name));
  return ours.length > 0 && ours.every(([one, text]) => (shownTexts.get(one) ?? "") === text);
};

const writeOwnDraft = (draft: Omit<Draft, "at" | "hadSecret" | "language">): Promise<void> =>
  writeDraft({
    ...draft,
    language: language(),
    ...(hasSecret() || isSecretMissing ? { hadSecret: true } : {}),
  });

function withoutNames(draft: Draft, names: Iterable<string>): Draft {
  const texts = { ...draft.texts };
  const said = { ...draft.said };
  for (const name of names) {
    delete texts[name];
    delete said[name];
  }
  return { ...draft, texts, said, base: { ...draft.base } };
}

const keysFor = (name: string): readonly string[] => {
  const input = inputs().find((one) => one.name === name);
  const part =
    input?.closest<HTMLElement>("[data-field]") ??
    [...document.querySelectorAll<HTMLElement>("[data-field]")].find((one) =>
      [...textsIn(one).keys()].some((other) => rootOf(other) === rootOf(name)),
    );
  return part == null ? [] : keysOf(part);
};

/** The text of a label without the "required" mark. */
function labelText(label: Element | null | undefined): string {
  const copy = label?.cloneNode(true) as Element | undefined;
  copy?.querySelector(".required")?.remove();
  return copy?.textContent?.trim().replaceAll(/\s+/g, " ") ?? "";
}

/** The label and the answer as text, for pages that can only show the draft. */
function describeAnswer(name: string, text: string): string {
  const found = inputs().filter((input) => input.name === name);
  const chosen =
    found.find((input) => input instanceof HTMLInputElement && input.checked) ?? found[0];
  if (chosen === undefined || chosen.type === "hidden" || text === "") return "";
  const label = labelText(chosen.labels?.[0]);
  const legend = labelText(chosen.closest("fieldset")?.querySelector("legend"));
  if (chosen.type === "radio") return `${legend}: ${label}`;
  if (chosen.type === "checkbox") return label;
  if (chosen instanceof HTMLSelectElement) {
    return `${label}: ${chosen.selectedOptions[0]?.textContent ?? text}`;
  }
  return `${label}: ${text}`;
}

/** The server has saved the sent texts, except for the fields in `wrong`. */
export function markSaved(
  sent: ReadonlyMap<string, string>,
  wrong: ReadonlySet<string> = new Set(),
): void {
  const isSaved = (name: string): boolean => !wrong.has(rootOf(name));
  shownTexts = new Map([
    ...[...shownTexts].filter(([name]) => !isSaved(name)),
    ...[...sent].filter(([name]) => isSaved(name)),
  ]);
  lastSent = new Map();
  const draft = readDraft();
  const savedNames = [...ownNames].filter(
    (name) => isSaved(name) && (draft.texts[name] ?? "") === (sent.get(name) ?? ""),
  );
  for (const name of savedNames) ownNames.delete(name);
  const rest = withoutNames(draft, savedNames);
  const open = new Set(Object.keys(rest.texts).flatMap(keysFor));
  for (const key of Object.keys(rest.base)) if (!open.has(key)) delete rest.base[key];
  // While a secret is missing, the person is still reminded of the waiting action.
  const waiting = isSecretMissing ? draft.waiting : undefined;
  const pending = waiting === undefined ? {} : { waiting };
  void writeOwnDraft({ texts: rest.texts, said: rest.said, base: rest.base, ...pending });
}

/** The person discarded the draft, or declined. */
export const discardDraft = (): void => {
  ownNames.clear();
  isSecretMissing = false;
  dropFiles();
  void writeDraft({ texts: {}, said: {}, base: {} });
};

/** Restores the texts of the draft, and the base values that they were typed over. */
export function restoreDraft(): void {
  const here = form();
  if (here === null) return;
  const { texts, base, sent, language: before, hadSecret } = readDraft();
  const typed = touched();
  let isFound = false;
  const restored = new Set<string>();
  for (const [name, written] of Object.entries(texts)) {
    if (typed.has(name)) continue;
    if (!setText(here, name, written) && written !== "") addRowsFor(name);
    const text = convertNumber(written, name, before);
    if (!setText(here, name, text) || (shownTexts.get(name) ?? "") === text) continue;
    isFound = true;
    ownNames.add(name);
    if (isStoredEcho(name, sent)) continue;
    for (const key of keysFor(name)) restored.add(key);
  }
  rebase(restored, base);
  isSecretMissing = hadSecret === true && !hasSecret();
  if (isFound) offerDiscard();
  else if (isSecretMissing) showStatusOrReminder("");
}

const language = (): string => hiddenInput("language")?.value ?? "";

/** Converts a number that was typed in another language of the page. */
function convertNumber(text: string, name: string, before = language()): string {
  const input = inputs().find((one) => one.name === name);
  const unit = input?.dataset["number"];
  if (unit === undefined || before === language()) return text;
  const number = readNumber(text, before, unit);
  return number === null ? text : writeNumber(number, language());
}

/** With the old base, a change by another actor is a conflict and is not overwritten. */
function rebase(keys: ReadonlySet<string>, base: Draft["base"]): void {
  const baseInput = hiddenInput("base");
  if (baseInput === null) return;
  const value = JSON.parse(baseInput.value) as Record<string, unknown>;
  for (const key of keys) {
    const before = base[key];
    if (before === undefined) continue;
    if ("value" in before) value[key] = before.value;
    else delete value[key];
  }
  baseInput.value = JSON.stringify(value);
}

/** Shows the text, or a reminder while a secret has to be typed again. */
export function showStatusOrReminder(text: string): void {
  showStatus(isSecretMissing ? retypeReminder() : text, isSecretMissing);
}

const retypeReminder = (): string =>
  word(readDraft().waiting === undefined ? "retype" : "retypeSend");

/** The waiting action lacks a secret: the person has to type it again and press again. */
export const isIncomplete = (): boolean => isSecretMissing;

/** The action is sent without the missing secret. */
export const clearMissing = (): void => {
  isSecretMissing = false;
};

const discardButton = (value = ""): HTMLButtonElement =>
  buttonFor("discard", value, word("discard"));

function offerDiscard(): void {
  showStatus(
    `${word("restored")}${isSecretMissing ? ` ${retypeReminder()}` : ""}`,
    isSecretMissing,
  );
  document.getElementById("live")?.append(" ", discardButton());
}

/** Asks for confirmation, with the focus on the harmless button. True if the click was handled. */
export function handleDiscardClick(button: HTMLElement): boolean {
  const { discard, undiscard } = button.dataset;
  if (discard === "sure") {
    discardDraft();
    location.reload();
  } else if (discard !== undefined) {
    const question = document.createElement("span");
    const no = buttonFor("undiscard", "", word("discardNo"));
    question.append(`${word("discardSure")} `, no, " ", discardButton("sure"));
    button.replaceWith(question);
    no.focus();
  } else if (undiscard !== undefined) {
    const newButton = discardButton();
    button.parentElement?.replaceWith(newButton);
    newButton.focus();
  } else return false;
  return true;
}

/** On the page of an ended link: shows the unsent draft to copy. */
export function showUnsentDraft(): void {
  const section = document.getElementById("kept");
  const box = section?.querySelector("textarea") ?? null;
  const names = waitingFiles().map(({ file }) => file.name);
  const answers = [...Object.values(readDraft().said).filter((text) => text !== ""), ...names];
  if (section === null || box === null || answers.length === 0) return;
  box.value = answers.join("\n\n");
  section.hidden = false;
}

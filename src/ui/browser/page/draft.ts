/**
 * What was typed and not yet taken by the server, kept in this browser until it is, or until the
 * person drops it. One draft per link: two tabs write into it side by side, each only what it changed.
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

/** What the server showed. */
let shownTexts = new Map<string, string>();
/** What this tab has put into the draft: the rest of it belongs to another tab. */
const ownNames = new Set<string>();

export const rememberShown = (): void => {
  shownTexts = textsIn();
};

/** The field that an input belongs to, as the beginning of its name. */
export const rootOf = (name: string): string => /^f\/@?[^/=@]+/.exec(name)?.[0] ?? name;

/** The same for a part that the server has drawn anew, with as many rows as it has now. */
export function rememberPart(part: ParentNode): void {
  const texts = textsIn(part);
  const roots = new Set([...texts.keys()].map(rootOf));
  for (const name of shownTexts.keys()) if (roots.has(rootOf(name))) shownTexts.delete(name);
  for (const [name, text] of texts) shownTexts.set(name, text);
}

/** After a refusal: where the new page shows something else than was sent, the server says so. */
export function rememberChanges(sent: ReadonlyMap<string, string>): void {
  for (const [name, text] of textsIn()) if (sent.get(name) !== text) shownTexts.set(name, text);
}

/** What differs from what the server showed; a row that was removed says nothing any more. */
export function touched(): ReadonlyMap<string, string> {
  const now = textsIn();
  const removed = [...shownTexts].filter(([name, text]) => text !== "" && !now.has(name));
  return new Map([
    ...[...now].filter(([name, text]) => (shownTexts.get(name) ?? "") !== text),
    ...removed.map(([name]): [string, string] => [name, ""]),
  ]);
}

/** A choice between two answers is no answer: it goes with the question. */
export function forgetChoices(): void {
  for (const names of [shownTexts, ownNames]) {
    for (const name of names.keys()) if (name.startsWith("choice/")) names.delete(name);
  }
}

export const isTouched = (): boolean => touched().size > 0;

/** Passwords and private fields are not written to a disk. */
const isSecret = (name: string): boolean =>
  inputs().some(
    (input) =>
      input.name === name &&
      (input.type === "password" || input.closest("[data-private]") !== null),
  );

/** One was typed before a reload, which nobody has kept. */
let isSecretMissing = false;

export const hasSecret = (): boolean => [...touched().keys()].some(isSecret);

/** What the page promises while there is no network, and what it cannot promise. */
export function showOffline(name: "offline" | "waiting" | "notSent"): void {
  showStatus(`${word(name)}${hasSecret() ? ` ${word("secrets")}` : ""}`, true);
}

/** `waiting` is a press that waits for the network; null says that none does any more. */
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
  const held = waiting === undefined ? before : waiting;
  await writeOwnDraft({ texts, said, base, ...(sent && { sent }), ...(held && { waiting: held }) });
}

/** What this tab last sent, whole. What another tab sends while this one is open is another answer. */
let lastSent: ReadonlyMap<string, string> = new Map();

/** On its way from now on, until the server is heard to have taken it. */
export function markSending(): void {
  lastSent = textsIn();
  const sent = Object.fromEntries([...touched()].filter(([name]) => !isSecret(name)));
  void writeOwnDraft({ ...readDraft(), sent });
}

/** Does the server show just what was sent from here, although its answer was lost? Then nobody else wrote. */
export function isEcho(texts: ReadonlyMap<string, string>): boolean {
  const roots = new Set([...texts.keys()].map(rootOf));
  const sent = [...lastSent.keys()].filter((name) => roots.has(rootOf(name)));
  const isSame = (name: string): boolean => (lastSent.get(name) ?? "") === (texts.get(name) ?? "");
  return sent.length > 0 && [...sent, ...texts.keys()].every(isSame);
}

/** The same for a page that was opened anew, which knows only what was typed. */
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

/** A label without the mark that an answer is required. */
function labelText(label: Element | null | undefined): string {
  const copy = label?.cloneNode(true) as Element | undefined;
  copy?.querySelector(".required")?.remove();
  return copy?.textContent?.trim().replaceAll(/\s+/g, " ") ?? "";
}

/** For a page that can only show it: the label and the answer in words. */
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

/** The server has taken what the form said, but for those fields that are wrong. */
export function markSaved(
  sent: ReadonlyMap<string, string>,
  wrong: ReadonlySet<string> = new Set(),
): void {
  const isTaken = (name: string): boolean => !wrong.has(rootOf(name));
  shownTexts = new Map([
    ...[...shownTexts].filter(([name]) => !isTaken(name)),
    ...[...sent].filter(([name]) => isTaken(name)),
  ]);
  lastSent = new Map();
  const draft = readDraft();
  const done = [...ownNames].filter(
    (name) => isTaken(name) && (draft.texts[name] ?? "") === (sent.get(name) ?? ""),
  );
  for (const name of done) ownNames.delete(name);
  const rest = withoutNames(draft, done);
  const open = new Set(Object.keys(rest.texts).flatMap(keysFor));
  for (const key of Object.keys(rest.base)) if (!open.has(key)) delete rest.base[key];
  // A press that lacks what has to be typed again is still to be spoken of.
  const waiting = isSecretMissing ? draft.waiting : undefined;
  const held = waiting === undefined ? {} : { waiting };
  void writeOwnDraft({ texts: rest.texts, said: rest.said, base: rest.base, ...held });
}

/** The person drops it, or the whole was sent. */
export const discardDraft = (): void => {
  ownNames.clear();
  isSecretMissing = false;
  dropFiles();
  void writeDraft({ texts: {}, said: {}, base: {} });
};

/** Puts back what was typed here before, with what it was typed over. */
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

/** A number that was typed on the same page in another language, as this one writes it. */
function convertNumber(text: string, name: string, before = language()): string {
  const input = inputs().find((one) => one.name === name);
  const unit = input?.dataset["number"];
  if (unit === undefined || before === language()) return text;
  const number = readNumber(text, before, unit);
  return number === null ? text : writeNumber(number, language());
}

/** What somebody changed since then is a conflict, not something to be written over. */
function rebase(keys: ReadonlySet<string>, base: Draft["base"]): void {
  const place = hiddenInput("base");
  if (place === null) return;
  const value = JSON.parse(place.value) as Record<string, unknown>;
  for (const key of keys) {
    const before = base[key];
    if (before === undefined) continue;
    if ("value" in before) value[key] = before.value;
    else delete value[key];
  }
  place.value = JSON.stringify(value);
}

/** With the reminder that something has to be typed again, until it is. */
export function showStatusOrReminder(text: string): void {
  showStatus(isSecretMissing ? retypeReminder() : text, isSecretMissing);
}

const retypeReminder = (): string =>
  word(readDraft().waiting === undefined ? "retype" : "retypeSend");

/** What waits to be sent is not all there: the person types the rest again, and presses again. */
export const isIncomplete = (): boolean => isSecretMissing;

/** What was answered is answered, also without it. */
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

/** Asked once more, with the harmless answer where the finger is. True if the click was for it. */
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
    const again = discardButton();
    button.parentElement?.replaceWith(again);
    again.focus();
  } else return false;
  return true;
}

/** On a page that says that it is over: what was typed here is still there to be copied. */
export function showUnsentDraft(): void {
  const place = document.getElementById("kept");
  const box = place?.querySelector("textarea") ?? null;
  const names = waitingFiles().map(({ file }) => file.name);
  const said = [...Object.values(readDraft().said).filter((text) => text !== ""), ...names];
  if (place === null || box === null || said.length === 0) return;
  box.value = said.join("\n\n");
  place.hidden = false;
}

/** Merges the page that the server has drawn into the open one. Texts that the person has typed must stay. */
import * as dom from "./dom";
import * as draft from "./draft";
import { removeSolvedProblems } from "./errors";
import { pageState } from "./page-state";
import { isSending, showWaiting } from "./files";
import { updateOfflineCache } from "./offline-cache";
import { updateConditionalParts, updateTimeZones } from "./rows";
import { showStep } from "./steps";

export const canSave = (): boolean => dom.form()?.querySelector('button[value="save"]') != null;

/** Prepares a page that was just drawn. */
export function initPage(): void {
  document.documentElement.classList.add("js");
  dom.showLocalTimes(document);
  for (const button of document.querySelectorAll<HTMLElement>(
    "[data-print], [data-copy], [data-scripted]",
  )) {
    button.hidden = false;
  }
  if (dom.main().dataset["code"] === undefined || dom.main().dataset["over"] === "true")
    return draft.showUnsentDraft();
  const problems = document.getElementById("problems");
  if (problems === null) {
    draft.rememberShown();
    draft.restoreDraft();
  } else problems.focus();
  updateConditionalParts();
  updateTimeZones(null);
  showWaiting();
  showStep();
}

function replaceElement(fresh: Document, id: string): void {
  const mine = document.getElementById(id);
  const theirs = fresh.getElementById(id);
  if (mine === null || theirs === null) return;
  dom.showLocalTimes(theirs);
  if (mine instanceof HTMLDetailsElement && theirs instanceof HTMLDetailsElement) {
    theirs.open = mine.open;
  }
  mine.replaceWith(theirs);
}

export function replaceMain(fresh: Document): void {
  const theirs = fresh.querySelector("main");
  if (theirs === null) return;
  dom.main().replaceWith(theirs);
  pageState.hasEnded = theirs.dataset["over"] === "true";
  initPage();
  if (pageState.hasEnded) void updateOfflineCache();
}

export function mergePage(fresh: Document): void {
  const theirs = fresh.querySelector("main");
  if (theirs === null || theirs.dataset["code"] !== dom.code()) return location.reload();
  // Numbers are read in the form's language, so a page in another language is loaded anew.
  const [before, now] = [dom.hiddenInput("language"), dom.hiddenInput("language", fresh)].map(
    (one) => one?.value,
  );
  if (before !== undefined && now !== undefined && before !== now) {
    return void draft.saveDraft().then(() => location.reload());
  }
  const ownForm = dom.form();
  const isSameShape =
    ownForm !== null &&
    fresh.getElementById("form") !== null &&
    (fresh.querySelector('button[value="save"]') !== null) === canSave();
  if (!isSameShape) {
    void draft.saveDraft();
    // An ended session cannot be changed any more: its page shows the typed texts to copy.
    if (draft.isTouched() && theirs.dataset["over"] !== "true")
      dom.showStatus(dom.word("changed"), true);
    else {
      // The thanks for an answer stay, although the update that it caused draws the page again.
      const thanks = ownForm === null ? (document.getElementById("live")?.textContent ?? "") : "";
      replaceMain(fresh);
      if (thanks !== "") dom.showStatus(thanks);
    }
    return;
  }
  for (const id of ["status", "timeline", "values"]) replaceElement(fresh, id);
  dom.main().dataset["head"] = theirs.dataset["head"] ?? "";
  if (ownForm !== null && canSave()) mergeFields(ownForm, fresh);
}

type Base = Record<string, unknown>;

const isSameText = (a: ParentNode, b: ParentNode): boolean => {
  const [mine, theirs] = [dom.textsIn(a), dom.textsIn(b)];
  return [...mine.keys(), ...theirs.keys()].every(
    (name) => (mine.get(name) ?? "") === (theirs.get(name) ?? ""),
  );
};

function mergeFields(ownForm: HTMLFormElement, fresh: Document): void {
  const base = dom.hiddenInput("base", ownForm);
  const freshBase = dom.hiddenInput("base", fresh);
  if (base === null || freshBase === null) return;
  const mine = JSON.parse(base.value) as Base;
  const theirs = JSON.parse(freshBase.value) as Base;
  const names = new Set(draft.touched().keys());
  for (const field of fresh.querySelectorAll<HTMLElement>("[data-field]")) {
    const old = matchingPart(ownForm, field);
    if (old === null || old.querySelector(".conflict") !== null) continue;
    // The server drew it with a typed text that is not saved.
    if (field.querySelector(".error") !== null) continue;
    const keys = dom.keysOf(field);
    const focused = old.querySelector<HTMLElement>(":focus");
    // Nothing is typed into a file input.
    const isTyping = focused !== null && !focused.matches("input[type=file]");
    const isMine =
      [...dom.textsIn(old).keys()].some((name) => names.has(name)) || isTyping || isSending(old);
    // The typed text is not on the server. If the server shows what this tab sent before, only the base follows.
    if (isMine && !isSameText(old, field)) {
      if (draft.isEcho(dom.textsIn(field))) {
        draft.rememberPart(field);
        mergeBase(mine, theirs, keys);
      }
      continue;
    }
    const isChanged = keys.some((key) => JSON.stringify(mine[key]) !== JSON.stringify(theirs[key]));
    const hasFile = old.querySelector(".file") !== null || field.querySelector(".file") !== null;
    if (!isMine && (isChanged || hasFile)) {
      old.replaceWith(field);
      draft.rememberPart(field);
      if (focused !== null) document.getElementById(focused.id)?.focus();
    } else if (isMine) {
      draft.rememberPart(old);
      // Its previous author.
      if (field.querySelector(".meta") === null) old.querySelector(":scope > .meta")?.remove();
    }
    mergeBase(mine, theirs, keys);
  }
  base.value = JSON.stringify(mine);
  for (const name of ["seen", "version"]) {
    const [one, other] = [dom.hiddenInput(name, ownForm), dom.hiddenInput(name, fresh)];
    if (one !== null && other !== null) one.value = other.value;
  }
  removeSolvedProblems();
  showWaiting();
  updateConditionalParts();
}

export const matchingPart = (ownForm: ParentNode, field: HTMLElement): HTMLElement | null =>
  ownForm.querySelector<HTMLElement>(`[data-field="${CSS.escape(field.dataset["field"] ?? "")}"]`);

/**
 * Another actor wrote the same field while the person typed: adds the question to that field. Nothing else
 * moves, because the person may be typing in another field now.
 */
export function showConflicts(fresh: Document): void {
  const ownForm = dom.form();
  if (ownForm === null) return;
  removeConflicts(ownForm, fresh);
  for (const question of fresh.querySelectorAll(".conflict")) {
    const field = question.closest<HTMLElement>("[data-field]");
    const old = field === null ? null : matchingPart(ownForm, field);
    const existing = document.getElementById(question.id);
    // The same question stays, because it may have the focus.
    if (existing?.textContent === question.textContent) continue;
    existing?.remove();
    // The author of the other answer.
    old?.querySelector(":scope > .meta")?.remove();
    old?.append(question.cloneNode(true));
  }
  // A hidden step cannot be linked to.
  if (ownForm.querySelector("[data-section][hidden] .conflict") !== null) showStep();
}

/** Removes the conflicts that the new page no longer has. Returns the field that lost the focus, if any. */
export function removeConflicts(ownForm: HTMLFormElement, fresh: Document): HTMLElement | null {
  const [open, freshOpen] = [dom.hiddenInput("open", ownForm), dom.hiddenInput("open", fresh)];
  const focused = ownForm.querySelector(".conflict :focus")?.closest<HTMLElement>("[data-field]");
  for (const one of ownForm.querySelectorAll(".conflict")) {
    if (fresh.getElementById(one.id) === null) one.remove();
  }
  if (open !== null) open.value = freshOpen?.value ?? "[]";
  draft.forgetChoices();
  return focused?.isConnected === true && focused.querySelector(".conflict") === null
    ? focused
    : null;
}

function mergeBase(mine: Base, theirs: Base, keys: readonly string[]): void {
  for (const key of keys) {
    if (theirs[key] === undefined) delete mine[key];
    else mine[key] = theirs[key];
  }
}

/**
 * After a save, the fields that it wrote are as the server has them. If another write followed, that is true
 * only for the fields that still have the sent texts. The others stay a conflict for the person to decide.
 */
export function mergeSaved(
  fresh: Document,
  sent: ReadonlyMap<string, string>,
  written: ReadonlySet<string>,
  isOurs: boolean,
): void {
  const ownForm = dom.form();
  const base = dom.hiddenInput("base");
  const freshBase = dom.hiddenInput("base", fresh);
  if (ownForm === null || base === null || freshBase === null) return;
  const mine = JSON.parse(base.value) as Base;
  const theirs = JSON.parse(freshBase.value) as Base;
  for (const field of fresh.querySelectorAll<HTMLElement>("[data-field]")) {
    const old = matchingPart(ownForm, field);
    const names = old === null ? [] : [...dom.textsIn(old).keys()];
    if (!names.some((name) => written.has(name))) continue;
    const isSame = [...dom.textsIn(field)].every(([name, text]) => (sent.get(name) ?? "") === text);
    if (isOurs || isSame) mergeBase(mine, theirs, dom.keysOf(field));
  }
  base.value = JSON.stringify(mine);
  mergePage(fresh);
}

export const headingOf = (fresh: Document): string =>
  (fresh.querySelector("#problems h2") ?? fresh.querySelector("h1"))?.textContent ??
  dom.word("failed");

let isFetching = false;

export async function refresh(): Promise<void> {
  if (pageState.isSubmitting || pageState.hasEnded) return;
  if (isFetching || pageState.isSaving) {
    pageState.isStale = true;
    return;
  }
  isFetching = true;
  pageState.isStale = false;
  await fetchPage();
  isFetching = false;
  if (pageState.isStale) void refresh();
}

/** It is not known whether the request was processed. */
export const isBusy = ({ status }: Response): boolean => status === 429 || status >= 500;

/** Fetches the current page and merges it. False if the server did not answer or was busy. */
export async function fetchPage(): Promise<boolean> {
  try {
    const response = await fetch(dom.withPageLanguage(dom.path()), {
      headers: { Accept: "text/html" },
    });
    const fresh = dom.parse(await response.text());
    if (response.ok) mergePage(fresh);
    else dom.showStatus(headingOf(fresh), true);
    return !isBusy(response);
  } catch {
    draft.showOffline("offline");
    return false;
  }
}

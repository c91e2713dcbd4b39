/** Taking over what the server draws: what the person has typed stays, the rest is as it is now. */
import * as dom from "./dom";
import * as draft from "./draft";
import { dropSolved } from "./errors";
import { facts } from "./facts";
import { isSending, showWaiting } from "./files";
import { keepForLater } from "./for-later";
import { showWhatApplies, tellZones } from "./rows";
import { showStep } from "./steps";

export const canSave = (): boolean => dom.form()?.querySelector('button[value="save"]') != null;

/** A page as it was just drawn. */
export function begin(): void {
  document.documentElement.classList.add("js");
  dom.localTimes(document);
  for (const button of document.querySelectorAll<HTMLElement>(
    "[data-print], [data-copy], [data-scripted]",
  )) {
    button.hidden = false;
  }
  if (dom.main().dataset["code"] === undefined || dom.main().dataset["over"] === "true")
    return draft.showKept();
  const problems = document.getElementById("problems");
  if (problems === null) {
    draft.remember();
    draft.restore();
  } else problems.focus();
  showWhatApplies();
  tellZones(null);
  showWaiting();
  showStep();
}

function swap(fresh: Document, id: string): void {
  const mine = document.getElementById(id);
  const theirs = fresh.getElementById(id);
  if (mine === null || theirs === null) return;
  dom.localTimes(theirs);
  if (mine instanceof HTMLDetailsElement && theirs instanceof HTMLDetailsElement) {
    theirs.open = mine.open;
  }
  mine.replaceWith(theirs);
}

export function replaceMain(fresh: Document): void {
  const theirs = fresh.querySelector("main");
  if (theirs === null) return;
  dom.main().replaceWith(theirs);
  facts.isOver = theirs.dataset["over"] === "true";
  begin();
  if (facts.isOver) void keepForLater();
}

export function adopt(fresh: Document): void {
  const theirs = fresh.querySelector("main");
  if (theirs === null || theirs.dataset["code"] !== dom.code()) return location.reload();
  // Its numbers would be read in the language of this form.
  const [before, now] = [dom.hidden("language"), dom.hidden("language", fresh)].map(
    (one) => one?.value,
  );
  if (before !== undefined && now !== undefined && before !== now) {
    return void draft.keep().then(() => location.reload());
  }
  const here = dom.form();
  const isSameShape =
    here !== null &&
    fresh.getElementById("form") !== null &&
    (fresh.querySelector('button[value="save"]') !== null) === canSave();
  if (!isSameShape) {
    void draft.keep();
    // What is over cannot be changed any more: its page shows what was typed, to be copied.
    if (draft.isTouched() && theirs.dataset["over"] !== "true") dom.say(dom.word("changed"), true);
    else {
      // The thanks for an answer stay, although the news of it draws the page once more.
      const thanks = here === null ? (document.getElementById("live")?.textContent ?? "") : "";
      replaceMain(fresh);
      if (thanks !== "") dom.say(thanks);
    }
    return;
  }
  for (const id of ["status", "timeline", "values"]) swap(fresh, id);
  dom.main().dataset["head"] = theirs.dataset["head"] ?? "";
  if (here !== null && canSave()) adoptFields(here, fresh);
}

type Base = Record<string, unknown>;

const isSameText = (a: ParentNode, b: ParentNode): boolean => {
  const [mine, theirs] = [dom.textsIn(a), dom.textsIn(b)];
  return [...mine.keys(), ...theirs.keys()].every(
    (name) => (mine.get(name) ?? "") === (theirs.get(name) ?? ""),
  );
};

function adoptFields(here: HTMLFormElement, fresh: Document): void {
  const base = dom.hidden("base", here);
  const freshBase = dom.hidden("base", fresh);
  if (base === null || freshBase === null) return;
  const mine = JSON.parse(base.value) as Base;
  const theirs = JSON.parse(freshBase.value) as Base;
  const names = new Set(draft.touched().keys());
  for (const field of fresh.querySelectorAll<HTMLElement>("[data-field]")) {
    const old = partLike(here, field);
    if (old === null || old.querySelector(".conflict") !== null) continue;
    // Drawn with what was typed, which is not saved.
    if (field.querySelector(".error") !== null) continue;
    const keys = dom.keysOf(field);
    const focused = old.querySelector<HTMLElement>(":focus");
    // Nothing is typed into the input of a file.
    const isTyping = focused !== null && !focused.matches("input[type=file]");
    const isMine =
      [...dom.textsIn(old).keys()].some((name) => names.has(name)) || isTyping || isSending(old);
    // What another tab of the same person has sent already is no longer only typed.
    if (isMine && !isSameText(old, field)) {
      if (draft.isEcho(dom.textsIn(field))) {
        draft.rememberIn(field);
        takeBase(mine, theirs, keys);
      }
      continue;
    }
    const isChanged = keys.some((key) => JSON.stringify(mine[key]) !== JSON.stringify(theirs[key]));
    const hasFile = old.querySelector(".file") !== null || field.querySelector(".file") !== null;
    if (!isMine && (isChanged || hasFile)) {
      old.replaceWith(field);
      draft.rememberIn(field);
      if (focused !== null) document.getElementById(focused.id)?.focus();
    } else if (isMine) {
      draft.rememberIn(old);
      // Who filled it in before.
      if (field.querySelector(".meta") === null) old.querySelector(":scope > .meta")?.remove();
    }
    takeBase(mine, theirs, keys);
  }
  base.value = JSON.stringify(mine);
  for (const name of ["seen", "version"]) {
    const [one, other] = [dom.hidden(name, here), dom.hidden(name, fresh)];
    if (one !== null && other !== null) one.value = other.value;
  }
  dropSolved();
  showWaiting();
  showWhatApplies();
}

export const partLike = (here: ParentNode, field: HTMLElement): HTMLElement | null =>
  here.querySelector<HTMLElement>(`[data-field="${CSS.escape(field.dataset["field"] ?? "")}"]`);

/**
 * Somebody wrote the same field while the person typed: the question is put beside it. Nothing else
 * moves, because they may be typing elsewhere by now.
 */
export function askWhichStays(fresh: Document): void {
  const here = dom.form();
  if (here === null) return;
  dropConflicts(here, fresh);
  for (const question of fresh.querySelectorAll(".conflict")) {
    const field = question.closest<HTMLElement>("[data-field]");
    const old = field === null ? null : partLike(here, field);
    const asked = document.getElementById(question.id);
    // The same question stays, with the focus that it may have.
    if (asked?.textContent === question.textContent) continue;
    asked?.remove();
    // Who filled in the other answer.
    old?.querySelector(":scope > .meta")?.remove();
    old?.append(question.cloneNode(true));
  }
  // A step that is not in sight cannot be led to.
  if (here.querySelector("[data-section][hidden] .conflict") !== null) showStep();
}

/** They are decided, but for those that the new page asks still. The part that held the focus, if one did. */
export function dropConflicts(here: HTMLFormElement, fresh: Document): HTMLElement | null {
  const [open, freshOpen] = [dom.hidden("open", here), dom.hidden("open", fresh)];
  const focused = here.querySelector(".conflict :focus")?.closest<HTMLElement>("[data-field]");
  for (const one of here.querySelectorAll(".conflict")) {
    if (fresh.getElementById(one.id) === null) one.remove();
  }
  if (open !== null) open.value = freshOpen?.value ?? "[]";
  draft.forgetChoices();
  return focused?.isConnected === true && focused.querySelector(".conflict") === null
    ? focused
    : null;
}

function takeBase(mine: Base, theirs: Base, keys: readonly string[]): void {
  for (const key of keys) {
    if (theirs[key] === undefined) delete mine[key];
    else mine[key] = theirs[key];
  }
}

/**
 * After a save: the fields that it wrote are as the server has them. If somebody wrote after it, that
 * counts only where the page still says the same; otherwise it stays a conflict to be asked about.
 */
export function adoptSaved(
  fresh: Document,
  sent: ReadonlyMap<string, string>,
  written: ReadonlySet<string>,
  isOurs: boolean,
): void {
  const here = dom.form();
  const base = dom.hidden("base");
  const freshBase = dom.hidden("base", fresh);
  if (here === null || base === null || freshBase === null) return;
  const mine = JSON.parse(base.value) as Base;
  const theirs = JSON.parse(freshBase.value) as Base;
  for (const field of fresh.querySelectorAll<HTMLElement>("[data-field]")) {
    const old = partLike(here, field);
    const names = old === null ? [] : [...dom.textsIn(old).keys()];
    if (!names.some((name) => written.has(name))) continue;
    const isSame = [...dom.textsIn(field)].every(([name, text]) => (sent.get(name) ?? "") === text);
    if (isOurs || isSame) takeBase(mine, theirs, dom.keysOf(field));
  }
  base.value = JSON.stringify(mine);
  adopt(fresh);
}

export const headingOf = (fresh: Document): string =>
  (fresh.querySelector("#problems h2") ?? fresh.querySelector("h1"))?.textContent ??
  dom.word("failed");

let isAsking = false;

export async function refresh(): Promise<void> {
  if (facts.isLeaving || facts.isOver) return;
  if (isAsking || facts.isSaving) {
    facts.isStale = true;
    return;
  }
  isAsking = true;
  facts.isStale = false;
  await look();
  isAsking = false;
  if (facts.isStale) void refresh();
}

/** Whether it did what was asked is not known. */
export const isBusy = ({ status }: Response): boolean => status === 429 || status >= 500;

/** Takes over the page as it is now; false where the server was not heard. */
export async function look(): Promise<boolean> {
  try {
    const response = await fetch(dom.inPageLanguage(dom.path()), {
      headers: { Accept: "text/html" },
    });
    const fresh = dom.parse(await response.text());
    if (response.ok) adopt(fresh);
    else dom.say(headingOf(fresh), true);
    return !isBusy(response);
  } catch {
    draft.sayOffline("offline");
    return false;
  }
}

/** Sending what was typed: by itself as one goes, and as a press that waits for a network. */
import * as adopting from "./merge";
import {
  code,
  form,
  hiddenInput,
  withPageLanguage,
  inputs,
  parse,
  path,
  showStatus,
  textsIn,
  word,
} from "./dom";
import * as draft from "./draft";
import * as errors from "./errors";
import { pageState } from "./page-state";
import { sendFiles } from "./files";

const AUTOSAVE_MS = 1500;
/** A notice of more is not read. */
const MAX_SHOWN_PROBLEMS = 2;
export const RETRY_MS = 3000;

/** The save under way: a press waits for it, so that it meets no change of its own. */
let saving: Promise<void> = Promise.resolve();
let timer = 0;
/** A save was sent and not heard of: whether the server has it is asked before more is sent. */
let isSaveUnconfirmed = false;

/** After these nothing of what was typed will be sent. */
const DECLINES = new Set(["decline", "notMe"]);

const newKey = (): string => crypto.randomUUID().replaceAll("-", "");

interface PostResult {
  readonly response: Response;
  readonly fresh: Document;
}

async function post(here: HTMLFormElement, action: string): Promise<PostResult> {
  const data = new FormData(here);
  for (const input of here.querySelectorAll<HTMLInputElement>("input[type=file]")) {
    if ((input.files?.length ?? 0) === 0 || action === "save") data.delete(input.name);
  }
  data.set("action", action);
  const response = await fetch(withPageLanguage(`${path()}/act`), { method: "POST", body: data });
  return { response, fresh: parse(await response.text()) };
}

const isRefusedLink = ({ response, fresh }: PostResult): boolean =>
  [403, 404, 409, 410].includes(response.status) && fresh.querySelector("#form") === null;

/** The link is over: the page stays as it is, with everything that was typed. */
function showRefusedLink(fresh: Document): void {
  if (fresh.querySelector("main")?.dataset["over"] === "true") {
    void draft.saveDraft();
    return adopting.replaceMain(fresh);
  }
  pageState.hasEnded = true;
  showStatus(`${adopting.headingOf(fresh)}. ${word("kept")}`, true);
}

/** What the server says to a file: it is there, or why not. */
export function handleFileAnswer(fresh: Document, isFine: boolean): void {
  if (isFine) {
    showStatus(fresh.getElementById("live")?.textContent ?? "");
    adopting.mergePage(fresh);
    return;
  }
  errors.showErrors(errors.errorsIn(fresh));
  showStatus([...errors.errorsIn(fresh).values()][0] ?? adopting.headingOf(fresh), true);
}

export async function submitAction(action: string): Promise<void> {
  if (form() === null || pageState.isSubmitting) return;
  pageState.isSubmitting = true;
  clearTimeout(timer);
  void draft.saveDraft();
  await saving;
  const here = form();
  if (here === null) {
    pageState.isSubmitting = false;
    return;
  }
  const sent = textsIn();
  for (const button of here.querySelectorAll("button")) button.disabled = true;
  try {
    if (!(await confirmLastSave())) return await queueAction(action);
    const files = DECLINES.has(action) ? "sent" : await sendFiles(handleFileAnswer);
    if (files === "waits") return await queueAction(action);
    if (files === "refused") return await cancelPending();
    const answer = await post(form() ?? here, action);
    const { response, fresh } = answer;
    pageState.pendingAction = null;
    void draft.saveDraft(null);
    if (response.ok) {
      draft.clearMissing();
      draft.markSaved(sent);
      if (DECLINES.has(action)) draft.discardDraft();
      history.replaceState(null, "", response.url);
      adopting.replaceMain(fresh);
      scrollTo(0, 0);
    } else if (isRefusedLink(answer)) showRefusedLink(fresh);
    else if (fresh.querySelector("main")?.dataset["code"] === code()) {
      adopting.replaceMain(fresh);
      draft.rememberChanges(sent);
    } else showStatus(adopting.headingOf(fresh), true);
  } catch {
    await queueAction(action);
  } finally {
    pageState.isSubmitting = false;
    for (const button of form()?.querySelectorAll("button") ?? []) button.disabled = false;
  }
}

/** Something has to be mended first: nothing waits to be sent. */
async function cancelPending(): Promise<void> {
  pageState.pendingAction = null;
  await draft.saveDraft(null);
  errors.focusError(form());
}

/** No network: the press is kept and done as soon as there is one, also after a reload. */
async function queueAction(action: string): Promise<void> {
  if (action === "submit" && errors.focusMissing()) {
    await cancelPending();
    return draft.showOffline("notSent");
  }
  pageState.pendingAction = action;
  // Whoever presses sends what the page shows, also without what an earlier browser did not keep.
  draft.clearMissing();
  await draft.saveDraft(action);
  draft.showOffline("waiting");
  setTimeout(
    () => pageState.pendingAction !== null && void submitAction(pageState.pendingAction),
    RETRY_MS,
  );
}

async function confirmLastSave(): Promise<boolean> {
  if (isSaveUnconfirmed && (await adopting.fetchPage())) isSaveUnconfirmed = false;
  return !isSaveUnconfirmed;
}

const canAutosave = (): boolean =>
  adopting.canSave() &&
  !(pageState.isSubmitting || pageState.hasEnded || pageState.isSaving) &&
  pageState.pendingAction === null &&
  draft.isTouched();

async function autosave(): Promise<void> {
  if (!canAutosave()) return;
  if (isSaveUnconfirmed && (await confirmLastSave()) && !draft.isTouched()) {
    // It had arrived, and nothing was typed since.
    draft.markSaved(textsIn());
    return draft.showStatusOrReminder(word("saved"));
  }
  const here = form();
  if (here === null || isSaveUnconfirmed || !canAutosave()) return;
  const sent = textsIn();
  draft.markSending();
  const isGivenUp = (name: string): boolean =>
    sent.get(`choice/${draft.rootOf(name)}`) === "theirs";
  const written = new Set([...draft.touched().keys()].filter((name) => !isGivenUp(name)));
  pageState.isSaving = true;
  showStatus(word("saving"));
  try {
    const answer = await post(here, "save");
    const { response, fresh } = answer;
    const key = hiddenInput("key", here);
    if (key !== null) key.value = newKey();
    if (response.ok) {
      draft.markSaved(sent);
      const decided = adopting.removeConflicts(here, fresh);
      const at = new URL(response.url).searchParams.get("at");
      adopting.mergeSaved(fresh, sent, written, at === hiddenInput("version", fresh)?.value);
      // The choice that had the focus is gone.
      if (decided !== null) inputs(adopting.matchingPart(here, decided))[0]?.focus();
      draft.showStatusOrReminder(word("saved"));
    } else if (response.status === 409 && fresh.querySelector(".conflict") !== null) {
      adopting.showConflicts(fresh);
      savePartly(fresh, sent, written);
      void draft.saveDraft();
      linkToConflicts(fresh);
    } else if (response.status === 422) savePartly(fresh, sent, written);
    else if (isRefusedLink(answer)) showRefusedLink(fresh);
    else {
      isSaveUnconfirmed = adopting.isBusy(response);
      showStatus(`${adopting.headingOf(fresh)} ${word("kept")}`, true);
    }
  } catch {
    isSaveUnconfirmed = true;
    draft.showOffline("offline");
  } finally {
    pageState.isSaving = false;
    if (pageState.isStale) void adopting.refresh();
  }
}

/** Which answers were changed elsewhere too, each with the way to its question. */
function linkToConflicts(fresh: Document): void {
  showStatus(adopting.headingOf(fresh), true);
  for (const link of fresh.querySelectorAll('#problems a[href^="#choice/"]')) {
    document.getElementById("live")?.append(" ", link);
  }
}

/** The right answers are saved. The others stay as they are, and the page says which and why. */
function savePartly(
  fresh: Document,
  sent: ReadonlyMap<string, string>,
  written: ReadonlySet<string>,
): void {
  const found = errors.errorsIn(fresh);
  const asked = [...fresh.querySelectorAll(".conflict")].map(({ id }) =>
    id.slice("choice/".length),
  );
  const wrong = new Set([...[...found.keys()].map(draft.rootOf), ...asked]);
  draft.markSaved(sent, wrong);
  const right = [...written].filter((name) => !wrong.has(draft.rootOf(name)));
  adopting.mergeSaved(fresh, sent, new Set(right), false);
  const now = textsIn();
  const isAsSent = (name: string): boolean =>
    [...now].every(([one, text]) => !errors.isPartOf(one, name) || sent.get(one) === text);
  errors.showErrorsWhenLeft(new Map([...found].filter(([name]) => isAsSent(name))));
  const said = [...fresh.querySelectorAll("#problems h2, #problems li")].map(
    (one) => one.textContent,
  );
  showStatus(
    [...said.slice(0, 1 + MAX_SHOWN_PROBLEMS), word(draft.hasSecret() ? "secrets" : "kept")].join(
      " ",
    ),
    true,
  );
}

/** Saves what is typed so far, at once. */
export function saveNow(): Promise<void> {
  clearTimeout(timer);
  saving = saving.then(autosave);
  return saving;
}

export function saveSoon(ms = AUTOSAVE_MS): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    saving = saving.then(autosave);
  }, ms);
}

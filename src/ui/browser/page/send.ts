/** Sends the form: autosaves while the person types, and actions that wait for the network. */
import * as merge from "./merge";
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
/** A longer notice is not read. */
const MAX_SHOWN_PROBLEMS = 2;
export const RETRY_MS = 3000;

/** The running save. An action waits for it, so that it does not conflict with it. */
let saving: Promise<void> = Promise.resolve();
let timer = 0;
/** A save was sent without a response. Its result is fetched before anything else is sent. */
let isSaveUnconfirmed = false;

/** Actions that discard the draft. */
const DECLINES = new Set(["decline", "notMe"]);

const newKey = (): string => crypto.randomUUID().replaceAll("-", "");

interface PostResult {
  readonly response: Response;
  readonly fresh: Document;
}

async function post(ownForm: HTMLFormElement, action: string): Promise<PostResult> {
  const data = new FormData(ownForm);
  for (const input of ownForm.querySelectorAll<HTMLInputElement>("input[type=file]")) {
    if ((input.files?.length ?? 0) === 0 || action === "save") data.delete(input.name);
  }
  data.set("action", action);
  const response = await fetch(withPageLanguage(`${path()}/act`), { method: "POST", body: data });
  return { response, fresh: parse(await response.text()) };
}

const isRefusedLink = ({ response, fresh }: PostResult): boolean =>
  [403, 404, 409, 410].includes(response.status) && fresh.querySelector("#form") === null;

/** The link has ended: the page stays with everything that was typed. */
function showRefusedLink(fresh: Document): void {
  if (fresh.querySelector("main")?.dataset["over"] === "true") {
    void draft.saveDraft();
    return merge.replaceMain(fresh);
  }
  pageState.hasEnded = true;
  showStatus(`${merge.headingOf(fresh)}. ${word("kept")}`, true);
}

/** Shows the server's response to a file. */
export function handleFileAnswer(fresh: Document, isFine: boolean): void {
  if (isFine) {
    showStatus(fresh.getElementById("live")?.textContent ?? "");
    merge.mergePage(fresh);
    return;
  }
  errors.showErrors(errors.errorsIn(fresh));
  showStatus([...errors.errorsIn(fresh).values()][0] ?? merge.headingOf(fresh), true);
}

export async function submitAction(action: string): Promise<void> {
  if (form() === null || pageState.isSubmitting) return;
  pageState.isSubmitting = true;
  clearTimeout(timer);
  void draft.saveDraft();
  await saving;
  const ownForm = form();
  if (ownForm === null) {
    pageState.isSubmitting = false;
    return;
  }
  const sent = textsIn();
  for (const button of ownForm.querySelectorAll("button")) button.disabled = true;
  try {
    if (!(await confirmLastSave())) return await queueAction(action);
    const files = DECLINES.has(action) ? "sent" : await sendFiles(handleFileAnswer);
    if (files === "waits") return await queueAction(action);
    if (files === "refused") return await cancelPending();
    const answer = await post(form() ?? ownForm, action);
    const { response, fresh } = answer;
    pageState.pendingAction = null;
    void draft.saveDraft(null);
    if (response.ok) {
      draft.clearMissing();
      draft.markSaved(sent);
      if (DECLINES.has(action)) draft.discardDraft();
      history.replaceState(null, "", response.url);
      merge.replaceMain(fresh);
      scrollTo(0, 0);
    } else if (isRefusedLink(answer)) showRefusedLink(fresh);
    else if (fresh.querySelector("main")?.dataset["code"] === code()) {
      merge.replaceMain(fresh);
      draft.rememberChanges(sent);
    } else showStatus(merge.headingOf(fresh), true);
  } catch {
    await queueAction(action);
  } finally {
    pageState.isSubmitting = false;
    for (const button of form()?.querySelectorAll("button") ?? []) button.disabled = false;
  }
}

/** The person has to correct something first, so no action waits any more. */
async function cancelPending(): Promise<void> {
  pageState.pendingAction = null;
  await draft.saveDraft(null);
  errors.focusError(form());
}

/** Without a network, stores the action and sends it later, also after a reload. */
async function queueAction(action: string): Promise<void> {
  if (action === "submit" && errors.focusMissing()) {
    await cancelPending();
    return draft.showOffline("notSent");
  }
  pageState.pendingAction = action;
  // A press sends what the page shows, also without a secret that was lost in a reload.
  draft.clearMissing();
  await draft.saveDraft(action);
  draft.showOffline("waiting");
  setTimeout(
    () => pageState.pendingAction !== null && void submitAction(pageState.pendingAction),
    RETRY_MS,
  );
}

async function confirmLastSave(): Promise<boolean> {
  if (isSaveUnconfirmed && (await merge.fetchPage())) isSaveUnconfirmed = false;
  return !isSaveUnconfirmed;
}

const canAutosave = (): boolean =>
  merge.canSave() &&
  !(pageState.isSubmitting || pageState.hasEnded || pageState.isSaving) &&
  pageState.pendingAction === null &&
  draft.isTouched();

async function autosave(): Promise<void> {
  if (!canAutosave()) return;
  if (isSaveUnconfirmed && (await confirmLastSave()) && !draft.isTouched()) {
    // The save had arrived, and nothing was typed since.
    draft.markSaved(textsIn());
    return draft.showStatusOrReminder(word("saved"));
  }
  const ownForm = form();
  if (ownForm === null || isSaveUnconfirmed || !canAutosave()) return;
  const sent = textsIn();
  draft.markSending();
  const isGivenUp = (name: string): boolean =>
    sent.get(`choice/${draft.rootOf(name)}`) === "theirs";
  const written = new Set([...draft.touched().keys()].filter((name) => !isGivenUp(name)));
  pageState.isSaving = true;
  showStatus(word("saving"));
  try {
    const answer = await post(ownForm, "save");
    const { response, fresh } = answer;
    const key = hiddenInput("key", ownForm);
    if (key !== null) key.value = newKey();
    if (response.ok) {
      draft.markSaved(sent);
      const decided = merge.removeConflicts(ownForm, fresh);
      const savedVersion = new URL(response.url).searchParams.get("at");
      merge.mergeSaved(fresh, sent, written, savedVersion === hiddenInput("version", fresh)?.value);
      // The conflict that had the focus is gone.
      if (decided !== null) inputs(merge.matchingPart(ownForm, decided))[0]?.focus();
      draft.showStatusOrReminder(word("saved"));
    } else if (response.status === 409 && fresh.querySelector(".conflict") !== null) {
      merge.showConflicts(fresh);
      savePartly(fresh, sent, written);
      void draft.saveDraft();
      linkToConflicts(fresh);
    } else if (response.status === 422) savePartly(fresh, sent, written);
    else if (isRefusedLink(answer)) showRefusedLink(fresh);
    else {
      isSaveUnconfirmed = merge.isBusy(response);
      showStatus(`${merge.headingOf(fresh)} ${word("kept")}`, true);
    }
  } catch {
    isSaveUnconfirmed = true;
    draft.showOffline("offline");
  } finally {
    pageState.isSaving = false;
    if (pageState.isStale) void merge.refresh();
  }
}

/** Shows which answers are in conflict, with a link to each. */
function linkToConflicts(fresh: Document): void {
  showStatus(merge.headingOf(fresh), true);
  for (const link of fresh.querySelectorAll('#problems a[href^="#choice/"]')) {
    document.getElementById("live")?.append(" ", link);
  }
}

/** Valid answers are saved. The others stay, and the page shows which and why. */
function savePartly(
  fresh: Document,
  sent: ReadonlyMap<string, string>,
  written: ReadonlySet<string>,
): void {
  const found = errors.errorsIn(fresh);
  const conflictRoots = [...fresh.querySelectorAll(".conflict")].map(({ id }) =>
    id.slice("choice/".length),
  );
  const wrong = new Set([...[...found.keys()].map(draft.rootOf), ...conflictRoots]);
  draft.markSaved(sent, wrong);
  const right = [...written].filter((name) => !wrong.has(draft.rootOf(name)));
  merge.mergeSaved(fresh, sent, new Set(right), false);
  const now = textsIn();
  const isAsSent = (name: string): boolean =>
    [...now].every(([one, text]) => !errors.isPartOf(one, name) || sent.get(one) === text);
  errors.showErrorsWhenLeft(new Map([...found].filter(([name]) => isAsSent(name))));
  const problemTexts = [...fresh.querySelectorAll("#problems h2, #problems li")].map(
    (one) => one.textContent,
  );
  showStatus(
    [
      ...problemTexts.slice(0, 1 + MAX_SHOWN_PROBLEMS),
      word(draft.hasSecret() ? "secrets" : "kept"),
    ].join(" "),
    true,
  );
}

/** Saves the typed texts at once. */
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

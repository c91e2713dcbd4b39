/**
 * The script of a link's page: follows updates, autosaves, and keeps the typed texts over a lost network, a
 * reload or a killed browser until they are sent. It draws nothing itself: it fetches the page from the
 * server and merges the parts that changed.
 */
import { initPage, canSave, refresh } from "./page/merge";
import { hasLink, main, path, showStatus, word, words } from "./page/dom";
import * as draft from "./page/draft";
import { focusError, clearErrors, missingIn, showErrors } from "./page/errors";
import { pageState } from "./page/page-state";
import { isOfflinePage, updateOfflineCache, waitForNetwork } from "./page/offline-cache";
import {
  handleChosenFiles,
  handleFileClick,
  restoreQueue,
  sendFiles,
  waitingFiles,
} from "./page/files";
import { handleRowClick, updateConditionalParts, updateTimeZones } from "./page/rows";
import { handleStepClick } from "./page/steps";
import { handleFileAnswer, submitAction, RETRY_MS, saveNow, saveSoon } from "./page/send";
import { readDraft, restoreFromDatabase } from "./page/draft-store";

function listen(): void {
  const source = new EventSource(`${path()}/live?after=${main().dataset["head"]}`);
  source.addEventListener("news", () => void refresh());
  source.addEventListener("over", (event) => {
    source.close();
    void draft.saveDraft();
    const why = (event as MessageEvent<string>).data;
    if (why === "ended") return void refresh();
    pageState.hasEnded = true;
    showStatus(words()[why] ?? word("gone"), true);
  });
  source.addEventListener("error", () => {
    if (!navigator.onLine) draft.showOffline("offline");
    if (source.readyState === EventSource.CLOSED && !pageState.hasEnded)
      setTimeout(listen, RETRY_MS);
  });
}

document.addEventListener("input", (event) => {
  const input = event.target as HTMLInputElement;
  if (input.closest("#form") === null || input.type === "file") return;
  clearErrors(input.name);
  updateTimeZones(input);
  updateConditionalParts();
  void draft.saveDraft();
  if (!canSave() || pageState.hasEnded) return;
  if (navigator.onLine) showStatus(word("unsaved"));
  saveSoon();
});

document.addEventListener("change", (event) => {
  const input = event.target as HTMLInputElement;
  if (input.dataset["upload"] === undefined || (input.files?.length ?? 0) === 0) return;
  clearErrors(input.id);
  void draft.saveDraft();
  handleChosenFiles(input, handleFileAnswer);
});

/** The page finds missing answers. The server finds invalid ones while it saves. */
async function isSectionValid(section: HTMLElement | undefined): Promise<boolean> {
  await saveNow();
  showErrors(missingIn(section ?? null));
  return !focusError(section ?? null);
}

document.addEventListener("click", (event) => {
  const button = (event.target as Element).closest<HTMLElement>("button, [data-print]");
  if (button === null) return;
  if (
    handleStepClick(button, isSectionValid) ||
    handleFileClick(button) ||
    draft.handleDiscardClick(button)
  )
    return;
  if (handleRowClick(button)) {
    event.preventDefault();
    updateConditionalParts();
    void draft.saveDraft();
    saveSoon();
  } else if (button.dataset["print"] !== undefined) window.print();
  else if (button.dataset["copy"] !== undefined) {
    const source = document.getElementById(button.dataset["copy"]) as HTMLInputElement;
    source.select();
    navigator.clipboard.writeText(source.value).then(
      () => showStatus(word("copied")),
      () => showStatus(word("failed"), true),
    );
  }
});

document.addEventListener("submit", (event) => {
  const here = event.target as HTMLFormElement;
  const button = event.submitter as HTMLButtonElement | null;
  if (here.id !== "form" || button === null || button.value === "passOn") return;
  event.preventDefault();
  // Enter in a text field saves, and the focus stays in it.
  if (button.getAttribute("aria-hidden") === "true") void saveNow();
  else void submitAction(button.value);
});

/** Secrets are not in the draft and would be lost, so the browser asks for confirmation. */
addEventListener("beforeunload", (event) => {
  if (draft.hasSecret() && !pageState.hasEnded) event.preventDefault();
});

addEventListener("offline", () => draft.showOffline("offline"));
addEventListener("online", () => {
  if (pageState.pendingAction !== null) void submitAction(pageState.pendingAction);
  else {
    if (waitingFiles().length > 0) void sendFiles(handleFileAnswer);
    saveSoon(0);
    void refresh();
  }
});

initPage();
waitForNetwork();
addEventListener("load", () => void updateOfflineCache());
if (hasLink() && !pageState.hasEnded) listen();
void Promise.all([restoreFromDatabase(), restoreQueue()]).then(() => {
  if (!hasLink()) {
    draft.showUnsentDraft();
    const { waiting, hadSecret } = readDraft();
    const hasStoredAction = isOfflinePage() && waiting !== undefined;
    if (hasStoredAction) showStatus(word(hadSecret === true ? "retypeSend" : "waiting"), true);
    return;
  }
  if (pageState.hasEnded) return;
  if (document.getElementById("problems") === null) draft.restoreDraft();
  if (draft.isTouched()) saveSoon();
  const { waiting } = readDraft();
  if (waiting !== undefined && !draft.isIncomplete()) void submitAction(waiting);
  else if (waitingFiles().length > 0) void sendFiles(handleFileAnswer);
});

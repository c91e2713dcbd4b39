/**
 * What an open page does with a script: follows live, saves as one goes, keeps what was typed over a
 * lost network, a reload or a killed browser, and sends when it can. It draws nothing itself: it asks
 * for the page as the server draws it and takes over the parts that changed.
 */
import { begin, canSave, refresh } from "./page/adopt";
import { hasLink, main, path, say, word, words } from "./page/dom";
import * as draft from "./page/draft";
import { focusError, forgetErrors, missingIn, showErrors } from "./page/errors";
import { facts } from "./page/facts";
import { isOfflinePage, keepForLater, waitForNetwork } from "./page/for-later";
import { chosen, fileClicked, findFiles, sendFiles, waitingFiles } from "./page/files";
import { rowClicked, showWhatApplies, tellZones } from "./page/rows";
import { stepClicked } from "./page/steps";
import { afterFile, press, RETRY_MS, saveNow, saveSoon } from "./page/send";
import { kept, load } from "./page/store";

function listen(): void {
  const source = new EventSource(`${path()}/live?after=${main().dataset["head"]}`);
  source.addEventListener("news", () => void refresh());
  source.addEventListener("over", (event) => {
    source.close();
    void draft.keep();
    const why = (event as MessageEvent<string>).data;
    if (why === "ended") return void refresh();
    facts.isOver = true;
    say(words()[why] ?? word("gone"), true);
  });
  source.addEventListener("error", () => {
    if (!navigator.onLine) draft.sayOffline("offline");
    if (source.readyState === EventSource.CLOSED && !facts.isOver) setTimeout(listen, RETRY_MS);
  });
}

document.addEventListener("input", (event) => {
  const input = event.target as HTMLInputElement;
  if (input.closest("#form") === null || input.type === "file") return;
  forgetErrors(input.name);
  tellZones(input);
  showWhatApplies();
  void draft.keep();
  if (!canSave() || facts.isOver) return;
  if (navigator.onLine) say(word("unsaved"));
  saveSoon();
});

document.addEventListener("change", (event) => {
  const input = event.target as HTMLInputElement;
  if (input.dataset["upload"] === undefined || (input.files?.length ?? 0) === 0) return;
  forgetErrors(input.id);
  void draft.keep();
  chosen(input, afterFile);
});

/** What is missing is seen here; what is wrong is found by the server while it saves. */
async function isRight(section: HTMLElement | undefined): Promise<boolean> {
  await saveNow();
  showErrors(missingIn(section ?? null));
  return !focusError(section ?? null);
}

document.addEventListener("click", (event) => {
  const button = (event.target as Element).closest<HTMLElement>("button, [data-print]");
  if (button === null) return;
  if (stepClicked(button, isRight) || fileClicked(button) || draft.discardClicked(button)) return;
  if (rowClicked(button)) {
    event.preventDefault();
    showWhatApplies();
    void draft.keep();
    saveSoon();
  } else if (button.dataset["print"] !== undefined) window.print();
  else if (button.dataset["copy"] !== undefined) {
    const source = document.getElementById(button.dataset["copy"]) as HTMLInputElement;
    source.select();
    navigator.clipboard.writeText(source.value).then(
      () => say(word("copied")),
      () => say(word("failed"), true),
    );
  }
});

document.addEventListener("submit", (event) => {
  const here = event.target as HTMLFormElement;
  const button = event.submitter as HTMLButtonElement | null;
  if (here.id !== "form" || button === null || button.value === "passOn") return;
  event.preventDefault();
  // Enter in a text field: it is saved, and the person stays in it.
  if (button.getAttribute("aria-hidden") === "true") void saveNow();
  else void press(button.value);
});

/** What is not kept would be lost: the browser asks whether the person means it. */
addEventListener("beforeunload", (event) => {
  if (draft.hasSecret() && !facts.isOver) event.preventDefault();
});

addEventListener("offline", () => draft.sayOffline("offline"));
addEventListener("online", () => {
  if (facts.waiting !== null) void press(facts.waiting);
  else {
    if (waitingFiles().length > 0) void sendFiles(afterFile);
    saveSoon(0);
    void refresh();
  }
});

begin();
waitForNetwork();
addEventListener("load", () => void keepForLater());
if (hasLink() && !facts.isOver) listen();
void Promise.all([load(), findFiles()]).then(() => {
  if (!hasLink()) {
    draft.showKept();
    const { waiting, hadSecret } = kept();
    const isKept = isOfflinePage() && waiting !== undefined;
    if (isKept) say(word(hadSecret === true ? "retypeSend" : "waiting"), true);
    return;
  }
  if (facts.isOver) return;
  if (document.getElementById("problems") === null) draft.restore();
  if (draft.isTouched()) saveSoon();
  const { waiting } = kept();
  if (waiting !== undefined && !draft.isIncomplete()) void press(waiting);
  else if (waitingFiles().length > 0) void sendFiles(afterFile);
});

/**
 * The console's script: follows updates, shows local times, and copies texts. It draws nothing: on an
 * update it fetches the page from the server and replaces the parts that are named on <main>, at most
 * every two seconds, and not while the tab is hidden.
 */
import { showLocalTimes, main, parse, showStatus } from "./page/dom";

const MIN_REFRESH_MS = 2_000;

let timer = 0;
let isDue = false;

async function refresh(): Promise<void> {
  timer = 0;
  if (document.hidden) {
    isDue = true;
    return;
  }
  isDue = false;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    // Signed out, or removed: the server shows the reason.
    if (!answer.ok) return location.reload();
    const fresh = parse(await answer.text());
    if (fresh.querySelector("main[data-live]") === null) return location.reload();
    for (const id of (main().dataset["parts"] ?? "").split(" ")) replacePart(fresh, id);
  } catch {
    // There is no network. The stream reconnects and sends the next update.
  }
}

function replacePart(fresh: Document, id: string): void {
  const mine = document.getElementById(id);
  const theirs = fresh.getElementById(id);
  // A part with the focus is not replaced.
  if (mine === null || theirs === null || mine.contains(document.activeElement)) return;
  showLocalTimes(theirs);
  if (mine.innerHTML !== theirs.innerHTML) mine.replaceWith(theirs);
}

const scheduleRefresh = (): void => {
  if (timer === 0) timer = window.setTimeout(() => void refresh(), MIN_REFRESH_MS);
};

function follow(path: string): void {
  const source = new EventSource(path);
  source.addEventListener("news", scheduleRefresh);
  source.addEventListener("over", () => {
    source.close();
    scheduleRefresh();
  });
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) showStatus(main().dataset["off"] ?? "");
  });
  window.addEventListener("pagehide", () => source.close());
}

document.documentElement.classList.add("js");
showLocalTimes(document);
const live = main().dataset["live"];
if (live !== undefined) follow(live);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && isDue) void refresh();
});
for (const button of document.querySelectorAll<HTMLElement>("[data-copy]")) button.hidden = false;
document.addEventListener("click", (event) => {
  const { target } = event;
  const id =
    target instanceof HTMLElement ? target.closest("[data-copy]")?.getAttribute("data-copy") : null;
  const text = id == null ? null : document.getElementById(id);
  if (!(text instanceof HTMLTextAreaElement)) return;
  void navigator.clipboard
    .writeText(text.value)
    .then(() => showStatus(main().dataset["copied"] ?? ""));
});

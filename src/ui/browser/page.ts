/**
 * What an open page does with a script: follows live, saves as one goes, keeps what was typed over a
 * lost network, a reload or a killed browser, and sends when it can. It draws nothing itself: it asks
 * for the page as the server draws it and takes over the parts that changed. Long because its parts
 * share the few facts of the open page: whether it leaves, saves, asks or waits.
 */
import { code, form, localTimes, main, parse, path, say, textsIn, words } from "./page/dom";
import {
  drop,
  isTouched,
  keep,
  kept,
  remember,
  rememberIn,
  restore,
  taken,
  touched,
} from "./page/draft";
import { isSending, sendAll } from "./page/files";
import { rowClicked, showWhatApplies, tellZones } from "./page/rows";

const AUTOSAVE_MS = 1500;
const RETRY_MS = 3000;

let isLeaving = false;
let isOver = main().dataset["over"] === "true";
let isSaving = false;
/** The save under way: a press waits for it, so that it meets no change of its own. */
let saving: Promise<void> = Promise.resolve();
let timer = 0;
/** A press that waits for the network. */
let waiting: string | null = null;

const hidden = (root: ParentNode, name: string): HTMLInputElement | null =>
  root.querySelector<HTMLInputElement>(`input[type="hidden"][name="${name}"]`);
const newKey = (): string => crypto.randomUUID().replaceAll("-", "");
const canSave = (): boolean => form()?.querySelector('button[value="save"]') != null;
const waitingKey = (): string => `baton-waiting:${code()}`;

function begin(): void {
  document.documentElement.classList.add("js");
  localTimes(document);
  for (const button of document.querySelectorAll<HTMLElement>("[data-print], [data-copy]")) {
    button.hidden = false;
  }
  if (code() === "") return showKept();
  const problems = document.getElementById("problems");
  if (problems === null) {
    remember();
    restore();
  } else problems.focus();
  showWhatApplies();
  tellZones(null);
}

/** On a page that says that it is over: what was typed here is still there to be copied. */
function showKept(): void {
  const place = document.getElementById("kept");
  const link = location.pathname.split("/")[2];
  if (place === null || link === undefined) return;
  main().dataset["code"] = link;
  const texts = Object.values(kept()).filter((text) => text !== "");
  delete main().dataset["code"];
  if (texts.length === 0) return;
  const box = place.querySelector("textarea");
  if (box !== null) box.value = texts.join("\n\n");
  place.hidden = false;
}

/* Taking over what the server draws */

function swap(fresh: Document, id: string): void {
  const mine = document.getElementById(id);
  const theirs = fresh.getElementById(id);
  if (mine === null || theirs === null) return;
  localTimes(theirs);
  if (mine instanceof HTMLDetailsElement && theirs instanceof HTMLDetailsElement) {
    theirs.open = mine.open;
  }
  mine.replaceWith(theirs);
}

function replaceMain(fresh: Document): void {
  const theirs = fresh.querySelector("main");
  if (theirs === null) return;
  main().replaceWith(theirs);
  isOver = theirs.dataset["over"] === "true";
  begin();
}

/** What the person has typed stays; what they have not touched is as the server now says. */
function adopt(fresh: Document): void {
  const theirs = fresh.querySelector("main");
  if (theirs === null || theirs.dataset["code"] !== code()) return location.reload();
  const here = form();
  const isSameShape =
    here !== null &&
    fresh.getElementById("form") !== null &&
    (fresh.querySelector('button[value="save"]') !== null) === canSave();
  if (!isSameShape) {
    keep();
    if (isTouched()) say(words()["changed"] ?? "", true);
    else replaceMain(fresh);
    return;
  }
  for (const id of ["status", "timeline", "values"]) swap(fresh, id);
  main().dataset["head"] = theirs.dataset["head"] ?? "";
  if (here !== null && canSave()) adoptFields(here, fresh);
}

function adoptFields(here: HTMLFormElement, fresh: Document): void {
  const base = hidden(here, "base");
  const freshBase = hidden(fresh, "base");
  if (base === null || freshBase === null) return;
  const mine = JSON.parse(base.value) as Record<string, unknown>;
  const theirs = JSON.parse(freshBase.value) as Record<string, unknown>;
  const names = new Set(touched().keys());
  for (const field of fresh.querySelectorAll<HTMLElement>("[data-field]")) {
    const keys = (field.dataset["field"] ?? "").split(" ");
    const old = here.querySelector<HTMLElement>(
      `[data-field="${CSS.escape(field.dataset["field"] ?? "")}"]`,
    );
    if (old === null || old.querySelector(".conflict") !== null) continue;
    const isMine =
      [...textsIn(old).keys()].some((name) => names.has(name)) ||
      old.contains(document.activeElement) ||
      isSending(old);
    const isChanged = keys.some((key) => JSON.stringify(mine[key]) !== JSON.stringify(theirs[key]));
    if (isMine) continue;
    if (isChanged || old.querySelector(".file") !== null || field.querySelector(".file") !== null) {
      old.replaceWith(field);
      rememberIn(field);
    }
    for (const key of keys) {
      if (theirs[key] === undefined) delete mine[key];
      else mine[key] = theirs[key];
    }
  }
  base.value = JSON.stringify(mine);
  const seen = hidden(here, "seen");
  if (seen !== null) seen.value = hidden(fresh, "seen")?.value ?? seen.value;
  const version = hidden(here, "version");
  if (version !== null) version.value = hidden(fresh, "version")?.value ?? version.value;
  showWhatApplies();
}

/* Sending */

interface Sent {
  readonly response: Response;
  readonly fresh: Document;
}

async function post(here: HTMLFormElement, action: string): Promise<Sent> {
  const data = new FormData(here);
  for (const input of here.querySelectorAll<HTMLInputElement>("input[type=file]")) {
    if ((input.files?.length ?? 0) === 0 || action === "save") data.delete(input.name);
  }
  data.set("action", action);
  const response = await fetch(`${path()}/act`, { method: "POST", body: data });
  return { response, fresh: parse(await response.text()) };
}

const headingOf = (fresh: Document): string =>
  fresh.querySelector("#problems h2, h1")?.textContent ?? words()["failed"] ?? "";

async function press(action: string): Promise<void> {
  if (form() === null || isLeaving) return;
  isLeaving = true;
  clearTimeout(timer);
  keep();
  await saving;
  const here = form();
  if (here === null) {
    isLeaving = false;
    return;
  }
  const sent = textsIn();
  for (const button of here.querySelectorAll("button")) button.disabled = true;
  try {
    const { response, fresh } = await post(here, action);
    waiting = null;
    localStorage.removeItem(waitingKey());
    if (response.ok) {
      taken(sent);
      if (action !== "save") drop();
      history.replaceState(null, "", response.url);
      replaceMain(fresh);
      scrollTo(0, 0);
    } else if ([403, 404, 410].includes(response.status) && fresh.querySelector("#form") === null) {
      say(`${headingOf(fresh)} ${words()["expired"] ?? ""}`, true);
      isOver = true;
    } else if (fresh.querySelector("main")?.dataset["code"] === code()) {
      replaceMain(fresh);
    } else say(headingOf(fresh), true);
  } catch {
    wait(action);
  } finally {
    isLeaving = false;
    for (const button of form()?.querySelectorAll("button") ?? []) button.disabled = false;
  }
}

/** No network: the press is kept and done as soon as there is one, also after a reload. */
function wait(action: string): void {
  waiting = action;
  try {
    localStorage.setItem(waitingKey(), action);
  } catch {
    // The open page still knows it.
  }
  say(words()["waiting"] ?? "", true);
  setTimeout(() => waiting !== null && void press(waiting), RETRY_MS);
}

async function autosave(): Promise<void> {
  const here = form();
  if (here === null || !canSave() || isLeaving || isOver || isSaving || waiting !== null) return;
  if (!isTouched() || here.querySelector(".conflict") !== null) return;
  const sent = textsIn();
  isSaving = true;
  say(words()["saving"] ?? "");
  try {
    const { response, fresh } = await post(here, "save");
    const key = hidden(here, "key");
    if (key !== null) key.value = newKey();
    if (response.ok) {
      for (const name of ["base", "seen", "version"]) {
        const [mine, theirs] = [hidden(here, name), hidden(fresh, name)];
        if (mine !== null && theirs !== null) mine.value = theirs.value;
      }
      taken(sent);
      say(words()["saved"] ?? "");
      for (const id of ["status", "timeline", "values"]) swap(fresh, id);
    } else if (response.status === 409 && fresh.querySelector(".conflict") !== null) {
      keep();
      replaceMain(fresh);
    } else if (response.status === 422) say(words()["unsaved"] ?? "");
    else say(`${headingOf(fresh)} ${words()["expired"] ?? ""}`, true);
  } catch {
    say(words()["offline"] ?? "", true);
  } finally {
    isSaving = false;
    if (isStale) void refresh();
  }
}

function saveSoon(ms = AUTOSAVE_MS): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    saving = autosave();
  }, ms);
}

/* Live */

let isAsking = false;
/** News came while the page was asked for: what is being drawn may be from before them. */
let isStale = false;
async function refresh(): Promise<void> {
  if (isLeaving || isOver) return;
  if (isAsking || isSaving) {
    isStale = true;
    return;
  }
  isAsking = true;
  isStale = false;
  try {
    const response = await fetch(path(), { headers: { Accept: "text/html" } });
    const fresh = parse(await response.text());
    if (response.ok) adopt(fresh);
    else say(headingOf(fresh), true);
  } catch {
    say(words()["offline"] ?? "", true);
  } finally {
    isAsking = false;
    if (isStale) void refresh();
  }
}

function listen(): void {
  const source = new EventSource(`${path()}/live?after=${main().dataset["head"]}`);
  source.addEventListener("news", () => void refresh());
  source.addEventListener("over", (event) => {
    source.close();
    keep();
    const why = (event as MessageEvent<string>).data;
    if (why === "ended" && !isTouched()) void refresh();
    else say(words()[why] ?? words()["gone"] ?? "", true);
  });
  source.addEventListener("error", () => {
    if (!navigator.onLine) say(words()["offline"] ?? "", true);
    if (source.readyState === EventSource.CLOSED && !isOver) setTimeout(listen, RETRY_MS);
  });
}

/* The person */

document.addEventListener("input", (event) => {
  const input = event.target as HTMLInputElement;
  if (input.closest("#form") === null || input.type === "file") return;
  tellZones(input);
  showWhatApplies();
  keep();
  if (!canSave() || isOver) return;
  if (navigator.onLine) say(words()["unsaved"] ?? "");
  saveSoon();
});

document.addEventListener("change", (event) => {
  const input = event.target as HTMLInputElement;
  if (input.dataset["upload"] === undefined || (input.files?.length ?? 0) === 0) return;
  keep();
  void sendAll(input, (fresh, isFine) => {
    if (isFine) {
      say(fresh.getElementById("live")?.textContent ?? "");
      adopt(fresh);
    } else say(headingOf(fresh), true);
  });
});

document.addEventListener("click", (event) => {
  const button = (event.target as Element).closest<HTMLElement>("button, [data-print]");
  if (button === null) return;
  if (rowClicked(button)) {
    event.preventDefault();
    showWhatApplies();
    keep();
    saveSoon();
  } else if (button.dataset["print"] !== undefined) window.print();
  else if (button.dataset["copy"] !== undefined) {
    const source = document.getElementById(button.dataset["copy"]) as HTMLInputElement;
    source.select();
    navigator.clipboard.writeText(source.value).then(
      () => say(words()["copied"] ?? ""),
      () => say(words()["failed"] ?? "", true),
    );
  }
});

document.addEventListener("submit", (event) => {
  const here = event.target as HTMLFormElement;
  const button = event.submitter as HTMLButtonElement | null;
  if (here.id !== "form" || button === null || button.value === "passOn") return;
  event.preventDefault();
  void press(button.value);
});

addEventListener("offline", () => say(words()["offline"] ?? "", true));
addEventListener("online", () => {
  if (waiting !== null) void press(waiting);
  else {
    saveSoon(0);
    void refresh();
  }
});

begin();
if (code() !== "" && !isOver) {
  listen();
  const before = localStorage.getItem(waitingKey());
  if (before !== null) void press(before);
}

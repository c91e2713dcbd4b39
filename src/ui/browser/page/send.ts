/** Sending what was typed: by itself as one goes, and as a press that waits for a network. */
import { adoptSaved, canSave, headingOf, refresh, replaceMain } from "./adopt";
import { code, form, hidden, parse, path, say, textsIn, words } from "./dom";
import {
  drop,
  hasSecret,
  isTouched,
  keep,
  nothingMissing,
  rememberNews,
  sayAlso,
  sayOffline,
  taken,
  touched,
} from "./draft";
import { facts } from "./facts";

const AUTOSAVE_MS = 1500;
export const RETRY_MS = 3000;

/** The save under way: a press waits for it, so that it meets no change of its own. */
let saving: Promise<void> = Promise.resolve();
let timer = 0;

/** After these nothing of what was typed will be sent. */
const DECLINES = new Set(["decline", "notMe"]);

const newKey = (): string => crypto.randomUUID().replaceAll("-", "");

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

const isRefusedLink = ({ response, fresh }: Sent): boolean =>
  [403, 404, 409, 410].includes(response.status) && fresh.querySelector("#form") === null;

/** The link is over: the page stays as it is, with everything that was typed. */
function tellRefused(fresh: Document): void {
  facts.isOver = true;
  say(`${headingOf(fresh)}. ${words()["kept"] ?? ""}`, true);
}

export async function press(action: string): Promise<void> {
  if (form() === null || facts.isLeaving) return;
  facts.isLeaving = true;
  clearTimeout(timer);
  void keep();
  await saving;
  const here = form();
  if (here === null) {
    facts.isLeaving = false;
    return;
  }
  const sent = textsIn();
  for (const button of here.querySelectorAll("button")) button.disabled = true;
  try {
    const answer = await post(here, action);
    const { response, fresh } = answer;
    facts.waiting = null;
    void keep(null);
    if (response.ok) {
      nothingMissing();
      taken(sent);
      if (DECLINES.has(action)) drop();
      history.replaceState(null, "", response.url);
      replaceMain(fresh);
      scrollTo(0, 0);
    } else if (isRefusedLink(answer)) tellRefused(fresh);
    else if (fresh.querySelector("main")?.dataset["code"] === code()) {
      replaceMain(fresh);
      rememberNews(sent);
    } else say(headingOf(fresh), true);
  } catch {
    await wait(action);
  } finally {
    facts.isLeaving = false;
    for (const button of form()?.querySelectorAll("button") ?? []) button.disabled = false;
  }
}

/** No network: the press is kept and done as soon as there is one, also after a reload. */
async function wait(action: string): Promise<void> {
  facts.waiting = action;
  // After a reload it would be sent without what is not kept: then the person presses again.
  await keep(hasSecret() ? null : action);
  sayOffline("waiting");
  setTimeout(() => facts.waiting !== null && void press(facts.waiting), RETRY_MS);
}

async function autosave(): Promise<void> {
  const here = form();
  if (here === null || !canSave() || facts.isLeaving || facts.isOver || facts.isSaving) return;
  if (facts.waiting !== null) return;
  if (!isTouched() || here.querySelector(".conflict") !== null) return;
  const sent = textsIn();
  const written = new Set(touched().keys());
  facts.isSaving = true;
  say(words()["saving"] ?? "");
  try {
    const answer = await post(here, "save");
    const { response, fresh } = answer;
    const key = hidden("key", here);
    if (key !== null) key.value = newKey();
    if (response.ok) {
      taken(sent);
      const at = new URL(response.url).searchParams.get("at");
      adoptSaved(fresh, sent, written, at === hidden("version", fresh)?.value);
      sayAlso(words()["saved"] ?? "");
    } else if (response.status === 409 && fresh.querySelector(".conflict") !== null) {
      void keep();
      replaceMain(fresh);
      rememberNews(sent);
    } else if (response.status === 422) say(words()["unsaved"] ?? "");
    else if (isRefusedLink(answer)) tellRefused(fresh);
    else say(`${headingOf(fresh)} ${words()["kept"] ?? ""}`, true);
  } catch {
    sayOffline("offline");
  } finally {
    facts.isSaving = false;
    if (facts.isStale) void refresh();
  }
}

export function saveSoon(ms = AUTOSAVE_MS): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    saving = autosave();
  }, ms);
}

/** Sending what was typed: by itself as one goes, and as a press that waits for a network. */
import * as adopting from "./adopt";
import { code, form, hidden, inPageLanguage, inputs, parse, path, say, textsIn, word } from "./dom";
import * as draft from "./draft";
import * as errors from "./errors";
import { facts } from "./facts";
import { sendFiles } from "./files";

const AUTOSAVE_MS = 1500;
/** A notice of more is not read. */
const SAID_AT_ONCE = 2;
export const RETRY_MS = 3000;

/** The save under way: a press waits for it, so that it meets no change of its own. */
let saving: Promise<void> = Promise.resolve();
let timer = 0;
/** A save was sent and not heard of: whether the server has it is asked before more is sent. */
let isUnheard = false;

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
  const response = await fetch(inPageLanguage(`${path()}/act`), { method: "POST", body: data });
  return { response, fresh: parse(await response.text()) };
}

const isRefusedLink = ({ response, fresh }: Sent): boolean =>
  [403, 404, 409, 410].includes(response.status) && fresh.querySelector("#form") === null;

/** The link is over: the page stays as it is, with everything that was typed. */
function tellRefused(fresh: Document): void {
  if (fresh.querySelector("main")?.dataset["over"] === "true") {
    void draft.keep();
    return adopting.replaceMain(fresh);
  }
  facts.isOver = true;
  say(`${adopting.headingOf(fresh)}. ${word("kept")}`, true);
}

/** What the server says to a file: it is there, or why not. */
export function afterFile(fresh: Document, isFine: boolean): void {
  if (isFine) {
    say(fresh.getElementById("live")?.textContent ?? "");
    adopting.adopt(fresh);
    return;
  }
  errors.showErrors(errors.errorsIn(fresh));
  say([...errors.errorsIn(fresh).values()][0] ?? adopting.headingOf(fresh), true);
}

export async function press(action: string): Promise<void> {
  if (form() === null || facts.isLeaving) return;
  facts.isLeaving = true;
  clearTimeout(timer);
  void draft.keep();
  await saving;
  const here = form();
  if (here === null) {
    facts.isLeaving = false;
    return;
  }
  const sent = textsIn();
  for (const button of here.querySelectorAll("button")) button.disabled = true;
  try {
    if (!(await isHeard())) return await wait(action);
    const files = DECLINES.has(action) ? "sent" : await sendFiles(afterFile);
    if (files === "waits") return await wait(action);
    if (files === "refused") return await giveUp();
    const answer = await post(form() ?? here, action);
    const { response, fresh } = answer;
    facts.waiting = null;
    void draft.keep(null);
    if (response.ok) {
      draft.nothingMissing();
      draft.taken(sent);
      if (DECLINES.has(action)) draft.drop();
      history.replaceState(null, "", response.url);
      adopting.replaceMain(fresh);
      scrollTo(0, 0);
    } else if (isRefusedLink(answer)) tellRefused(fresh);
    else if (fresh.querySelector("main")?.dataset["code"] === code()) {
      adopting.replaceMain(fresh);
      draft.rememberNews(sent);
    } else say(adopting.headingOf(fresh), true);
  } catch {
    await wait(action);
  } finally {
    facts.isLeaving = false;
    for (const button of form()?.querySelectorAll("button") ?? []) button.disabled = false;
  }
}

/** Something has to be mended first: nothing waits to be sent. */
async function giveUp(): Promise<void> {
  facts.waiting = null;
  await draft.keep(null);
  errors.focusError(form());
}

/** No network: the press is kept and done as soon as there is one, also after a reload. */
async function wait(action: string): Promise<void> {
  if (action === "submit" && errors.problemHere()) {
    await giveUp();
    return draft.sayOffline("notSent");
  }
  facts.waiting = action;
  // Whoever presses sends what the page shows, also without what an earlier browser did not keep.
  draft.nothingMissing();
  await draft.keep(action);
  draft.sayOffline("waiting");
  setTimeout(() => facts.waiting !== null && void press(facts.waiting), RETRY_MS);
}

async function isHeard(): Promise<boolean> {
  if (isUnheard && (await adopting.look())) isUnheard = false;
  return !isUnheard;
}

const maySave = (): boolean =>
  adopting.canSave() &&
  !(facts.isLeaving || facts.isOver || facts.isSaving) &&
  facts.waiting === null &&
  draft.isTouched();

async function autosave(): Promise<void> {
  if (!maySave()) return;
  if (isUnheard && (await isHeard()) && !draft.isTouched()) {
    // It had arrived, and nothing was typed since.
    draft.taken(textsIn());
    return draft.sayAlso(word("saved"));
  }
  const here = form();
  if (here === null || isUnheard || !maySave()) return;
  const sent = textsIn();
  draft.sending();
  const isGivenUp = (name: string): boolean =>
    sent.get(`choice/${draft.rootOf(name)}`) === "theirs";
  const written = new Set([...draft.touched().keys()].filter((name) => !isGivenUp(name)));
  facts.isSaving = true;
  say(word("saving"));
  try {
    const answer = await post(here, "save");
    const { response, fresh } = answer;
    const key = hidden("key", here);
    if (key !== null) key.value = newKey();
    if (response.ok) {
      draft.taken(sent);
      const decided = adopting.dropConflicts(here, fresh);
      const at = new URL(response.url).searchParams.get("at");
      adopting.adoptSaved(fresh, sent, written, at === hidden("version", fresh)?.value);
      // The choice that had the focus is gone.
      if (decided !== null) inputs(adopting.partLike(here, decided))[0]?.focus();
      draft.sayAlso(word("saved"));
    } else if (response.status === 409 && fresh.querySelector(".conflict") !== null) {
      adopting.askWhichStays(fresh);
      savePartly(fresh, sent, written);
      void draft.keep();
      leadToConflicts(fresh);
    } else if (response.status === 422) savePartly(fresh, sent, written);
    else if (isRefusedLink(answer)) tellRefused(fresh);
    else {
      isUnheard = adopting.isBusy(response);
      say(`${adopting.headingOf(fresh)} ${word("kept")}`, true);
    }
  } catch {
    isUnheard = true;
    draft.sayOffline("offline");
  } finally {
    facts.isSaving = false;
    if (facts.isStale) void adopting.refresh();
  }
}

/** Which answers were changed elsewhere too, each with the way to its question. */
function leadToConflicts(fresh: Document): void {
  say(adopting.headingOf(fresh), true);
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
  draft.taken(sent, wrong);
  const right = [...written].filter((name) => !wrong.has(draft.rootOf(name)));
  adopting.adoptSaved(fresh, sent, new Set(right), false);
  const now = textsIn();
  const isAsSent = (name: string): boolean =>
    [...now].every(([one, text]) => !errors.isPartOf(one, name) || sent.get(one) === text);
  errors.showErrorsGently(new Map([...found].filter(([name]) => isAsSent(name))));
  const said = [...fresh.querySelectorAll("#problems h2, #problems li")].map(
    (one) => one.textContent,
  );
  say(
    [...said.slice(0, 1 + SAID_AT_ONCE), word(draft.hasSecret() ? "secrets" : "kept")].join(" "),
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

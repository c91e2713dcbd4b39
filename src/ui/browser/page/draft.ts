/**
 * What was typed and not yet taken by the server, kept in this browser until it is, or until the
 * person drops it. One store a link: two tabs write into it side by side, each only what it changed.
 */
import { code, form, say, setText, textsIn, words } from "./dom";
import { addRow } from "./rows";

const key = (): string => `baton-draft:${code()}`;

/** What the server showed. */
let shown = new Map<string, string>();

export const remember = (): void => {
  shown = textsIn();
};

/** The same for a part that the server has drawn anew. */
export function rememberIn(part: ParentNode): void {
  for (const [name, text] of textsIn(part)) shown.set(name, text);
}

/** What differs from what the server showed. */
export function touched(): ReadonlyMap<string, string> {
  return new Map([...textsIn()].filter(([name, text]) => (shown.get(name) ?? "") !== text));
}

export const isTouched = (): boolean => touched().size > 0;

export function kept(): Record<string, string> {
  try {
    return JSON.parse(localStorage.getItem(key()) ?? "{}") as Record<string, string>;
  } catch {
    return {};
  }
}

function store(draft: Record<string, string>): void {
  try {
    if (Object.keys(draft).length === 0) localStorage.removeItem(key());
    else localStorage.setItem(key(), JSON.stringify(draft));
  } catch {
    // No storage: the page still holds it.
  }
}

export function keep(): void {
  if (form() === null) return;
  const draft = kept();
  for (const name of textsIn().keys()) delete draft[name];
  for (const [name, text] of touched()) draft[name] = text;
  store(draft);
}

/** The server has taken these. */
export function taken(sent: ReadonlyMap<string, string>): void {
  for (const [name, text] of sent) shown.set(name, text);
  const draft = kept();
  for (const [name, text] of sent) if (draft[name] === text) delete draft[name];
  store(draft);
}

export const drop = (): void => store({});

/** Puts back what was typed here before; true if there was anything. */
export function restore(): boolean {
  const here = form();
  if (here === null) return false;
  const draft = Object.entries(kept());
  let isFound = false;
  for (const [name, text] of draft) {
    if (!setText(here, name, text)) addRowsFor(name);
    if (setText(here, name, text) && (shown.get(name) ?? "") !== text) isFound = true;
  }
  if (isFound) offerDiscard();
  return isFound;
}

function addRowsFor(name: string): void {
  for (const list of document.querySelectorAll<HTMLElement>("[data-list]")) {
    const prefix = `${list.dataset["list"]}/`;
    const row = name.startsWith(prefix) ? /^\d+/.exec(name.slice(prefix.length))?.[0] : undefined;
    if (row === undefined) continue;
    while (list.querySelector(`:scope > [data-row="${row}"]`) === null) {
      if (Number(addRow(list)?.dataset["row"] ?? Infinity) >= Number(row)) break;
    }
  }
}

function offerDiscard(): void {
  say(words()["restored"] ?? "");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = words()["discard"] ?? "";
  button.addEventListener("click", () => {
    drop();
    location.reload();
  });
  document.getElementById("live")?.append(" ", button);
}

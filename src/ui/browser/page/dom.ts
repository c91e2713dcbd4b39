/** The elements of the page. They are looked up on each call, because a merge may replace them. */

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export const main = (): HTMLElement => document.querySelector("main") ?? document.body;
export const form = (): HTMLFormElement | null =>
  document.querySelector<HTMLFormElement>("form#form");
/** Whether this is the page of an opened link, and not only an explanation. */
export const hasLink = (): boolean => main().dataset["code"] !== undefined;
export const code = (): string => main().dataset["code"] ?? location.pathname.split("/")[2] ?? "";
export const path = (): string => `/h/${code()}`;
/** Requests the language of this page, because another tab may have chosen another one since. */
export const withPageLanguage = (at: string): string =>
  `${at}${at.includes("?") ? "&" : "?"}lang=${document.documentElement.lang}`;

export const words = (): Readonly<Record<string, string>> =>
  JSON.parse(main().dataset["words"] ?? "{}") as Record<string, string>;

export const word = (name: string): string => words()[name] ?? "";

/** A button that does not send the form. Its data attribute says what a click does. */
export function buttonFor(name: string, value: string, text: string): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.dataset[name] = value;
  button.textContent = text;
  return button;
}

export function showStatus(text: string, isBad = false): void {
  const live = document.getElementById("live");
  if (live === null) return;
  live.textContent = text;
  live.classList.toggle("bad", isBad);
  live.classList.toggle("pending", [word("unsaved"), word("saving")].includes(text));
}

export const parse = (text: string): Document => new DOMParser().parseFromString(text, "text/html");

export const hiddenInput = (
  name: string,
  root: ParentNode | null = form(),
): HTMLInputElement | null =>
  root?.querySelector<HTMLInputElement>(`input[type="hidden"][name="${name}"]`) ?? null;

/** The fields that a drawn part writes. */
export const keysOf = (part: HTMLElement): readonly string[] =>
  (part.dataset["field"] ?? "").split(" ").map(decodeURIComponent);

/** The inputs for answers. */
export function inputs(root: ParentNode | null = form()): readonly Input[] {
  if (root === null) return [];
  return [...root.querySelectorAll<Input>("input, textarea, select")].filter(
    (input) =>
      input.name !== "" &&
      input.type !== "file" &&
      (input.type !== "hidden" || input.dataset["zone"] !== undefined),
  );
}

/** Their texts by name. An unticked box has an empty text. */
export function textsIn(root: ParentNode | null = form()): Map<string, string> {
  const texts = new Map<string, string>();
  for (const input of inputs(root)) {
    const isBox = input instanceof HTMLInputElement && ["checkbox", "radio"].includes(input.type);
    if (!isBox) texts.set(input.name, input.value);
    else if ((input as HTMLInputElement).checked) texts.set(input.name, input.value);
    else if (!texts.has(input.name)) texts.set(input.name, "");
  }
  return texts;
}

export function setText(root: ParentNode, name: string, text: string): boolean {
  const found = inputs(root).filter((input) => input.name === name);
  for (const input of found) {
    if (input instanceof HTMLInputElement && input.type === "radio") {
      input.checked = input.value === text;
    } else if (input instanceof HTMLInputElement && input.type === "checkbox") {
      input.checked = text !== "";
    } else input.value = text;
  }
  return found.length > 0;
}

export function showLocalTimes(root: ParentNode): void {
  for (const time of root.querySelectorAll("time")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    time.textContent = at.toLocaleString(document.documentElement.lang, {
      dateStyle: "medium",
      timeStyle: "short",
    });
  }
}

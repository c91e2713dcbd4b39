/** Rows of lists, conditional parts, and the time zone of inputs. */
import { form, inputs, setText, textsIn, words } from "./dom";

const ROW_PLACEHOLDER = "__row__";

const rowsOf = (list: Element): readonly HTMLElement[] => [
  ...list.querySelectorAll<HTMLElement>(":scope > [data-row]"),
];

const lastRowIndex = (list: Element): number =>
  Math.max(-1, ...rowsOf(list).map((row) => Number(row.dataset["row"])));

function addRow(list: HTMLElement): HTMLElement | null {
  const template = list.querySelector<HTMLTemplateElement>(":scope > template");
  const name = list.dataset["list"] ?? "";
  if (template === null) return null;
  const next = lastRowIndex(list) + 1;
  const holder = document.createElement("template");
  holder.innerHTML = template.innerHTML
    .replaceAll(`${name}/${ROW_PLACEHOLDER}`, `${name}/${next}`)
    .replaceAll(" #", ` ${(next + 1).toLocaleString(document.documentElement.lang)}`);
  const row = holder.content.querySelector<HTMLElement>("[data-row]");
  if (row === null) return null;
  row.dataset["row"] = String(next);
  template.before(row);
  return row;
}

/**
 * Swaps the texts of two rows. The rows themselves stay, because their names have their index. False if
 * there is no other row.
 */
function swapRows(list: HTMLElement, row: HTMLElement, other: Element | null): boolean {
  if (!(other instanceof HTMLElement) || other.dataset["row"] === undefined) return false;
  const prefixOf = (one: HTMLElement) => `${list.dataset["list"]}/${one.dataset["row"]}`;
  const [here, there] = [textsAfter(row, prefixOf(row)), textsAfter(other, prefixOf(other))];
  fillRow(row, prefixOf(row), there);
  fillRow(other, prefixOf(other), here);
  return true;
}

const textsAfter = (row: HTMLElement, prefix: string): ReadonlyMap<string, string> =>
  new Map([...textsIn(row)].map(([name, text]) => [name.slice(prefix.length), text]));

function fillRow(row: HTMLElement, prefix: string, texts: ReadonlyMap<string, string>): void {
  resizeLists(row, prefix, texts);
  for (const name of new Set(inputs(row).map((input) => input.name))) {
    setText(row, name, texts.get(name.slice(prefix.length)) ?? "");
  }
}

/** Gives the lists inside a row exactly the rows that the texts have. */
function resizeLists(row: HTMLElement, prefix: string, texts: ReadonlyMap<string, string>): void {
  // Queried each time, because an added row may contain lists.
  const lists = () => row.querySelectorAll<HTMLElement>("[data-list]");
  for (let at = 0; at < lists().length; at += 1) {
    const list = lists()[at] as HTMLElement;
    const inner = `${list.dataset["list"]?.slice(prefix.length)}/`;
    const expected = new Set(
      [...texts.keys()].flatMap((name) =>
        name.startsWith(inner) ? (/^\d+/.exec(name.slice(inner.length)) ?? []) : [],
      ),
    );
    const last = Math.max(-1, ...[...expected].map(Number));
    while (lastRowIndex(list) < last) if (addRow(list) === null) break;
    for (const one of rowsOf(list)) if (!expected.has(one.dataset["row"] ?? "")) one.remove();
  }
}

/** Focuses the same button in the moved row. At an end of the list only the other one is visible. */
function focusTool(row: Element | null, ...tools: readonly string[]): void {
  for (const tool of tools) {
    row?.querySelector<HTMLElement>(`:scope > .tools > [data-${tool}]`)?.focus();
    if (row?.contains(document.activeElement) === true) return;
  }
}

/** True if the click was for a row and is handled. */
export function handleRowClick(button: HTMLElement): boolean {
  const list = button.closest<HTMLElement>("[data-list]");
  if (list === null) return false;
  const row = button.closest<HTMLElement>("[data-row]");
  if (button.dataset["add"] !== undefined) {
    addRow(list)?.querySelector<HTMLElement>("input, textarea, select")?.focus();
  } else if (button.dataset["drop"] !== undefined && row !== null) {
    row.remove();
    list.querySelector<HTMLElement>("[data-add]")?.focus();
  } else if (button.dataset["up"] !== undefined && row !== null) {
    const other = row.previousElementSibling;
    if (swapRows(list, row, other)) focusTool(other, "up", "down");
  } else if (button.dataset["down"] !== undefined && row !== null) {
    const other = row.nextElementSibling;
    if (swapRows(list, row, other)) focusTool(other, "down", "up");
  } else return false;
  return true;
}

/** Hides the parts that do not apply. A part with an error is never hidden. */
export function updateConditionalParts(): void {
  const here = form();
  if (here === null) return;
  const texts = textsIn();
  for (const part of here.querySelectorAll<HTMLElement>("[data-when]")) {
    const matches = JSON.parse(part.dataset["when"] ?? "[]") as [string, string[]][];
    const holds = matches.every(([name, expected]) => {
      const text = texts.get(name) ?? "";
      return expected.length === 0 ? text !== "" : expected.includes(text);
    });
    const isShown = holds !== (part.dataset["else"] !== undefined);
    part.hidden = !isShown && part.querySelector(".wrong, .error") === null;
  }
}

const twoDigits = (number: number): string => String(Math.floor(number)).padStart(2, "0");

/** A time that is typed here is in the device's time zone. Stores and shows that zone. */
export function updateTimeZones(changed: EventTarget | null): void {
  for (const zone of form()?.querySelectorAll<HTMLInputElement>("[data-zone]") ?? []) {
    const input = document.getElementById(zone.dataset["zone"] ?? "") as HTMLInputElement | null;
    if (input === null || (input.value !== "" && changed !== input)) continue;
    const at = input.value === "" ? new Date() : new Date(input.value);
    const minutes = -at.getTimezoneOffset();
    const offset = `${minutes < 0 ? "-" : "+"}${twoDigits(Math.abs(minutes) / 60)}:${twoDigits(Math.abs(minutes) % 60)}`;
    if (input.value !== "") zone.value = minutes === 0 ? "" : offset;
    const note = zone.parentElement?.querySelector(".zone");
    const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (note != null) note.textContent = `${words()["zone"]} ${name} (UTC${offset})`;
  }
}

/** Adds rows until the list has the row of this input. */
export function addRowsFor(name: string): void {
  for (const list of document.querySelectorAll<HTMLElement>("[data-list]")) {
    const prefix = `${list.dataset["list"]}/`;
    const row = name.startsWith(prefix) ? /^\d+/.exec(name.slice(prefix.length))?.[0] : undefined;
    if (row === undefined) continue;
    while (list.querySelector(`:scope > [data-row="${row}"]`) === null) {
      if (Number(addRow(list)?.dataset["row"] ?? Infinity) >= Number(row)) break;
    }
  }
}

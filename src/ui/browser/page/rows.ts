/** Rows of lists, parts that appear as they apply, and times in the reader's own zone. */
import { form, inputs, textsIn, words } from "./dom";

const ROW = "__row__";

const rowsOf = (list: Element): readonly HTMLElement[] => [
  ...list.querySelectorAll<HTMLElement>(":scope > [data-row]"),
];

export function addRow(list: HTMLElement): HTMLElement | null {
  const template = list.querySelector<HTMLTemplateElement>(":scope > template");
  const name = list.dataset["list"] ?? "";
  if (template === null) return null;
  const next = Math.max(-1, ...rowsOf(list).map((row) => Number(row.dataset["row"]))) + 1;
  const holder = document.createElement("template");
  holder.innerHTML = template.innerHTML
    .replaceAll(`${name}/${ROW}`, `${name}/${next}`)
    .replaceAll(" #", ` ${(next + 1).toLocaleString(document.documentElement.lang)}`);
  const row = holder.content.querySelector<HTMLElement>("[data-row]");
  if (row === null) return null;
  row.dataset["row"] = String(next);
  template.before(row);
  return row;
}

/** The rows keep their places and change what is in them: their names say their order. */
function moveUp(list: HTMLElement, row: HTMLElement): void {
  const before = row.previousElementSibling;
  if (!(before instanceof HTMLElement) || before.dataset["row"] === undefined) return;
  const name = list.dataset["list"] ?? "";
  const [upper, lower] = [before.dataset["row"], row.dataset["row"] ?? ""];
  const textsOf = (one: HTMLElement, place: string) =>
    new Map([...textsIn(one)].map(([key, text]) => [key.slice(`${name}/${place}`.length), text]));
  const above = textsOf(before, upper);
  const below = textsOf(row, lower);
  fill(before, `${name}/${upper}`, below);
  fill(row, `${name}/${lower}`, above);
}

function fill(row: HTMLElement, prefix: string, texts: ReadonlyMap<string, string>): void {
  for (const input of inputs(row)) {
    const text = texts.get(input.name.slice(prefix.length)) ?? "";
    if (input instanceof HTMLInputElement && input.type === "radio") {
      input.checked = input.value === text;
    } else if (input instanceof HTMLInputElement && input.type === "checkbox") {
      input.checked = text !== "";
    } else input.value = text;
  }
}

/** True if the click was for a row, and is done. */
export function rowClicked(button: HTMLElement): boolean {
  const list = button.closest<HTMLElement>("[data-list]");
  if (list === null) return false;
  const row = button.closest<HTMLElement>("[data-row]");
  if (button.dataset["add"] !== undefined) {
    addRow(list)?.querySelector<HTMLElement>("input, textarea, select")?.focus();
  } else if (button.dataset["drop"] !== undefined && row !== null) {
    row.remove();
    list.querySelector<HTMLElement>("[data-add]")?.focus();
  } else if (button.dataset["up"] !== undefined && row !== null) {
    moveUp(list, row);
    (row.previousElementSibling as HTMLElement | null)
      ?.querySelector<HTMLElement>("[data-up]")
      ?.focus();
  } else return false;
  return true;
}

/** A part that does not apply is hidden; one with an error never is. */
export function showWhatApplies(): void {
  const here = form();
  if (here === null) return;
  const texts = textsIn();
  for (const part of here.querySelectorAll<HTMLElement>("[data-when]")) {
    const signs = JSON.parse(part.dataset["when"] ?? "[]") as [string, string[]][];
    const holds = signs.every(([name, wanted]) => {
      const text = texts.get(name) ?? "";
      return wanted.length === 0 ? text !== "" : wanted.includes(text);
    });
    const isShown = holds !== (part.dataset["else"] !== undefined);
    part.hidden = !isShown && part.querySelector(".wrong, .error") === null;
  }
}

const two = (number: number): string => String(Math.floor(number)).padStart(2, "0");

/** A time that is chosen here is meant in the zone of this device, and says so. */
export function tellZones(changed: EventTarget | null): void {
  for (const zone of form()?.querySelectorAll<HTMLInputElement>("[data-zone]") ?? []) {
    const input = document.getElementById(zone.dataset["zone"] ?? "") as HTMLInputElement | null;
    if (input === null || (input.value !== "" && changed !== input)) continue;
    const at = input.value === "" ? new Date() : new Date(input.value);
    const minutes = -at.getTimezoneOffset();
    const offset = `${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
    if (input.value !== "") zone.value = minutes === 0 ? "" : offset;
    const note = zone.parentElement?.querySelector(".zone");
    const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (note != null) note.textContent = `${words()["zone"]} ${name} (UTC${offset})`;
  }
}

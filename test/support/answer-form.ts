/**
 * Answers a form by its labels, from top to bottom, with a pointer or with the keyboard alone.
 * It knows the labels and nothing else of the page.
 */
import type { Locator, Page } from "playwright-core";
import type { Step } from "./real-forms.ts";

export interface FormInput {
  open(page: Page): Promise<void>;
  perform(page: Page, step: Step): Promise<void>;
  submit(page: Page): Promise<void>;
}

const filesOf = (names: string) =>
  names.split(",").map((name) => ({ name, mimeType: "image/png", buffer: Buffer.from(name) }));

const choiceIn = (page: Page, label: string, option: string): Locator =>
  page.getByRole("group", { name: label }).last().getByLabel(option, { exact: true }).first();

export const POINTER: FormInput = {
  open: (page) => page.getByRole("button", { name: "Open" }).click(),
  submit: (page) => page.getByRole("button", { name: "Submit" }).click(),
  async perform(page, [label, how, what = ""]) {
    const input = page.getByLabel(label).first();
    switch (how) {
      case "type":
        return input.fill(what);
      case "choose":
        return choiceIn(page, label, what).check();
      case "pick":
        return void (await input.selectOption({ label: what }));
      case "tick":
        return input.check();
      case "add":
        return page.getByRole("button", { name: `Add: ${label}` }).click();
      case "attach":
        return input.setInputFiles(filesOf(what));
    }
  },
};

/** A target that needs more presses of Tab counts as unreachable. */
const MAX_TABS = 300;

interface Focusable {
  readonly ownerDocument: { readonly activeElement: unknown };
}

const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((one) => one === (one as unknown as Focusable).ownerDocument.activeElement);

async function tabTo(page: Page, target: Locator, isThere = () => hasFocus(target)): Promise<void> {
  await target.waitFor();
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    if (await isThere()) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to ${target.toString()}`);
}

async function pressEnterOn(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press("Enter");
}

const day = (text: string): string => {
  const [year = "", month = "", date = ""] = text.split("-");
  return month + date + year;
};

const hour = (text: string): string => {
  const [hours = "0", minutes = "00"] = text.split(":");
  const twelve = String(Number(hours) % 12 || 12).padStart(2, "0");
  return `${twelve}${minutes}${Number(hours) < 12 ? "AM" : "PM"}`;
};

/** Types into the parts of a date or time input in the order of American English. */
async function typeInto(page: Page, input: Locator, text: string): Promise<void> {
  const type = (await input.getAttribute("type")) ?? "";
  if (type === "date") return page.keyboard.type(day(text));
  if (type === "time") return page.keyboard.type(hour(text));
  if (type === "datetime-local") {
    const [date = "", time = ""] = text.split("T");
    await page.keyboard.type(day(date));
    await page.keyboard.press("ArrowRight");
    return page.keyboard.type(hour(time));
  }
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(text);
}

/** Tab focuses a group of radio buttons. The arrow keys move inside it. */
async function chooseIn(page: Page, label: string, option: string): Promise<void> {
  const target = choiceIn(page, label, option);
  const name = JSON.stringify((await target.getAttribute("name")) ?? "");
  const focused = page.locator(`input[name=${name}]:focus`);
  await tabTo(page, target, async () => (await focused.count()) > 0);
  for (let moves = 0; moves < MAX_TABS; moves++) {
    if (await hasFocus(target)) return page.keyboard.press("Space");
    await page.keyboard.press("ArrowDown");
  }
}

export const KEYBOARD: FormInput = {
  open: (page) => pressEnterOn(page, page.getByRole("button", { name: "Open" })),
  submit: (page) => pressEnterOn(page, page.getByRole("button", { name: "Submit" })),
  async perform(page, [label, how, what = ""]) {
    const input = page.getByLabel(label).first();
    switch (how) {
      case "type":
        await tabTo(page, input);
        return typeInto(page, input, what);
      case "choose":
        return chooseIn(page, label, what);
      case "pick":
        await tabTo(page, input);
        return page.keyboard.type(what);
      case "tick":
        await tabTo(page, input);
        return page.keyboard.press("Space");
      case "add":
        return pressEnterOn(page, page.getByRole("button", { name: `Add: ${label}` }));
      case "attach": {
        // Wait before the key press: the browser does not report a dialog without a listener.
        const chooser = page.waitForEvent("filechooser");
        await tabTo(page, input);
        await page.keyboard.press("Enter");
        return (await chooser).setFiles(filesOf(what));
      }
    }
  },
};

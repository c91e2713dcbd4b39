/**
 * Rows of a list: moved up and down by keyboard, by pointer and without a script, with all their
 * contents.
 */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDevice, startBrowser } from "../support/device.ts";
import { openLink, PageAgent } from "../support/person-page.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
});

const ORDER = {
  type: "object",
  properties: {
    lines: {
      type: "array",
      title: "Line",
      items: {
        type: "object",
        properties: {
          article: { type: "string", title: "Article" },
          gift: { type: "boolean", title: "Gift" },
          marks: { type: "array", title: "Mark", items: { type: "string" } },
        },
      },
    },
  },
};

const PEN = { article: "Pen", gift: true, marks: ["red", "thin", "new"] };
const CUP = { article: "Cup", gift: false, marks: ["blue"] };
const BAG = { article: "Bag", gift: false };

async function orderOf(lines: readonly unknown[], isWithoutScript: boolean) {
  const agent = await PageAgent.create(server, { schema: ORDER, fields: { lines } });
  const device = await openDevice(browser, { isPhone: true, isWithoutScript });
  await openLink(device.page, await agent.createLink());
  return { agent, ...device };
}

const tool = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const submit = async (page: Page): Promise<void> => {
  await tool(page, "Submit").click();
  await page.getByText("Submitted. Thank you.").waitFor();
};

describe.each([
  ["with a script", false],
  ["without a script", true],
])("%s", (_, isWithoutScript) => {
  it("a row moves down and up with its inner lists", async () => {
    const { agent, page, context } = await orderOf([PEN, CUP, BAG], isWithoutScript);
    await tool(page, "Move Line 1 down").click();
    await tool(page, "Move Line 3 up").click();
    await submit(page);
    expect((await agent.session()).fields.lines).toEqual([CUP, BAG, PEN]);
    await context.close();
  });

  it("the first row has no button up and the last none down", async () => {
    const { page, context } = await orderOf([PEN, CUP], isWithoutScript);
    const seen = await page.getByRole("button", { name: /^Move Line/ }).allTextContents();
    expect(await tool(page, "Move Line 1 up").count()).toBe(0);
    expect(await tool(page, "Move Line 2 down").count()).toBe(0);
    expect(seen).toHaveLength(2);
    await context.close();
  });
});

it("a problem in a row is listed with the row", async () => {
  const needed = structuredClone(ORDER);
  Object.assign(needed.properties.lines.items, { required: ["article"] });
  const lines = [PEN, CUP];
  const agent = await PageAgent.create(server, { schema: needed, fields: { lines } });
  const { page, context } = await openDevice(browser, { isPhone: true });
  await openLink(page, await agent.createLink());
  await page.getByLabel("Article").nth(1).fill("");
  await tool(page, "Submit").click();
  const problem = page.getByRole("link", { name: "Line 2 – Article: Please answer this." });
  await problem.click();
  expect(await page.evaluate("document.activeElement.id")).toBe("f/lines/1/article");
  await context.close();
});

it("the keyboard moves a row to the end and keeps the focus on it", async () => {
  const { agent, page, context } = await orderOf([PEN, CUP, BAG], false);
  await tool(page, "Move Line 1 down").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Space");
  const focused = () => page.evaluate("document.activeElement.textContent");
  expect(await focused()).toContain("Move Line 3 up");
  await page.keyboard.press("Enter");
  expect(await focused()).toContain("Move Line 2 up");
  await submit(page);
  expect((await agent.session()).fields.lines).toEqual([CUP, PEN, BAG]);
  await context.close();
});

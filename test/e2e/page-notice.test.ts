/** The line that shows a person the state of their answer: unsaved text must not look saved. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDevice, startBrowser } from "../support/device.ts";
import { openLink, PageAgent, withFrozenTime } from "../support/person-page.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
});

async function colorOf(page: Page, text: string): Promise<string> {
  await page
    .locator("#live")
    .and(page.getByText(text, { exact: true }))
    .waitFor();
  return page.evaluate<string>("getComputedStyle(document.getElementById('live')).color");
}

it("the status line has the colour of success only if something is saved", async () => {
  const schema = { type: "object", properties: { story: { type: "string", title: "Story" } } };
  const agent = await PageAgent.create(server, { title: "Claim 4711", schema });
  const { page, context } = await openDevice(browser, { isPhone: true });
  await openLink(page, await agent.createLink());
  const unsaved = await withFrozenTime(page, async () => {
    await page.getByLabel("Story").fill("The pipe burst.");
    return colorOf(page, "Not saved yet");
  });
  const saved = await colorOf(page, "Saved");
  expect(unsaved).not.toBe(saved);
  await context.close();
});

/**
 * The page saves and the answer is lost on the way. No other writer exists, so the person gets no
 * question.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Browser, Page } from "playwright-core";
import { openDevice, startBrowser } from "../support/device.ts";
import { openLink, PageAgent, waitForLiveText } from "../support/person-page.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
});

const SCHEMA = { type: "object", properties: { notes: { type: "string", title: "Notes" } } };

/** The next save arrives at the server, and its answer does not reach the page. */
async function loseAnswer(page: Page): Promise<void> {
  await page.route(
    "**/act*",
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
}

async function loseFirstSave() {
  const agent = await PageAgent.create(server, { title: "Booking", schema: SCHEMA });
  const context = await browser.newContext();
  const page = await context.newPage();
  const url = await agent.createLink();
  await openLink(page, url);
  await loseAnswer(page);
  await page.getByLabel("Notes").fill("One");
  const saved = async () => (await agent.session()).fields.notes;
  await expect.poll(saved).toBe("One");
  return { context, page, url, saved };
}

it("after a lost answer further typing is saved too", async () => {
  const { context, page, saved } = await loseFirstSave();
  await page.getByLabel("Notes").fill("One two");
  await expect.poll(saved).toBe("One two");
  expect(await page.locator(".conflict").count()).toBe(0);
  await context.close();
});

it("after a lost answer without further typing the page shows that it is saved, and keeps no draft", async () => {
  const { context, page } = await loseFirstSave();
  await page.evaluate("dispatchEvent(new Event('online'))");
  await waitForLiveText(page, /^Saved$/);
  const drafts = () => page.evaluate<string>("JSON.stringify({ ...localStorage })");
  await expect.poll(drafts).not.toContain("One");
  await context.close();
});

it("after a lost answer and another writer's change of the same answer the person is asked", async () => {
  const part = { type: "string" };
  const address = { type: "object", properties: { street: part, city: part }, title: "Place" };
  const schema = { type: "object", properties: { place: address } };
  const agent = await PageAgent.create(server, { schema, fields: { place: { city: "Oslo" } } });
  const { page, context } = await openDevice(browser);
  await openLink(page, await agent.createLink());
  await loseAnswer(page);
  await page.getByLabel("Street").fill("Oak");
  const saved = async () => (await agent.session()).fields.place;
  await expect.poll(saved).toEqual({ street: "Oak", city: "Oslo" });
  await agent.call("PATCH", "", { fields: { place: { street: "Oak", city: "Rome" } } });
  await page.getByLabel("Street").fill("Oak Street");
  await page.locator(".conflict").first().waitFor();
  expect(await saved()).toEqual({ street: "Oak", city: "Rome" });
  await context.close();
});

it("after a lost answer and a reload further typed text is saved too", async () => {
  const { context, page, url, saved } = await loseFirstSave();
  await context.setOffline(true);
  await page.getByLabel("Notes").fill("One two three");
  const drafts = () => page.evaluate<string>("JSON.stringify({ ...localStorage })");
  await expect.poll(drafts).toContain("One two three");
  await page.close();
  await context.setOffline(false);
  const again = await context.newPage();
  await again.goto(url);
  await expect.poll(saved).toBe("One two three");
  expect(await again.locator(".conflict").count()).toBe(0);
  await context.close();
});

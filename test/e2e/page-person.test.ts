/** What a person on a phone met: each test is one way in which the page was not true to them. */
import type { Browser } from "playwright-core";
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

const PROPERTIES = {
  story: { type: "string", title: "Story", maxLength: 2000 },
  name: { type: "string", title: "Your name" },
  damage: {
    type: "number",
    title: "Damage",
    minimum: 0,
    maximum: 50_000,
    "x-baton": { unit: "EUR" },
  },
};

async function opened(properties: object = PROPERTIES, more: object = {}) {
  const schema = { type: "object", properties, ...more };
  const agent = await PageAgent.begin(server, { title: "Claim 4711", schema });
  const url = await agent.link();
  const { page, context } = await openDevice(browser, { isPhone: true });
  await openLink(page, url);
  const field = async (name: string) => (await agent.session()).fields[name];
  return { agent, url, page, context, field };
}

describe("an amount", () => {
  it.each([
    ["de", "1.250,50", 1250.5],
    ["en", "1,250", 1250],
    ["ar", "١٬٢٥٠٫٥", 1250.5],
  ])("is saved as a page in %s writes it: %s", async (language, text, number) => {
    const { page, context, url, field } = await opened();
    await page.goto(`${url}?lang=${language}`);
    await page.getByLabel("Damage").fill(text);
    await expect.poll(() => field("damage")).toBe(number);
    await page.reload();
    const shown = await page.getByLabel("Damage").inputValue();
    expect(shown).toBe(language === "de" ? "1250,5" : String(number));
    await context.close();
  });

  it("keeps its meaning where the person changes the language before it is saved", async () => {
    const { page, context, url, field } = await opened();
    await context.setOffline(true);
    await page.getByLabel("Damage").fill("1,250");
    await page.evaluate("globalThis.fetch = () => Promise.reject(new TypeError('cut off'))");
    await context.setOffline(false);
    await page.goto(`${url}?lang=de`);
    await expect.poll(() => field("damage")).toBe(1250);
    await context.close();
  });

  it("is read in the language of its form, also if another tab has chosen another one", async () => {
    const { page, context, url, field } = await opened();
    const other = await context.newPage();
    await other.goto(`${url}?lang=de`);
    await page.getByLabel("Damage").fill("1.125");
    await expect.poll(() => field("damage")).toBe(1.125);
    await page.getByLabel("Your name").fill("Maria");
    await expect.poll(() => field("name")).toBe("Maria");
    expect(await field("damage")).toBe(1.125);
    await context.close();
  });
});

/**
 * Every page and every state that a person can meet, in every language, at 320 pixels: axe finds no
 * issue and nothing is wider than the screen.
 */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDevice, startBrowser, type Device } from "../support/device.ts";
import { axeIssues } from "../support/axe.ts";
import { openLink, PageAgent } from "../support/person-page.ts";
import { someOf } from "../support/scale.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
});

/** Every kind of input, with realistically long texts. */
const SCHEMA = {
  type: "object",
  required: ["name", "size", "contract", "truth"],
  properties: {
    name: { type: "string", title: "Name", description: "As it stands in your passport" },
    mail: { type: "string", format: "email", examples: ["ada@example.com"] },
    size: { enum: ["small", "large"], title: "Size" },
    country: { enum: ["AT", "BE", "CH", "DE", "ES", "FR", "GB"], title: "Country" },
    begins: { type: "string", format: "date-time", title: "Begins" },
    weight: { type: "number", minimum: 0, title: "Weight", "x-baton": { unit: "kg" } },
    colours: { type: "array", items: { enum: ["red", "green"] }, title: "Colours" },
    guests: {
      type: "array",
      title: "Guests",
      items: { type: "object", properties: { name: { type: "string" }, age: { type: "integer" } } },
    },
    prices: { type: "object", additionalProperties: { type: "number" }, title: "Prices" },
    pay: {
      title: "How do you pay?",
      oneOf: [
        { title: "By card", type: "object", properties: { card: { type: "string" } } },
        { title: "By invoice", type: "object", properties: { to: { type: "string" } } },
      ],
    },
    free: { title: "Anything" },
    contract: { type: "object", format: "file", title: "Contract" },
    truth: { const: true, title: "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen" },
  },
};

/**
 * Each light and dark; a short pass has one left-to-right and one right-to-left language, light and
 * dark in turn.
 */
const APPEARANCES = someOf(
  ["en", "es", "de", "ar"].flatMap((language) => [
    [language, false] as const,
    [language, true] as const,
  ]),
  0,
  7,
);

async function createAgent(more: Record<string, unknown> = {}): Promise<PageAgent> {
  return PageAgent.create(server, {
    title: "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz",
    schema: SCHEMA,
    fields: { name: "Ada", weight: 4 },
    confidence: { weight: 0.3 },
    ...more,
  });
}

/** Buttons with one word that is broken into two lines. */
const BROKEN = `[...document.querySelectorAll("button, .button")]
  .filter((button) => button.checkVisibility() && !/\\s/.test(button.textContent.trim()))
  .filter((button) => {
    const range = document.createRange();
    range.selectNodeContents(button);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
  })
  .map((button) => button.textContent)`;

async function expectGoodLayout(page: Page, state: string): Promise<void> {
  const width = Number(await page.evaluate("document.documentElement.scrollWidth"));
  expect([state, width <= 320, await axeIssues(page)]).toEqual([state, true, []]);
  expect([state, await page.evaluate(BROKEN)]).toEqual([state, []]);
}

async function openPhone(language: string, isDark: boolean): Promise<Device> {
  const device = await openDevice(browser, { isPhone: true, isDark });
  await device.page.setViewportSize({ width: 320, height: 640 });
  await device.context.setExtraHTTPHeaders({ "Accept-Language": language });
  return device;
}

const press = (page: Page, action: string): Promise<void> =>
  page.locator(`.actions button[value=${action}]`).first().click();
const waitForState = (page: Page, state: string): Promise<void> =>
  page.locator(`main[data-state=${state}]`).waitFor();

describe.each(APPEARANCES)("in %s, dark: %s", (language, isDark) => {
  it("the form: before it is opened, opened, with errors, offline, in a conflict, waiting, ended", async () => {
    const agent = await createAgent({ review: { required: true } });
    const url = await agent.createLink({ question: "Please check this", note: "With a note" });
    const { page, context } = await openPhone(language, isDark);
    await page.goto(url);
    expect(await page.getAttribute("html", "lang")).toBe(language);
    await expectGoodLayout(page, "landing");
    await openLink(page, url);
    await page.locator("details").evaluateAll((all) => {
      for (const one of all as unknown as { open: boolean }[]) one.open = true;
    });
    await expectGoodLayout(page, "opened");
    await press(page, "submit");
    await page.locator("#problems li").first().waitFor();
    await expectGoodLayout(page, "error summary");
    await context.setOffline(true);
    await page.locator('[name="f/name"]').fill("Grace");
    await page.locator("#live.bad").waitFor();
    await expectGoodLayout(page, "offline");
    await agent.call("PATCH", "", { fields: { name: "Linus", mail: "a@example.com" } });
    await context.setOffline(false);
    await page.locator(".conflict").waitFor();
    await expectGoodLayout(page, "conflict");
    await page.locator('.conflict input[value="theirs"]').check();
    await press(page, "save");
    await page.locator(".conflict").waitFor({ state: "detached" });
    await expectGoodLayout(page, "changed by somebody");
    await page.locator('input[name="f/size"]').first().check();
    await page.locator('input[name="f/truth"]').check();
    await page.locator('input[type="file"]').setInputFiles({
      name: "contract.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("signed"),
    });
    await page.locator(".file a").waitFor();
    await press(page, "submit");
    await waitForState(page, "needs_review");
    await expectGoodLayout(page, "waiting for others");
    await agent.call("POST", "/cancel", {});
    await waitForState(page, "cancelled");
    await expectGoodLayout(page, "cancelled");
    await context.close();
  });

  it("the decision, the receipt, and a link that was declined", async () => {
    const agent = await createAgent({ review: { required: true }, schema: null });
    const reviewing = await agent.createLink({ scopes: ["review"] });
    const declining = await agent.createLink();
    await agent.call("POST", "/submit", {});
    const { page, context } = await openPhone(language, isDark);
    await openLink(page, reviewing);
    await expectGoodLayout(page, "decision");
    await press(page, "approve");
    await waitForState(page, "approved");
    await expectGoodLayout(page, "approved");
    await agent.call("POST", "/finalize", {});
    await waitForState(page, "finalized");
    await expectGoodLayout(page, "finished");
    const receipt = page.locator('a[href$="/receipt"]');
    await receipt.click();
    await page.waitForURL("**/receipt");
    await expectGoodLayout(page, "signed receipt");
    const other = await createAgent();
    const url = await other.createLink();
    await openLink(page, url);
    await page.locator("details summary").first().click();
    await page.locator("details details summary").first().click();
    await expectGoodLayout(page, "about to decline");
    await page.locator("button[value=decline]").click();
    await page.locator("#form").waitFor({ state: "detached" });
    await expectGoodLayout(page, "declined");
    await page.goto(declining);
    await expectGoodLayout(page, "a link of something finished");
    await context.close();
  });

  it("links that do not open, and the page for a code", async () => {
    const agent = await createAgent();
    const expiring = await agent.createLink({ ttlMs: 1_000 });
    const expires = Date.now() + 1_200;
    const once = await agent.createLink({ singleUse: true });
    const withdrawn = await agent.createLink();
    const { body } = await agent.call("GET", "/handoffs");
    await agent.call("DELETE", `/handoffs/${body.handoffs.at(-1).id}`);
    const { page, context } = await openPhone(language, isDark);
    await openLink(page, once);
    const second = await openPhone(language, isDark);
    await second.page.goto(once);
    await expectGoodLayout(second.page, "used");
    await second.page.goto(withdrawn);
    await expectGoodLayout(second.page, "withdrawn");
    await second.page.goto(`${server.url}/h`);
    await expectGoodLayout(second.page, "code");
    await second.page.goto(`${server.url}/h?code=12`);
    await expectGoodLayout(second.page, "no code");
    await second.page.goto(`${server.url}/h/0000-0000-00001`);
    await expectGoodLayout(second.page, "unknown");
    const other = await agent.createLink();
    await second.page.goto(other);
    await second.page.locator("details summary").click();
    await expectGoodLayout(second.page, "about to say not me");
    await second.page.locator("button[value=notMe]").click();
    await second.page.locator("h1").waitFor();
    await expectGoodLayout(second.page, "not me");
    await page.waitForTimeout(Math.max(0, expires - Date.now()));
    await page.goto(expiring);
    await expectGoodLayout(page, "expired");
    await second.page.goto(`${server.url}/h/offline`);
    await expectGoodLayout(second.page, "reloaded offline");
    // As the server shows it after the expiry (page-keeps-input.test.ts waits for that).
    await page.route("**/live?*", (route) =>
      route.fulfill({ contentType: "text/event-stream", body: "event: over\ndata: expired\n\n" }),
    );
    await openLink(page, await agent.createLink());
    await page.locator("#live.bad").waitFor();
    await expectGoodLayout(page, "expired while it was open");
    await context.close();
    await second.context.close();
  });
});

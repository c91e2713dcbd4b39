/**
 * Every page and every state that a person can meet, in every language, at 320 pixels: axe finds
 * nothing and nothing is wider than the screen.
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

/** Every kind of input, with texts as long as people write them. */
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

/** Each light and dark; in a short pass one that is read from each side, light and dark in turn. */
const LOOKS = someOf(
  ["en", "es", "de", "ar"].flatMap((language) => [
    [language, false] as const,
    [language, true] as const,
  ]),
  0,
  7,
);

async function begun(more: Record<string, unknown> = {}): Promise<PageAgent> {
  return PageAgent.begin(server, {
    title: "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz",
    schema: SCHEMA,
    fields: { name: "Ada", weight: 4 },
    confidence: { weight: 0.3 },
    ...more,
  });
}

/** Buttons of one word that is on two lines. */
const BROKEN = `[...document.querySelectorAll("button, .button")]
  .filter((button) => button.checkVisibility() && !/\\s/.test(button.textContent.trim()))
  .filter((button) => {
    const range = document.createRange();
    range.selectNodeContents(button);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
  })
  .map((button) => button.textContent)`;

async function looksRight(page: Page, state: string): Promise<void> {
  const width = Number(await page.evaluate("document.documentElement.scrollWidth"));
  expect([state, width <= 320, await axeIssues(page)]).toEqual([state, true, []]);
  expect([state, await page.evaluate(BROKEN)]).toEqual([state, []]);
}

async function personIn(language: string, isDark: boolean): Promise<Device> {
  const device = await openDevice(browser, { isPhone: true, isDark });
  await device.page.setViewportSize({ width: 320, height: 640 });
  await device.context.setExtraHTTPHeaders({ "Accept-Language": language });
  return device;
}

const press = (page: Page, action: string): Promise<void> =>
  page.locator(`.actions button[value=${action}]`).first().click();
const reads = (page: Page, state: string): Promise<void> =>
  page.locator(`main[data-state=${state}]`).waitFor();

describe.each(LOOKS)("in %s, dark: %s", (language, isDark) => {
  it("the form: before it is opened, opened, with errors, offline, in a conflict, waiting, over", async () => {
    const agent = await begun({ review: { required: true } });
    const url = await agent.link({ question: "Please check this", note: "With a note" });
    const { page, context } = await personIn(language, isDark);
    await page.goto(url);
    expect(await page.getAttribute("html", "lang")).toBe(language);
    await looksRight(page, "landing");
    await openLink(page, url);
    await page.locator("details").evaluateAll((all) => {
      for (const one of all as unknown as { open: boolean }[]) one.open = true;
    });
    await looksRight(page, "opened");
    await press(page, "submit");
    await page.locator("#problems li").first().waitFor();
    await looksRight(page, "error summary");
    await context.setOffline(true);
    await page.locator('[name="f/name"]').fill("Grace");
    await page.locator("#live.bad").waitFor();
    await looksRight(page, "offline");
    await agent.does("PATCH", "", { fields: { name: "Linus", mail: "a@example.com" } });
    await context.setOffline(false);
    await page.locator(".conflict").waitFor();
    await looksRight(page, "conflict");
    await page.locator('.conflict input[value="theirs"]').check();
    await press(page, "save");
    await page.locator(".conflict").waitFor({ state: "detached" });
    await looksRight(page, "changed by somebody");
    await page.locator('input[name="f/size"]').first().check();
    await page.locator('input[name="f/truth"]').check();
    await page.locator('input[type="file"]').setInputFiles({
      name: "contract.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("signed"),
    });
    await page.locator(".file a").waitFor();
    await press(page, "submit");
    await reads(page, "needs_review");
    await looksRight(page, "waiting for others");
    await agent.does("POST", "/cancel", {});
    await reads(page, "cancelled");
    await looksRight(page, "cancelled");
    await context.close();
  });

  it("the decision, the receipt, and a link that was declined", async () => {
    const agent = await begun({ review: { required: true }, schema: null });
    const reviewing = await agent.link({ scopes: ["review"] });
    const declining = await agent.link();
    await agent.does("POST", "/submit", {});
    const { page, context } = await personIn(language, isDark);
    await openLink(page, reviewing);
    await looksRight(page, "decision");
    await press(page, "approve");
    await reads(page, "approved");
    await looksRight(page, "approved");
    await agent.does("POST", "/finalize", {});
    await reads(page, "finalized");
    await looksRight(page, "finished");
    const receipt = page.locator('a[href$="/receipt"]');
    await receipt.click();
    await page.waitForURL("**/receipt");
    await looksRight(page, "signed receipt");
    const other = await begun();
    const url = await other.link();
    await openLink(page, url);
    await page.locator("details summary").first().click();
    await page.locator("details details summary").first().click();
    await looksRight(page, "about to decline");
    await page.locator("button[value=decline]").click();
    await page.locator("#form").waitFor({ state: "detached" });
    await looksRight(page, "declined");
    await page.goto(declining);
    await looksRight(page, "a link of something finished");
    await context.close();
  });

  it("links that do not open, and the place for a code", async () => {
    const agent = await begun();
    const expiring = await agent.link({ ttlMs: 1_000 });
    const expires = Date.now() + 1_200;
    const once = await agent.link({ singleUse: true });
    const withdrawn = await agent.link();
    const { body } = await agent.does("GET", "/handoffs");
    await agent.does("DELETE", `/handoffs/${body.handoffs.at(-1).id}`);
    const { page, context } = await personIn(language, isDark);
    await openLink(page, once);
    const second = await personIn(language, isDark);
    await second.page.goto(once);
    await looksRight(second.page, "used");
    await second.page.goto(withdrawn);
    await looksRight(second.page, "withdrawn");
    await second.page.goto(`${server.url}/h`);
    await looksRight(second.page, "code");
    await second.page.goto(`${server.url}/h?code=12`);
    await looksRight(second.page, "no code");
    await second.page.goto(`${server.url}/h/0000-0000-00001`);
    await looksRight(second.page, "unknown");
    const other = await agent.link();
    await second.page.goto(other);
    await second.page.locator("details summary").click();
    await looksRight(second.page, "about to say not me");
    await second.page.locator("button[value=notMe]").click();
    await second.page.locator("h1").waitFor();
    await looksRight(second.page, "not me");
    await page.waitForTimeout(Math.max(0, expires - Date.now()));
    await page.goto(expiring);
    await looksRight(page, "expired");
    await second.page.goto(`${server.url}/h/offline`);
    await looksRight(second.page, "reloaded offline");
    // As the server says it once the time is over (nothing-lost.test.ts waits for that).
    await page.route("**/live?*", (route) =>
      route.fulfill({ contentType: "text/event-stream", body: "event: over\ndata: expired\n\n" }),
    );
    await openLink(page, await agent.link());
    await page.locator("#live.bad").waitFor();
    await looksRight(page, "expired while it was open");
    await context.close();
    await second.context.close();
  });
});

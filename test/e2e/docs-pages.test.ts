import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordedTimeline } from "../../scripts/site/draw.ts";
import { recordTimeline } from "../../scripts/site/record.ts";
import { buildSite } from "../../scripts/site/main.ts";
import { DOCS_PAGES } from "../../scripts/site/pages.ts";
import { seriousIssues } from "../support/axe.ts";
import { openDevice, startBrowser, type Device, type DeviceOptions } from "../support/device.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();
let browser: Browser;
beforeAll(async () => {
  buildSite();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
});

const paths = ["/docs", "/docs/api", ...DOCS_PAGES.map(({ path }) => `/docs/${path}`)];

describe("every page under /docs", () => {
  let phone: Device;
  beforeAll(async () => {
    phone = await openDevice(browser, { isPhone: true, ignoresPolicy: true });
  });
  afterAll(() => phone.context.close());

  it.each(paths)("(%s) has no serious accessibility issue, and fits a phone", async (path) => {
    await phone.page.goto(server.url + path);
    await phone.page.getByRole("heading", { level: 1 }).first().waitFor();

    expect(await seriousIssues(phone.page)).toEqual([]);
    const root = "document.documentElement";
    expect(await phone.page.evaluate(`${root}.scrollWidth - ${root}.clientWidth`)).toBe(0);
  });

  // Shows M-8.
  it("is served as HTML and as Markdown, with a strict policy", async () => {
    for (const { path, file } of DOCS_PAGES) {
      const page = await fetch(`${server.url}/docs/${path}`);
      const source = await fetch(`${server.url}/docs/${path}.md`);

      expect([page.status, page.headers.get("Content-Type")], path).toEqual([
        200,
        "text/html; charset=utf-8",
      ]);
      expect(page.headers.get("Content-Security-Policy"), path).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      );
      const html = await page.text();
      expect(html, path).not.toMatch(/<script(?![^>]* src=)[^>]*>[^<]|<style|\son[a-z]+="/);
      expect(html, path).toContain("<h1");
      expect(await source.text(), path).toBe(readFileSync(file, "utf8"));
    }
  });
});

/** The number of style rules of the page. */
const RULES =
  "[...document.styleSheets, ...document.adoptedStyleSheets].reduce((sum, { cssRules }) => sum + cssRules.length, 0)";

/** The background colour of the page. */
const GROUND = "getComputedStyle(document.body).backgroundColor";

/** From 0 to 255; if nothing has a colour, the background is white. */
function brightness(colour: string): number {
  const [red = 0, green = 0, blue = 0, alpha = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return alpha === 0 ? 255 : (red + green + blue) / 3;
}

describe("the styles of every page under /docs", () => {
  it.each<[string, DeviceOptions]>([
    ["a phone in the dark", { isPhone: true, isDark: true }],
    ["a desk", {}],
  ])("are loaded on %s, and its policy refuses nothing", async (_, options) => {
    const { page, context, refusals } = await openDevice(browser, options);
    for (const path of paths) {
      await page.goto(server.url + path, { waitUntil: "load" });
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      expect(await page.evaluate(RULES), path).toBeGreaterThan(100);
      expect(refusals, path).toEqual([]);
    }
    await context.close();
  });

  it.each<[string, DeviceOptions]>([
    ["light", {}],
    ["dark", { isDark: true }],
  ])("of the API are %s if the machine's theme is", async (theme, options) => {
    const { page, context, refusals } = await openDevice(browser, options);
    await page.goto(`${server.url}/docs/api`, { waitUntil: "load" });
    await page.getByRole("heading", { name: "Create a session" }).first().waitFor();
    await expect
      .poll(async () => brightness(await page.evaluate<string>(GROUND)))
      .toSatisfy((value: number) => (theme === "dark" ? value < 60 : value > 200));
    expect(refusals).toEqual([]);
    await context.close();
  });
});

const HREFS = '[...document.querySelectorAll(".result")].map((one) => one.getAttribute("href"))';

describe("a page under /docs", () => {
  it.each<[string, DeviceOptions]>([
    ["phone-dark", { isPhone: true, isDark: true }],
    ["desk-dark", { isDark: true }],
    ["desk-light", {}],
  ])("has no serious accessibility issue on %s", async (_, options) => {
    const { page, context } = await openDevice(browser, { ...options, ignoresPolicy: true });
    for (const path of ["/docs/readme", "/docs/handoff"]) {
      await page.goto(server.url + path);
      expect(await seriousIssues(page), path).toEqual([]);
    }
    await context.close();
  });

  // Shows M-8.
  it("requests nothing from other hosts, on a phone, in dark mode and on a desktop", async () => {
    const { page, context, requestedUrls, troubles } = await openDevice(browser, { isPhone: true });
    for (const path of paths) await page.goto(server.url + path, { waitUntil: "load" });
    const other = await openDevice(browser, { isDark: true });
    for (const path of ["/docs/readme", "/docs/timeline"]) {
      await other.page.goto(server.url + path, { waitUntil: "load" });
    }

    const all = [...requestedUrls, ...other.requestedUrls];
    expect(all.length).toBeGreaterThan(paths.length);
    expect(all.filter((url) => new URL(url).origin !== server.url)).toEqual([]);
    expect([...troubles, ...other.troubles]).toEqual([]);
    await Promise.all([context.close(), other.context.close()]);
  });

  it("shows its pictures", async () => {
    const { page, context } = await openDevice(browser);
    for (const path of ["readme", "architecture", "timeline"]) {
      await page.goto(`${server.url}/docs/${path}`, { waitUntil: "load" });
      const shown = await page.evaluate("[...document.images].map((one) => one.naturalWidth > 0)");
      expect(shown, path).toContain(true);
      expect(shown, path).not.toContain(false);
    }
    await context.close();
  });

  it("is reached and read with the keyboard alone", async () => {
    const { page, context } = await openDevice(browser);
    await page.goto(`${server.url}/docs/start`, { waitUntil: "load" });
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toContain("Skip to content");
    await page.getByRole("link", { name: "A relay between agents" }).first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "A relay between agents" }).waitFor();
    await context.close();
  });

  it("is found by search, with the keyboard alone", async () => {
    const { page, context, troubles } = await openDevice(browser);
    await page.goto(`${server.url}/docs`, { waitUntil: "load" });
    await page.keyboard.press("Control+k");
    await page.getByRole("searchbox").waitFor();
    await page.keyboard.type("upload.confirmed");
    await page.locator('.result[href="/docs/events#uploadconfirmed"]').waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${server.url}/docs/events#uploadconfirmed`);
    expect(troubles).toEqual([]);
    await context.close();
  });

  it.each([
    ["largest file", "/docs/limits"],
    ["largest event", "/docs/limits"],
    ["limits", "/docs/limits"],
    ["webhook retry", "/docs/guides/webhooks"],
    ["lost token", "/docs/concepts#a-lost-token"],
    ["what happens when a token is lost", "/docs/concepts#a-lost-token"],
    ["409", "/docs/errors"],
    ["data folder", "/docs/guides/self-hosting"],
    ["keep value out of log", "/docs/guides/private-values"],
    ["how do I keep a secret out of the log", "/docs/guides/private-values"],
    ["how do I make a backup", "/docs/guides/self-hosting#back-up"],
    ["how do I wait for a person", "/docs/guides/waiting"],
  ])("is among the first three results for %j: %s", async (query, expected) => {
    const { page, context, refusals } = await openDevice(browser);
    await page.goto(`${server.url}/docs`, { waitUntil: "load" });
    // The page is shown before its script handles the key.
    await page.getByRole("button", { name: "Search" }).first().waitFor();
    await expect
      .poll(async () => {
        await page.keyboard.press("Control+k");
        return page.getByRole("searchbox").isVisible();
      })
      .toBe(true);
    await page.getByRole("searchbox").fill(query);

    const found = (): Promise<string[]> => page.evaluate<string[]>(HREFS);
    const isExpected = (path: string): boolean => path.startsWith(expected);
    await expect.poll(async () => (await found()).slice(0, 3).some(isExpected)).toBe(true);
    const paths = await found();
    expect(paths.filter((path) => path.startsWith("/docs/protocol-tests"))).toEqual([]);
    // Each result shows a part of its text, not only its title.
    await page.locator(".result .excerpt").first().waitFor();
    expect(refusals).toEqual([]);
    await context.close();
  });

  it("of the API shows its operations, and requests nothing from other hosts", async () => {
    const { page, context, requestedUrls, troubles } = await openDevice(browser);
    await page.goto(`${server.url}/docs/api`, { waitUntil: "load" });
    await page.getByRole("heading", { name: "Create a session" }).first().waitFor();
    expect(requestedUrls.filter((url) => new URL(url).origin !== server.url)).toEqual([]);
    expect(troubles).toEqual([]);
    await context.close();
  });

  it("that does not exist is an HTML page for a browser, under every path", async () => {
    for (const path of ["/docs/nothing", "/nothing", "/sessions/x/y/z/nothing"]) {
      const answer = await fetch(server.url + path, { headers: { Accept: "text/html,*/*" } });
      expect([answer.status, answer.headers.get("Content-Type")], path).toEqual([
        404,
        "text/html; charset=utf-8",
      ]);
      const response = await fetch(server.url + path);
      expect(response.headers.get("Content-Type"), path).toContain("application/problem+json");
    }
  });

  it("that does not exist is 404, and a write to one is 405", async () => {
    const answers = await Promise.all([
      ...["/docs/nothing", "/docs/guides/nothing", "/docs/pictures/x.svg", "/docs/a/b/c"].map(
        (path) => fetch(server.url + path),
      ),
      fetch(`${server.url}/docs/readme`, { method: "DELETE" }),
      fetch(`${server.url}/docs/..%2fpackage.json`),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 405, 404]);
  });
});

it("the drawn timeline is the log of a real session", async () => {
  expect(await recordTimeline(server.url)).toEqual(recordedTimeline());
});

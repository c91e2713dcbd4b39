/**
 * A phone or a desktop in a real Chromium. Every context records the URLs that the page requested, so
 * that a test can check that it contacted no other host.
 */
import { readdirSync, readFileSync } from "node:fs";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { browserOptions, PATIENCE_MS } from "./browser.ts";

export { startBrowser } from "./browser.ts";

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 900 };

/** A browser with a profile on disk, which can be killed and restarted with the same profile. */
export async function startProfile(folder: string) {
  const options = await browserOptions();
  const context = await chromium.launchPersistentContext(folder, { ...options, viewport: PHONE });
  context.setDefaultTimeout(PATIENCE_MS);
  const [page = await context.newPage()] = context.pages();
  return {
    context,
    page,
    /** Forces the browser to write its cookies now, which it does after 512 changes. */
    writeCookies: (url: string): Promise<void> =>
      context.addCookies(
        Array.from({ length: 600 }, (_, index) => ({
          name: `filler${index % 100}`,
          value: String(index),
          url: `${url}/filler`,
          expires: Date.now() / 1000 + 3600,
        })),
      ),
    /** kill -9 of the browser's processes that use this profile, and of no others. */
    async kill(): Promise<void> {
      const closed = new Promise((resolve) => context.once("close", resolve));
      for (const pid of processesWith(`--user-data-dir=${folder}`)) process.kill(pid, "SIGKILL");
      await closed;
    },
  };
}

const processesWith = (argument: string): readonly number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return args.includes(argument) && !args.some((one) => one.startsWith("--type="));
      } catch {
        return false;
      }
    })
    .map(Number);

export interface Device {
  readonly context: BrowserContext;
  readonly page: Page;
  /** The URLs of all requests of the page. */
  readonly requestedUrls: string[];
  /** Errors in scripts, and dialogs that opened. */
  readonly troubles: string[];
  /** Violations of the page's policy, as the browser reported them. */
  readonly refusals: string[];
}

export interface DeviceOptions {
  readonly isPhone?: boolean;
  readonly isDark?: boolean;
  readonly isWithoutScript?: boolean;
  readonly ignoresPolicy?: boolean;
}

export async function openDevice(browser: Browser, options: DeviceOptions = {}): Promise<Device> {
  const context = await browser.newContext({
    viewport: options.isPhone === true ? PHONE : DESK,
    colorScheme: options.isDark === true ? "dark" : "light",
    javaScriptEnabled: options.isWithoutScript !== true,
    bypassCSP: options.ignoresPolicy === true,
  });
  const page = await context.newPage();
  const requestedUrls: string[] = [];
  const troubles: string[] = [];
  const refusals: string[] = [];
  page.on("request", (request) => requestedUrls.push(request.url()));
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) refusals.push(message.text());
  });
  page.on("dialog", (dialog) => {
    // The browser's confirmation before a page is left: the person confirms it.
    if (dialog.type() === "beforeunload") return void dialog.accept();
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { context, page, requestedUrls, troubles, refusals };
}

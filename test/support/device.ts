/**
 * A phone or a desk in a real Chromium. Every context notes what the page asked for, so that a test
 * can say that it asked nobody else.
 */
import { readdirSync, readFileSync } from "node:fs";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { browserOptions, PATIENCE_MS } from "./browser.ts";

export { startBrowser } from "./browser.ts";

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 900 };

/** A browser with a profile on a disk, to be killed and started again with the same one. */
export async function startProfile(folder: string) {
  const options = await browserOptions();
  const context = await chromium.launchPersistentContext(folder, { ...options, viewport: PHONE });
  context.setDefaultTimeout(PATIENCE_MS);
  const [page = await context.newPage()] = context.pages();
  return {
    context,
    page,
    /** Makes the browser write its cookies now: it does so after 512 changes. */
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
      const closed = new Promise((settle) => context.once("close", settle));
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
  /** Addresses that anything on the page asked for. */
  readonly requestedUrls: string[];
  /** What went wrong in scripts, and dialogs that opened. */
  readonly troubles: string[];
  /** What the page's policy refused, as the browser reported it. */
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
    // The browser's own question before a page is left: the person means it.
    if (dialog.type() === "beforeunload") return void dialog.accept();
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { context, page, requestedUrls, troubles, refusals };
}

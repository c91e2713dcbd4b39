/**
 * A real Chromium: an installed one, or the one that comes with the development dependencies. Every
 * context notes what the page asked for, so that a test can say that it asked nobody else.
 */
import chromiumPackage from "@sparticuz/chromium";
import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";

const INSTALLED = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

export async function startBrowser(): Promise<Browser> {
  const installed = [process.env["CHROMIUM_PATH"], ...INSTALLED].find(
    (path) => path !== undefined && existsSync(path),
  );
  return chromium.launch({
    executablePath: installed ?? (await chromiumPackage.executablePath()),
    args: [
      // The package would have everything in one process, which ends with the first closed context.
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

export interface Device {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Addresses that anything on the page asked for. */
  readonly asked: string[];
  /** What went wrong in scripts, and dialogs that opened. */
  readonly troubles: string[];
}

export interface DeviceOptions {
  readonly isPhone?: boolean;
  readonly isDark?: boolean;
  readonly isWithoutScript?: boolean;
  readonly ignoresPolicy?: boolean;
}

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 900 };

export async function openDevice(browser: Browser, options: DeviceOptions = {}): Promise<Device> {
  const context = await browser.newContext({
    viewport: options.isPhone === true ? PHONE : DESK,
    colorScheme: options.isDark === true ? "dark" : "light",
    javaScriptEnabled: options.isWithoutScript !== true,
    bypassCSP: options.ignoresPolicy === true,
  });
  const page = await context.newPage();
  const asked: string[] = [];
  const troubles: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { context, page, asked, troubles };
}

/** A device with a page: it notes what the page asked for, so that a test can say that it asked nobody else. */
import type { Browser, BrowserContext, Page } from "playwright-core";

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

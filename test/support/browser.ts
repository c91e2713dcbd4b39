/**
 * A real Chromium for tests: an installed one, else the one from an npm package.
 * BATON_BROWSER=bundled forces the npm package; any other value is a path.
 */
import bundled from "@sparticuz/chromium";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium, type Browser, type BrowserServer } from "playwright-core";

const NAMES = ["google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "chrome"];
/** A browser that is installed outside PATH. */
const MACOS_CHROME = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/** Replaces the package's own arguments: one of them disables CORS, another ends the browser with a page. */
const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

function installed(): string | undefined {
  const chosen = process.env["BATON_BROWSER"];
  if (chosen !== undefined) return chosen === "bundled" ? undefined : chosen;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return [
    ...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))),
    MACOS_CHROME,
  ].find((path) => existsSync(path));
}

export const browserOptions = async (): Promise<{ executablePath: string; args: string[] }> => ({
  executablePath: installed() ?? (await bundled.executablePath()),
  args: ARGUMENTS,
});

/** Starts a separate browser, which ends when it is closed. */
export const launchBrowser = async (): Promise<Browser> =>
  patient(await chromium.launch(await browserOptions()));

/** Half of a test's timeout: a busy machine may be ten times slower than an idle one. */
export const PATIENCE_MS = 90_000;

const patient = (browser: Browser): Browser =>
  browser.on("context", (context) => context.setDefaultTimeout(PATIENCE_MS));

let shared: Promise<BrowserServer> | undefined;

/**
 * The browser of this process, shared by test files: starting one costs more than most pages.
 * Closing it closes the contexts opened through it; the browser ends with the process.
 */
export async function startBrowser(): Promise<Browser> {
  shared ??= startShared();
  return patient(await chromium.connect((await shared).wsEndpoint()));
}

async function startShared(): Promise<BrowserServer> {
  const server = await chromium.launchServer(await browserOptions());
  // A crashed browser fails the file that uses it, and not later files.
  return server.on("close", () => (shared = undefined));
}

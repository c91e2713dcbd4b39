/**
 * A real Chromium for tests: one that is installed, else the one that comes with an npm package.
 * BATON_BROWSER=bundled takes the second although there is the first; any other value is a path.
 */
import bundled from "@sparticuz/chromium";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium, type Browser, type BrowserServer } from "playwright-core";

const NAMES = ["google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "chrome"];
/** Where a browser is although no folder of PATH has it. */
const MACOS_CHROME = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/** None of the package's own: one of them lets a page read what CORS forbids, one ends with a page. */
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

/** One of its own, which ends when it is closed. */
export const launchBrowser = async (): Promise<Browser> =>
  patient(await chromium.launch(await browserOptions()));

/** Half of what a test has: a busy machine may be ten times slower than a quiet one. */
export const PATIENCE_MS = 90_000;

const patient = (browser: Browser): Browser =>
  browser.on("context", (context) => context.setDefaultTimeout(PATIENCE_MS));

let shared: Promise<BrowserServer> | undefined;

/**
 * The one of this process, for the test files that share it: starting one costs more than most pages.
 * To close it closes what was opened through it; the browser ends with the process.
 */
export async function startBrowser(): Promise<Browser> {
  shared ??= startShared();
  return patient(await chromium.connect((await shared).wsEndpoint()));
}

async function startShared(): Promise<BrowserServer> {
  const server = await chromium.launchServer(await browserOptions());
  // One that crashed fails the file that has it, and not those after it.
  return server.on("close", () => (shared = undefined));
}

/**
 * A real Chromium for tests: one that is installed, else the one that comes with an npm package.
 * BATON_BROWSER=bundled takes the second although there is the first; any other value is a path.
 */
import bundled from "@sparticuz/chromium";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium, type Browser } from "playwright-core";

const NAMES = ["google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "chrome"];

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const UNWANTED = new Set([
  /** Would let a page read what CORS forbids, which is part of what is tested. */
  "--disable-web-security",
  /** Ends the browser with its first page. */
  "--single-process",
]);

function installed(): string | undefined {
  const chosen = process.env["BATON_BROWSER"];
  if (chosen !== undefined) return chosen === "bundled" ? undefined : chosen;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

export async function launchBrowser(): Promise<Browser> {
  const found = installed();
  if (found !== undefined) {
    return chromium.launch({ executablePath: found, args: ARGUMENTS, headless: true });
  }
  const own = bundled.args.filter((argument) => !UNWANTED.has(argument));
  return chromium.launch({
    executablePath: await bundled.executablePath(),
    args: [...own, ...ARGUMENTS],
    headless: true,
  });
}

/** A real Chromium: the one that is installed, else the one from the registry. */
import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

const INSTALLED = [
  "/usr/bin/google-chrome",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];

export async function launchBrowser(): Promise<Browser> {
  const found = process.env["CHROME_PATH"] ?? INSTALLED.find((path) => existsSync(path));
  if (found !== undefined) return chromium.launch({ executablePath: found, args: FLAGS });
  const { default: bundled } = await import("@sparticuz/chromium");
  return chromium.launch({
    executablePath: await bundled.executablePath(),
    args: [...bundled.args, ...FLAGS],
  });
}

/** The person of the demo: a real Chromium that opens the link and presses the buttons. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { launchBrowser } from "../../test/support/browser.ts";

/** A phone. */
const VIEW = { width: 390, height: 900 };
const ATTEMPTS = 4;
const NAME = "Grace";

interface Reviewer {
  /** Opens the link with its button, as a person must. */
  open(url: string): Promise<void>;
  approve(): Promise<void>;
  leave(): Promise<void>;
}

/** Null if no browser starts. */
export async function findReviewer(shots: string | undefined): Promise<Reviewer | null> {
  const browser = await launchBrowser().catch(() => null);
  if (browser === null) return null;
  const page = await browser.newPage({ viewport: VIEW, deviceScaleFactor: 1.5 });
  const shoot = (name: string, height: number): Promise<void> =>
    photograph(page, shots, name, height);
  return {
    async open(url) {
      await page.goto(url);
      await page.getByLabel("Your name").fill(NAME);
      await shoot("1-link", 440);
      await page.getByRole("button", { name: "Open" }).click();
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.getByRole("button", { name: "Approve" }).waitFor();
      await shoot("2-review", VIEW.height);
    },
    async approve() {
      await page.getByRole("button", { name: "Approve" }).click();
      await page.getByText("Approved").first().waitFor();
      await shoot("3-approved", 660);
    },
    leave: () => browser.close(),
  };
}

/** The page follows the session and may be reloading. If so, tries once more. */
async function photograph(
  page: Page,
  folder: string | undefined,
  name: string,
  height: number,
): Promise<void> {
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.setViewportSize({ ...VIEW, height });
  for (let attempt = 1; ; attempt++) {
    try {
      await page.screenshot({ path: join(folder, `${name}.png`), timeout: 4_000 });
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

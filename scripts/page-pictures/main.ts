/**
 * `npm run pictures [scene …]`: takes screenshots of the person's page in a real Chromium, on a phone and
 * on a desktop, light and dark, into docs/page. Check them before you commit them. With
 * BATON_SHOTS=<folder> they go there, as png.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../../test/support/browser.ts";
import { startServer, temporaryFolder } from "../../test/support/server-process.ts";
import type { SharedServer } from "../../test/support/server.ts";
import { SCENES, type Appearance, type Scene } from "./scenes.ts";

const OUTPUT_OVERRIDE = process.env["BATON_SHOTS"];
const FOLDER = OUTPUT_OVERRIDE ?? join(import.meta.dirname, "../../docs/page");
const FORMAT = OUTPUT_OVERRIDE === undefined ? "webp" : "png";
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 900 };
/** Sharp enough to read, small enough for the repository. */
const QUALITY = 55;

async function shoot(browser: Browser, server: SharedServer, scene: Scene, appearance: Appearance) {
  const { isPhone, isDark, language = "en" } = appearance;
  const context = await browser.newContext({
    viewport: isPhone ? PHONE : DESK,
    colorScheme: isDark ? "dark" : "light",
    locale: language,
    timezoneId: "Europe/Berlin",
  });
  const page = await context.newPage();
  await scene.lead(server, page);
  if (scene.isScreen !== true) await page.evaluate("scrollTo(0, 0)");
  const name = `${scene.name}-${isPhone ? "phone" : "desk"}-${isDark ? "dark" : "light"}.${FORMAT}`;
  writeFileSync(join(FOLDER, name), await picture(page, scene.isScreen !== true));
  console.log(name);
  await context.close();
}

/** As webp, which only the DevTools protocol supports. */
async function picture(page: Page, isWhole: boolean): Promise<Buffer> {
  const protocol = await page.context().newCDPSession(page);
  const { cssContentSize } = await protocol.send("Page.getLayoutMetrics");
  const { width, height } = cssContentSize;
  const { data } = await protocol.send("Page.captureScreenshot", {
    format: FORMAT,
    ...(FORMAT === "webp" ? { quality: QUALITY } : {}),
    captureBeyondViewport: isWhole,
    ...(isWhole ? { clip: { x: 0, y: 0, width, height, scale: 1 } } : {}),
  });
  return Buffer.from(data, "base64");
}

mkdirSync(FOLDER, { recursive: true });
const chosen = process.argv.slice(2);
const folder = temporaryFolder();
const server = await startServer(folder.path, undefined, { PUBLIC_NAME: "Acme Insurance" });
const browser = await launchBrowser();
try {
  for (const scene of SCENES) {
    if (chosen.length > 0 && !chosen.includes(scene.name)) continue;
    for (const appearance of scene.appearances) await shoot(browser, server, scene, appearance);
  }
} finally {
  await browser.close();
  await server.stop();
  folder[Symbol.dispose]();
}

/** Twelve real-life forms, answered at the first submit by a script that follows the labels. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDevice, startBrowser } from "../support/device.ts";
import { answerForm, createFormLink, FORM_APPEARANCES } from "../support/form-appearance.ts";
import { axeIssues } from "../support/axe.ts";
import { FORMS } from "../support/real-forms.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
});

/** Each form in one of the sixteen appearances; `npm run test:all` tests all of them. */
it.each(
  FORMS.map((form, index) => {
    const appearance = FORM_APPEARANCES[(index * 5) % FORM_APPEARANCES.length] ?? never();
    return [form.name, appearance.name, form, appearance] as const;
  }),
)("%s is answered at the first submit (%s)", (_, __, form, appearance) =>
  answerForm(server, browser, form, appearance),
);

function never(): never {
  throw new Error("there are appearances");
}

it("no form is wider than 320 pixels, in any language", async () => {
  const { context, page } = await openDevice(browser, { isPhone: true });
  await page.setViewportSize({ width: 320, height: 640 });
  const [first] = FORMS;
  if (first === undefined) throw new Error("there are forms");
  const { url } = await createFormLink(server, first);
  for (const language of ["en", "es", "de", "ar"]) {
    await page.goto(`${url}?lang=${language}`);
    expect(await axeIssues(page)).toEqual([]);
    await page.locator("button.primary, button[value=submit]").first().click();
    await page.goto(`${url}?lang=${language}`);
    const width = await page.evaluate("document.documentElement.scrollWidth");
    expect([language, Number(width) <= 320]).toEqual([language, true]);
    expect(await axeIssues(page)).toEqual([]);
  }
  await context.close();
});

it("a page with ten inputs is at most 60 KB, script and style included", async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [`field${index}`, { type: "string" }]),
  );
  const { url } = await createFormLink(server, {
    name: "Ten",
    schema: { type: "object", properties },
    steps: [],
    expects: {},
  });
  const { context, page } = await openDevice(browser, { isPhone: true });
  await page.goto(url);
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByLabel("Field0").waitFor();
  await page.waitForLoadState("load");
  const assets = await Promise.all(
    ["link[rel=stylesheet]", "script"].map((part) =>
      page
        .locator(part)
        .first()
        .evaluate(
          (one) =>
            (one as unknown as { href?: string; src?: string }).href ??
            (one as unknown as { src: string }).src,
        ),
    ),
  );
  const sizes = await Promise.all(
    assets.map(async (url_) => (await (await fetch(url_)).arrayBuffer()).byteLength),
  );
  const worker = await page.locator("main").getAttribute("data-worker");
  for (const asset of [worker, "/h/offline"]) {
    sizes.push((await (await fetch(`${server.url}${asset}`)).arrayBuffer()).byteLength);
  }
  const html = Buffer.byteLength(await page.content());
  expect(html + sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(60 * 1024);
  await context.close();
});

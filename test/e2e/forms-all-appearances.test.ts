/**
 * The twelve forms in all sixteen appearances: on a phone and on a desktop, light and dark, with
 * and without a script, by pointer and by keyboard alone. `forms.test.ts` answers each form in one
 * of them.
 */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { startBrowser } from "../support/device.ts";
import { answerForm, FORM_APPEARANCES } from "../support/form-appearance.ts";
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

describe.each(FORM_APPEARANCES.map((appearance) => [appearance.name, appearance] as const))(
  "%s",
  (_, appearance) => {
    it.each(FORMS.map((form) => [form.name, form] as const))("%s", (__, form) =>
      answerForm(server, browser, form, appearance),
    );
  },
);

/**
 * A person with a real browser, for tests of clients in other languages: opens the link, answers by
 * the labels of the form and submits it. `node test/support/person-in-browser.ts <link> label=answer …`
 */
import { launchBrowser } from "./browser.ts";

const [link = "", ...answers] = process.argv.slice(2);
const browser = await launchBrowser();
try {
  const page = await browser.newPage();
  await page.goto(link);
  await page.locator("main button[type=submit]").first().click();
  // Counting does not wait, so the form must be present.
  await page.locator("button[value=submit]").first().waitFor();
  for (const answer of answers) {
    const [label = "", value = ""] = answer.split("=");
    const choice = page.getByRole("group", { name: label });
    if ((await choice.count()) > 0) {
      await choice.getByLabel(value, { exact: true }).first().check();
      continue;
    }
    const field = page.getByLabel(label);
    const isChoice = (await field.getByRole("option").count()) > 0;
    if (isChoice) await field.selectOption({ label: value });
    else await field.fill(value);
  }
  await page.locator("button[value=submit]").first().click();
  await page.waitForLoadState();
} finally {
  await browser.close();
}

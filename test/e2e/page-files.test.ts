/** Files on the person's page: each has the name that it has on the person's own device. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDevice, startBrowser } from "../support/device.ts";
import { openLink, PageAgent, waitForLiveText } from "../support/person-page.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
});

const FILE = { type: "string", format: "file" };
const PDF = { name: "Rechnung März.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF") };

it("a file has its own name on the form, on the button that removes it, in the answers and on paper", async () => {
  const properties = {
    bill: { ...FILE, title: "Bill" },
    photos: { type: "array", title: "Photos", items: FILE },
  };
  const agent = await PageAgent.create(server, {
    title: "Claim 4711",
    schema: { type: "object", properties },
  });
  const { page, context } = await openDevice(browser, { isPhone: true });
  const url = await agent.createLink();
  await openLink(page, url);
  await page.getByLabel("Bill").setInputFiles(PDF);
  await page.getByRole("link", { name: PDF.name }).waitFor();
  await page.getByLabel("Photos").setInputFiles({ ...PDF, name: "r2.pdf" });
  await page.getByRole("button", { name: "Remove r2.pdf" }).waitFor();
  await page.getByRole("button", { name: "Submit" }).click();
  await waitForLiveText(page, "Submitted");
  const answers = page.locator("#values");
  await answers.getByRole("link", { name: PDF.name }).waitFor();
  await answers.getByRole("link", { name: "r2.pdf" }).waitFor();
  expect(await page.locator("main").textContent()).not.toContain("upl_");
  await page.goto(`${url}/receipt`);
  const row = page
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name: "Bill", exact: true }) });
  expect(await row.textContent()).toContain(PDF.name);
  await context.close();
});

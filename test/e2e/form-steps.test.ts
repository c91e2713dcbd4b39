/** Long forms: shown in sections, and answered step by step if scripts run. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDevice, startBrowser } from "../support/device.ts";
import { axeIssues } from "../support/axe.ts";
import { openLink, PageAgent } from "../support/person-page.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
});

const SCHEMA = {
  type: "object",
  "x-baton": { steps: true },
  required: ["name", "city"],
  properties: {
    name: { type: "string", title: "Name", "x-baton": { section: "About you" } },
    mail: { type: "string", format: "email", title: "Mail" },
    city: { type: "string", title: "City", "x-baton": { section: "Where you live" } },
    pet: {
      type: "object",
      title: "Your pet",
      properties: { kind: { type: "string", title: "Kind" } },
    },
  },
};

const createAgent = (): Promise<PageAgent> =>
  PageAgent.create(server, { title: "In steps", schema: SCHEMA });

it("with a script one step is visible, and a valid step leads to the next", async () => {
  const agent = await createAgent();
  const { page, context, troubles } = await openDevice(browser, { isPhone: true });
  await openLink(page, await agent.createLink());
  await page.getByText("Step 1 of 3").waitFor();
  expect(await page.getByLabel("City").isVisible()).toBe(false);
  expect(await page.getByRole("button", { name: "Submit" }).isVisible()).toBe(false);
  await page.getByLabel("Mail").fill("ada");
  expect(await axeIssues(page)).toEqual([]);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("Please answer this.").waitFor();
  await page.getByText("Please enter an e-mail address").last().waitFor();
  expect(await page.locator(":focus").getAttribute("name")).toBe("f/name");
  await page.getByText("Step 1 of 3").waitFor();
  await page.getByLabel("Name").fill("Ada");
  await page.getByLabel("Mail").fill("ada@example.com");
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByLabel("City").fill("Oslo");
  expect(await page.getByLabel("Mail").isVisible()).toBe(false);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByLabel("Kind").fill("Cat");
  await page.getByText("Step 3 of 3").waitFor();
  await page.getByRole("button", { name: "Submit" }).click();
  await page.getByText("Submitted. Thank you.").waitFor();
  expect((await agent.session()).fields).toEqual({
    name: "Ada",
    mail: "ada@example.com",
    city: "Oslo",
    pet: { kind: "Cat" },
  });
  expect(troubles).toEqual([]);
  await context.close();
});

it("problems that only the server finds make all steps visible again", async () => {
  const agent = await createAgent();
  const { page, context } = await openDevice(browser, { isPhone: true });
  await openLink(page, await agent.createLink());
  await page.getByLabel("Name").fill("Ada");
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByLabel("City").fill("Oslo");
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("Step 3 of 3").waitFor();
  await agent.call("PATCH", "", { fields: { name: null } });
  await page.locator('[name="f/name"][value=""]').waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Submit" }).click();
  await page.getByRole("link", { name: "Name: Please answer this." }).click();
  await page.getByLabel("Name").fill("Ada");
  expect(await page.getByLabel("City").isVisible()).toBe(true);
  await page.getByRole("button", { name: "Submit" }).click();
  await page.getByText("Submitted. Thank you.").waitFor();
  await context.close();
});

it("without a script all sections are on one page, each under its title", async () => {
  const agent = await createAgent();
  const { page, context } = await openDevice(browser, { isWithoutScript: true });
  await openLink(page, await agent.createLink());
  await page.getByRole("heading", { name: "About you" }).waitFor();
  await page.getByRole("heading", { name: "Where you live" }).waitFor();
  await page.getByLabel("Name").fill("Ada");
  await page.getByLabel("City").fill("Oslo");
  await page.getByRole("button", { name: "Submit" }).click();
  await page.getByText("Submitted. Thank you.").waitFor();
  await context.close();
});

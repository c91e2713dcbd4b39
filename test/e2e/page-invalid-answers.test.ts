/** The messages of the person's page about invalid answers, and its position meanwhile. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDevice, startBrowser } from "../support/device.ts";
import { openLink, PageAgent, waitForLiveText, withFrozenTime } from "../support/person-page.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
});

const TEXT = { type: "string" };
const FILES = {
  type: "array",
  title: "Photos",
  maxItems: 3,
  items: { ...TEXT, format: "file", accept: ["application/pdf"] },
};

async function openForm(properties: object, more: object = {}, isWithoutScript = false) {
  const schema = { type: "object", properties, ...more };
  const agent = await PageAgent.create(server, { title: "Claim 4711", schema });
  const url = await agent.createLink();
  const { page, context } = await openDevice(browser, { isPhone: true, isWithoutScript });
  await openLink(page, url);
  const field = async (name: string) => (await agent.session()).fields[name];
  return { agent, url, page, context, field };
}

const step = (section: string) => ({ ...TEXT, "x-baton": { section } });

const file = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from("x") });

describe("an invalid answer", () => {
  const address = {
    type: "object",
    title: "Address",
    required: ["street", "town"],
    properties: { street: TEXT, town: TEXT },
  };
  const iban = { ...TEXT, title: "IBAN", minLength: 15, "x-baton": { private: true } };

  it("is saved in the browser, and the page shows that", async () => {
    const { page, context } = await openForm({ address });
    await page.getByLabel("Street").fill("Oak Street");
    await waitForLiveText(
      page,
      /Everything is saved except this: Address\..*is kept in this browser\./,
    );
    await page.reload();
    await expect.poll(() => page.getByLabel("Street").inputValue()).toBe("Oak Street");
    await context.close();
  });

  it("is reported as not saved if it is private", async () => {
    const { page, context } = await openForm({ iban });
    await page.getByLabel("IBAN").fill("DE12");
    await waitForLiveText(
      page,
      /except this: IBAN\..*private answers are not kept in this browser/,
    );
    await page.reload();
    await waitForLiveText(page, "please type them again");
    await context.close();
  });
});

describe("without a script", () => {
  it("all problems are listed at once, each file with its name", async () => {
    const { page, context } = await openForm(
      { photos: FILES, mail: { ...TEXT, title: "Mail", format: "email" }, day: TEXT },
      { required: ["mail", "day"] },
      true,
    );
    await page.getByLabel("Photos").setInputFiles([file("a.txt"), file("b.txt")]);
    await page.getByLabel("Mail").fill("nobody");
    await page.getByRole("button", { name: "Submit" }).click();
    const problems = page.locator("#problems");
    await problems.waitFor();
    const text = (await problems.textContent()) ?? "";
    for (const one of ["a.txt: We could not", "b.txt: We could not", "Mail:", "Day:"]) {
      expect(text).toContain(one);
    }
    await context.close();
  });

  it("the page does not promise to update by itself", async () => {
    const { page, context } = await openForm({ day: TEXT }, {}, true);
    await page.getByLabel("Day").fill("Monday");
    await page.getByRole("button", { name: "Submit" }).click();
    await waitForLiveText(page, "Submitted");
    const text = await page.locator("main").innerText();
    expect(text).toContain("Reload this page to see what has changed.");
    expect(text).not.toContain("This page updates by itself.");
    await context.close();
  });
});

it("the maximum number of files is shown at the question", async () => {
  const { page, context } = await openForm({ photos: FILES });
  await page.getByText("Number of files: at most 3.").waitFor();
  await context.close();
});

describe("an open conflict", () => {
  const properties = { story: { ...TEXT, title: "Story" }, name: { ...TEXT, title: "Name" } };

  it("is named with a link to it, and the other answers are saved", async () => {
    const { agent, page, context, field } = await openForm(properties);
    await withFrozenTime(page, async () => {
      await page.getByLabel("Story").fill("Mine");
      await agent.call("PATCH", "", { fields: { story: "Theirs" } });
    });
    await page.locator(".conflict").waitFor();
    await page.getByLabel("Name").fill("Maria");
    await expect.poll(() => field("name")).toBe("Maria");
    expect(await field("story")).toBe("Theirs");
    expect(await page.getByLabel("Story").inputValue()).toBe("Mine");
    await page.locator("#live").getByRole("link", { name: "Story" }).click();
    await expect.poll(() => page.evaluate("document.activeElement.className")).toBe("conflict");
    await page.getByLabel("Keep my answer").check();
    await expect.poll(() => field("story")).toBe("Mine");
    await context.close();
  });

  it("is listed with a link if there is no script", async () => {
    const { agent, page, context, field } = await openForm(properties, {}, true);
    await page.getByLabel("Story").fill("Mine");
    await page.getByLabel("Name").fill("Maria");
    await agent.call("PATCH", "", { fields: { story: "Theirs" } });
    await page.getByRole("button", { name: "Save" }).last().click();
    await page.locator("#problems").getByRole("link", { name: "Story" }).waitFor();
    expect(await field("name")).toBe("Maria");
    await context.close();
  });
});

describe("the person's position", () => {
  const properties = { one: step("First"), two: step("Second"), three: step("Third") };

  it("stays the same step after Back and after a reload", async () => {
    const { page, context } = await openForm(properties, { "x-baton": { steps: true } });
    const next = page.getByRole("button", { name: "Next" });
    await next.click();
    await page.getByText("Step 2 of 3").waitFor();
    await next.click();
    await page.getByText("Step 3 of 3").waitFor();
    await page.reload();
    await page.getByText("Step 3 of 3").waitFor();
    await page.goBack();
    await page.getByText("Step 2 of 3").waitFor();
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByText("Step 1 of 3").waitFor();
    await context.close();
  });

  it("stays the field in which they pressed Enter, and it is saved", async () => {
    const { page, context, field } = await openForm({ one: TEXT });
    await page.getByLabel("One").fill("Maria");
    await page.keyboard.press("Enter");
    await expect.poll(() => field("one")).toBe("Maria");
    await waitForLiveText(page, "Saved");
    expect(await page.evaluate("document.activeElement.id")).toBe("f/one");
    await context.close();
  });
});

describe("a visitor who is not the right person", () => {
  const MESSAGE = "You told the sender that this is not for you.";

  it("sees a message of its own once, if the form was open", async () => {
    const { page, context } = await openForm({ one: TEXT });
    await page.getByText("Other options").click();
    await page.getByText("I am not the right person").click();
    await page.locator('button[value="notMe"]').click();
    for (const again of [false, true]) {
      if (again) await page.reload();
      await page.getByText(MESSAGE).waitFor();
      expect(await page.getByText(MESSAGE).count()).toBe(1);
      expect(await page.getByText("You declined").count()).toBe(0);
      expect(await page.locator("#status .chip").first().textContent()).toBe("Declined");
    }
    await context.close();
  });

  it("sees that message if the link was never opened", async () => {
    const agent = await PageAgent.create(server, { title: "Claim 4711" });
    const { page, context } = await openDevice(browser, { isPhone: true });
    await page.goto(await agent.createLink());
    await page.getByText("This is not for me").click();
    await page.locator('button[value="notMe"]').click();
    await page.getByText(MESSAGE).waitFor();
    expect(await page.getByText("You said no").count()).toBe(0);
    await context.close();
  });
});

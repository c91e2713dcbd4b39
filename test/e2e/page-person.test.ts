/** Problems that a person on a phone had: each test is one way in which the page misled them. */
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

const PROPERTIES = {
  story: { type: "string", title: "Story", maxLength: 2000 },
  name: { type: "string", title: "Your name" },
  damage: {
    type: "number",
    title: "Damage",
    minimum: 0,
    maximum: 50_000,
    "x-baton": { unit: "EUR" },
  },
};

async function openForm(properties: object = PROPERTIES, more: object = {}) {
  const schema = { type: "object", properties, ...more };
  const agent = await PageAgent.create(server, { title: "Claim 4711", schema });
  const url = await agent.createLink();
  const { page, context } = await openDevice(browser, { isPhone: true });
  await openLink(page, url);
  const field = async (name: string) => (await agent.session()).fields[name];
  return { agent, url, page, context, field };
}

describe("an amount", () => {
  it.each([
    ["de", "1.250,50", 1250.5],
    ["en", "1,250", 1250],
    ["ar", "١٬٢٥٠٫٥", 1250.5],
  ])("is saved as a page in %s writes it: %s", async (language, text, number) => {
    const { page, context, url, field } = await openForm();
    await page.goto(`${url}?lang=${language}`);
    await page.getByLabel("Damage").fill(text);
    await expect.poll(() => field("damage")).toBe(number);
    // A page that reloads before it gets the answer to the save shows the typed text, and saves it
    // again.
    const shown = () => page.reload().then(() => page.getByLabel("Damage").inputValue());
    await expect.poll(shown).toBe(language === "de" ? "1250,5" : String(number));
    await context.close();
  });

  it("keeps its meaning if the person changes the language before it is saved", async () => {
    const { page, context, url, field } = await openForm();
    await context.setOffline(true);
    await page.getByLabel("Damage").fill("1,250");
    await page.evaluate("globalThis.fetch = () => Promise.reject(new TypeError('cut off'))");
    await context.setOffline(false);
    await page.goto(`${url}?lang=de`);
    await expect.poll(() => field("damage")).toBe(1250);
    await context.close();
  });

  it("is parsed in the language of its form, also if another tab has chosen another one", async () => {
    const { page, context, url, field } = await openForm();
    const other = await context.newPage();
    await other.goto(`${url}?lang=de`);
    await page.getByLabel("Damage").fill("1.125");
    await expect.poll(() => field("damage")).toBe(1.125);
    await page.getByLabel("Your name").fill("Maria");
    await expect.poll(() => field("name")).toBe("Maria");
    expect(await field("damage")).toBe(1.125);
    await context.close();
  });
});

describe("the page's status of saving", () => {
  it("names every unsaved answer, by its question", async () => {
    const required = ["street", "town"];
    const part = { type: "string" };
    const { page, context, field } = await openForm({
      ...PROPERTIES,
      address: {
        type: "object",
        title: "Address",
        required,
        properties: { street: part, town: part },
      },
      iban: { type: "string", title: "IBAN", minLength: 15 },
    });
    await page.getByLabel("Damage").fill("70000");
    await page.getByLabel("Street").fill("Oak Street");
    await page.getByLabel("IBAN").fill("DE12");
    await page.getByLabel("Your name").fill("Maria");
    await waitForLiveText(page, "Everything is saved except this: Damage, Address, IBAN.");
    expect(await field("name")).toBe("Maria");
    await context.close();
  });

  it("is correct before typing and before declining", async () => {
    const { page, context } = await openForm();
    await page.getByText("Your answers are saved as you type").waitFor();
    await page.getByText("Other options").click();
    await page.getByText("I do not want to answer").click();
    await page.getByText("What was already saved stays with the sender.").first().waitFor();
    await context.close();
  });
});

describe("a conflict that arrives while the person types in another field", () => {
  it("keeps the focus, and a choice is saved automatically", async () => {
    const { agent, page, context, field } = await openForm();
    await withFrozenTime(page, async () => {
      await page.getByLabel("Story").fill("Mine");
      await agent.call("PATCH", "", { fields: { story: "Theirs" } });
    });
    await page.getByLabel("Your name").pressSequentially("Maria ");
    await page.locator(".conflict").waitFor();
    await waitForLiveText(page, "This was also changed elsewhere: Story.");
    await page.keyboard.type("Lopez");
    expect(await page.getByLabel("Your name").inputValue()).toBe("Maria Lopez");
    expect(await page.getByText("Filled in by").count()).toBe(0);
    await page.getByLabel("Use the other answer").check();
    await expect.poll(() => field("name")).toBe("Maria Lopez");
    await expect.poll(() => page.getByLabel("Story").inputValue()).toBe("Theirs");
    expect(await page.locator(".conflict").count()).toBe(0);
    await context.close();
  });

  it("ends once the person's own answer was chosen", async () => {
    const { agent, page, context, field } = await openForm();
    await withFrozenTime(page, async () => {
      await page.getByLabel("Story").fill("Mine");
      await agent.call("PATCH", "", { fields: { story: "Theirs" } });
    });
    await page.getByLabel("Keep my answer").check();
    await expect.poll(() => field("story")).toBe("Mine");
    await page.locator(".conflict").waitFor({ state: "detached" });
    expect(await page.getByLabel("Story").inputValue()).toBe("Mine");
    await context.close();
  });
});

describe("a session that the sender cancels while the person types", () => {
  it("is shown with the typed text, also after a reload", async () => {
    const { agent, page, context } = await openForm();
    await context.setOffline(true);
    await page.getByLabel("Story").fill("A long story");
    await agent.call("POST", "/cancel", {});
    await context.setOffline(false);
    for (const again of [false, true]) {
      if (again) await page.reload();
      await page.getByText("The sender cancelled this.").waitFor();
      const savedText = page.getByLabel("What you typed is kept in this browser.");
      await savedText.waitFor();
      expect(await savedText.inputValue()).toBe("Story: A long story");
    }
    await context.close();
  });
});

describe("a submit that waited without the private answer", () => {
  it("shows that it was not sent, and what to do", async () => {
    const pin = { type: "string", title: "PIN", "x-baton": { private: true } };
    const { agent, page, context } = await openForm({ ...PROPERTIES, pin });
    await context.setOffline(true);
    await page.getByLabel("Your name").fill("Maria");
    await page.getByLabel("PIN").fill("1234");
    await page.getByRole("button", { name: "Submit" }).click();
    await waitForLiveText(page, "You are offline");
    await page.evaluate("globalThis.fetch = () => Promise.reject(new TypeError('cut off'))");
    await context.setOffline(false);
    await page.reload();
    await waitForLiveText(page, /^Your answer was NOT sent/);
    await expect.poll(async () => (await agent.session()).fields.name).toBe("Maria");
    await waitForLiveText(page, /^Your answer was NOT sent/);
    await page.getByLabel("PIN").fill("1234");
    await page.getByRole("button", { name: "Submit" }).click();
    await expect.poll(async () => (await agent.session()).state).toBe("submitted");
    await context.close();
  });
});

const file = (name: string, mimeType: string, size: number) => ({
  name,
  mimeType,
  buffer: Buffer.alloc(size, 1),
});

describe("several files chosen at once", () => {
  it("are each accepted or named with the reason", async () => {
    const items = { format: "file", accept: "application/pdf, image/*", maxBytes: 2_000 };
    const { page, context, field } = await openForm({
      photos: { type: "array", title: "Photos", items },
    });
    await page
      .getByLabel("Photos")
      .setInputFiles([
        file("notes.txt", "text/plain", 10),
        file("big.jpg", "image/jpeg", 9_000),
        file("r1.pdf", "application/pdf", 10),
      ]);
    await expect.poll(field.bind(null, "photos")).toHaveLength(1);
    for (const message of [page.locator("#live"), page.locator(".error")]) {
      await message
        .filter({ hasText: /notes\.txt: We could not.*big\.jpg: We could not/ })
        .waitFor();
    }
    await context.close();
  });
});

it("a link that is pasted into the field for a code leads to its page", async () => {
  const { page, context, url } = await openForm();
  await page.goto(new URL("/h", url).href);
  await page.getByRole("button", { name: "Continue" }).click();
  expect(await page.locator(".error").count()).toBe(0);
  await page.getByLabel("Code").fill(`${url}?lang=en`);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByLabel("Story").waitFor();
  await context.close();
});

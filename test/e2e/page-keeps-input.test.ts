/**
 * Text that a person typed survives expiry, conflicts and a second tab. For the offline case see
 * offline.test.ts.
 */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBooking, closeDisconnected, openBooking, submit } from "../support/booking.ts";
import { openDevice, startBrowser } from "../support/device.ts";
import { axeIssues } from "../support/axe.ts";
import { openLink, waitForLiveText, withFrozenTime } from "../support/person-page.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
});

const createAgent = () => createBooking(server);

describe("a link that ends while the person types", () => {
  it("expires: the page shows this, keeps the text, and offers it on the page that explains the expiry", async () => {
    const agent = await createAgent();
    const ttlMs = 30_000;
    const createdAt = Date.now();
    const url = await agent.createLink({ ttlMs });
    const { page, context } = await openBooking(browser, url);
    await context.setOffline(true);
    await page.getByLabel("Notes").fill("A long story");
    await page.getByRole("group", { name: "Size" }).getByLabel("large").check();
    await page.waitForTimeout(Math.max(0, createdAt + ttlMs + 500 - Date.now()));
    await context.setOffline(false);
    await waitForLiveText(page, "This link has expired");
    await submit(page);
    await waitForLiveText(page, "This link has expired");
    expect(await page.getByLabel("Notes").inputValue()).toBe("A long story");
    await page.goto(url);
    await page.getByRole("heading", { name: "This link has expired" }).waitFor();
    const savedText = page.getByLabel("What you typed is kept in this browser.");
    await savedText.waitFor();
    expect(await savedText.inputValue()).toBe("Size: large\n\nNotes: A long story");
    const discard = page.getByRole("button", { name: "Discard it" });
    await discard.click();
    await page.getByRole("button", { name: "Keep it" }).click();
    await page.reload();
    await savedText.waitFor();
    await discard.click();
    await discard.click();
    await savedText.waitFor({ state: "hidden" });
    await context.close();
  });

  it("is reissued: the new link shows the typed text", async () => {
    const agent = await createAgent();
    const url = await agent.createLink();
    const { page, context } = await openBooking(browser, url);
    await context.setOffline(true);
    await page.getByLabel("Notes").fill("For the next link");
    const { body } = await agent.call("GET", "/handoffs");
    const again = await agent.call("POST", `/handoffs/${body.handoffs[0].id}/reissue`, {});
    await context.setOffline(false);
    await waitForLiveText(page, "This link was withdrawn");
    await openLink(page, again.body.handoff.url);
    await waitForLiveText(page, "We restored what you typed");
    expect(await page.getByLabel("Notes").inputValue()).toBe("For the next link");
    await context.close();
  });

  it("is cancelled with the session: the page shows that it is cancelled", async () => {
    const agent = await createAgent();
    const { page, context } = await openBooking(browser, await agent.createLink());
    await page.getByLabel("Name").waitFor();
    await agent.call("POST", "/cancel", {});
    await page.getByText("The sender cancelled this.").waitFor();
    expect(await page.getByText("Receipt").count()).toBe(0);
    await context.close();
  });
});

describe("a conflict on the same field", () => {
  it.each([
    ["with a script", false],
    ["without a script", true],
  ])("requires a choice; a submit without one changes nothing (%s)", async (_, isWithoutScript) => {
    const agent = await createAgent();
    const { page, context } = await openDevice(browser, { isPhone: true, isWithoutScript });
    await openLink(page, await agent.createLink());
    await withFrozenTime(page, async () => {
      await page.getByLabel("Name").fill("Mine");
      await agent.call("PATCH", "", { fields: { name: "Theirs" } });
      await submit(page);
    });
    await page.getByLabel("Use the other answer: Theirs").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Mine");
    await submit(page);
    await page.getByText("Choose there which answer should stay").waitFor();
    const before = await agent.session();
    expect([before.state, before.fields.name]).toEqual(["in_progress", "Theirs"]);
    await page.getByLabel("Keep my answer").check();
    await submit(page);
    await page.getByText("Submitted. Thank you.").waitFor();
    expect((await agent.session()).fields.name).toBe("Mine");
    await context.close();
  });

  it("survives a reload before the choice", async () => {
    const agent = await createAgent();
    const { page, context } = await openBooking(browser, await agent.createLink());
    await withFrozenTime(page, async () => {
      await page.getByLabel("Name").fill("Mine");
      await agent.call("PATCH", "", { fields: { name: "Theirs" } });
      await submit(page);
    });
    await page.getByLabel("Use the other answer: Theirs").waitFor();
    await page.goto(page.url().replace(/\/act.*$/, ""));
    expect(await page.getByLabel("Name").inputValue()).toBe("Mine");
    await page.getByLabel("Use the other answer: Theirs").waitFor();
    expect((await agent.session()).fields.name).toBe("Theirs");
    await context.close();
  });

  it("a save of one field never writes an older value over another field", async () => {
    const agent = await createAgent();
    const { page, context } = await openBooking(browser, await agent.createLink());
    // The live update of the agent's write does not reach the page before the answer to the save
    // does.
    await page.route("**/live?*", (route) => route.abort());
    await withFrozenTime(page, async () => {
      await page.getByLabel("Notes").fill("One");
      await agent.call("PATCH", "", { fields: { name: "Theirs" } });
    });
    await waitForLiveText(page, /^Saved$/);
    await withFrozenTime(page, async () => {
      await page.getByLabel("Notes").fill("Two");
      await waitForLiveText(page, "Not saved yet");
    });
    await waitForLiveText(page, /^Saved$/);
    await expect.poll(async () => (await agent.session()).fields.notes).toBe("Two");
    expect((await agent.session()).fields).toMatchObject({ name: "Theirs", notes: "Two" });
    await context.close();
  });
});

describe("two tabs", () => {
  it("work at the same time: each sends its own changes, and shows those of the other", async () => {
    const agent = await createAgent();
    const url = await agent.createLink();
    const { page: first, context } = await openBooking(browser, url);
    const second = await context.newPage();
    await second.goto(url);
    await first.getByLabel("Notes").fill("From the first");
    await second.getByLabel("Home town").fill("Oslo");
    await expect
      .poll(async () => (await agent.session()).fields)
      .toMatchObject({ notes: "From the first", "Home town": "Oslo" });
    await expect.poll(() => first.getByLabel("Home town").inputValue()).toBe("Oslo");
    await expect.poll(() => second.getByLabel("Notes").inputValue()).toBe("From the first");
    await submit(second);
    await second.getByText("Submitted. Thank you.").waitFor();
    expect((await agent.session()).fields).toMatchObject({
      notes: "From the first",
      "Home town": "Oslo",
    });
    await context.close();
  });

  it("that are offline keep the drafts of both", async () => {
    const agent = await createAgent();
    const url = await agent.createLink();
    const { page: first, context } = await openBooking(browser, url);
    const second = await context.newPage();
    await second.goto(url);
    await context.setOffline(true);
    await first.getByLabel("Notes").fill("From the first");
    await second.getByLabel("Home town").fill("Oslo");
    await closeDisconnected(first);
    await closeDisconnected(second);
    await context.setOffline(false);
    const later = await context.newPage();
    await later.goto(url);
    await waitForLiveText(later, /We restored|Saved/);
    expect(await later.getByLabel("Notes").inputValue()).toBe("From the first");
    expect(await later.getByLabel("Home town").inputValue()).toBe("Oslo");
    await context.close();
  });

  it("that change the same field ask which answer to keep", async () => {
    const agent = await createAgent();
    const url = await agent.createLink();
    const { page: first, context } = await openBooking(browser, url);
    const second = await context.newPage();
    await second.goto(url);
    await second.getByLabel("Name").focus();
    await first.getByLabel("Name").fill("First");
    await waitForLiveText(first, /^Saved$/);
    await second.getByLabel("Name").fill("Second");
    await submit(second);
    await second.getByLabel("Use the other answer: First").waitFor();
    expect((await agent.session()).fields.name).toBe("First");
    await context.close();
  });
});

describe("one invalid answer", () => {
  // Shows D-23.
  it("prevents no other from being saved, shows why, and is no longer red once it is valid", async () => {
    const agent = await createAgent();
    const { page, context } = await openBooking(browser, await agent.createLink());
    const guests = page.getByLabel("Guests");
    await guests.fill("many");
    await page.getByLabel("Notes").fill("Saved all the same");
    const why = "Please enter a whole number, for example 12.";
    await waitForLiveText(page, `Everything is saved except this: Guests. Guests: ${why}`);
    expect((await agent.session()).fields).toEqual({
      name: "Concert",
      notes: "Saved all the same",
    });
    await page.locator(".control.wrong").getByText(why).waitFor();
    expect(await guests.getAttribute("aria-invalid")).toBe("true");
    expect(await axeIssues(page)).toEqual([]);
    // A reload restores it, and the saved answer causes no question.
    await page.reload();
    expect(await guests.inputValue()).toBe("many");
    await page.locator(".control.wrong").getByText(why).waitFor();
    await guests.fill("12");
    expect(await page.locator(".wrong").count()).toBe(0);
    await waitForLiveText(page, /^Saved$/);
    expect((await agent.session()).fields.guests).toBe(12);
    await context.close();
  });

  it("is red after a submit until it is answered, and then leaves the summary", async () => {
    const agent = await createAgent();
    const { page, context } = await openBooking(browser, await agent.createLink());
    await page.getByLabel("Name").fill("");
    await page.getByLabel("Guests").fill("many");
    await submit(page);
    await page.getByRole("link", { name: "Name: Please answer this." }).waitFor();
    await page.getByLabel("Name").fill("Mine");
    await waitForLiveText(page, /except this: Guests/);
    expect(await page.locator(".control.wrong").count()).toBe(1);
    expect(await page.locator("#problems li").allTextContents()).toEqual([
      "Guests: Please enter a whole number, for example 12.",
    ]);
    await page.getByLabel("Guests").fill("12");
    await waitForLiveText(page, /^Saved$/);
    expect(await page.locator("#problems, .wrong").count()).toBe(0);
    await context.close();
  });
});

describe("a file that is refused", () => {
  it("shows the reason next to its input, and another one can be chosen", async () => {
    const agent = await createAgent();
    const { page, context } = await openBooking(browser, await agent.createLink());
    const choose = (mimeType: string, size: number) =>
      page
        .getByLabel("Scan")
        .setInputFiles({ name: "scan.txt", mimeType, buffer: Buffer.alloc(size, "x") });
    const error = page.locator(".control.wrong > .error");
    for (const [type, size, why] of [
      ["image/png", 5, "it is of another kind. Accepted: PLAIN."],
      ["text/plain", 1_001, "it is larger than 1 KB."],
      ["text/plain", 0, "it is empty."],
    ] as const) {
      await choose(type, size);
      await error.filter({ hasText: `We could not upload this file: ${why}` }).waitFor();
      await waitForLiveText(page, why);
    }
    // A keyboard user still has the focus on the input, and sees the file there.
    await page.getByLabel("Scan").focus();
    await choose("text/plain", 5);
    await page.getByRole("link", { name: "scan.txt" }).waitFor();
    expect(await page.locator(":focus").getAttribute("data-upload")).toBe("scan");
    expect(await error.count()).toBe(0);
    await context.close();
  });
});

describe("a row that is removed", () => {
  it("is saved automatically, and stays removed after a reload offline", async () => {
    const agent = await createAgent();
    await agent.call("PATCH", "", { fields: { tags: ["one", "two"] } });
    const url = await agent.createLink();
    const { page, context } = await openBooking(browser, url);
    await page.getByRole("button", { name: "Remove Tags 1" }).click();
    await waitForLiveText(page, /^Saved$/);
    expect((await agent.session()).fields.tags).toEqual(["two"]);
    await context.close();
  });
});

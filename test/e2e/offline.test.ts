/**
 * Text that a person typed survives without a network: a waiting submit, a reload, a page that is
 * opened later.
 */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createBooking,
  closeDisconnected,
  disconnect,
  openBooking,
  submit,
} from "../support/booking.ts";
import { startBrowser } from "../support/device.ts";
import { axeIssues } from "../support/axe.ts";
import { openLink, waitForLiveText } from "../support/person-page.ts";
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

describe("offline", () => {
  it("a submit waits, shows that it waits, and is sent once there is a network", async () => {
    const agent = await createAgent();
    const { page, context } = await openBooking(browser, await agent.createLink());
    await context.setOffline(true);
    await page.getByLabel("Notes").fill("Typed offline");
    await submit(page);
    await waitForLiveText(page, "will be sent as soon as you are online");
    expect((await agent.session()).state).not.toBe("submitted");
    await context.setOffline(false);
    await page.getByText("Submitted. Thank you.").waitFor();
    expect(await agent.session()).toMatchObject({
      state: "submitted",
      fields: { notes: "Typed offline" },
    });
    await context.close();
  });

  it("a submit with a missing answer is not promised to be sent: the page names the missing answer", async () => {
    const agent = await createAgent();
    const { page, context } = await openBooking(browser, await agent.createLink());
    await context.setOffline(true);
    await page.getByLabel("Name").fill("");
    await page.getByLabel("Notes").fill("Typed offline");
    await submit(page);
    await waitForLiveText(page, "some answers need another look before they can be sent");
    await page.locator(".wrong").getByText("Please answer this.").waitFor();
    expect(await page.locator(":focus").getAttribute("name")).toBe("f/name");
    await context.setOffline(false);
    await expect.poll(async () => (await agent.session()).fields.notes).toBe("Typed offline");
    expect((await agent.session()).state).toBe("in_progress");
    await page.getByLabel("Name").fill("Mine");
    expect(await page.locator(".wrong").count()).toBe(0);
    await submit(page);
    await page.getByText("Submitted. Thank you.").waitFor();
    await context.close();
  });

  // Shows D-22.
  it("a file waits, across a reload too, and is sent with a submit", async () => {
    const agent = await createAgent();
    const { page, context } = await openBooking(browser, await agent.createLink());
    await page.evaluate("navigator.serviceWorker.ready");
    await context.setOffline(true);
    const choose = (name: string) =>
      page
        .getByLabel("Scan")
        .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from("signed") });
    const waits = page.locator(".file").filter({ hasText: "will be uploaded" });
    await choose("scan.txt");
    await waits.waitFor();
    await page.getByRole("button", { name: "Remove scan.txt" }).click();
    await waits.waitFor({ state: "detached" });
    await choose("scan.txt");
    await waits.waitFor();
    await submit(page);
    await waitForLiveText(page, "will be sent as soon as you are online");
    await disconnect(page);
    await page.reload();
    await page.getByRole("heading", { name: "You are offline" }).waitFor();
    const savedText = page.getByLabel("What you typed is kept in this browser.");
    await expect.poll(() => savedText.inputValue()).toBe("scan.txt");
    await context.setOffline(false);
    await page.getByText("Submitted").first().waitFor();
    expect(await agent.session()).toMatchObject({
      state: "submitted",
      fields: { scan: { name: "scan.txt", size: 6 } },
    });
    await context.close();
  });

  it("a waiting submit is sent by the page that is opened later", async () => {
    const agent = await createAgent();
    const url = await agent.createLink();
    const { page, context } = await openBooking(browser, url);
    await context.setOffline(true);
    await page.getByLabel("Notes").fill("Typed offline");
    await submit(page);
    await waitForLiveText(page, "will be sent");
    await closeDisconnected(page);
    await context.setOffline(false);
    const later = await context.newPage();
    await later.goto(url);
    await later.getByText("Submitted. Thank you.").waitFor();
    expect((await agent.session()).fields.notes).toBe("Typed offline");
    await context.close();
  });

  // Shows D-22.
  it("a reload shows the typed text, and the page reconnects by itself and keeps it", async () => {
    const agent = await createAgent();
    await agent.call("PATCH", "", { fields: { "Home town": "Only on the server" } });
    const { page, context } = await openBooking(browser, await agent.createLink());
    await page.evaluate("navigator.serviceWorker.ready");
    await context.setOffline(true);
    await page.getByLabel("Notes").fill("Typed offline");
    await waitForLiveText(page, "What you type is kept in this browser.");
    await page.getByLabel("Password").fill("hunter22");
    await submit(page);
    await waitForLiveText(page, "Passwords and private answers are not kept");
    const question = page.waitForEvent("dialog");
    await disconnect(page);
    await page.reload();
    expect((await question).type()).toBe("beforeunload");
    await page.getByRole("heading", { name: "You are offline" }).waitFor();
    const savedText = page.getByLabel("What you typed is kept in this browser.");
    expect(await savedText.inputValue()).toBe("Notes: Typed offline");
    expect(await axeIssues(page)).toEqual([]);
    const stored = await page.evaluate(`(async () => {
      const stores = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
      const answers = (await Promise.all(stores.map((store) => store.matchAll()))).flat();
      return (await Promise.all(answers.map((answer) => answer.text()))).join();
    })()`);
    expect(stored).toContain("You are offline");
    expect(stored).not.toMatch(/Only on the server|Concert|Booking|hunter22/);
    await context.setOffline(false);
    // Not submitted automatically, because the password is missing now.
    await waitForLiveText(
      page,
      /^Your answer was NOT sent, because passwords and private answers are not kept/,
    );
    expect(await page.getByLabel("Notes").inputValue()).toBe("Typed offline");
    await expect.poll(async () => (await agent.session()).fields.notes).toBe("Typed offline");
    expect((await agent.session()).state).toBe("in_progress");
    await waitForLiveText(page, /^Your answer was NOT sent/);
    await page.getByLabel("Password").fill("hunter22");
    await waitForLiveText(page, /^Saved$/);
    await context.close();
  });

  it("a waiting submit is shown after a reload, and is sent when the network is back", async () => {
    const agent = await createAgent();
    const { page, context } = await openBooking(browser, await agent.createLink());
    await page.evaluate("navigator.serviceWorker.ready");
    await context.setOffline(true);
    await page.getByLabel("Name").fill("Mine");
    await page.getByLabel("Notes").fill("Typed offline");
    await submit(page);
    await waitForLiveText(page, "will be sent");
    await disconnect(page);
    await page.reload();
    await page.getByRole("heading", { name: "You are offline" }).waitFor();
    await waitForLiveText(page, "will be sent as soon as you are online");
    const savedText = page.getByLabel("What you typed is kept in this browser.");
    expect(await savedText.inputValue()).toBe("Name: Mine\n\nNotes: Typed offline");
    await context.setOffline(false);
    // The page may learn from its live updates that it was sent: then it shows this without thanks.
    await page.getByText("Submitted").first().waitFor();
    expect(await agent.session()).toMatchObject({
      state: "submitted",
      fields: { notes: "Typed offline" },
    });
    await context.close();
  });

  it("a reload's files are stored for this link only, renewed by each visit, and deleted when the link ends", async () => {
    const agent = await createAgent();
    const other = await createAgent();
    const url = await agent.createLink();
    const { page, context } = await openBooking(browser, url);
    const stored = () =>
      page.evaluate(`(async () => ({
        scopes: (await navigator.serviceWorker.getRegistrations()).map(({scope}) => scope).sort(),
        stores: await caches.keys(),
        paths: (await (await caches.open("baton-offline")).keys())
          .map(({url}) => new URL(url).pathname.replace(/[0-9a-f]{12}/, "hash")).sort(),
      }))()`) as Promise<{ scopes: string[]; stores: string[]; paths: string[] }>;
    await page.evaluate("navigator.serviceWorker.ready");
    const { scopes, paths } = await stored();
    expect(scopes).toEqual([url]);
    expect(paths).toEqual([
      "/assets/icon.svg",
      "/assets/page.css",
      "/assets/page.hash.js",
      "/h/offline",
    ]);
    await page.evaluate(
      `caches.open("baton-offline").then((store) => store.put("/h/offline", new Response("stale")))`,
    );
    await page.reload();
    const text = `caches.match("/h/offline").then((answer) => answer.text())`;
    await expect.poll(() => page.evaluate(text)).toContain("You are offline");

    const otherUrl = await other.createLink();
    await openLink(page, otherUrl);
    await expect.poll(async () => (await stored()).scopes).toEqual([url, otherUrl].sort());
    await agent.call("POST", "/cancel", {});
    await page.goto(url);
    await expect.poll(async () => (await stored()).scopes).toEqual([otherUrl]);
    await page.goto(otherUrl);
    const { body } = await other.call("GET", "/handoffs");
    await other.call("DELETE", `/handoffs/${body.handoffs[0].id}`);
    await page.reload();
    await page.getByRole("heading", { name: "This link was withdrawn" }).waitFor();
    await expect.poll(async () => (await stored()).scopes).toEqual([]);
    await context.close();
  });

  it("text typed over a value that has changed since then causes a question, not a write", async () => {
    const agent = await createAgent();
    const url = await agent.createLink();
    const { page, context } = await openBooking(browser, url);
    await context.setOffline(true);
    await page.getByLabel("Name").fill("Mine");
    await agent.call("PATCH", "", { fields: { name: "Theirs" } });
    await closeDisconnected(page);
    await context.setOffline(false);
    const later = await context.newPage();
    await later.goto(url);
    expect(await later.getByLabel("Name").inputValue()).toBe("Mine");
    await later.getByLabel("Use the other answer: Theirs").waitFor();
    expect((await agent.session()).fields.name).toBe("Theirs");
    await context.close();
  });
});

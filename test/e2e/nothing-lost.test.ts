/** What a person typed is there: offline, expired, in a conflict, in two tabs. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDevice, startBrowser } from "../support/device.ts";
import { axeIssues, openLink, PageAgent, says } from "../support/person-page.ts";
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
  required: ["name"],
  properties: {
    name: { type: "string", title: "Name" },
    "Home town": { type: "string" },
    size: { enum: ["small", "large"], title: "Size" },
    notes: { type: "string", maxLength: 2_000, title: "Notes" },
    secret: { type: "string", format: "password", title: "Password" },
    tags: { type: "array", title: "Tags", items: { type: "string" } },
  },
};

const begun = (): Promise<PageAgent> =>
  PageAgent.begin(server, { title: "Booking", schema: SCHEMA, fields: { name: "Concert" } });

async function personWith(url: string) {
  const device = await openDevice(browser, { isPhone: true });
  await openLink(device.page, url);
  return device;
}

/** The browser's offline ends with the page that is closed, which would send what waits itself. */
async function closeCutOff(page: Page): Promise<void> {
  await page.evaluate("globalThis.fetch = () => Promise.reject(new TypeError('cut off'))");
  await page.close();
}

const submit = (page: Page): Promise<void> => page.getByRole("button", { name: "Submit" }).click();

describe("offline", () => {
  it("a submit waits, says so, and is sent once there is a network", async () => {
    const agent = await begun();
    const { page, context } = await personWith(await agent.link());
    await context.setOffline(true);
    await page.getByLabel("Notes").fill("Typed offline");
    await submit(page);
    await says(page, "will be sent as soon as you are online");
    expect((await agent.session()).state).not.toBe("submitted");
    await context.setOffline(false);
    await page.getByText("Submitted. Thank you.").waitFor();
    expect(await agent.session()).toMatchObject({
      state: "submitted",
      fields: { notes: "Typed offline" },
    });
    await context.close();
  });

  it("a submit that waits is sent by the page that is opened later", async () => {
    const agent = await begun();
    const url = await agent.link();
    const { page, context } = await personWith(url);
    await context.setOffline(true);
    await page.getByLabel("Notes").fill("Typed offline");
    await submit(page);
    await says(page, "will be sent");
    await closeCutOff(page);
    await context.setOffline(false);
    const later = await context.newPage();
    await later.goto(url);
    await later.getByText("Submitted. Thank you.").waitFor();
    expect((await agent.session()).fields.notes).toBe("Typed offline");
    await context.close();
  });

  // Shows D-22.
  it("a reload shows what was typed, and the page comes back by itself with it", async () => {
    const agent = await begun();
    await agent.does("PATCH", "", { fields: { "Home town": "Only on the server" } });
    const { page, context } = await personWith(await agent.link());
    await page.evaluate("navigator.serviceWorker.ready");
    await context.setOffline(true);
    await page.getByLabel("Notes").fill("Typed offline");
    await says(page, "What you type is kept in this browser.");
    await page.getByLabel("Password").fill("hunter22");
    await submit(page);
    await says(page, "Passwords and private answers are not kept");
    const asked = page.waitForEvent("dialog");
    await page.reload();
    expect((await asked).type()).toBe("beforeunload");
    await page.getByRole("heading", { name: "You are offline" }).waitFor();
    const keptText = page.getByLabel("What you typed is kept in this browser.");
    expect(await keptText.inputValue()).toBe("Notes: Typed offline");
    expect(await axeIssues(page)).toEqual([]);
    const stored = await page.evaluate(`(async () => {
      const stores = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
      const answers = (await Promise.all(stores.map((store) => store.matchAll()))).flat();
      return (await Promise.all(answers.map((answer) => answer.text()))).join();
    })()`);
    expect(stored).toContain("You are offline");
    expect(stored).not.toMatch(/Only on the server|Concert|Booking|hunter22/);
    await context.setOffline(false);
    // Not submitted by itself, because the password is missing now.
    await says(page, "Passwords and private answers were not kept: please type them again.");
    expect(await page.getByLabel("Notes").inputValue()).toBe("Typed offline");
    await expect.poll(async () => (await agent.session()).fields.notes).toBe("Typed offline");
    expect((await agent.session()).state).toBe("in_progress");
    await says(page, /^Saved Passwords and private answers were not kept/);
    await page.getByLabel("Password").fill("hunter22");
    await says(page, /^Saved$/);
    await context.close();
  });

  it("a submit that waits is shown by a reload, and is sent when the network is back", async () => {
    const agent = await begun();
    const { page, context } = await personWith(await agent.link());
    await page.evaluate("navigator.serviceWorker.ready");
    await context.setOffline(true);
    await page.getByLabel("Notes").fill("Typed offline");
    await submit(page);
    await says(page, "will be sent");
    await page.reload();
    await page.getByRole("heading", { name: "You are offline" }).waitFor();
    await says(page, "will be sent as soon as you are online");
    await context.setOffline(false);
    await page.getByText("Submitted. Thank you.").waitFor();
    expect((await agent.session()).fields.notes).toBe("Typed offline");
    await context.close();
  });

  it("what a reload needs is stored for this link only, anew by each visit, and until the link ends", async () => {
    const agent = await begun();
    const other = await begun();
    const url = await agent.link();
    const { page, context } = await personWith(url);
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

    const otherUrl = await other.link();
    await openLink(page, otherUrl);
    await expect.poll(async () => (await stored()).scopes).toEqual([url, otherUrl].sort());
    await agent.does("POST", "/cancel", {});
    await page.goto(url);
    await expect.poll(async () => (await stored()).scopes).toEqual([otherUrl]);
    await page.goto(otherUrl);
    const { body } = await other.does("GET", "/handoffs");
    await other.does("DELETE", `/handoffs/${body.handoffs[0].id}`);
    await page.reload();
    await page.getByRole("heading", { name: "This link was withdrawn" }).waitFor();
    await expect.poll(async () => (await stored()).scopes).toEqual([]);
    await context.close();
  });

  it("what was typed over a value that has changed meanwhile is asked about, not written", async () => {
    const agent = await begun();
    const url = await agent.link();
    const { page, context } = await personWith(url);
    await context.setOffline(true);
    await page.getByLabel("Name").fill("Mine");
    await agent.does("PATCH", "", { fields: { name: "Theirs" } });
    await closeCutOff(page);
    await context.setOffline(false);
    const later = await context.newPage();
    await later.goto(url);
    expect(await later.getByLabel("Name").inputValue()).toBe("Mine");
    await later.getByLabel("Use the other answer: Theirs").waitFor();
    expect((await agent.session()).fields.name).toBe("Theirs");
    await context.close();
  });
});

describe("a link that ends while the person types", () => {
  it("expires: says so plainly, keeps the text, and shows it on the page that explains it", async () => {
    const agent = await begun();
    const ttlMs = 12_000;
    const made = Date.now();
    const url = await agent.link({ ttlMs });
    const { page, context } = await personWith(url);
    await context.setOffline(true);
    await page.getByLabel("Notes").fill("A long story");
    await page.getByRole("group", { name: "Size" }).getByLabel("large").check();
    await page.waitForTimeout(Math.max(0, made + ttlMs + 500 - Date.now()));
    await context.setOffline(false);
    await says(page, "This link has expired");
    await submit(page);
    await says(page, "This link has expired");
    expect(await page.getByLabel("Notes").inputValue()).toBe("A long story");
    await page.goto(url);
    await page.getByRole("heading", { name: "This link has expired" }).waitFor();
    const keptText = page.getByLabel("What you typed is kept in this browser.");
    await keptText.waitFor();
    expect(await keptText.inputValue()).toBe("Size: large\n\nNotes: A long story");
    await page.getByRole("button", { name: "Discard it" }).click();
    await keptText.waitFor({ state: "hidden" });
    await context.close();
  });

  it("is issued anew: the new link shows what was typed", async () => {
    const agent = await begun();
    const url = await agent.link();
    const { page, context } = await personWith(url);
    await context.setOffline(true);
    await page.getByLabel("Notes").fill("For the next link");
    const { body } = await agent.does("GET", "/handoffs");
    const again = await agent.does("POST", `/handoffs/${body.handoffs[0].id}/reissue`, {});
    await context.setOffline(false);
    await says(page, "This link was withdrawn");
    await openLink(page, again.body.handoff.url);
    await says(page, "We restored what you typed");
    expect(await page.getByLabel("Notes").inputValue()).toBe("For the next link");
    await context.close();
  });

  it("is cancelled with the session: the page says that it is cancelled", async () => {
    const agent = await begun();
    const { page, context } = await personWith(await agent.link());
    await page.getByLabel("Name").waitFor();
    await agent.does("POST", "/cancel", {});
    await page.getByText("The sender cancelled this.").waitFor();
    expect(await page.getByText("Receipt").count()).toBe(0);
    await context.close();
  });
});

describe("a conflict on the same field", () => {
  it.each([
    ["with a script", false],
    ["without a script", true],
  ])("demands a choice; a submit without one changes nothing (%s)", async (_, isWithoutScript) => {
    const agent = await begun();
    const { page, context } = await openDevice(browser, { isPhone: true, isWithoutScript });
    await openLink(page, await agent.link());
    await page.getByLabel("Name").fill("Mine");
    await agent.does("PATCH", "", { fields: { name: "Theirs" } });
    await submit(page);
    await page.getByLabel("Use the other answer: Theirs").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Mine");
    await submit(page);
    await page.getByText("Choose which one should stay").waitFor();
    const before = await agent.session();
    expect([before.state, before.fields.name]).toEqual(["in_progress", "Theirs"]);
    await page.getByLabel("Keep my answer").check();
    await submit(page);
    await page.getByText("Submitted. Thank you.").waitFor();
    expect((await agent.session()).fields.name).toBe("Mine");
    await context.close();
  });

  it("survives a reload before the choice", async () => {
    const agent = await begun();
    const { page, context } = await personWith(await agent.link());
    await page.getByLabel("Name").fill("Mine");
    await agent.does("PATCH", "", { fields: { name: "Theirs" } });
    await submit(page);
    await page.getByLabel("Use the other answer: Theirs").waitFor();
    await page.goto(page.url().replace(/\/act.*$/, ""));
    expect(await page.getByLabel("Name").inputValue()).toBe("Mine");
    await page.getByLabel("Use the other answer: Theirs").waitFor();
    expect((await agent.session()).fields.name).toBe("Theirs");
    await context.close();
  });

  it("a save of one field never writes an older value over another field", async () => {
    const agent = await begun();
    const { page, context } = await personWith(await agent.link());
    // The news of the agent's write does not reach the page before the save's own answer does.
    await page.route("**/live?*", (route) => route.abort());
    await page.getByLabel("Notes").fill("One");
    await agent.does("PATCH", "", { fields: { name: "Theirs" } });
    await says(page, /^Saved$/);
    await page.getByLabel("Notes").fill("Two");
    await says(page, "Not saved yet");
    await says(page, /^Saved$/);
    expect((await agent.session()).fields).toMatchObject({ name: "Theirs", notes: "Two" });
    await context.close();
  });
});

describe("two tabs", () => {
  it("work side by side: each sends what it changed, and shows what the other sent", async () => {
    const agent = await begun();
    const url = await agent.link();
    const { page: first, context } = await personWith(url);
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
    const agent = await begun();
    const url = await agent.link();
    const { page: first, context } = await personWith(url);
    const second = await context.newPage();
    await second.goto(url);
    await context.setOffline(true);
    await first.getByLabel("Notes").fill("From the first");
    await second.getByLabel("Home town").fill("Oslo");
    await closeCutOff(first);
    await closeCutOff(second);
    await context.setOffline(false);
    const later = await context.newPage();
    await later.goto(url);
    await says(later, /We restored|Saved/);
    expect(await later.getByLabel("Notes").inputValue()).toBe("From the first");
    expect(await later.getByLabel("Home town").inputValue()).toBe("Oslo");
    await context.close();
  });

  it("that change the same field ask which answer stays", async () => {
    const agent = await begun();
    const url = await agent.link();
    const { page: first, context } = await personWith(url);
    const second = await context.newPage();
    await second.goto(url);
    await second.getByLabel("Name").focus();
    await first.getByLabel("Name").fill("First");
    await says(first, /^Saved$/);
    await second.getByLabel("Name").fill("Second");
    await submit(second);
    await second.getByLabel("Use the other answer: First").waitFor();
    expect((await agent.session()).fields.name).toBe("First");
    await context.close();
  });
});

describe("a row that is removed", () => {
  it("is saved by itself, and is still removed after a reload offline", async () => {
    const agent = await begun();
    await agent.does("PATCH", "", { fields: { tags: ["one", "two"] } });
    const url = await agent.link();
    const { page, context } = await personWith(url);
    await page.getByRole("button", { name: "Remove Tags 1" }).click();
    await says(page, /^Saved$/);
    expect((await agent.session()).fields.tags).toEqual(["two"]);
    await context.close();
  });
});

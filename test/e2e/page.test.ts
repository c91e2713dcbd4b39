/** Everything that a person can do on the page, with one browser and one server. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousIssues } from "../support/axe.ts";
import { openDevice, startBrowser, type Device, type DeviceOptions } from "../support/device.ts";
import { withFrozenTime } from "../support/person-page.ts";
import { someOf } from "../support/scale.ts";
import { sharedServer } from "../support/server.ts";

/** The folder for screenshots, if they are wanted. */
const SHOTS = process.env["BATON_SHOTS"];

const SCHEMA = {
  type: "object",
  required: ["name", "guests", "date", "contract"],
  properties: {
    name: { type: "string", title: "Name of the event", description: "As it stands on the poster" },
    guests: { type: "integer", minimum: 1, title: "Guests" },
    date: { type: "string", format: "date", title: "Date" },
    begins: { type: "string", format: "date-time", title: "Begins" },
    mail: { type: "string", format: "email", title: "Mail of the host" },
    site: { type: "string", format: "uri", title: "Web site" },
    open: { type: "boolean", title: "Open to the public" },
    size: { enum: ["small", "large"], title: "Size" },
    price: { type: "number", title: "Price" },
    notes: { type: "string", maxLength: 2_000, title: "Notes" },
    place: {
      type: "object",
      title: "Place",
      properties: {
        street: { type: "string", title: "Street" },
        city: { type: "string", title: "City" },
      },
    },
    tags: { type: "array", title: "Tags", items: { type: "string" } },
    contract: {
      type: "object",
      format: "file",
      title: "Signed contract",
      accept: ["text/plain"],
      maxBytes: 1_000_000,
    },
  },
};

const server = sharedServer();
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
});

/** The agent of a session, always with its newest token. */
class Agent {
  readonly id: string;
  readonly first: string;
  token: string;

  constructor(id: string, token: string) {
    this.id = id;
    this.first = token;
    this.token = token;
  }

  static async create(body: unknown): Promise<Agent> {
    const { id, token } = await server.client.create(body);
    return new Agent(id, token);
  }

  async call(method: string, path: string, body?: unknown, ifMatch?: number) {
    const answer = await server.client.on(this, method, path, {
      token: this.token,
      ...(body === undefined ? {} : { body }),
      ...(ifMatch === undefined ? {} : { ifMatch }),
    });
    expect(answer.status, answer.text).toBeLessThan(300);
    this.token = answer.body?.resumeToken ?? this.token;
    return answer;
  }

  async createLink(handoff: Record<string, unknown> = {}): Promise<string> {
    const { body } = await this.call("POST", "/handoffs", {
      to: "human",
      scopes: ["fill"],
      note: "Please complete the booking and add the contract.",
      ...handoff,
    });
    return body.handoff.url as string;
  }

  async session() {
    return (await this.call("GET", "")).body.session;
  }

  async types(): Promise<string[]> {
    const { body } = await this.call("GET", "/events?after=0&limit=1000");
    return body.events.map((event: { type: string }) => event.type);
  }
}

const createAgent = (create: Record<string, unknown> = {}): Promise<Agent> =>
  Agent.create({
    title: "Summer concert",
    actor: { id: "booker", name: "Booker" },
    schema: SCHEMA,
    fields: { name: "Summer concert", guests: 80 },
    confidence: { guests: 0.4 },
    ...create,
  });

async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
}

async function openLink(device: Device, url: string, name = "Ada"): Promise<Page> {
  const { page } = device;
  await page.goto(url);
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
}

const file = (text: string) => ({
  name: "contract.txt",
  mimeType: "text/plain",
  buffer: Buffer.from(text),
});

/** Resolves once the page shows the text: no time is measured. */
const waitForLiveText = (page: Page, text: string | RegExp): Promise<void> =>
  page.locator("#live").filter({ hasText: text }).waitFor();

/** All event types that an agent receives on a stream which it opened with a token. */
async function listen(agent: Agent, token: string, until: string): Promise<string[]> {
  const response = await fetch(`${server.url}/sessions/${agent.id}/events?after=0`, {
    headers: { Accept: "text/event-stream", Authorization: `Bearer ${token}` },
  });
  const types: string[] = [];
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    rest += decoder.decode(chunk as Uint8Array, { stream: true });
    const messages = rest.split("\n\n");
    rest = messages.pop() ?? "";
    for (const message of messages) {
      const type = /^event: (.*)$/m.exec(message)?.[1];
      if (type !== undefined) types.push(type);
      if (type === until) return types;
    }
  }
  return types;
}

describe("a person on the page", () => {
  const APPEARANCES: readonly [string, DeviceOptions][] = [
    ["phone-light", { isPhone: true }],
    ["desk-dark", { isDark: true }],
    ["phone-dark", { isPhone: true, isDark: true }],
    ["desk-light", {}],
  ];

  it.each(someOf(APPEARANCES, 0, 1))(
    "fills, uploads and submits; the agent sees each event and finalizes (%s)",
    async (appearance, options) => {
      const agent = await createAgent();
      const received = listen(agent, agent.token, "session.submitted");
      const url = await agent.createLink();
      const device = await openDevice(browser, options);
      await device.page.goto(url);
      await shoot(device.page, `${appearance}-landing`);
      expect(await seriousIssues(device.page)).toEqual([]);
      const page = await openLink(device, url);
      expect(
        await page.locator("blockquote").getByText("Please complete the booking").isVisible(),
      ).toBe(true);
      expect(await page.getByText("Only 40 % sure").isVisible()).toBe(true);
      await shoot(page, `${appearance}-form`);
      expect(await seriousIssues(page)).toEqual([]);
      await page.getByLabel("Date").fill("2027-06-20");
      await page.getByLabel("City").fill("Oslo");
      await page.getByLabel("Tags 1").fill("music");
      await page.getByRole("group", { name: "Open to the public" }).getByLabel("Yes").check();
      await page.getByLabel("Signed contract").setInputFiles(file("signed"));
      await waitForLiveText(page, "The file was uploaded.");
      await page.getByRole("link", { name: "contract.txt" }).waitFor();
      await page.getByRole("button", { name: "Submit" }).click();
      await waitForLiveText(page, "Submitted.");
      await shoot(page, `${appearance}-submitted`);
      expect(await seriousIssues(page)).toEqual([]);
      const types = await received;
      for (const type of [
        "handoff.link_issued",
        "handoff.opened",
        "upload.confirmed",
        "fields.updated",
      ]) {
        expect(types).toContain(type);
      }
      await agent.call("POST", "/resume", {});
      const session = await agent.session();
      expect(session.fields).toMatchObject({
        name: "Summer concert",
        guests: 80,
        date: "2027-06-20",
        place: { city: "Oslo" },
        tags: ["music"],
        open: true,
        contract: { name: "contract.txt", size: 6 },
      });
      expect(session.fieldMeta.guests.actor.kind).toBe("agent");
      expect(session.fieldMeta.date.actor).toMatchObject({ kind: "human", name: "Ada" });
      await agent.call("POST", "/finalize", {});
      await page.getByRole("heading", { name: "Receipt" }).waitFor();
      await shoot(page, `${appearance}-receipt`);
      expect(await seriousIssues(page)).toEqual([]);
      expect(device.requestedUrls.filter((address) => !address.startsWith(server.url))).toEqual([]);
      expect(device.troubles).toEqual([]);
      await device.context.close();
    },
  );

  it("requests changes and approves the fixed version", async () => {
    const agent = await createAgent({ review: { required: true }, schema: null });
    const url = await agent.createLink({ scopes: ["review"] });
    await agent.call("POST", "/submit", {});
    const device = await openDevice(browser, { isPhone: true });
    const page = await openLink(device, url, "Rita");
    await page.getByText("Ask for changes").first().click();
    await page.getByLabel("Comment on “Guests”").fill("Too many");
    await shoot(page, "phone-review");
    expect(await seriousIssues(page)).toEqual([]);
    await page.getByRole("button", { name: "Ask for changes" }).click();
    await waitForLiveText(page, "Sent back");
    await agent.call("POST", "/resume", {});
    expect((await agent.session()).review.requestedChanges.fields).toEqual({ guests: "Too many" });
    await agent.call("PATCH", "", { fields: { guests: 40 } });
    await agent.call("POST", "/submit", {});
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForLiveText(page, "Approved.");
    await agent.call("POST", "/resume", {});
    expect((await agent.session()).state).toBe("approved");
    await agent.call("POST", "/finalize", {});
    await device.context.close();
  });

  it("sees a conflict with the agent, picks and saves, and no value is lost", async () => {
    const agent = await createAgent();
    const device = await openDevice(browser);
    const page = await openLink(device, await agent.createLink());
    await withFrozenTime(page, async () => {
      await page.getByLabel("Name of the event").fill("Winter concert");
      await agent.call(
        "PATCH",
        "",
        { fields: { name: "Autumn concert", price: 12 } },
        (await agent.session()).version,
      );
      await page.getByRole("button", { name: "Save", exact: true }).click();
    });
    await page.getByLabel("Use the other answer: Autumn concert").waitFor();
    expect(await page.getByLabel("Name of the event").inputValue()).toBe("Winter concert");
    expect(await page.getByLabel("Price").inputValue()).toBe("12");
    await shoot(page, "desk-conflict");
    expect(await seriousIssues(page)).toEqual([]);
    await page.getByLabel("Keep my answer").check();
    await page.getByRole("button", { name: "Save", exact: true }).dblclick();
    await waitForLiveText(page, /Saved|Nothing/);
    const session = await agent.session();
    expect(session.fields).toMatchObject({ name: "Winter concert", price: 12 });
    const updates = (await agent.types()).filter((type) => type === "fields.updated");
    // One version at creation, one by the agent, one by the person: a double tap is one write.
    expect(updates).toHaveLength(3);
    await device.context.close();
  });

  it("sees the agent's changes without reloading, and its own are saved automatically", async () => {
    const agent = await createAgent();
    const device = await openDevice(browser);
    const page = await openLink(device, await agent.createLink());
    await agent.call(
      "PATCH",
      "",
      { fields: { price: 30 }, title: "Renamed" },
      (await agent.session()).version,
    );
    await page.getByRole("heading", { name: "Renamed" }).waitFor();
    await page.locator('[name="f/price"]').and(page.locator('[value="30"]')).waitFor();
    await page.getByLabel("Notes").fill("Bring chairs");
    await waitForLiveText(page, /^Saved$/);
    expect((await agent.session()).fields.notes).toBe("Bring chairs");
    expect(device.troubles).toEqual([]);
    await device.context.close();
  });

  it("loses the network for a while and then finds all typed text", async () => {
    const agent = await createAgent();
    const device = await openDevice(browser);
    const page = await openLink(device, await agent.createLink());
    await device.context.setOffline(true);
    await page.getByLabel("Notes").fill("Typed while offline");
    await waitForLiveText(page, "You are offline");
    await agent.call("PATCH", "", { fields: { price: 44 } }, (await agent.session()).version);
    await device.context.setOffline(false);
    await page.locator('[name="f/price"]').and(page.locator('[value="44"]')).waitFor();
    expect(await page.getByLabel("Notes").inputValue()).toBe("Typed while offline");
    await waitForLiveText(page, /^Saved$/);
    expect((await agent.session()).fields.notes).toBe("Typed while offline");
    await device.context.close();
  });

  it("is notified when the link is opened on another device", async () => {
    const agent = await createAgent();
    const url = await agent.createLink();
    const first = await openDevice(browser);
    const second = await openDevice(browser, { isPhone: true });
    const page = await openLink(first, url);
    await openLink(second, url);
    await waitForLiveText(page, "You opened this on another device");
    await first.context.close();
    await second.context.close();
  });

  it("hands the work to an agent, with a token shown once", async () => {
    const agent = await createAgent();
    const device = await openDevice(browser);
    const page = await openLink(device, await agent.createLink({ scopes: ["fill", "handoff"] }));
    await page.getByText("Other options").click();
    await page.getByRole("button", { name: "Let a software agent continue" }).click();
    const token = await page.getByLabel("Token").inputValue();
    expect(token).toMatch(/^rtok_/);
    expect(await page.getByLabel("Text for the agent").inputValue()).toContain(agent.id);
    expect(await page.getByRole("button", { name: "Copy" }).first().isVisible()).toBe(true);
    expect(await seriousIssues(page)).toEqual([]);
    const next = new Agent(agent.id, token);
    await next.call("POST", "/resume", {});
    await page.getByRole("link", { name: "Back" }).click();
    expect(await page.content()).not.toContain("rtok_");
    await device.context.close();
  });
});

describe("a link", () => {
  // Shows D-4.
  it("that a browser with scripts opens and does not click stays unopened", async () => {
    const agent = await createAgent();
    const url = await agent.createLink();
    const before = await agent.types();
    const device = await openDevice(browser);
    for (let n = 0; n < 10; n++) {
      await device.page.goto(url);
      await device.page.waitForLoadState("networkidle");
    }
    expect(await agent.types()).toEqual(before);
    expect((await agent.session()).participants[1].connected).toBe(false);
    await device.context.close();
  });

  it("explains itself when it is wrong, revoked or expired, and has no accessibility issue", async () => {
    const agent = await createAgent();
    const url = await agent.createLink();
    const { body } = await agent.call("GET", "/handoffs");
    await agent.call("DELETE", `/handoffs/${body.handoffs[0].id}`);
    const device = await openDevice(browser, { isPhone: true });
    for (const [address, message] of [
      [url, "withdrawn"],
      [`${server.url}/h/0000-0000-00001`, "not know this link"],
    ] as const) {
      await device.page.goto(address);
      expect(await device.page.getByRole("heading", { level: 1 }).textContent()).toContain(message);
      expect(await seriousIssues(device.page)).toEqual([]);
    }
    await shoot(device.page, "phone-unknown");
    await device.context.close();
  });
});

describe("without JavaScript", () => {
  // Shows D-13.
  it("the whole flow works, with a file", async () => {
    const agent = await createAgent();
    const device = await openDevice(browser, { isWithoutScript: true, isPhone: true });
    const page = await openLink(device, await agent.createLink());
    await page.getByLabel("Date").fill("2027-06-20");
    await page.getByRole("button", { name: "Submit" }).click();
    await page.getByText("Some answers need another look").waitFor();
    await shoot(page, "phone-noscript-errors");
    await page.getByLabel("Signed contract").setInputFiles(file("signed"));
    await page.getByRole("button", { name: "Submit" }).click();
    await waitForLiveText(page, "Submitted.");
    const session = await agent.session();
    expect(session).toMatchObject({ state: "submitted", fields: { contract: { size: 6 } } });
    await device.context.close();
  });
});

describe("content of a session", () => {
  it.each([
    ["under the policy", false],
    ["with the policy switched off", true],
    // Shows D-13.
  ])("never runs as a script %s", async (_, ignoresPolicy) => {
    const canary = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`;
    const agent = await Agent.create({
      title: canary,
      actor: { id: canary, name: canary },
      schema: {
        type: "object",
        properties: {
          [canary]: { type: "string", title: canary, description: canary },
          pick: { enum: [canary], title: canary },
          link: { type: "string", format: "uri" },
          scan: { type: "object", format: "file" },
        },
      },
      fields: { [canary]: canary, pick: canary, link: "javascript:alert(1)" },
      review: { required: true },
    });
    await agent.call("POST", "/uploads", {
      field: "scan",
      name: canary.replaceAll("/", ""),
      type: "text/html",
      size: 6,
    });
    await fetch(`${server.url}/sessions/${agent.id}/uploads/upl_1`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${agent.token}`, "Content-Type": "text/html" },
      body: "<b>x</",
    });
    await agent.call("POST", "/uploads/upl_1/confirm", {});
    const url = await agent.createLink({ note: canary });
    const review = await agent.createLink({ scopes: ["review"] });
    await agent.call("POST", "/events", {
      events: [{ type: "agent.said", payload: { note: canary } }],
    });
    const device = await openDevice(browser, { ignoresPolicy });
    const page = await openLink(device, url, canary);
    await page.getByText("Other options").click();
    await page.getByLabel("Message (optional)").fill(canary);
    await page.getByRole("button", { name: "Send a message" }).click();
    await waitForLiveText(page, "Your message was sent");
    await agent.call("POST", "/submit", {}, (await agent.session()).version);
    const reviewer = await openDevice(browser, { ignoresPolicy });
    const reviewPage = await openLink(reviewer, review, canary);
    await reviewPage.getByText("Ask for changes").first().click();
    await reviewPage.getByLabel("Comment (optional)").fill(canary);
    await reviewPage.locator('[name^="comment/"]').first().fill(canary);
    await reviewPage.getByRole("button", { name: "Ask for changes" }).click();
    await waitForLiveText(reviewPage, "Sent back");
    // The page may be reloading at this moment, because the session has changed.
    const opened = () =>
      page.goto(url).then(
        () => true,
        () => false,
      );
    await expect.poll(opened).toBe(true);
    expect(await page.locator("main script, main img").count()).toBe(0);
    expect([...device.troubles, ...reviewer.troubles]).toEqual([]);
    expect(device.requestedUrls.filter((address) => !address.startsWith(server.url))).toEqual([]);
    await device.context.close();
    await reviewer.context.close();
  });
});

describe("the front page", () => {
  it("creates a session, shows its log, link and QR code, and both tabs update", async () => {
    const device = await openDevice(browser, { isPhone: true });
    const { page } = device;
    await page.goto(server.url);
    expect(await seriousIssues(page)).toEqual([]);
    await page.getByRole("button", { name: "Create a session" }).click();
    const link = page.locator("#link");
    await link.filter({ hasText: "/h/" }).waitFor();
    await page.locator("#log").filter({ hasText: "handoff.link_issued" }).waitFor();
    const width = () =>
      page
        .locator("#qr")
        .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
    await expect.poll(width).toBeGreaterThan(0);
    await shoot(page, "phone-front");
    expect(await seriousIssues(page)).toEqual([]);
    const other = await openDevice(browser);
    const visitor = await openLink(
      other,
      new URL((await link.getAttribute("href")) ?? "", server.url).href,
    );
    await page.locator("#log").filter({ hasText: "handoff.opened" }).waitFor();
    await page.getByRole("button", { name: "Let the agent" }).click();
    await visitor
      .locator('[name="f/destination"]')
      .and(visitor.locator('[value="Lisbon"]'))
      .waitFor();
    await visitor.getByLabel("Travellers").fill("2");
    await page
      .locator("#log")
      .filter({ hasText: /fields.updated {2}\(Ada\)/ })
      .waitFor();
    expect([...device.troubles, ...other.troubles]).toEqual([]);
    await device.context.close();
    await other.context.close();
  });
});

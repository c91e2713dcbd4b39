/**
 * A value that was neither requested nor shown is in no byte that the page receives: not in the
 * page, in its resources and answers, in its live stream or in its history.
 */
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

const CANARY = "canary-7f3a";
const secret = (label: string): string => `${CANARY} ${label}`;

const SCHEMA = {
  type: "object",
  required: ["answer", "hidden"],
  properties: {
    answer: { type: "string", title: "Your choice" },
    shown: { type: "string", title: "The offer" },
    hidden: { type: "string", title: secret("title"), default: secret("default") },
    deep: { type: "object", properties: { inner: { const: secret("constant") } } },
    scan: { type: "object", format: "file", title: secret("file") },
  },
};

it("a hidden value is in nothing that a browser receives, and not in the raw live stream", async () => {
  const agent = await PageAgent.create(server, {
    title: "An offer",
    schema: SCHEMA,
    fields: { shown: "12 EUR", hidden: secret("value"), extra: secret("extra") },
    review: { required: true },
  });
  const url = await agent.createLink({ ask: ["answer"], show: ["shown"] });
  const { page, context } = await openDevice(browser);
  const bodies: Promise<string>[] = [];
  page.on("response", (response) => {
    // The stream never ends; it is read below.
    if (!response.url().includes("/live")) bodies.push(response.text().catch(() => ""));
  });
  await openLink(page, url);
  const cookies = (await context.cookies(url)).map(({ name, value }) => `${name}=${value}`);
  const stop = new AbortController();
  const stream = await fetch(`${url}/live?after=0`, {
    headers: { Cookie: cookies.join("; ") },
    signal: stop.signal,
  });
  expect(stream.headers.get("Content-Type")).toContain("text/event-stream");
  let live = "";
  const listening = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream.body ?? []) live += decoder.decode(chunk as Uint8Array);
  })().catch(() => null);
  await agent.call("PATCH", "", { fields: { hidden: secret("new"), shown: "13 EUR" } });
  await agent.call("POST", "/events", {
    events: [{ type: "agent.said", payload: { note: secret("event") } }],
  });
  await page.getByText("13 EUR").waitFor();
  await page.getByText("What happened so far").click();
  await page.getByLabel("Your choice").fill("Yes");
  await waitForLiveText(page, /^Saved$/);
  await page.getByRole("button", { name: "Submit" }).click();
  await page.getByText("Thank you").first().waitFor();
  await expect.poll(() => live).toContain("event: news");
  stop.abort();
  await listening;
  const received = [...(await Promise.all(bodies)), live, await page.content()];
  expect(received.filter((text) => text !== "").length).toBeGreaterThan(5);
  expect(received.filter((text) => text.includes("13 EUR"))).not.toEqual([]);
  expect(received.filter((text) => text.includes(CANARY))).toEqual([]);
  await context.close();
});

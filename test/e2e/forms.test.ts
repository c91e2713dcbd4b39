/** Twelve forms of real life, answered at the first submit by a script that does what the labels say. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDevice, startBrowser, type DeviceOptions } from "../support/device.ts";
import { FORMS, type Step } from "../support/real-forms.ts";
import { sharedServer } from "../support/server.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Where pictures go, for whoever wants to look at them. */
const SHOTS = process.env["BATON_SHOTS"];
const server = sharedServer();
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
});

async function linkFor(form: (typeof FORMS)[number]) {
  const session = await server.client.begin({ title: form.name, schema: form.schema });
  const made = await server.client.on(session, "POST", "/handoffs", {
    token: session.token,
    body: { to: "human", scopes: ["fill"], question: `Please fill in: ${form.name}` },
  });
  expect(made.status, made.text).toBe(201);
  return { session, token: made.body.resumeToken as string, url: made.body.handoff.url as string };
}

/** What a person does who reads the labels from top to bottom. */
async function follow(page: Page, [label, how, what = ""]: Step): Promise<void> {
  const group = (): Locator => page.getByRole("group", { name: label }).last();
  switch (how) {
    case "type":
      return page.getByLabel(label).first().fill(what);
    case "choose":
      return group().getByLabel(what, { exact: true }).first().check();
    case "pick":
      return void (await page.getByLabel(label).first().selectOption({ label: what }));
    case "tick":
      return page.getByLabel(label).first().check();
    case "add":
      return page.getByRole("button", { name: `Add: ${label}` }).click();
    case "attach":
      return page
        .getByLabel(label)
        .first()
        .setInputFiles(
          what
            .split(",")
            .map((name) => ({ name, mimeType: "image/png", buffer: Buffer.from(name) })),
        );
  }
}

const LOOKS: readonly (readonly [string, DeviceOptions])[] = [
  ["phone, light", { isPhone: true }],
  ["desk, dark, without a script", { isDark: true, isWithoutScript: true }],
];

async function issues(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate("axe.run()")) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

describe.each(FORMS.map((form) => [form.name, form] as const))("%s", (_, form) => {
  it.each(LOOKS)("is answered at the first submit (%s)", async (look, options) => {
    const { session, token, url } = await linkFor(form);
    const { page, context, troubles } = await openDevice(browser, options);
    await page.goto(url);
    await page.getByRole("button", { name: "Open" }).click();
    for (const step of form.steps) {
      await follow(page, step);
      const isSent = step[1] === "attach" && options.isWithoutScript !== true;
      if (isSent)
        await page.getByRole("link", { name: step[2]?.split(",").at(-1) ?? "" }).waitFor();
    }
    if (SHOTS !== undefined) {
      await page.screenshot({ path: `${SHOTS}/${form.name}-${look}.png`, fullPage: true });
    }
    if (options.isWithoutScript !== true) expect(await issues(page)).toEqual([]);
    await page.getByRole("button", { name: "Submit" }).click();
    await page.getByText("Submitted. Thank you.").waitFor();
    const { fields, state } = (await server.client.on(session, "GET", "", { token })).body.session;
    expect([state, fields]).toMatchObject(["submitted", form.expects]);
    expect(Object.keys(fields).sort()).toEqual(Object.keys(form.expects).sort());
    expect(troubles).toEqual([]);
    await context.close();
  });
});

it("no form is wider than 320 pixels, in any language", async () => {
  const { context, page } = await openDevice(browser, { isPhone: true });
  await page.setViewportSize({ width: 320, height: 640 });
  const [first] = FORMS;
  if (first === undefined) throw new Error("there are forms");
  const { url } = await linkFor(first);
  for (const language of ["en", "es", "de", "ar"]) {
    await page.goto(`${url}?lang=${language}`);
    expect(await issues(page)).toEqual([]);
    await page.locator("button.primary, button[value=submit]").first().click();
    await page.goto(`${url}?lang=${language}`);
    const width = await page.evaluate("document.documentElement.scrollWidth");
    expect([language, Number(width) <= 320]).toEqual([language, true]);
    expect(await issues(page)).toEqual([]);
  }
  await context.close();
});

it("a page with ten inputs costs at most 60 KB, script and style included", async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [`field${index}`, { type: "string" }]),
  );
  const { url } = await linkFor({
    name: "Ten",
    schema: { type: "object", properties },
    steps: [],
    expects: {},
  });
  const { context, page } = await openDevice(browser, { isPhone: true });
  await page.goto(url);
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByLabel("Field0").waitFor();
  await page.waitForLoadState("load");
  const assets = await Promise.all(
    ["link[rel=stylesheet]", "script"].map((part) =>
      page
        .locator(part)
        .first()
        .evaluate(
          (one) =>
            (one as unknown as { href?: string; src?: string }).href ??
            (one as unknown as { src: string }).src,
        ),
    ),
  );
  const sizes = await Promise.all(
    assets.map(async (url_) => (await (await fetch(url_)).arrayBuffer()).byteLength),
  );
  const html = Buffer.byteLength(await page.content());
  expect(html + sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(60 * 1024);
  await context.close();
});

/** The scenes of the screenshots: each leads a person to one state of the page. */
import type { Page } from "playwright-core";
import { openLink, PageAgent, waitForLiveText } from "../../test/support/person-page.ts";
import type { SharedServer } from "../../test/support/server.ts";
import { ARABIC, CLAIM, KNOWN, STEPPED } from "./claim.ts";

export interface Appearance {
  readonly isPhone: boolean;
  readonly isDark: boolean;
  readonly language?: string;
}

export interface Scene {
  readonly name: string;
  readonly appearances: readonly Appearance[];
  /** Captures only the visible part, not the whole page. */
  readonly isScreen?: true;
  readonly lead: (server: SharedServer, page: Page) => Promise<void>;
}

const PHONE_LIGHT = { isPhone: true, isDark: false };
const PHONE_DARK = { isPhone: true, isDark: true };
const DESK_LIGHT = { isPhone: false, isDark: false };
const DESK_DARK = { isPhone: false, isDark: true };

const QUESTION_FIELDS = Object.keys(CLAIM["properties"] as object).slice(2);
const QUESTION = {
  ask: QUESTION_FIELDS,
  show: ["customer", "estimate"],
  showTitle: true,
  question: "Please complete your claim, so that we can pay you.",
  submitLabel: "Send my claim",
};

const createClaim = (server: SharedServer, more: object = {}): Promise<PageAgent> =>
  PageAgent.create(server, {
    title: "Water damage, Oak Street 12",
    actor: { kind: "agent", id: "claims-assistant", name: "Claims assistant" },
    schema: CLAIM,
    fields: KNOWN,
    confidence: { amount: 0.6 },
    ...more,
  });

async function describeDamage(page: Page): Promise<void> {
  await page.getByLabel("Policy number").fill("AB-123456");
  await page.getByLabel("A burst pipe").check();
  await page.getByLabel("When did you notice it?").fill("2026-11-16T07:45");
  await page
    .getByLabel("What happened, in your words")
    .fill("A pipe under the sink burst during the night.");
}

async function answer(page: Page): Promise<void> {
  await describeDamage(page);
  await page.getByLabel(/^Room/).first().fill("Kitchen");
  await page.getByLabel("Wet floor").first().fill("12,5");
  await page.getByRole("button", { name: "Add: Damaged rooms" }).click();
  await page.getByLabel(/^Room/).nth(1).fill("Hallway");
  await page.getByLabel("To a bank account").check();
  await page.getByLabel("IBAN").fill("DE89 3704 0044 0532 0130 00");
  await page.getByLabel("Everything I say here is true").check();
}

const send = (page: Page): Promise<void> =>
  page.getByRole("button", { name: "Send my claim" }).click();

export const SCENES: readonly Scene[] = [
  {
    name: "link",
    appearances: [PHONE_LIGHT, DESK_DARK],
    async lead(server, page) {
      await page.goto(await (await createClaim(server)).createLink(QUESTION));
    },
  },
  {
    name: "form",
    appearances: [PHONE_LIGHT, PHONE_DARK, DESK_LIGHT, DESK_DARK],
    async lead(server, page) {
      await openLink(page, await (await createClaim(server)).createLink(QUESTION));
      await answer(page);
      await waitForLiveText(page, /^Saved$/);
    },
  },
  {
    name: "errors",
    appearances: [PHONE_LIGHT],
    async lead(server, page) {
      await openLink(page, await (await createClaim(server)).createLink(QUESTION));
      await page.getByLabel("Policy number").fill("12345");
      await page.getByLabel("Estimated damage").fill("about 1000");
      await send(page);
      await page.locator("#problems li").first().waitFor();
    },
  },
  {
    name: "conflict",
    appearances: [PHONE_DARK],
    isScreen: true,
    async lead(server, page) {
      const agent = await createClaim(server);
      await openLink(page, await agent.createLink(QUESTION));
      await page.getByLabel("Estimated damage").fill("1800");
      await agent.call("PATCH", "", { fields: { amount: 1400 } });
      await send(page);
      await page.locator(".conflict").waitFor();
      await page.getByLabel("Estimated damage").evaluate((one) => {
        (one as unknown as { scrollIntoView(how: object): void }).scrollIntoView({
          block: "center",
        });
      });
    },
  },
  {
    name: "offline",
    appearances: [PHONE_LIGHT],
    isScreen: true,
    async lead(server, page) {
      await openLink(page, await (await createClaim(server)).createLink(QUESTION));
      await answer(page);
      await page.context().setOffline(true);
      await send(page);
      await waitForLiveText(page, "will be sent");
    },
  },
  {
    name: "reload",
    appearances: [PHONE_LIGHT],
    async lead(server, page) {
      await openLink(page, await (await createClaim(server)).createLink(QUESTION));
      await page.evaluate("navigator.serviceWorker.ready");
      await page.context().setOffline(true);
      await answer(page);
      await send(page);
      await waitForLiveText(page, "will be sent");
      await page.reload();
      await waitForLiveText(page, "will be sent");
    },
  },
  {
    name: "steps",
    appearances: [PHONE_LIGHT],
    async lead(server, page) {
      const agent = await createClaim(server, { schema: STEPPED });
      await openLink(page, await agent.createLink(QUESTION));
      await describeDamage(page);
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByText("Step 2 of 3").waitFor();
    },
  },
  {
    name: "decision",
    appearances: [PHONE_DARK, DESK_LIGHT],
    async lead(server, page) {
      const agent = await PageAgent.create(server, {
        title: "New laptops for the design team",
        actor: { kind: "agent", id: "purchasing", name: "Purchasing assistant" },
        review: { required: true },
        schema: {
          type: "object",
          properties: {
            item: { type: "string", title: "What" },
            price: { type: "number", title: "Price in EUR" },
            why: { type: "string", title: "Reason", format: "markdown" },
          },
        },
        fields: {
          item: "4 laptops, 14 inches",
          price: 6796,
          why: "Two offers were compared:\n\n- **Nord IT**: 6,796 EUR, delivery in 5 days\n- Bytehaus: 7,120 EUR, delivery in 2 days",
        },
      });
      await agent.call("POST", "/submit", {});
      const url = await agent.createLink({ scopes: ["review"], question: "May I order these?" });
      await openLink(page, url);
    },
  },
  {
    name: "receipt",
    appearances: [PHONE_LIGHT],
    async lead(server, page) {
      const agent = await createClaim(server);
      await openLink(page, await agent.createLink(QUESTION));
      await answer(page);
      await send(page);
      await page.locator("main[data-state=submitted]").waitFor();
      await agent.call("POST", "/finalize", {});
      await page.locator("main[data-state=finalized]").waitFor();
    },
  },
  {
    name: "arabic",
    appearances: [{ ...PHONE_LIGHT, language: "ar" }],
    async lead(server, page) {
      const agent = await PageAgent.create(server, { title: "رحلة إلى أوسلو", schema: ARABIC });
      await openLink(page, await agent.createLink({ question: "من فضلك أكمل بيانات سفرك." }));
      await page.getByLabel("الاسم الكامل").fill("ليلى حداد");
      await page.getByLabel("بالقطار").check();
    },
  },
  {
    name: "code",
    appearances: [PHONE_DARK],
    async lead(server, page) {
      await page.goto(`${server.url}/h`);
      await page.getByLabel("Code").fill("k7qm 2f9x");
    },
  },
  {
    name: "expired",
    appearances: [PHONE_DARK],
    async lead(server, page) {
      const ttlMs = 6_000;
      const pageAgent = Date.now();
      const url = await (await createClaim(server)).createLink({ ...QUESTION, ttlMs });
      await openLink(page, url);
      await page.context().setOffline(true);
      await page.getByLabel("What happened, in your words").fill("A pipe burst in the night.");
      await page.waitForTimeout(Math.max(0, pageAgent + ttlMs + 500 - Date.now()));
      await page.context().setOffline(false);
      await page.goto(url);
      await page.locator("#kept").waitFor();
    },
  },
];

/**
 * The console in a real browser: sign in by the one-time link, find the session that waits longest,
 * read why, recover it, revoke the participant that lost it, end it, export it, remove it. The
 * server has BATON_CONSOLE_SESSIONS sessions (`npm run console:many`: 100,000).
 */
import { readFileSync } from "node:fs";
import { createServer, request as httpRequest, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyExport } from "../../src/verify/verify.ts";
import { axeIssues } from "../support/axe.ts";
import { startConsole, type ConsoleServer } from "../support/console-server.ts";
import { openDevice, startBrowser, type DeviceOptions } from "../support/device.ts";
import { someOf } from "../support/scale.ts";
import { temporaryFolder } from "../support/server.ts";

const MANY = Number(process.env["BATON_CONSOLE_SESSIONS"] ?? 600);
/** The folder for screenshots, if they are wanted. */
const SHOTS = process.env["BATON_SHOTS"];
/** The time to report so many sessions to a directory, on a busy machine. */
const LONG = 5 * 60 * 1000 + MANY * 36;

const data = temporaryFolder();
let browser: Browser;
let consoleServer: ConsoleServer;

beforeAll(async () => {
  [browser, consoleServer] = await Promise.all([
    startBrowser(),
    startConsole(join(data.path, "many")),
  ]);
  await consoleServer.seed(MANY, 9);
}, LONG);
afterAll(async () => {
  await browser.close();
  await consoleServer.server.stop();
  data[Symbol.dispose]();
});

/** A session with an old question to a person and a token that is lost. */
async function createLostSession(title: string) {
  const session = await consoleServer.client.create({
    title,
    schema: {
      type: "object",
      properties: { phone: { type: "string", title: "Phone number" } },
    },
  });
  const handoff = await consoleServer.client.on(session, "POST", "/handoffs", {
    token: session.token,
    body: { to: "human", scopes: ["fill"], question: "Which number can we call you on?" },
  });
  const { head } = handoff.body.session;
  await expect.poll(async () => (await listSessions(title)).length).toBe(1);
  await expect.poll(async () => (await listSessions(title))[0]?.waiting.for).toBe("person");
  await consoleServer.age({ id: session.id, head, title }, 12);
  return session;
}

async function listSessions(title: string): Promise<{ waiting: { for: string }; state: string }[]> {
  const path = `/sessions?q=${encodeURIComponent(title)}`;
  return (
    await consoleServer.client.call("GET", path, { headers: { "Baton-Key": consoleServer.key } })
  ).body.sessions;
}

/** The events in the session's log by the owner's key, in order. */
async function eventsByOwner(id: string): Promise<readonly string[]> {
  const path = `/sessions/${id}/events?limit=200`;
  const { body } = await consoleServer.client.call("GET", path, { token: consoleServer.key });
  return body.events
    .filter(({ actor }: { actor: { kind: string; id: string } }) => actor.kind === "owner")
    .map(({ type }: { type: string }) => type);
}

async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
}

/** Axe needs scripts; the check of the width does not. */
async function inspect(page: Page, name: string, options: DeviceOptions): Promise<void> {
  await shoot(page, name);
  if (options.isWithoutScript === true) return;
  expect([name, await axeIssues(page)]).toEqual([name, []]);
  const wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  expect([name, wide]).toEqual([name, false]);
}

async function signIn(page: Page): Promise<void> {
  await page.goto(`${consoleServer.server.url}/console`);
  await page.getByLabel("Key").fill(consoleServer.key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Sessions", exact: true }).waitFor();
}

/** Another server on this machine: a page of another origin, or a proxy in front. */
const listen = (handle: RequestListener): Promise<readonly [Server, string]> =>
  new Promise((resolve) => {
    const server = createServer(handle);
    server.listen(0, "127.0.0.1", () => {
      resolve([server, `http://localhost:${(server.address() as AddressInfo).port}`]);
    });
  });

it("the one-time link that is printed opens the console, once", async () => {
  const { page, context, troubles } = await openDevice(browser);
  await page.goto(consoleServer.enterUrl);
  expect(await axeIssues(page)).toEqual([]);
  await page.getByRole("button", { name: "Open the console" }).click();
  await page.getByRole("heading", { name: "Sessions", exact: true }).waitFor();
  expect(page.url()).toBe(`${consoleServer.server.url}/console`);
  const other = await openDevice(browser);
  await other.page.goto(consoleServer.enterUrl);
  await other.page.getByRole("button", { name: "Open the console" }).click();
  await other.page.getByText("This link was already used.").waitFor();
  expect(troubles).toEqual([]);
  await context.close();
  await other.context.close();
});

const APPEARANCES: readonly (readonly [string, DeviceOptions])[] = [
  ["desk-light", {}],
  ["desk-dark", { isDark: true }],
  ["phone-light", { isPhone: true }],
  ["phone-dark", { isPhone: true, isDark: true }],
  ["desk-without-script", { isWithoutScript: true }],
  ["phone-without-script", { isPhone: true, isDark: true, isWithoutScript: true }],
];

// Shows CO-7.
it.each(someOf(APPEARANCES, 0, 5))(
  "finds, reads, recovers, ends and removes the session that waits longest (%s)",
  async (appearance, options) => {
    const title = `Lost${appearance.replaceAll("-", "")}`;
    const session = await createLostSession(title);
    const { page, context, troubles } = await openDevice(browser, options);
    await signIn(page);
    await inspect(page, `list-${appearance}`, options);
    const longest = page.locator(".longest a").first();
    expect(await longest.textContent()).toBe(title);
    await longest.click();
    await page.getByText("It has been waiting for a person for 12 days.").waitFor();
    await page.getByText("Which number can we call you on?").first().waitFor();
    await inspect(page, `session-${appearance}`, options);
    await page.getByRole("link", { name: "Open or recover" }).click();
    await inspect(page, `open-${appearance}`, options);
    await page.getByRole("button", { name: "Open this session" }).click();
    const token = await page.getByLabel("Resume token", { exact: true }).inputValue();
    await inspect(page, `opened-${appearance}`, options);
    const resumed = await consoleServer.client.on(session, "POST", "/resume", { token, body: {} });
    expect(resumed.status, resumed.text).toBe(200);
    await page.getByRole("link", { name: "Back to the session" }).click();
    await page.locator("#people li", { hasText: "par_1 " }).getByRole("link").click();
    await inspect(page, `revoke-${appearance}`, options);
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("The participant was revoked.").waitFor();
    const revoked = await consoleServer.client.on(session, "GET", "", { token: session.token });
    expect([revoked.status, revoked.body.code]).toEqual([403, "token_invalid"]);
    await page.getByRole("link", { name: "Cancel the session" }).click();
    await page.getByLabel("Reason (optional)").fill("Nobody answered");
    await page.getByRole("button", { name: "Cancel the session" }).click();
    await page.getByText("The session was cancelled.").waitFor();
    await expect.poll(async () => (await listSessions(title))[0]?.state).toBe("cancelled");
    expect(await eventsByOwner(session.id)).toEqual([
      "owner.opened",
      "token.issued",
      // The revocation of the participant that lost the token also revokes the person whom it
      // asked.
      "handoff.revoked",
      "token.revoked",
      "token.revoked",
      "session.cancelled",
    ]);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Export" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${session.id}.ndjson`);
    // The browser may belong to another process.
    const file = join(data.path, `${appearance}.ndjson`);
    await download.saveAs(file);
    const exported = await verifyExport([readFileSync(file)], null);
    expect(exported).toMatchObject({ whole: true, sealed: true, state: "cancelled" });
    await page.getByRole("link", { name: "Remove" }).click();
    await inspect(page, `remove-${appearance}`, options);
    await page.getByLabel("I understand that this cannot be undone.").check();
    await page.getByRole("button", { name: "Remove for good" }).click();
    await page.getByRole("heading", { name: "The session was removed" }).waitFor();
    await inspect(page, `removed-${appearance}`, options);
    expect(await page.locator("pre").textContent()).toContain(session.id);
    for (const given of [token, consoleServer.key]) {
      const gone = await consoleServer.client.on(session, "GET", "", { token: given });
      expect([gone.status, gone.body.code]).toEqual([410, "gone"]);
    }
    await expect.poll(() => listSessions(title)).toEqual([]);
    await page.goto(`${consoleServer.server.url}/console`);
    expect(await page.locator(".longest a").first().textContent()).not.toBe(title);
    expect(troubles).toEqual([]);
    await context.close();
  },
);

it("shows updates by itself, and keeps the filters in the address", async () => {
  const { page, context } = await openDevice(browser);
  await signIn(page);
  await page.getByLabel("Search").fill("Justnow");
  await page.getByRole("button", { name: "Show" }).first().click();
  await page.getByText("No session matches these filters.").waitFor();
  expect(page.url()).toContain("q=Justnow");
  const session = await consoleServer.client.create({ title: "Justnow" });
  await page.getByRole("link", { name: "Justnow" }).waitFor();
  await page.getByRole("link", { name: "Justnow" }).click();
  await page.getByRole("heading", { name: "Justnow" }).waitFor();
  await consoleServer.client.on(session, "PATCH", "", {
    token: session.token,
    body: { fields: { city: "Paris" } },
  });
  await page.locator("#document").getByText("Paris").waitFor();
  await context.close();
});

it("no page is wider than 320 pixels", async () => {
  const { page, context } = await openDevice(browser, { isPhone: true });
  await page.setViewportSize({ width: 320, height: 640 });
  const session = await consoleServer.client.create({
    title: "W".repeat(80),
    labels: { team: "x".repeat(60) },
  });
  await signIn(page);
  const paths = [
    "",
    "?label=team:green&state=draft",
    ...["", "/open", "/labels"].map((rest) => `/sessions/${session.id}${rest}`),
  ];
  for (const path of paths) {
    await page.goto(`${consoleServer.server.url}/console${path}`);
    const width = await page.evaluate("document.documentElement.scrollWidth");
    expect([path, Number(width) <= 320]).toEqual([path, true]);
    expect(await axeIssues(page)).toEqual([]);
  }
  await context.close();
});

describe("without a key", () => {
  // Shows CO-7.
  it("a page of another origin on localhost lists, opens and changes nothing, although the user is signed in", async () => {
    const session = await consoleServer.client.create({ title: "Untouched" });
    const { url } = consoleServer.server;
    const target = `/console/sessions/${session.id}`;
    const [evil, origin] = await listen(
      (_, response) =>
        void response
          .setHeader("Content-Type", "text/html")
          .end(
            `<form id=f method=post action="${url}${target}/cancel"><input name=form value=x></form>`,
          ),
    );
    const { page, context } = await openDevice(browser);
    await signIn(page);
    await page.goto(origin);
    const seen = (await page.evaluate(`(async () => {
      const ask = (path, init = {}) => fetch("${url}" + path, { credentials: "include", ...init })
        .then(async (answer) => answer.status + " " + (await answer.text()), () => "unreadable");
      const form = { method: "POST", headers: { "Content-Type": "application/x-www-form-urlencoded" }, body: "form=x&confirm=yes" };
      return Promise.all([
        ask("/console"), ask("${target}"), ask("${target}/export"), ask("/sessions"), ask("/sessions/changes"),
        ask("/templates"), ask("/endpoints"),
        ask("${target}/cancel", form), ask("${target}/purge", form), ask("${target}/open", form),
        ask("/sessions/${session.id}/open", { method: "POST" }),
      ]);
    })()`)) as readonly string[];
    expect(seen).toEqual(seen.map(() => "unreadable"));
    await Promise.all([
      page.waitForNavigation(),
      page.evaluate("document.getElementById('f').submit()"),
    ]);
    expect(await page.content()).toContain("came from another site");
    const { state, participants } = (
      await consoleServer.client.on(session, "GET", "", { token: session.token })
    ).body.session;
    expect([state, participants.length]).toEqual(["draft", 1]);
    await context.close();
    evil.close();
  });

  // Shows CO-7.
  it("nothing is listed, opened or changed through a proxy on the same machine", async () => {
    const session = await consoleServer.client.create({ title: "Behind" });
    const { port } = new URL(consoleServer.server.url);
    const [proxy, through] = await listen((incoming, outgoing) => {
      const { url: path, method, headers } = incoming;
      const forwarded = httpRequest(
        { host: "127.0.0.1", port, path, method, headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(outgoing);
        },
      );
      incoming.pipe(forwarded);
    });
    const status = async (method: string, path: string): Promise<number> =>
      (await fetch(through + path, { method, redirect: "manual" })).status;
    const sessionPath = `/sessions/${session.id}`;
    const requests: readonly (readonly [string, string])[] = [
      ["GET", "/sessions"],
      ["GET", "/sessions/changes"],
      ["POST", "/sessions/open"],
      ["POST", `${sessionPath}/open`],
      ["GET", sessionPath],
      ["GET", `${sessionPath}/export`],
      ["POST", `${sessionPath}/cancel`],
      ["POST", `${sessionPath}/pause`],
      ["POST", `${sessionPath}/revoke`],
      ["PATCH", sessionPath],
      ["DELETE", sessionPath],
      ["GET", "/templates"],
      ["PUT", "/templates/mine"],
      ["GET", "/endpoints"],
      ["POST", "/endpoints"],
      ["GET", `/console${sessionPath}`],
      ["GET", `/console${sessionPath}/export`],
      ["GET", "/console/live"],
    ];
    for (const [method, path] of requests)
      expect([path, await status(method, path)]).toEqual([path, 401]);
    for (const action of ["open", "cancel", "purge"]) {
      expect(await status("POST", `/console${sessionPath}/${action}`)).toBe(401);
    }
    const { state } = (await consoleServer.client.on(session, "GET", "", { token: session.token }))
      .body.session;
    expect(state).toBe("draft");
    proxy.close();
  });
});

// Shows CO-7.
it("a key that leaves OWNERS ends its console", async () => {
  const folder = join(data.path, "left");
  const first = await startConsole(folder);
  const { page, context } = await openDevice(browser);
  await page.goto(first.enterUrl);
  await page.getByRole("button", { name: "Open the console" }).click();
  await page.getByRole("heading", { name: "Sessions", exact: true }).waitFor();
  const cookies = await context.cookies(`${first.server.url}/console`);
  await first.server.stop();
  const keys = [{ name: "other", keyHash: "0".repeat(64), rights: ["read"] }];
  const OWNERS = JSON.stringify([{ name: "local", keys }]);
  const second = await startConsole(folder, { OWNERS });
  await context.addCookies(
    cookies.map(({ name, value }) => ({ name, value, url: `${second.server.url}/console` })),
  );
  await page.goto(`${second.server.url}/console`);
  await page
    .getByText("You are signed out: your sign-in has expired, or your key was removed.")
    .waitFor();
  expect(await page.locator("#sessions").count()).toBe(0);
  await context.close();
  await second.server.stop();
});

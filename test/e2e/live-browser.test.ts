import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser } from "../support/browser.ts";
import type { CreatedSession } from "../support/client.ts";
import { startProxy, type Proxy } from "../support/live/proxy.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();
let proxy: Proxy;
let browser: Browser;
/** Another origin than the server's, with an empty page. */
let blank: HttpServer;
beforeAll(async () => {
  proxy = await startProxy(server.url);
  browser = await startBrowser();
  blank = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html").end("<!doctype html><title>Blank</title>");
  });
  await new Promise<void>((resolve) => {
    blank.listen(0, "127.0.0.1", resolve);
  });
});
afterAll(async () => {
  await browser.close();
  blank.close();
  await proxy.stop();
});

async function openBlank(): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(blank.address() as AddressInfo).port}/`);
  return page;
}

async function append(session: CreatedSession): Promise<number> {
  const body = { events: [{ type: "agent.note", payload: {} }] };
  const { token } = session;
  const answer = await server.client.on(session, "POST", "/events", { token, body });
  return answer.body.last;
}

/** The numbers that the page's script has put into `seen`, once `last` is among them. */
async function seenBy(page: Page, seq: number): Promise<readonly number[]> {
  await page.waitForFunction(`globalThis.seen.includes(${seq})`);
  return (await page.evaluate("globalThis.seen")) as number[];
}

async function expectReconnect(page: Page, session: CreatedSession): Promise<void> {
  await seenBy(page, await append(session));
  const before = proxy.connections;
  proxy.cut();
  await append(session);
  await seenBy(page, await append(session));
  expect(proxy.connections).toBeGreaterThan(before);
  const head = await append(session);
  expect(await seenBy(page, head)).toEqual(Array.from({ length: head }, (_, index) => index + 1));
}

describe("Chromium", () => {
  it("follows by EventSource from another origin, across a lost connection", async () => {
    const session = await server.client.create();
    const page = await openBlank();
    await page.evaluate(`
      globalThis.seen = [];
      const source = new EventSource("${proxy.url}/sessions/${session.token}/events?after=0");
      for (const type of ["session.created", "token.issued", "agent.note"]) {
        source.addEventListener(type, ({ lastEventId }) => seen.push(Number(lastEventId)));
      }
    `);
    await expectReconnect(page, session);
    await page.close();
  });

  it("follows by WebSocket with the token as second subprotocol, across a lost connection", async () => {
    const session = await server.client.create();
    const page = await openBlank();
    const url = `${proxy.url.replace("http", "ws")}/sessions/${session.id}/socket`;
    await page.evaluate(`
      globalThis.seen = [];
      globalThis.protocols = [];
      function connect() {
        const socket = new WebSocket("${url}", ["baton.v1", "${session.token}"]);
        socket.onopen = () => {
          protocols.push(socket.protocol);
          socket.send(JSON.stringify({ type: "hello", after: seen.at(-1) ?? 0 }));
        };
        socket.onmessage = ({ data }) => {
          const message = JSON.parse(data);
          if (message.type === "event") seen.push(message.event.seq);
        };
        socket.onclose = () => setTimeout(connect, 50);
      }
      connect();
    `);
    await expectReconnect(page, session);
    expect(new Set((await page.evaluate("globalThis.protocols")) as string[])).toEqual(
      new Set(["baton.v1"]),
    );
    await page.close();
  });

  it("gets nothing by WebSocket from a foreign page that has no token", async () => {
    const session = await server.client.create();
    const page = await openBlank();
    const url = `${server.url.replace("http", "ws")}/sessions/${session.id}/socket`;
    const received = await page.evaluate(`
      new Promise((settle) => {
        const heard = [];
        const socket = new WebSocket("${url}", "baton.v1");
        socket.onopen = () => socket.send(JSON.stringify({ type: "hello", after: 0 }));
        socket.onmessage = ({ data }) => heard.push(JSON.parse(data).problem?.code ?? data);
        socket.onclose = ({ code }) => settle([...heard, code]);
      })
    `);
    expect(received).toEqual(["credential_missing", 4403]);
    await page.close();
  });
});

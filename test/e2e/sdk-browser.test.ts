import { readFileSync } from "node:fs";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { answerChat } from "../../src/adapters/ai";
import { sessionNameFor } from "../../src/adapters/session-names";
import { Baton } from "../../src/client";
import { startBrowser } from "../support/browser.ts";
import { filesUnder, ROOT, sharedServer } from "../support/server.ts";

const DIST = join(ROOT, "dist");

const server = sharedServer();
let pages: HttpServer;
let origin: string;
let browser: Browser;
beforeAll(async () => {
  pages = createServer((request, response) => {
    const name = request.url?.slice(1) ?? "";
    const isModule = filesUnder(DIST).includes(join(DIST, name));
    // A browser also requests files that no page names, such as its icon.
    response.writeHead(name === "" || isModule ? 200 : 404, {
      "Content-Type": isModule ? "text/javascript" : "text/html",
    });
    response.end(isModule ? readFileSync(join(DIST, name)) : "<!doctype html><title>SDK</title>");
  });
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  pages.close();
});

it("the SDK runs in a page of another origin: it writes, follows live, and continues after a reload", async () => {
  const page = await browser.newPage();
  const broken: string[] = [];
  page.on("pageerror", (error) => broken.push(error.message));
  await page.goto(origin);

  const first = await page.evaluate(`(async () => {
    const { Baton, LocalStorageTokenStore, unwrap } = await import("/client.js");
    const baton = Baton.connect(${JSON.stringify(server.url)}, { store: new LocalStorageTokenStore() });
    const session = await baton.open("page", { title: "In a page" });
    const seen = { sse: [], websocket: [] };
    const following = ["sse", "websocket"].map(async (transport) => {
      for await (const { seq, type } of session.events({ after: 0, transport })) {
        seen[transport].push(seq + " " + type);
        if (type === "fields.updated") break;
      }
    });
    await session.append([{ type: "page.opened" }]);
    unwrap(await session.setFields({ from: "page" }));
    await Promise.all(following);
    return { id: session.id, seen };
  })()`);
  await page.reload();
  const second = await page.evaluate(`(async () => {
    const { Baton, LocalStorageTokenStore } = await import("/client.js");
    const store = new LocalStorageTokenStore();
    const session = await Baton.connect(${JSON.stringify(server.url)}, { store }).open("page");
    return { id: session.id, fields: session.state.fields, names: await store.list() };
  })()`);

  const log = ["1 session.created", "2 token.issued", "3 page.opened", "4 fields.updated"];
  expect(first).toMatchObject({ seen: { sse: log, websocket: log } });
  expect(second).toEqual({
    id: (first as { id: string }).id,
    fields: { from: "page" },
    names: ["page"],
  });
  expect(broken).toEqual([]);
});

/** Waits before the chunk of that number until it is released. */
const slowly = (
  chunks: readonly string[],
  pausedAt: number,
  released: Promise<void>,
): ReadableStream => {
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      await (at === pausedAt ? released : sleep(40));
      const delta = chunks[at];
      at += 1;
      if (delta === undefined) controller.close();
      else controller.enqueue({ type: "text-delta", id: "1", delta });
    },
  });
};

it("a page that reloads during an answer of a chat sees each chunk once, and all of them", async () => {
  const name = await sessionNameFor("chat", "default", "c1");
  const session = await Baton.connect(server.url).create({}, { as: name });
  const chunks = Array.from({ length: 60 }, (_, n) => `w${n} `);
  const page = await browser.newPage();
  // The answer must not end before the page is back, however long it takes to load.
  const { promise: reconnected, resolve } = Promise.withResolvers<void>();
  await page.exposeFunction("isReconnected", resolve);
  await page.goto(origin);
  const transport = `
    const { Baton, LocalStorageTokenStore } = await import("/client.js");
    const { BatonChatTransport } = await import("/ai.js");
    const store = new LocalStorageTokenStore();
    const baton = Baton.connect(${JSON.stringify(server.url)}, { store });
    const transport = new BatonChatTransport({ baton });
    const read = async (stream, most) => {
      const seen = [];
      for await (const chunk of stream) {
        seen.push(chunk.delta);
        if (seen.length === most) break;
      }
      return seen;
    };`;
  const reading = page.evaluate(`(async () => {${transport}
    await store.save(${JSON.stringify(name)}, ${JSON.stringify(session.saved)});
    const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "Tell me." }] }];
    const request = { trigger: "submit-message", chatId: "c1", messageId: undefined, messages };
    return read(await transport.sendMessages({ ...request, abortSignal: undefined }), 10);
  })()`);
  const answering = (async () => {
    // False until the page has sent its request.
    while (!(await answerChat(session, () => slowly(chunks, 40, reconnected)))) await sleep(50);
  })();
  expect(await reading).toEqual(chunks.slice(0, 10));

  await page.reload();
  const again = await page.evaluate(`(async () => {${transport}
    const stream = await transport.reconnectToStream({ chatId: "c1" });
    await isReconnected();
    return read(stream, Infinity);
  })()`);

  await answering;
  expect(again).toEqual(chunks);
});

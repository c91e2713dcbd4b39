import { readFileSync } from "node:fs";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchBrowser } from "../support/browser.ts";
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
    // A browser also asks for what no page names, its icon for one.
    response.writeHead(name === "" || isModule ? 200 : 404, {
      "Content-Type": isModule ? "text/javascript" : "text/html",
    });
    response.end(isModule ? readFileSync(join(DIST, name)) : "<!doctype html><title>SDK</title>");
  });
  await new Promise<void>((settle) => pages.listen(0, "127.0.0.1", settle));
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  pages.close();
});

it("runs in a page of another origin: writes, follows live, and goes on after a reload", async () => {
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

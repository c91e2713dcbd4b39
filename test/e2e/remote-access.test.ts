/**
 * The server as other machines reach it: behind a proxy that terminates TLS and sets its own Host,
 * and by plain http on another address of this machine. Every face, from link to file, works the
 * same on both.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { request as askHttp } from "node:http";
import { request as askHttps } from "node:https";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { makeCertificate } from "../support/certificate.ts";
import { cliFor } from "../support/cli.ts";
import { Client, type Send } from "../support/client.ts";
import { startBrowser } from "../support/device.ts";
import { RawMcp } from "../support/mcp.ts";
import { newKey, ownersText } from "../support/owners.ts";
import { freePort, Script, temporaryFolder } from "../support/server.ts";
import { startTlsProxy, type TlsProxy } from "../support/tls-proxy.ts";

const folder = temporaryFolder();
const certificate = makeCertificate();
const KEY = newKey();
const OWNERS = ownersText({ tests: [KEY] });
const CERTIFICATE = join(folder.path, "certificate.pem");
writeFileSync(CERTIFICATE, certificate.cert);

const SCHEMA = {
  type: "object",
  properties: {
    city: { type: "string", title: "City" },
    paper: { type: "object", format: "file", title: "Paper", accept: ["text/plain"] },
  },
  required: ["city", "paper"],
};

/** Another address than loopback, if this machine has one. */
const address =
  Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === "IPv4" && !one.internal)?.address ?? "127.0.0.2";

let browser: Browser;
let proxy: TlsProxy;
const servers: Script[] = [];
const urls = { https: "", http: "" };

async function serve(name: string, host: string, settings: NodeJS.ProcessEnv, port: number) {
  const args = ["--host", host, "--port", String(port), "--data", join(folder.path, name)];
  const script = new Script("serve.ts", args, { OWNERS, AGENTS: "[]", ...settings });
  servers.push(script);
  await script.prints(/serves on (\S+)\n/);
  return script;
}

beforeAll(async () => {
  browser = await startBrowser();
  const [inner, outer] = [await freePort(), await freePort()];
  proxy = await startTlsProxy(certificate, () => new URL(`http://127.0.0.1:${inner}`));
  urls.https = proxy.url;
  urls.http = `http://${address}:${outer}`;
  const TRUSTED_PROXY = JSON.stringify({ from: ["127.0.0.1", "::1"], header: "X-Forwarded-For" });
  await serve("https", "127.0.0.1", { PUBLIC_URL: urls.https, TRUSTED_PROXY }, inner);
  await serve("http", "0.0.0.0", { PUBLIC_URL: urls.http }, outer);
});
afterAll(async () => {
  await browser?.close();
  proxy?.close();
  await Promise.all(servers.map((script) => script.interrupt()));
  folder[Symbol.dispose]();
});

/** Like fetch, but with our certificate and with exactly the given headers. */
const send: Send = (request) =>
  new Promise((resolve, reject) => {
    const { method, url, headers } = request;
    const sendRequest = url.startsWith("https:") ? askHttps : askHttp;
    const options = {
      method,
      headers: Object.fromEntries(headers),
      ca: certificate.cert,
      // As in the proxy: no connection is reused.
      agent: false,
    };
    const outgoing = sendRequest(url, options, (incoming) => {
      const answered = new Headers();
      for (const [name, value] of Object.entries(incoming.headersDistinct)) {
        for (const one of value ?? []) answered.append(name, one);
      }
      const status = incoming.statusCode ?? 0;
      const isEmpty = status === 204 || status === 304;
      const body = isEmpty ? null : (Readable.toWeb(incoming) as unknown as BodyInit);
      resolve(new Response(body, { status, headers: answered }));
    });
    outgoing.on("error", reject);
    if (request.body === null) outgoing.end();
    else Readable.fromWeb(request.body as never).pipe(outgoing);
  });

const open = (url: string, protocols: readonly string[], headers: Record<string, string>) =>
  new WebSocket(url.replace(/^http/, "ws"), [...protocols], { headers, ca: certificate.cert });

const message = (socket: WebSocket): Promise<unknown> =>
  new Promise((resolve, reject) => {
    socket.once("message", (data) => resolve(JSON.parse(String(data))));
    socket.once("error", reject);
  });

describe.each(["https", "http"] as const)(
  "over %s, from another address than loopback",
  (scheme) => {
    const at = (): string => urls[scheme];
    const client = (): Client => new Client(send, at());
    const create = async (body: object = {}) => {
      const answer = await client().call("POST", "/sessions", {
        headers: { "Baton-Key": KEY },
        body,
      });
      expect(answer.status, answer.text).toBe(201);
      return { id: answer.body.session.id as string, token: answer.body.resumeToken as string };
    };

    it("a person opens a link, fills a form, sends a file and submits", async () => {
      const session = await create({ schema: SCHEMA });
      const handoff = await client().on(session, "POST", "/handoffs", {
        token: session.token,
        body: { to: "human", scopes: ["fill"] },
      });
      const { url } = handoff.body.handoff;
      expect(url).toMatch(new RegExp(`^${at()}/h/`));
      const context = await browser.newContext({
        ignoreHTTPSErrors: true,
        javaScriptEnabled: false,
      });
      const page = await context.newPage();
      await page.goto(url);
      await page.locator("main button[type=submit]").first().click();
      await page.getByLabel("City").fill("Oslo");
      await page.locator("button[value=save]:not([aria-hidden])").first().click();
      await page.waitForLoadState();
      await page.locator("input[type=file]").setInputFiles({
        name: "paper.txt",
        mimeType: "text/plain",
        buffer: Buffer.from("signed"),
      });
      await page.locator("button[value=submit]:not([aria-hidden])").first().click();
      await page.waitForLoadState();
      const cookie = (await context.cookies(url)).find(({ name }) => name.endsWith("baton"));
      await context.close();

      const isSecure = scheme === "https";
      expect([cookie?.name, cookie?.secure]).toEqual([
        isSecure ? "__Secure-baton" : "baton",
        isSecure,
      ]);
      const shown = await client().on(session, "GET", "", { token: handoff.body.resumeToken });
      expect(shown.body.session).toMatchObject({
        state: "submitted",
        fields: { city: "Oslo", paper: { size: 6 } },
      });
    });

    it("server-sent events arrive as they happen", async () => {
      const session = await create();
      const response = await send(
        new Request(`${at()}/sessions/${session.id}/events`, {
          headers: { Accept: "text/event-stream", Authorization: `Bearer ${session.token}` },
        }),
      );
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const append = { token: session.token, body: { events: [{ type: "work.step" }] } };
      await client().on(session, "POST", "/events", append);
      let text = "";
      while (!text.includes("work.step")) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`the stream ended after: ${text}`);
        text += Buffer.from(value).toString();
      }
      await reader.cancel();
      expect(text).toContain("event: ");
    });

    it("a WebSocket opens and exchanges messages", async () => {
      const session = await create();
      const headers = { Authorization: `Bearer ${session.token}` };
      const socket = open(`${at()}/sessions/${session.id}/socket`, ["baton.v1"], headers);
      await new Promise((resolve) => socket.once("open", resolve));
      socket.send(JSON.stringify({ type: "hello" }));
      expect(await message(socket)).toMatchObject({ type: "welcome" });
      expect(socket.protocol).toBe("baton.v1");
      socket.terminate();
    });

    it("MCP answers", async () => {
      const session = await create();
      const mcp = new RawMcp(send, at());
      const { isError, facts } = await mcp.call("get_session", { resume_token: session.token });
      expect([isError, facts.session.id]).toEqual([false, session.id]);
    });

    it("ARCP answers", async () => {
      const socket = open(`${at()}/arcp`, [], {});
      await new Promise((resolve) => socket.once("open", resolve));
      const payload = { client: { name: "test" }, auth: { scheme: "bearer", token: KEY } };
      socket.send(JSON.stringify({ arcp: "1.1", id: "m1", type: "session.hello", payload }));
      expect(await message(socket)).toMatchObject({ type: "session.welcome" });
      socket.terminate();
    });

    it("the command line creates and shows a session", async () => {
      const home = join(folder.path, `home-${scheme}`);
      mkdirSync(home);
      const cli = cliFor(at(), home);
      const env = { NODE_EXTRA_CA_CERTS: CERTIFICATE, BATON_KEY: KEY };
      const created = await cli.run(["create", "--title", "From afar", "--json"], { env });
      expect(created.code, created.stderr).toBe(0);
      expect(created.stdout).toContain("From afar");
    });
  },
);

/** PUBLIC_URL is the one origin of links and cookies, and the one that forms and MCP accept. */
import { describe, expect, it } from "vitest";
import type { Env } from "../../src/env";
import { callerFrom, publicAddress, sendFrom } from "../support/caller";
import { Client } from "../support/client";
import { hiddenIn, Person } from "../support/person";
import { RawMcp } from "../support/mcp";
import { agentName, Jobs } from "../support/jobs";
import { createLinkedSession } from "../support/links";
import { client } from "../support/worker";

/** The address that a proxy forwards to, which the Worker sees as its own. */
const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
const INSIDE = "http://127.0.0.1:8787";

const HTTPS: Partial<Env> = { PUBLIC_URL: "https://baton.example" };
const PLAIN: Partial<Env> = { PUBLIC_URL: "http://host.lan:8787" };

/** Presses the button of a link as a browser that was sent to `origin` would. */
async function open(settings: Partial<Env>, origin: string) {
  const { code } = await createLinkedSession();
  const send = sendFrom({ "CF-Connecting-IP": publicAddress() }, settings);
  const landing = await send(new Request(`${INSIDE}/h/${code}`));
  const [cookie = ""] = landing.headers.getSetCookie();
  const nonce = hiddenIn(await landing.text(), "nonce");
  const answer = await send(
    new Request(`${INSIDE}/h/${code}`, {
      method: "POST",
      redirect: "manual",
      headers: {
        Origin: origin,
        "Sec-Fetch-Site": "same-origin",
        Cookie: cookie.split(";")[0] ?? "",
        "Content-Type": "application/x-www-form-urlencoded",
        "Content-Length": String(6 + nonce.length),
      },
      body: `nonce=${nonce}`,
    }),
  );
  const [credential = ""] = answer.headers.getSetCookie();
  return { code, status: answer.status, nonceCookie: cookie, credential };
}

describe("a link behind a proxy", () => {
  // Shows D-5.
  it("opens for a form of PUBLIC_URL, whatever address the proxy forwards to", async () => {
    expect((await open(HTTPS, "https://baton.example")).status).toBe(303);
    expect((await open(PLAIN, "http://host.lan:8787")).status).toBe(303);
  });

  it.each([
    ["the address behind the proxy", INSIDE],
    ["plain http of the same name", "http://baton.example"],
    ["another port", "https://baton.example:8443"],
    ["another name with the same prefix", "https://baton.example.evil.example"],
    ["an unreadable origin", "null"],
    // Shows D-5.
  ])("stays closed for a form of %s", async (_, origin) => {
    expect((await open(HTTPS, origin)).status).toBe(403);
  });

  it("on one machine opens under each name of that machine, and under no other port", async () => {
    const local = { PUBLIC_URL: "http://localhost:8787" };
    expect((await open(local, "http://127.0.0.1:8787")).status).toBe(303);
    expect((await open(local, "http://[::1]:8787")).status).toBe(303);
    expect((await open(local, "http://127.0.0.1:9999")).status).toBe(403);
  });

  // Shows M-15.
  it("uses PUBLIC_URL in its URL, its code and its QR code", async () => {
    const caller = callerFrom(null, { ...HTTPS, OPEN_CREATE: "true" });
    const session = await caller.create({});
    const handedOff = await caller.on(session, "POST", "/handoffs", {
      token: session.token,
      body: { to: "human", scopes: ["fill"] },
    });
    const { url, code, qrUrl } = handedOff.body.handoff;
    expect([url, qrUrl]).toEqual([
      `https://baton.example/h/${code}`,
      `https://baton.example/h/${code}/qr.svg`,
    ]);
  });
});

describe("the cookie of a link", () => {
  // Shows D-6.
  it("is __Secure-, Secure, HttpOnly, SameSite=Lax and has the link's path on https", async () => {
    const { code, credential, nonceCookie } = await open(HTTPS, "https://baton.example");
    expect(credential).toMatch(/^__Secure-baton=hck_[\w-]{88}; /);
    expect(nonceCookie).toMatch(/^__Secure-baton-nonce=/);
    for (const part of [`Path=/h/${code}`, "Secure", "HttpOnly", "SameSite=Lax"]) {
      expect(credential.split("; ")).toContain(part);
    }
  });

  // Shows D-6.
  it("is one that a browser stores on plain http: without the prefix and without Secure", async () => {
    const { code, credential, nonceCookie } = await open(PLAIN, "http://host.lan:8787");
    expect(credential).toMatch(/^baton=hck_[\w-]{88}; /);
    expect(nonceCookie).toMatch(/^baton-nonce=/);
    expect(credential.split("; ")).not.toContain("Secure");
    for (const part of [`Path=/h/${code}`, "HttpOnly", "SameSite=Lax"]) {
      expect(credential.split("; ")).toContain(part);
    }
  });

  it("that was set on plain http is not accepted on https", async () => {
    const { code, credential } = await open(PLAIN, "http://host.lan:8787");
    const [, value = ""] = (credential.split(";")[0] ?? "").split("=");
    const person = new Person(sendFrom({}, HTTPS), INSIDE, publicAddress());
    person.cookies.set("baton", value);
    const shown = await person.go("GET", `/h/${code}`);
    expect(shown.html).toContain('name="nonce"');
  });
});

const requestMcp = async (
  settings: Partial<Env>,
  headers: Record<string, string>,
): Promise<number> => {
  const mcp = new RawMcp(sendFrom({}, settings), INSIDE);
  return (await mcp.post(LIST, headers)).status;
};

describe("MCP", () => {
  it("is served behind a proxy that writes its own Host", async () => {
    expect(await requestMcp(HTTPS, { Host: "upstream:8787" })).toBe(200);
    expect(
      await requestMcp(HTTPS, { Host: "upstream:8787", Origin: "https://baton.example" }),
    ).toBe(200);
    expect(await requestMcp({ PUBLIC_URL: "https://localhost:8443" }, { Host: "upstream" })).toBe(
      200,
    );
  });

  it("is refused to pages of other sites, and to host names that were rebound to this machine", async () => {
    expect(await requestMcp(HTTPS, { Origin: "https://evil.example" })).toBe(403);
    const local = { PUBLIC_URL: "http://localhost:8787" };
    expect(await requestMcp(local, { Host: "evil.example:8787" })).toBe(403);
    expect(await requestMcp(local, { Host: "127.0.0.1:8787" })).toBe(200);
  });
});

describe("an agent without a key", () => {
  it("accepts no job from a page of another site, and one from a program", async () => {
    const jobs = new Jobs(client);
    const agent = agentName();
    await jobs.submitInNewSession(agent, { input: {} });
    const foreign = await client.call("POST", `/agents/${agent}/claim`, {
      headers: { Origin: "https://evil.example" },
      body: {},
    });
    expect([foreign.status, foreign.body.code]).toEqual([401, "credential_missing"]);
    expect((await jobs.claimOrThrow(agent)).input).toEqual({});
  });
});

describe("a deployment without a valid PUBLIC_URL", () => {
  const PATHS = ["/", "/healthz", "/docs", "/h/0000-0000-00000", "/assets/page.css", "/nowhere"];

  it.each([
    ["is empty", ""],
    ["is not a URL", "baton.example"],
    ["is of another protocol", "ftp://baton.example"],
    ["has a path", "https://baton.example/baton"],
    ["has a query", "https://baton.example/?a=b"],
    ["contains a password", "https://me:secret@baton.example"],
    // Shows M-15.
  ])("answers every request with 501 if PUBLIC_URL %s", async (_, PUBLIC_URL) => {
    const unset = new Client(sendFrom({}, { PUBLIC_URL }));
    for (const path of PATHS) {
      const { status, body } = await unset.call("GET", path);
      expect([path, status, body.code, body.setting]).toEqual([
        path,
        501,
        "not_configured",
        "PUBLIC_URL",
      ]);
    }
    const created = await unset.call("POST", "/sessions", { body: {} });
    expect([created.status, created.body.code]).toEqual([501, "not_configured"]);
    const preflight = await unset.call("OPTIONS", "/sessions");
    expect(preflight.status).toBe(501);
    expect(created.text).not.toContain("secret");
  });
});

import { createPrivateKey, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Hand } from "../support/hand.ts";
import { Receiver } from "../support/receiver.ts";
import { filesUnder, startServer, temporaryFolder, type Server } from "../support/server.ts";

const data = temporaryFolder();
let server: Server;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.start();
  server = await startServer(data.path, undefined, {
    WEBHOOK_ALLOW: receiver.host,
    WEBHOOK_DELAYS_MS: "0,200,200,200,200",
    WEBHOOK_TIMEOUT_MS: "2000",
  });
});
afterAll(async () => {
  await server.stop();
  await receiver.close();
  data[Symbol.dispose]();
});

describe("an endpoint of a session", () => {
  // Shows NO-5.
  it("is told of the notices it asked for, once each and in order", async () => {
    const agent = await Hand.begin(server.client, { title: "Oak Street" });
    const path = `/hook-${agent.id}`;
    const { body } = await agent.does("POST", "/endpoints", {
      url: receiver.url(path),
      notices: ["session.awaiting_input", "session.submitted", "session.finalized"],
    });
    expect(body.endpoint).toMatchObject({
      origin: new URL(receiver.url()).origin,
      status: "active",
    });
    expect(body.secret).toMatch(/^whsec_/);
    await agent.does("POST", "/request-input", { note: "which one?" });
    await agent.does("POST", "/submit", {});
    await agent.does("POST", "/finalize", {});
    const mine = () => receiver.arrived.filter((one) => one.path === path);
    await expect
      .poll(() => mine().map(({ body: { type } }) => type))
      .toEqual(["session.awaiting_input", "session.submitted", "session.finalized"]);
    const list = await agent.does("GET", `/endpoints/${body.endpoint.id}/deliveries`);
    const statuses = list.body.deliveries.map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(["delivered", "delivered", "delivered"]);
  });

  // Shows NO-4.
  it("is verified by standardwebhooks and svix, during a rotation too", async () => {
    const agent = await Hand.begin(server.client, { review: { required: true, approvals: 1 } });
    const path = `/verified-${agent.id}`;
    const notices = ["session.awaiting_input", "session.submitted", "session.cancelled"];
    const { body } = await agent.does("POST", "/endpoints", { url: receiver.url(path), notices });
    await agent.does("POST", "/request-input", {});
    const mine = () => receiver.arrived.filter((one) => one.path === path);
    await expect.poll(() => mine().length).toBe(1);
    const rotated = await agent.does("POST", `/endpoints/${body.endpoint.id}/rotate`);
    await agent.does("POST", "/submit", {});
    await agent.does("POST", "/cancel", {});
    await expect.poll(() => mine().length).toBe(3);

    const [before, ...after] = mine();

    const verifies = (secret: string, { text, headers }: (typeof receiver.arrived)[number]) =>
      [new StandardWebhook(secret), new SvixWebhook(secret)].map((verifier) => {
        try {
          verifier.verify(text, headers as Record<string, string>);
          return true;
        } catch {
          return false;
        }
      });
    if (before === undefined) throw new Error("one came before the rotation");
    expect(verifies(body.secret, before)).toEqual([true, true]);
    expect(verifies(rotated.body.secret, before)).toEqual([false, false]);
    for (const one of after) {
      expect(verifies(body.secret, one)).toEqual([true, true]);
      expect(verifies(rotated.body.secret, one)).toEqual([true, true]);
      expect(verifies(body.secret, { ...one, text: `${one.text} ` })).toEqual([false, false]);
    }
  });

  it("signs with the server's own key too, which its public half verifies", async () => {
    const agent = await Hand.begin(server.client);
    const path = `/signed-${agent.id}`;
    await agent.does("POST", "/endpoints", {
      url: receiver.url(path),
      notices: ["session.submitted"],
    });
    await agent.does("POST", "/submit", {});
    const mine = () => receiver.arrived.filter((one) => one.path === path);
    await expect.poll(() => mine().length).toBe(1);
    const [one] = mine();
    const [{ key = "" } = {}] = JSON.parse(
      readFileSync(join(data.path, "signing-keys.json"), "utf8"),
    ) as { key: string }[];

    const signed = `${one?.headers["webhook-id"]}.${one?.headers["webhook-timestamp"]}.${one?.text}`;
    const [, signature = ""] = /v1a,(\S+)/.exec(String(one?.headers["webhook-signature"])) ?? [];

    const seed = Buffer.from("302e020100300506032b657004220420", "hex");
    const der = Buffer.concat([seed, Buffer.from(key, "base64url")]);
    const own = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    const isGood = verify(
      null,
      Buffer.from(signed),
      createPublicKey(own),
      Buffer.from(signature, "base64"),
    );
    expect(isGood).toBe(true);
  });

  it("and its links stand nowhere in clear at rest", async () => {
    const agent = await Hand.begin(server.client);
    const path = `/scanned-${agent.id}`;
    const made = await agent.does("POST", "/endpoints", {
      url: receiver.url(path),
      notices: ["session.submitted"],
    });
    const handoff = await agent.does("POST", "/handoffs", {
      to: "human",
      scopes: ["fill"],
      notify: [made.body.endpoint.id],
    });
    await expect.poll(() => receiver.arrived.some((one) => one.path === path)).toBe(true);

    const bytes = filesUnder(data.path).map((file) => readFileSync(file));

    for (const secret of [path, made.body.secret.slice(6), handoff.body.handoff.code]) {
      expect(bytes.some((file) => file.includes(secret))).toBe(false);
    }
  });
});

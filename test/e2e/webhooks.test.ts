import type { JsonWebKey } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateKey } from "../../src/gateway/keyring.ts";
import { CHANNELS, channelProblems } from "../support/channel-rules.ts";
import { TestAgent } from "../support/test-agent.ts";
import { Receiver } from "../support/receiver.ts";
import { newKey, ownersText } from "../support/owners.ts";
import { readIfThere } from "../support/secret-scan.ts";
import { freePort } from "../support/server-process.ts";
import { filesUnder, startServer, temporaryFolder, type Server } from "../support/server.ts";
import { verifiesV1, verifiesV1a } from "../support/verify-webhook.ts";

/** The headers of a message that belong to the channel; the others belong to the webhook. */
const HEADERS = ["Content-Type", "Title", "Tags", "Click", "Actions"];

const data = temporaryFolder();
let server: Server;
let receiver: Receiver;
let keys: readonly JsonWebKey[];
const key = newKey();

beforeAll(async () => {
  receiver = await Receiver.start();
  server = await startServer(data.path, undefined, {
    OWNERS: ownersText({ local: [key] }),
    WEBHOOK_ALLOW: receiver.host,
    WEBHOOK_DELAYS_MS: "0,200,200,200,200",
    WEBHOOK_TIMEOUT_MS: "30000",
  });
  ({ keys } = (await server.client.call("GET", "/.well-known/baton-keys.json")).body);
});
afterAll(async () => {
  await server.stop();
  await receiver.close();
  data[Symbol.dispose]();
});

describe("an endpoint of a session", () => {
  // Shows NO-5.
  it("receives the notices it subscribed to, once each and in order", async () => {
    const agent = await TestAgent.create(server.client, { title: "Oak Street" });
    const path = `/hook-${agent.id}`;
    const { body } = await agent.call("POST", "/endpoints", {
      url: receiver.url(path),
      notices: ["session.awaiting_input", "session.submitted", "session.finalized"],
    });
    expect(body.endpoint).toMatchObject({
      origin: new URL(receiver.url()).origin,
      status: "active",
    });
    expect(body.secret).toMatch(/^whsec_/);
    await agent.call("POST", "/request-input", { note: "which one?" });
    await agent.call("POST", "/submit", {});
    await agent.call("POST", "/finalize", {});
    const arrived = () => receiver.arrived.filter((one) => one.path === path);
    await expect
      .poll(() => arrived().map(({ body: { type } }) => type))
      .toEqual(["session.awaiting_input", "session.submitted", "session.finalized"]);
    const statuses = async () => {
      const list = await agent.call("GET", `/endpoints/${body.endpoint.id}/deliveries`);
      return list.body.deliveries.map(({ status }: { status: string }) => status);
    };
    await expect.poll(statuses).toEqual(["delivered", "delivered", "delivered"]);
  });

  // Shows NO-8.
  it("for a channel gets a message in the channel's format, while another one does not answer", async () => {
    const agent = await TestAgent.create(server.client, { title: "Straße <!channel>" });
    const notices = ["handoff.created"];
    const add = async (format: string, path: string): Promise<string> => {
      const input = { url: receiver.url(path), notices, format };
      return (await agent.call("POST", "/endpoints", input)).body.endpoint.id;
    };
    receiver.behaves = ({ path }) => (path.startsWith("/silent") ? "nothing" : { status: 204 });
    const notify = [await add("slack", "/silent")];
    for (const channel of CHANNELS) notify.push(await add(channel, `/to-${channel}?a=1`));
    const { body } = await agent.call("POST", "/handoffs", {
      to: "human",
      scopes: ["fill"],
      notify,
    });

    const of = (channel: string) =>
      receiver.arrived.find(({ path }) => path.startsWith(`/to-${channel}?`));
    for (const channel of CHANNELS) {
      await expect.poll(() => of(channel)).toBeDefined();
      const { path = "", headers = {}, body: posted, text = "" } = of(channel) ?? {};
      const { searchParams } = new URL(path, receiver.url());
      expect(
        channelProblems(channel, {
          headers: Object.fromEntries(
            HEADERS.flatMap((name) => {
              const value = headers[name.toLowerCase()];
              return value === undefined ? [] : [[name, String(value)]];
            }),
          ),
          query: Object.fromEntries(searchParams),
          body: posted,
        }),
      ).toEqual([]);
      expect(searchParams.get("a")).toBe("1");
      expect(`${text} ${headers["click"]}`).toContain(body.handoff.url);
    }
    receiver.behaves = () => ({ status: 204 });
  });

  // Shows NO-4.
  it("is verified by standardwebhooks and svix, during a rotation too", async () => {
    const agent = await TestAgent.create(server.client, {
      review: { required: true, approvals: 1 },
    });
    const path = `/verified-${agent.id}`;
    const notices = ["session.awaiting_input", "session.submitted", "session.cancelled"];
    const { body } = await agent.call("POST", "/endpoints", { url: receiver.url(path), notices });
    await agent.call("POST", "/request-input", {});
    const arrived = () => receiver.arrived.filter((one) => one.path === path);
    await expect.poll(() => arrived().length).toBe(1);
    const rotated = await agent.call("POST", `/endpoints/${body.endpoint.id}/rotate`);
    await agent.call("POST", "/submit", {});
    await agent.call("POST", "/cancel", {});
    await expect.poll(() => arrived().length).toBe(3);

    const [before, ...after] = arrived();

    if (before === undefined) throw new Error("one came before the rotation");
    expect(verifiesV1(body.secret, before)).toEqual([true, true]);
    expect(verifiesV1(rotated.body.secret, before)).toEqual([false, false]);
    for (const one of after) {
      expect(verifiesV1(body.secret, one)).toEqual([true, true]);
      expect(verifiesV1(rotated.body.secret, one)).toEqual([true, true]);
      expect(verifiesV1(body.secret, { ...one, text: `${one.text} ` })).toEqual([false, false]);
    }
    for (const one of [before, ...after]) {
      expect(verifiesV1a(keys, one)).toBe(true);
      expect(verifiesV1a(keys, { ...one, text: `${one.text} ` })).toBe(false);
    }
  });

  it("and its links are stored nowhere in clear", async () => {
    const agent = await TestAgent.create(server.client);
    const path = `/scanned-${agent.id}`;
    const added = await agent.call("POST", "/endpoints", {
      url: receiver.url(path),
      notices: ["session.submitted"],
    });
    const owners = `/owned-${agent.id}`;
    const ownerEndpoint = await server.client.call("POST", "/endpoints", {
      headers: { "Baton-Key": key },
      body: { url: receiver.url(owners), notices: ["session.submitted"] },
    });
    const handoff = await agent.call("POST", "/handoffs", {
      to: "human",
      scopes: ["fill"],
      notify: [added.body.endpoint.id, ownerEndpoint.body.endpoint.id],
    });
    const linked = () =>
      receiver.arrived.filter((one) => one.body.data?.url === handoff.body.handoff.url);
    await expect
      .poll(() =>
        linked()
          .map((one) => one.path)
          .toSorted(),
      )
      .toEqual([owners, path].toSorted());

    const bytes = filesUnder(data.path).map((file) => readIfThere(file));

    const { code } = handoff.body.handoff;
    const secrets = [added, ownerEndpoint].map(({ body }) => body.secret.slice("whsec_".length));
    for (const [label, secret] of Object.entries({
      "the session's address": path,
      "the owner's address": owners.slice(1),
      "the session's secret": secrets[0],
      "the owner's secret": secrets[1],
      "the session's secret as bytes": Buffer.from(secrets[0], "base64"),
      "the owner's secret as bytes": Buffer.from(secrets[1], "base64"),
      "the code": code,
      "the code without dashes": code.replaceAll("-", ""),
    })) {
      expect([label, bytes.some((file) => file.includes(secret))]).toEqual([label, false]);
    }
    // Text that is stored in clear is found, so the scan can fail.
    expect(bytes.some((file) => file.includes("session.submitted"))).toBe(true);
  });
});

it("an endpoint that was used or changed under a newer key no longer needs the older one", async () => {
  using folder = temporaryFolder();
  const [older, newer] = [generateKey("older"), generateKey("newer")];
  const port = await freePort();
  const under = (...sealing: readonly object[]): Promise<Server> =>
    startServer(folder.path, port, {
      SEALING_KEYS: JSON.stringify(sealing),
      WEBHOOK_ALLOW: receiver.host,
    });
  const olderServer = await under(older);
  const agent = await TestAgent.create(olderServer.client);
  const addEndpoint = async (name: string, ...notices: readonly string[]): Promise<string> => {
    const url = receiver.url(`/${name}-${agent.id}`);
    return (await agent.call("POST", "/endpoints", { url, notices })).body.endpoint.id;
  };
  const sent = await addEndpoint("sent", "session.awaiting_input", "session.submitted");
  const renewed = await addEndpoint("anew", "session.submitted");
  const untouched = await addEndpoint("left", "session.submitted");
  const arrived = () =>
    receiver.arrived
      .filter(({ path }) => path.endsWith(agent.id))
      .map(({ path, body }) => `${path.slice(1, 5)} ${body.type}`)
      .toSorted();
  const deliveries = async (id: string) =>
    (await agent.call("GET", `/endpoints/${id}/deliveries`)).body.deliveries;
  await olderServer.stop();

  const between = await under(newer, older);
  await agent.call("POST", "/request-input", {});
  await expect.poll(arrived).toEqual(["sent session.awaiting_input"]);
  await expect.poll(() => deliveries(sent)).toMatchObject([{ status: "delivered" }]);
  await agent.call("PATCH", `/endpoints/${renewed}`, { url: receiver.url(`/anew-${agent.id}`) });
  await agent.call("POST", `/endpoints/${renewed}/rotate`);
  await between.stop();

  const after = await under(newer);
  await agent.call("POST", "/submit", {});
  await expect
    .poll(arrived)
    .toEqual(["anew session.submitted", "sent session.awaiting_input", "sent session.submitted"]);
  await expect
    .poll(() => deliveries(untouched))
    .toMatchObject([{ attempts: [{ error: "not_configured" }] }]);
  await after.stop();
});

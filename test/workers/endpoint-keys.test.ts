import { env } from "cloudflare:workers";
import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { endpointHexOf } from "../../src/domain/notices/endpoint";
import type { Env } from "../../src/env";
import { TestAgent } from "../support/test-agent";
import { createOwner, bindOwners, type TestOwner } from "../support/test-owner";
import { keyEntry } from "../support/owners";
import { bindAt, client, inside, stubOf } from "../support/worker";
import { addEndpoint, newPath, release, typesAt } from "../support/worker-endpoints";

const { NOTICE_ENDPOINT } = env as unknown as Env;

/** Objects read the setting themselves; each endpoint is an object of its own. */
const settingsAt = (id: string, OWNERS: string): Promise<Env> => {
  const hex = endpointHexOf(id) ?? "";
  const stub = NOTICE_ENDPOINT.get(NOTICE_ENDPOINT.idFromString(hex));
  return bindAt(stub as never, { OWNERS });
};

/** A session with an endpoint of its creator, and one of a participant that was opened by a key. */
async function openedWith(owner: TestOwner, path: string, creatorsPath = newPath()) {
  const { OWNERS } = owner.settings;
  const created = await owner.create();
  const creator = new TestAgent(owner.client, created);
  const opened = await owner.call("POST", `/sessions/${created.id}/open`, { body: {} });
  const agent = new TestAgent(owner.client, { id: created.id, token: opened.body.resumeToken });
  await bindOwners(created, OWNERS);
  const notices = ["handoff.created", "session.cancelled"];
  const { endpoint } = await addEndpoint(agent, path, notices);
  await settingsAt(endpoint.id, OWNERS);
  await creator.session();
  await addEndpoint(creator, creatorsPath, notices);
  return { creator, hand: agent, id: endpoint.id };
}

describe("an endpoint of a participant that an owner's key opened", () => {
  // Shows NO-7.
  it("gets no more deliveries once that key is removed from the setting, and others still do", async () => {
    const owner = createOwner();
    const [path, creatorsPath] = [newPath(), newPath()];
    const { creator, hand: agent, id } = await openedWith(owner, path, creatorsPath);
    await creator.call("POST", "/handoffs", { to: "agent", scopes: ["view"] });
    await expect.poll(() => typesAt(path)).toEqual(["handoff.created"]);

    const { OWNERS } = createOwner().settings;
    await settingsAt(id, OWNERS);
    await bindOwners(agent, OWNERS);
    expect((await agent.tryCall("GET", "")).status).toBe(403);
    await creator.call("POST", "/cancel", {});

    await expect
      .poll(() => typesAt(creatorsPath))
      .toEqual(["handoff.created", "session.cancelled"]);
    expect(await typesAt(path)).toEqual(["handoff.created"]);
    const shown = (await creator.call("GET", "/endpoints")).body.endpoints;
    expect(shown.map(({ status }: { status: string }) => status)).toEqual(["ended", "active"]);
  });

  it.each([
    ["the key is removed", () => createOwner().settings.OWNERS],
    [
      "the key has expired",
      ({ name, key }: TestOwner) => {
        const expiresAt = new Date(Date.now() - 1000).toISOString();
        return JSON.stringify([{ name, keys: [keyEntry(key, { expiresAt })] }]);
      },
    ],
    // Shows NO-7.
  ])("is neither retried nor replayed once %s", async (_, settings) => {
    const owner = createOwner();
    const path = newPath();
    const { creator, id } = await openedWith(owner, path);
    await creator.call("POST", "/handoffs", { to: "agent", scopes: ["view"] });
    await expect.poll(() => typesAt(path)).toHaveLength(1);

    await settingsAt(id, settings(owner));
    const since = new Date(0).toISOString();
    await creator.call("POST", `/endpoints/${id}/replay`, { since });
    await creator.call("POST", "/cancel", {});

    const deliveries = async () =>
      (await creator.call("GET", `/endpoints/${id}/deliveries`)).body.deliveries;
    await expect.poll(deliveries).toMatchObject([
      { type: "session.cancelled", attempts: [] },
      { type: "handoff.created", attempts: [{ status: 204 }] },
    ]);
    expect(await typesAt(path)).toEqual(["handoff.created"]);
  });
});

describe("an endpoint of an owner", () => {
  it("gets no more deliveries once the owner is removed from the setting", async () => {
    const owner = createOwner();
    const path = newPath();
    const url = `https://receiver.test${path}`;
    const body = { url, notices: ["session.awaiting_input", "session.cancelled"] };
    const { endpoint } = (await owner.call("POST", "/endpoints", { body })).body;
    const agent = new TestAgent(owner.client, await owner.create());
    await agent.call("POST", "/request-input", {});
    await expect.poll(() => typesAt(path)).toEqual(["session.awaiting_input"]);

    await settingsAt(endpoint.id, createOwner().settings.OWNERS);
    await agent.call("POST", "/cancel", {});

    const deliveries = async () =>
      (await owner.call("GET", `/endpoints/${endpoint.id}/deliveries`)).body.deliveries;
    await expect
      .poll(deliveries)
      .toMatchObject([{ type: "session.cancelled", status: "given_up", attempts: [] }, {}]);
    expect(await typesAt(path)).toEqual(["session.awaiting_input"]);
  });
});

describe("a receiver that does not answer", () => {
  it("keeps no session awake: the session has nothing left to do and may sleep meanwhile", async () => {
    const agent = await TestAgent.create(client);
    const path = `/held/${crypto.randomUUID()}`;
    const { endpoint } = await addEndpoint(agent, path);
    await agent.call("POST", "/submit", {});
    await expect.poll(() => typesAt(path)).toEqual(["session.submitted"]);

    const pending = () =>
      inside(agent, (_, { storage }) => {
        const [row] = storage.sql.exec("SELECT news FROM session").toArray();
        return (JSON.parse(String(row?.["news"])) as { untold: unknown[] }).untold;
      });
    await expect.poll(pending).toEqual([]);
    await evictDurableObject(stubOf(agent));
    await release(path);

    const deliveries = async () =>
      (await agent.call("GET", `/endpoints/${endpoint.id}/deliveries`)).body.deliveries;
    await expect
      .poll(deliveries)
      .toMatchObject([{ status: "delivered", attempts: [{ status: 204 }] }]);
  });
});

/** An owner's quotas apply to every way to create a session: a create, an open, a fork, with a key or without. */
import { describe, expect, it } from "vitest";
import { callerFrom, sendFrom } from "../support/caller";
import { randomKey } from "../support/client";
import { mcpOf } from "../support/gate/access-paths";
import { TestAgent } from "../support/test-agent";
import { bindOwners } from "../support/test-owner";
import { keyEntry, newKey } from "../support/owners";
import { objectCount } from "../support/worker";

type Quota = "openSessions" | "createsPerMinute";
const QUOTAS = ["openSessions", "createsPerMinute"] as const;

/** An owner that may have three sessions, with a second key whose rights are given. */
function limited(quota: Quota, rights: readonly string[] = ["open"], allowed = 3) {
  const name = `limited-${crypto.randomUUID()}`;
  const [key, other] = [newKey(), newKey()];
  const keys = [keyEntry(key), keyEntry(other, { rights })];
  const OWNERS = JSON.stringify([{ name, keys, quotas: { [quota]: allowed } }]);
  const client = callerFrom(null, { OWNERS }, { "Baton-Key": key });
  /** By the second key. */
  const open = async (session: { readonly id: string }, scopes: readonly string[] = ["own"]) => {
    const opener = callerFrom(null, { OWNERS }, { "Baton-Key": other });
    const path = `/sessions/${session.id}/open`;
    const { status, text, body } = await opener.call("POST", path, { body: { scopes } });
    expect(status, text).toBe(201);
    await bindOwners(session, OWNERS);
    return new TestAgent(client, { id: session.id, token: body.resumeToken });
  };
  return { name, key, OWNERS, client, open };
}

const exceeded = (quota: Quota, used = 3) => ({
  code: "quota_exceeded",
  quota,
  used,
  allowed: used,
});

describe.each(QUOTAS)("a quota (%s)", (quota) => {
  it("allows as many creates and not one more", async () => {
    const { key, client } = limited(quota);
    const create = () => client.call("POST", "/sessions", { body: {} });
    const created = [await create(), await create(), await create()];
    expect(created.map(({ status }) => status)).toEqual([201, 201, 201]);
    const objects = await objectCount();
    const overLimit = await create();
    expect([overLimit.status, overLimit.body]).toEqual([
      403,
      expect.objectContaining(exceeded(quota)),
    ]);
    expect(await objectCount()).toBe(objects);
    if (quota !== "openSessions") return;
    const { id } = created[0]?.body.session ?? {};
    await client.call("POST", `/sessions/${id}/cancel`, { token: key, body: {} });
    await expect.poll(async () => (await create()).status).toBe(201);
  });

  // Shows OW-10.
  it("applies to forks by any participant of that owner's sessions, and a refused fork leaves nothing", async () => {
    const owner = limited(quota);
    const { client } = owner;
    const parent = await TestAgent.create(client);
    const handedOff = await parent.call("POST", "/handoffs", { to: "agent", scopes: ["own"] });
    const participant = new TestAgent(client, {
      id: parent.id,
      token: handedOff.body.participantToken,
    });
    const first = await parent.call("POST", "/fork", {});
    const key = randomKey();
    const { token } = participant;
    const second = await participant.call("POST", "/fork", { reason: "again" }, { key });
    const before = [await parent.events(), await objectCount()];
    const overLimit = await parent.tryCall("POST", "/fork", {});
    expect([overLimit.status, overLimit.body]).toEqual([
      403,
      expect.objectContaining(exceeded(quota)),
    ]);
    const child = new TestAgent(client, { id: first.body.child.id, token: first.body.childToken });
    expect((await child.tryCall("POST", "/fork", {})).body.code).toBe("quota_exceeded");
    const { OWNERS } = owner;
    const tool = await mcpOf(sendFrom({}, { OWNERS })).call("fork_session", {
      resume_token: parent.token,
    });
    expect([tool.isError, tool.facts.code]).toEqual([true, "quota_exceeded"]);
    expect([await parent.events(), await objectCount()]).toEqual(before);
    const repeated = await client.on(parent, "POST", "/fork", {
      token,
      key,
      body: { reason: "again" },
    });
    expect([repeated.status, repeated.body.child.id]).toEqual([201, second.body.child.id]);
  });

  it("applies to an open that creates", async () => {
    const { client } = limited(quota, ["open"], 1);
    const open = (externalId: string) =>
      client.call("POST", "/sessions/open", { body: { externalId, create: true } });
    expect((await open("one")).status).toBe(201);
    expect((await open("two")).body).toMatchObject(exceeded(quota, 1));
    expect((await open("one")).status).toBe(200);
  });
});

it("a quota of `local` applies to creates without a key too", async () => {
  const name = "local";
  const settings = {
    PUBLIC_URL: "http://localhost:8787",
    OWNERS: JSON.stringify([{ name, keys: [keyEntry(newKey())], quotas: { createsPerMinute: 0 } }]),
  };
  const refused = await callerFrom(null, settings).call("POST", "/sessions", { body: {} });
  expect([refused.status, refused.body.code]).toEqual([403, "quota_exceeded"]);
});

describe("a participant opened by a key without the right create", () => {
  // Shows B-8.
  it("cannot fork, nor can those it created", async () => {
    const { client, open } = limited("openSessions", ["open"]);
    const session = await TestAgent.create(client);
    const opened = await open(session);
    const handedOff = await opened.call("POST", "/handoffs", { to: "agent", scopes: ["own"] });
    const helper = new TestAgent(client, {
      id: session.id,
      token: handedOff.body.participantToken,
    });
    for (const agent of [opened, helper]) {
      const before = await session.events();
      const denied = await agent.tryCall("POST", "/fork", {});
      expect([denied.status, denied.body.code]).toEqual([403, "scope_denied"]);
      expect(denied.body.needed).toBe("create");
      expect(await session.events()).toEqual(before);
    }
    expect((await opened.call("PATCH", "", { fields: { a: 1 } })).status).toBe(200);
    expect((await session.call("POST", "/fork", {})).status).toBe(201);
  });

  it("can with the right", async () => {
    const { client, open } = limited("openSessions", ["open", "create"]);
    const session = await TestAgent.create(client);
    const opened = await open(session);
    expect((await opened.call("POST", "/fork", {})).status).toBe(201);
  });
});

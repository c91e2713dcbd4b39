/** A replay returns outcome and secrets; content only if the caller may view it now. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { randomKey } from "../support/client";
import { TestAgent } from "../support/test-agent";
import { client } from "../support/worker";

const SECRET = "the-content-of-the-session";
const OUTLINE = ["expiresAt", "head", "id", "state", "updatedAt", "updatedBy", "version"];

const passTime = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
afterEach(() => {
  vi.useRealTimers();
});

const create = (key: string, body: unknown = { title: SECRET, ttlMs: 60_000 }) =>
  client.call("POST", "/sessions", { key, body });

async function handOffTo(host: TestAgent, more: object): Promise<TestAgent> {
  const handedOff = await host.call("POST", "/handoffs", { to: "agent", ...more });
  return new TestAgent(client, { id: host.id, token: handedOff.body.participantToken });
}

describe("a replay", () => {
  // Shows L-10.
  it("a creator that was revoked gets 403 for its repeated create, and nothing of the session", async () => {
    const key = randomKey();
    const created = await create(key);
    const host = new TestAgent(client, {
      id: created.body.session.id,
      token: created.body.resumeToken,
    });
    const heir = await handOffTo(host, { scopes: ["own"] });
    await heir.call("POST", "/revoke", { participant: "par_1" });
    const repeated = await create(key);
    expect(repeated.status).toBe(403);
    expect(repeated.body.code).toBe("token_invalid");
    expect(repeated.text).not.toContain(SECRET);
  });

  // Shows L-10.
  it("an expired participant gets 410 for its last write, whichever it was", async () => {
    const host = await TestAgent.create(client, { title: SECRET });
    for (const [path, body] of [
      ["", { fields: { a: 1 } }],
      ["/resume", {}],
    ] as const) {
      const participant = await handOffTo(host, { scopes: ["fill"], ttlMs: 60_000 });
      const key = randomKey();
      const { token } = participant;
      const method = path === "" ? "PATCH" : "POST";
      await participant.call(method, path, body, { key });
      passTime(61_000);
      const repeated = await client.on(host, method, path, { token, key, body });
      vi.useRealTimers();
      expect([repeated.status, repeated.body.code]).toEqual([410, "expired"]);
      expect(repeated.text).not.toContain(SECRET);
    }
  });

  // Shows L-10.
  it("after expiry a repeated write and a repeated create show the outline, with the same token", async () => {
    const createKey = randomKey();
    const created = await create(createKey);
    const host = new TestAgent(client, {
      id: created.body.session.id,
      token: created.body.resumeToken,
    });
    const resumeKey = randomKey();
    const resumed = await host.call("POST", "/resume", {}, { key: resumeKey });
    passTime(61_000);
    const token = created.body.resumeToken;
    const repeated = await client.on(host, "POST", "/resume", { token, key: resumeKey, body: {} });
    const repeatedCreate = await create(createKey);
    expect([repeated.status, repeatedCreate.status]).toEqual([200, 201]);
    expect(repeated.body).toMatchObject({ resumeToken: resumed.body.resumeToken, events: [] });
    expect(repeatedCreate.body.resumeToken).toBe(token);
    for (const answer of [repeated, repeatedCreate]) {
      expect(Object.keys(answer.body.session).toSorted()).toEqual(OUTLINE);
      expect(answer.text).not.toContain(SECRET);
    }
  });

  // Shows L-10.
  it("a participant that was revoked in a child repeats its fork and sees nothing of the child", async () => {
    const host = await TestAgent.create(client, { title: SECRET });
    const { token } = host;
    const key = randomKey();
    const body = { reason: "go on" };
    const forked = await host.call("POST", "/fork", body, { key });
    const child = new TestAgent(client, {
      id: forked.body.child.id,
      token: forked.body.childToken,
    });
    const heir = await handOffTo(child, { scopes: ["own"] });
    await heir.call("PATCH", "", { fields: { later: "written-in-the-child" } });
    await heir.call("POST", "/revoke", { participant: "par_1" });
    const repeated = await client.on(host, "POST", "/fork", { token, key, body });
    expect(repeated.status).toBe(201);
    expect(repeated.body.resumeToken).toBe(forked.body.resumeToken);
    expect(repeated.body.child).toBeNull();
    expect(repeated.text).not.toContain("written-in-the-child");
  });

  // Shows T-7.
  it("a fenced token gets the outline, a spent one the whole session", async () => {
    const host = await TestAgent.create(client, { title: SECRET });
    const first = host.token;
    await host.call("PATCH", "", { fields: { a: 1 } });
    const options = { token: first, body: { fields: { b: 1 } } };
    const spent = await client.on(host, "PATCH", "", options);
    await host.call("POST", "/resume", {});
    const fenced = await client.on(host, "PATCH", "", options);
    expect([spent.status, fenced.status]).toEqual([409, 409]);
    expect(spent.body.current.title).toBe(SECRET);
    expect(Object.keys(fenced.body.current).toSorted()).toEqual(OUTLINE);
  });
});

/** The whole life of a subscription. */
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import { endpointHexOf } from "../../src/domain/notices/endpoint";
import type { Env } from "../../src/env";
import type { NoticeEndpoint } from "../../src/object/notice-endpoint";
import { sendFrom } from "../support/caller";
import { TestAgent } from "../support/test-agent";
import { RawMcp, type Facts } from "../support/mcp";
import {
  callMethod,
  BASE,
  createSession,
  bodies,
  mcpOf,
  controls,
  events,
  MCP_EVENTS_ON,
  OTHER_SECRET,
  SECRET,
  subscribe,
  unsubscribe,
} from "../support/mcp-events";
import { createOwner, type TestOwner } from "../support/test-owner";
import { bindAt, client } from "../support/worker";
import { arrivedAt, newPath, release, delayRetries } from "../support/worker-endpoints";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

afterEach(() => {
  vi.useRealTimers();
});
const later = (ms: number): void => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
};

/** The deliveries of the owner's only endpoint. */
const deliveriesOf = async (owner: TestOwner): Promise<readonly Facts[]> => {
  const { body } = await owner.call("GET", "/endpoints");
  return (await owner.call("GET", `/endpoints/${body.endpoints[0].id}/deliveries`)).body.deliveries;
};

const { NOTICE_ENDPOINT } = env as unknown as Env;

describe("a subscription", () => {
  // Shows ME-5, ME-6.
  it("challenges the URL, and posts events as the draft defines it", async () => {
    const owner = createOwner();
    const agent = await createSession(owner);
    const path = newPath();

    const subscription = await subscribe(owner, path, { args: { session_id: agent.id } });
    await agent.call("POST", "/request-input", {});
    await expect.poll(async () => (await events(path)).length).toBe(1);

    const [challenge, event] = await arrivedAt(path);
    expect(JSON.parse(challenge?.text ?? "").type).toBe("verification");
    const body = JSON.parse(event?.text ?? "");
    expect(body).toMatchObject({ name: "session.awaiting_input", data: { sessionId: agent.id } });
    expect(body.eventId).toBe(event?.headers["webhook-id"]);
    expect(body.cursor).toBe(String(body.data.seq));
    for (const one of [challenge, event]) {
      expect(one?.headers["x-mcp-subscription-id"]).toBe(subscription.id);
      expect(() => new Webhook(SECRET).verify(one?.text ?? "", one?.headers ?? {})).not.toThrow();
    }
    expect(subscription).toMatchObject({ truncated: false });
    expect(Date.parse(subscription.refreshBefore)).toBeGreaterThan(Date.now());
  });

  // Shows ME-5.
  it("receives events of all the owner's sessions, or of those with a label", async () => {
    const owner = createOwner();
    const [all, some] = [newPath(), newPath()];
    const subscription = await subscribe(owner, all);
    await subscribe(owner, some, { args: { labels: { team: "north" } } });
    const [one, other] = [await owner.create({ labels: { team: "north" } }), await owner.create()];
    for (const created of [one, other]) {
      await new TestAgent(client, created).call("POST", "/request-input", {});
    }

    await expect.poll(async () => (await events(all)).length).toBe(2);
    expect(subscription.cursor).toBeNull();
    const named = async () => (await events(some)).map(({ data }) => data.sessionId);
    await expect.poll(named).toEqual([one.id]);
  });

  // Shows ME-5.
  it("keeps its id whichever of the owner's keys is used, and rotates its secret", async () => {
    const owner = createOwner();
    const agent = await createSession(owner);
    const path = newPath();
    const args = { session_id: agent.id };

    const subscription = await subscribe(owner, path, { args });
    const repeated = await subscribe(owner, path, { args, more: { cursor: subscription.cursor } });
    const rotated = await subscribe(owner, path, { args, secret: OTHER_SECRET });
    await agent.call("POST", "/request-input", {});
    await expect.poll(async () => (await events(path)).length).toBe(1);

    expect([repeated.id, rotated.id]).toEqual([subscription.id, subscription.id]);
    expect(await controls(path)).toEqual(["verification"]);
    const delivered = (await arrivedAt(path)).at(-1);
    for (const secret of [SECRET, OTHER_SECRET]) {
      expect(() =>
        new Webhook(secret).verify(delivered?.text ?? "", delivered?.headers ?? {}),
      ).not.toThrow();
    }
    const other = await subscribe(createOwner(), path, {});
    expect(other.id).not.toBe(subscription.id);
  });

  // Shows ME-3.
  it("receives what it missed after its cursor, and a gap if the log was trimmed", async () => {
    const owner = createOwner();
    const agent = await createSession(owner);
    await agent.call("POST", "/events", { events: [{ type: "note.taken", payload: {} }] });
    const { body } = await agent.call("POST", "/checkpoints", { name: "here" });
    await agent.call("POST", "/request-input", {});
    const [whole, cut] = [newPath(), newPath()];
    const args = { session_id: agent.id };

    const missed = await subscribe(owner, whole, { args, more: { cursor: "0" } });
    await agent.call("POST", "/trim", { checkpoint: body.checkpoint.id });
    const trimmed = await subscribe(owner, cut, { args, more: { cursor: "0" } });

    expect([missed.truncated, trimmed.truncated]).toEqual([false, true]);
    await expect.poll(async () => (await events(whole)).length).toBe(1);
    await expect.poll(() => controls(cut)).toEqual(["verification", "gap"]);
    await expect.poll(async () => (await events(cut)).length).toBe(1);
  });

  // Shows ME-7.
  it("is terminated when its session ends, after its last event, and cannot be refreshed", async () => {
    const owner = createOwner();
    const agent = await createSession(owner);
    const path = newPath();
    const args = { session_id: agent.id };
    const subscription = await subscribe(owner, path, { name: "session.cancelled", args });
    await agent.call("POST", "/cancel", {});

    await expect
      .poll(async () => (await bodies(path)).map(({ type, name }) => type ?? name))
      .toEqual(["verification", "session.cancelled", "terminated"]);
    const last = (await arrivedAt(path)).at(-1);
    expect(last?.headers["x-mcp-subscription-id"]).toBe(subscription.id);
    expect(last?.headers["webhook-id"]).toMatch(/^msg_terminated_/);
    expect(JSON.parse(last?.text ?? "").error.code).toBe(-32011);
    const after = await subscribe(owner, path, { name: "session.cancelled", args });
    expect([after.code, after.data.kind]).toEqual([-32011, "living session"]);
    const { body } = await owner.call("GET", "/endpoints");
    expect(body.endpoints).toMatchObject([{ format: "mcp", status: "ended" }]);
  });

  // Shows ME-7.
  it("is terminated when its session is purged", async () => {
    const owner = createOwner();
    const agent = await createSession(owner);
    const path = newPath();
    await subscribe(owner, path, { args: { session_id: agent.id } });
    await agent.call("DELETE", "");

    await expect.poll(() => controls(path)).toEqual(["verification", "terminated"]);
  });

  // Shows ME-7.
  it("ends by unsubscribing", async () => {
    const owner = createOwner();
    const [keptPath, left] = [newPath(), newPath()];
    await subscribe(owner, keptPath);
    await subscribe(owner, left);
    const { body: before } = await owner.call("GET", "/endpoints");

    const gone = await unsubscribe(owner, left);
    const twice = await unsubscribe(owner, left);

    expect(gone).not.toHaveProperty("code");
    expect([twice.code, twice.data.kind]).toEqual([-32011, "subscription"]);
    const { body: after } = await owner.call("GET", "/endpoints");
    expect([before.endpoints.length, after.endpoints.length]).toEqual([2, 1]);
    const agent = await createSession(owner);
    await agent.call("POST", "/request-input", {});
    await expect.poll(async () => (await events(keptPath)).length).toBe(1);
    expect(await events(left)).toEqual([]);
    const resubscribed = await subscribe(owner, left);
    expect(resubscribed.id).toMatch(/^sub_/);
    expect(await controls(left)).toEqual(["verification", "verification"]);
  });

  // Shows ME-7.
  it("lapses unless it is refreshed, and starts again at the given cursor", async () => {
    const owner = createOwner();
    const agent = await createSession(owner);
    const path = newPath();
    const args = { session_id: agent.id };
    const subscription = await subscribe(owner, path, { args, more: { ttlMs: MINUTE_MS } });
    await agent.call("POST", "/request-input", {});
    await expect.poll(async () => (await events(path)).length).toBe(1);

    later(MINUTE_MS + 1);
    await agent.call("PATCH", "", { fields: { a: 1 } });
    await agent.call("POST", "/request-input", {});
    const { body: lapsed } = await owner.call("GET", "/endpoints");
    const arrived = (await events(path)).length;
    const retried = await subscribe(owner, path, { args, more: { cursor: subscription.cursor } });
    await expect.poll(async () => (await events(path)).length).toBe(3);

    expect([lapsed.endpoints[0].status, arrived]).toEqual(["ended", 1]);
    expect(retried).toMatchObject({ id: subscription.id, truncated: false });
    expect(Date.parse(retried.refreshBefore)).toBeGreaterThan(Date.now());
    const [first, repeated, missed] = await events(path);
    // Events accepted before the end are sent again, because the cursor lies before them.
    expect(repeated.eventId).toBe(first.eventId);
    expect(missed.data.seq).toBeGreaterThan(first.data.seq);
    expect(await controls(path)).toEqual(["verification", "verification"]);
  });

  // Shows ME-7.
  it("starts now if it had lapsed and no cursor is given", async () => {
    const owner = createOwner();
    const agent = await createSession(owner);
    const path = newPath();
    const args = { session_id: agent.id };
    await subscribe(owner, path, { args, more: { ttlMs: MINUTE_MS } });
    later(MINUTE_MS + 1);
    await agent.call("POST", "/request-input", {});
    await subscribe(owner, path, { args });
    await agent.call("PATCH", "", { fields: { a: 1 } });
    const { body } = await agent.call("POST", "/request-input", {});

    await expect.poll(async () => (await events(path)).length).toBe(1);
    expect((await events(path))[0].data.seq).toBe(body.session.head);
  });

  // Shows ME-9.
  it("is suspended after five days of failure, and a refresh sends what it missed", async () => {
    const owner = createOwner();
    const agent = await createSession(owner);
    const path = `/broken/${crypto.randomUUID()}`;
    const args = { session_id: agent.id };
    const subscription = await subscribe(owner, path, { args, more: { ttlMs: null } });
    await delayRetries((await owner.call("GET", "/endpoints")).body.endpoints[0].id);
    await agent.call("POST", "/request-input", {});
    await expect.poll(async () => (await events(path)).length).toBe(1);
    later(5 * DAY_MS + 1);
    await agent.call("PATCH", "", { fields: { a: 1 } });
    await agent.call("POST", "/request-input", {});
    const status = async () => (await owner.call("GET", "/endpoints")).body.endpoints[0].status;
    await expect.poll(status).toBe("suspended");
    await agent.call("PATCH", "", { fields: { a: 2 } });
    await agent.call("POST", "/request-input", {});
    await expect.poll(async () => (await deliveriesOf(owner)).length).toBe(3);
    const retained = await deliveriesOf(owner);
    const before = (await events(path)).length;

    await release(path);
    await subscribe(owner, path, { args, more: { cursor: subscription.cursor } });

    await expect
      .poll(async () => (await deliveriesOf(owner)).map((one) => one.status))
      .toEqual(["delivered", "delivered", "delivered"]);
    expect(retained.map((one) => one.status)).toEqual(["pending", "pending", "pending"]);
    expect(retained.some((one) => "nextAttemptAt" in one)).toBe(false);
    expect(await status()).toBe("active");
    const receivedSeqs = (await events(path)).slice(before).map(({ data }) => data.seq);
    expect(new Set(receivedSeqs).size).toBe(3);
  });

  // Shows ME-9.
  it("receives a gap first if it was suspended for more events than are retained", async () => {
    const owner = createOwner();
    const agent = await createSession(owner);
    const path = `/broken/${crypto.randomUUID()}`;
    const args = { session_id: agent.id };
    await subscribe(owner, path, { args, more: { ttlMs: null } });
    await delayRetries((await owner.call("GET", "/endpoints")).body.endpoints[0].id);
    const writeAndRequest = async (n: number): Promise<number> => {
      await agent.call("PATCH", "", { fields: { a: n } });
      return (await agent.call("POST", "/request-input", {})).body.session.head;
    };
    await writeAndRequest(1);
    await expect.poll(async () => (await events(path)).length).toBe(1);
    later(5 * DAY_MS + 1);
    await writeAndRequest(2);
    const status = async () => (await owner.call("GET", "/endpoints")).body.endpoints[0].status;
    await expect.poll(status).toBe("suspended");
    const [lost, ...stays] = [await writeAndRequest(3), await writeAndRequest(4)];
    await expect.poll(async () => (await deliveriesOf(owner)).length).toBe(4);
    const before = (await bodies(path)).length;
    const { body } = await owner.call("GET", "/endpoints");
    const hex = endpointHexOf(body.endpoints[0].id) ?? "";
    const stub = NOTICE_ENDPOINT.get(NOTICE_ENDPOINT.idFromString(hex));
    // Simulates a full backlog between the third and the fifth: two are dropped, and then one more.
    await runInDurableObject(stub as never, (_: NoticeEndpoint, { storage }) => {
      storage.sql.exec("UPDATE deliveries SET n = n - ? WHERE n <= 3", LIMITS.deliveries - 3);
    });
    stays.push(await writeAndRequest(5));
    await expect.poll(async () => (await deliveriesOf(owner)).length).toBe(4);
    stays.push(await writeAndRequest(6));
    await expect
      .poll(async () => (await deliveriesOf(owner)).map(({ seq }) => seq))
      .toContain(stays.at(-1));
    expect(await deliveriesOf(owner)).toHaveLength(4);

    await release(path);
    await subscribe(owner, path, { args });

    await expect.poll(async () => (await bodies(path)).length).toBe(before + 4);
    const [first, ...rest] = (await bodies(path)).slice(before);
    expect(first).toEqual({ type: "gap", cursor: String(lost) });
    expect(rest.map(({ data }) => data.seq)).toEqual(stays);
    expect(rest.at(-1)?.cursor).toBe(String(stays.at(-1)));
  });

  // Shows ME-9.
  it.each([410, 413])(
    "continues after an event that its receiver answers with %i",
    async (refusal) => {
      const owner = createOwner();
      const agent = await createSession(owner);
      const path = `/challenge/${refusal}/${crypto.randomUUID()}`;
      await subscribe(owner, path, { args: { session_id: agent.id } });
      await agent.call("POST", "/request-input", {});
      await agent.call("PATCH", "", { fields: { a: 1 } });
      await agent.call("POST", "/request-input", {});

      await expect.poll(async () => (await events(path)).length).toBe(2);
      await expect
        .poll(async () => (await deliveriesOf(owner)).every(({ status }) => status === "given_up"))
        .toBe(true);
      const { body } = await owner.call("GET", "/endpoints");
      expect(body.endpoints[0].status).toBe("active");
      expect(new Set(await controls(path))).toEqual(
        new Set(["verification", ...(refusal === 410 ? [] : ["gap"])]),
      );
    },
  );

  // Shows ME-5.
  it("lives for as long as it is granted", async () => {
    const owner = createOwner();
    const at = async (ttlMs: number | null | undefined): Promise<number | null> => {
      const more = ttlMs === undefined ? {} : { ttlMs };
      const { refreshBefore } = await subscribe(owner, newPath(), { more });
      return refreshBefore === null ? null : Date.parse(refreshBefore) - Date.now();
    };
    const granted = [await at(null), await at(1), await at(3_600_000), await at(2 ** 40)];

    expect(granted[0]).toBeNull();
    for (const [index, ms] of [60_000, 3_600_000, 90 * 86_400_000].entries()) {
      expect(granted[index + 1]).toBeGreaterThan(ms - 20_000);
      expect(granted[index + 1]).toBeLessThanOrEqual(ms);
    }
  });

  // Shows ME-6.
  it("receives a gap if a delivery was given up", async () => {
    const owner = createOwner();
    const agent = await createSession(owner);
    const path = `/challenge/${crypto.randomUUID()}`;
    await subscribe(owner, path, { args: { session_id: agent.id } });
    const { body } = await owner.call("GET", "/endpoints");
    const hex = endpointHexOf(body.endpoints[0].id) ?? "";
    const stub = NOTICE_ENDPOINT.get(NOTICE_ENDPOINT.idFromString(hex));
    // One attempt for each message.
    await bindAt(stub as never, { WEBHOOK_DELAYS_MS: "0" });
    await agent.call("POST", "/request-input", {});

    await expect.poll(() => controls(path)).toEqual(["verification", "gap"]);
    const [event] = await events(path);
    expect((await bodies(path)).at(-1)).toEqual({ type: "gap", cursor: String(event.data.seq) });
  });

  it("are at most a hundred of one owner", async () => {
    const owner = createOwner();
    const path = newPath();
    for (let n = 0; n < LIMITS.ownerSubscriptions; n += 1) {
      await subscribe(owner, path, { args: { labels: { n: String(n) } } });
    }

    const one = await subscribe(owner, path, { args: { labels: { n: "more" } } });
    const known = await subscribe(owner, path, { args: { labels: { n: "0" } } });

    expect([one.code, one.data.max]).toEqual([-32013, LIMITS.ownerSubscriptions]);
    expect(known.id).toMatch(/^sub_/);
    expect(await controls(path)).toEqual(["verification"]);
  });

  // Shows ME-7.
  it("is changed over MCP only, and does not show its URL", async () => {
    const owner = createOwner();
    const path = newPath();
    await subscribe(owner, path);
    const listed = await owner.call("GET", "/endpoints");
    const [{ id }] = listed.body.endpoints;

    const changed = await owner.call("PATCH", `/endpoints/${id}`, { body: { format: "slack" } });
    const rotated = await owner.call("POST", `/endpoints/${id}/rotate`, { body: {} });

    expect([changed.status, rotated.status]).toEqual([400, 400]);
    expect(listed.text).not.toContain(path);
    expect(listed.text).not.toContain("subscription");
  });

  it.each([
    ["without a key", "", {}, -32012],
    ["for an unknown event", "key", { name: "no.such" }, -32011],
    ["for another mode", "key", { mode: "push" }, -32014],
    ["to a private address", "key", { url: "https://127.0.0.1/x" }, -32602],
    ["to plain http", "key", { url: "http://hooks.example.com/x" }, -32602],
    ["with a short secret", "key", { secret: `whsec_${btoa("short")}` }, -32602],
    ["with a cursor and no session", "key", { cursor: "3" }, -32602],
    ["to an unknown session", "key", { args: { session_id: "ses_no" } }, -32012],
    ["to an address that answers 500", "key", { url: "500" }, -32015],
    ["to an address that answers 404", "key", { url: "404" }, -32015],
    ["to an address that redirects", "key", { url: "302" }, -32015],
    // Shows ME-5.
  ])("is refused %s, and nothing is stored", async (_, key, input, code) => {
    const owner = createOwner();
    const { url, mode = "webhook", secret = SECRET, ...rest } = input as Record<string, string>;
    const address = /^\d+$/.test(url ?? "204") ? newPath(Number(url ?? 204)) : null;
    const mcp =
      key === ""
        ? new RawMcp(sendFrom({}, { ...owner.settings, ...MCP_EVENTS_ON }), BASE)
        : mcpOf(owner);
    const { args = {}, ...params } = rest as { args?: object };

    const refused = await callMethod(mcp, "events/subscribe", {
      name: "session.awaiting_input",
      arguments: args,
      delivery: { mode, url: address === null ? url : `https://receiver.test${address}`, secret },
      ...params,
    });

    expect(refused.code, JSON.stringify(refused)).toBe(code);
    const { body } = await owner.call("GET", "/endpoints");
    expect(body.endpoints).toEqual([]);
    expect(JSON.stringify(refused)).not.toContain(SECRET);
  });

  // Shows ME-5.
  it("needs the right manage", async () => {
    const owner = createOwner();
    const { OWNERS } = owner.settings;
    const less = OWNERS.replaceAll(',"manage"', "");
    expect(less).not.toBe(OWNERS);
    const headers = { Authorization: `Bearer ${owner.key}` };
    const mcp = new RawMcp(sendFrom(headers, { OWNERS: less, ...MCP_EVENTS_ON }), BASE);

    const refused = await callMethod(mcp, "events/subscribe", {
      name: "session.created",
      delivery: { mode: "webhook", url: `https://receiver.test${newPath()}`, secret: SECRET },
    });

    expect([refused.code, refused.data.code]).toEqual([-32012, "scope_denied"]);
  });
});

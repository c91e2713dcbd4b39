/** MCP Events by hand: JSON-RPC over HTTP, with the receiver of webhooks beside the runtime. */
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import { NOTICE_TYPES } from "../../src/domain/notices/catalogue";
import { endpointHexOf } from "../../src/domain/notices/endpoint";
import type { Env } from "../../src/env";
import type { NoticeEndpoint } from "../../src/object/notice-endpoint";
import { sendFrom } from "../support/caller";
import { Hand } from "../support/hand";
import { RawMcp, type Facts } from "../support/mcp";
import { ownerOf, type TestOwner } from "../support/owned";
import { client } from "../support/worker";
import { arrivedAt, newPath } from "../support/worker-endpoints";

const ON = { MCP_EVENTS: "on" } as const;
const SECRET = `whsec_${btoa("a".repeat(32))}`;
const OTHER_SECRET = `whsec_${btoa("b".repeat(32))}`;
const BASE = "http://localhost:8787";
const { NOTICE_ENDPOINT } = env as unknown as Env;

const by = (owner: TestOwner): RawMcp =>
  new RawMcp(
    sendFrom({ Authorization: `Bearer ${owner.key}` }, { ...owner.settings, ...ON }),
    BASE,
  );
const nobody = new RawMcp(sendFrom({}, ON), BASE);

async function ask(mcp: RawMcp, method: string, params: object): Promise<Facts> {
  const { message, text } = await mcp.request(method, params);
  if (message === undefined) throw new Error(text);
  return message.result ?? message.error;
}

const begin = async (owner: TestOwner): Promise<Hand> => new Hand(client, await owner.begin());

const poll = (token: string, cursor: string | null, more: object = {}): Promise<Facts> =>
  ask(nobody, "events/poll", {
    name: "session.awaiting_input",
    arguments: { resume_token: token },
    cursor,
    ...more,
  });

const messagesIn = (all: string): Facts[] =>
  [...all.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => JSON.parse(data));

/** The messages of a stream, until the server ends it. */
async function streamOf(
  token: string,
  cursor: string | null,
): Promise<{ readonly messages: Promise<Facts[]> }> {
  const request = {
    jsonrpc: "2.0",
    id: 7,
    method: "events/stream",
    params: { name: "session.awaiting_input", arguments: { resume_token: token }, cursor },
  };
  const response = await sendFrom(
    {},
    ON,
  )(
    new Request(`${BASE}/mcp`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(request),
    }),
  );
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const readUntil = async (isEnough: () => boolean): Promise<string> => {
    while (!isEnough()) {
      const { done = true, value = "" } = (await reader?.read()) ?? {};
      if (done) return text;
      text += value;
    }
    return text;
  };
  await readUntil(() => text.includes("notifications/events/active"));
  return { messages: readUntil(() => false).then(messagesIn) };
}

interface Wish {
  readonly name?: string;
  readonly args?: object;
  readonly secret?: string;
  readonly more?: object;
}

const subscribe = (owner: TestOwner, path: string, wish: Wish = {}): Promise<Facts> => {
  const { name = "session.awaiting_input", args = {}, secret = SECRET, more = {} } = wish;
  const delivery = { mode: "webhook", url: `https://receiver.test${path}`, secret };
  return ask(by(owner), "events/subscribe", { name, arguments: args, delivery, ...more });
};

const unsubscribe = (owner: TestOwner, path: string, args: object = {}): Promise<Facts> =>
  ask(by(owner), "events/unsubscribe", {
    name: "session.awaiting_input",
    arguments: args,
    delivery: { url: `https://receiver.test${path}` },
  });

const bodies = async (path: string): Promise<readonly Facts[]> =>
  (await arrivedAt(path)).map(({ text }) => JSON.parse(text));
const events = async (path: string): Promise<readonly Facts[]> =>
  (await bodies(path)).filter((body) => body.type === undefined);
const controls = async (path: string): Promise<readonly string[]> =>
  (await bodies(path)).flatMap((body) => (body.type === undefined ? [] : [body.type]));

describe("MCP Events", () => {
  it("is not there unless the setting turns it on", async () => {
    const off = new RawMcp(sendFrom({}), BASE);
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    };

    const [without, refused] = [
      await ask(off, "initialize", params),
      await ask(off, "events/list", {}),
    ];
    const on = await ask(nobody, "initialize", params);

    expect(without.capabilities).not.toHaveProperty("events");
    expect(refused.code).toBe(-32601);
    expect(on.capabilities.events).toEqual({ listChanged: false });
  });

  it("lists every notice, each with its three ways of delivery", async () => {
    const { events: listed } = await ask(nobody, "events/list", {});

    expect(listed.map(({ name }: Facts) => name)).toEqual(NOTICE_TYPES);
    for (const { delivery, description, inputSchema, payloadSchema } of listed) {
      expect(delivery).toEqual(["poll", "push", "webhook"]);
      expect(description).not.toBe("");
      expect([inputSchema.type, payloadSchema.type]).toEqual(["object", "object"]);
    }
  });
});

describe("events/poll", () => {
  it("begins now, and then gives what came after the cursor, which is a seq", async () => {
    const hand = await Hand.begin(client);
    const first = await poll(hand.token, null);
    const { body } = await hand.does("POST", "/request-input", {});
    const second = await poll(hand.token, first.cursor);
    const third = await poll(hand.token, second.cursor);

    expect(first).toMatchObject({ events: [], truncated: false, hasMore: false });
    const [event] = second.events;
    expect(second.cursor).toBe(String(body.session.head));
    expect(event).toMatchObject({
      eventId: `${hand.id}:${event.data.seq}`,
      name: "session.awaiting_input",
      data: { sessionId: hand.id, state: "awaiting_input", payload: {} },
    });
    expect(Number(first.cursor)).toBeLessThan(event.data.seq);
    expect(third).toMatchObject({ events: [], cursor: second.cursor });
  });

  it("gives so many at most, says that there are more, and nothing that is too old", async () => {
    const hand = await Hand.begin(client);
    const { cursor } = await poll(hand.token, null);
    await hand.does("POST", "/request-input", {});
    await hand.does("PATCH", "", { fields: { a: 1 } });
    await hand.does("POST", "/request-input", {});

    const one = await poll(hand.token, cursor, { maxEvents: 1 });
    const rest = await poll(hand.token, one.cursor, { maxEvents: 1 });
    await new Promise((settle) => setTimeout(settle, 5));
    const none = await poll(hand.token, cursor, { maxAgeMs: 1 });

    expect([one.events.length, one.hasMore]).toEqual([1, true]);
    expect([rest.events.length, rest.events[0].eventId]).not.toEqual([1, one.events[0].eventId]);
    expect([none.events, none.truncated]).toEqual([[], true]);
  });

  it("waits for the next event where timeoutMs asks for it", async () => {
    const hand = await Hand.begin(client);
    const { cursor } = await poll(hand.token, null);
    const waiting = poll(hand.token, cursor, { timeoutMs: 20_000 });
    await hand.does("POST", "/request-input", {});

    expect((await waiting).events).toHaveLength(1);
  });

  it("goes on from where the log is whole, and says that there is a gap", async () => {
    const hand = await Hand.begin(client);
    await hand.does("POST", "/events", { events: [{ type: "note.taken", payload: {} }] });
    const { body } = await hand.does("POST", "/checkpoints", { name: "here" });
    await hand.does("POST", "/trim", { checkpoint: body.checkpoint.id });
    await hand.does("POST", "/request-input", {});

    const page = await poll(hand.token, "0");

    expect(page.truncated).toBe(true);
    expect(page.events).toHaveLength(1);
  });

  it("answers whoever holds an owner's key for a session, and a token in the header", async () => {
    const owner = ownerOf();
    const hand = await begin(owner);
    const params = { name: "session.created", arguments: { session_id: hand.id }, cursor: "0" };
    const bearer = { Authorization: `Bearer ${hand.token}` };

    const byKey = await ask(by(owner), "events/poll", params);
    const byToken = await ask(new RawMcp(sendFrom(bearer, ON), BASE), "events/poll", {
      ...params,
      arguments: {},
    });
    const foreign = await ask(by(ownerOf()), "events/poll", params);

    expect([byKey.events.length, byToken.events.length]).toEqual([1, 1]);
    expect([foreign.code, foreign.data.code]).toEqual([-32012, "token_invalid"]);
  });

  it.each([
    ["an unknown event", { name: "nobody.knows" }, -32011],
    ["a cursor of somebody else", { cursor: "abc" }, -32602],
    ["a cursor beyond the end", { cursor: "999999" }, -32602],
    ["an argument nobody knows", { arguments: { colour: "red" } }, -32602],
    ["no credential", { arguments: {} }, -32012],
    ["a wrong token", { arguments: { resume_token: "rtok_no" } }, -32012],
    ["too many at once", { maxEvents: LIMITS.pageEvents + 1 }, -32602],
  ])("refuses %s", async (_, more, code) => {
    const hand = await Hand.begin(client);
    expect((await poll(hand.token, "0", more)).code).toBe(code);
  });
});

describe("events/stream", () => {
  it("confirms, tells what happens, and says that the session ended", async () => {
    const hand = await Hand.begin(client);
    const { messages } = await streamOf(hand.token, "0");
    await hand.does("POST", "/request-input", {});
    await hand.does("POST", "/cancel", {});

    const [active, event, terminated, result] = await messages;

    const meta = { "io.modelcontextprotocol/subscriptionId": 7 };
    expect(active).toMatchObject({
      method: "notifications/events/active",
      params: { cursor: "0", truncated: false, _meta: meta },
    });
    expect(event).toMatchObject({
      method: "notifications/events/event",
      params: { name: "session.awaiting_input", data: { sessionId: hand.id }, _meta: meta },
    });
    expect(event.params.cursor).toBe(String(event.params.data.seq));
    expect(terminated).toMatchObject({
      method: "notifications/events/terminated",
      params: { error: { code: -32011, data: { reason: "ended" } } },
    });
    expect(result).toMatchObject({ id: 7, result: {} });
  });

  it("ends with the token that opened it", async () => {
    const hand = await Hand.begin(client);
    const made = await hand.does("POST", "/handoffs", { to: "agent", scopes: ["view"] });
    const { messages } = await streamOf(made.body.participantToken, null);
    await hand.does("POST", "/revoke", { participant: "par_2" });

    const last = (await messages).find(
      ({ method }) => method === "notifications/events/terminated",
    );

    expect(last.params.error).toMatchObject({ code: -32012, data: { reason: "revoked" } });
  });
});

describe("a subscription", () => {
  it("challenges the address, and posts what happens as the draft has it", async () => {
    const owner = ownerOf();
    const hand = await begin(owner);
    const path = newPath();

    const made = await subscribe(owner, path, { args: { session_id: hand.id } });
    await hand.does("POST", "/request-input", {});
    await expect.poll(async () => (await events(path)).length).toBe(1);

    const [asked, told] = await arrivedAt(path);
    expect(JSON.parse(asked?.text ?? "").type).toBe("verification");
    const body = JSON.parse(told?.text ?? "");
    expect(body).toMatchObject({ name: "session.awaiting_input", data: { sessionId: hand.id } });
    expect(body.eventId).toBe(told?.headers["webhook-id"]);
    expect(body.cursor).toBe(String(body.data.seq));
    for (const one of [asked, told]) {
      expect(one?.headers["x-mcp-subscription-id"]).toBe(made.id);
      expect(() => new Webhook(SECRET).verify(one?.text ?? "", one?.headers ?? {})).not.toThrow();
    }
    expect(made).toMatchObject({ truncated: false });
    expect(Date.parse(made.refreshBefore)).toBeGreaterThan(Date.now());
  });

  it("hears of all the owner's sessions, or of those with a label", async () => {
    const owner = ownerOf();
    const [all, some] = [newPath(), newPath()];
    const made = await subscribe(owner, all);
    await subscribe(owner, some, { args: { labels: { team: "north" } } });
    const [one, other] = [await owner.begin({ labels: { team: "north" } }), await owner.begin()];
    for (const begun of [one, other]) {
      await new Hand(client, begun).does("POST", "/request-input", {});
    }

    await expect.poll(async () => (await events(all)).length).toBe(2);
    expect(made.cursor).toBeNull();
    const named = (await events(some)).map(({ data }) => data.sessionId);
    expect(named).toEqual([one.id]);
  });

  it("keeps its id whoever of the owner's keys asks, and rotates its secret", async () => {
    const owner = ownerOf();
    const hand = await begin(owner);
    const path = newPath();
    const args = { session_id: hand.id };

    const made = await subscribe(owner, path, { args });
    const again = await subscribe(owner, path, { args, more: { cursor: made.cursor } });
    const rotated = await subscribe(owner, path, { args, secret: OTHER_SECRET });
    await hand.does("POST", "/request-input", {});
    await expect.poll(async () => (await events(path)).length).toBe(1);

    expect([again.id, rotated.id]).toEqual([made.id, made.id]);
    expect(await controls(path)).toEqual(["verification"]);
    const told = (await arrivedAt(path)).at(-1);
    for (const secret of [SECRET, OTHER_SECRET]) {
      expect(() => new Webhook(secret).verify(told?.text ?? "", told?.headers ?? {})).not.toThrow();
    }
    const other = await subscribe(ownerOf(), path, {});
    expect(other.id).not.toBe(made.id);
  });

  it("is told what it missed after its cursor, and of a gap where the log was trimmed", async () => {
    const owner = ownerOf();
    const hand = await begin(owner);
    await hand.does("POST", "/events", { events: [{ type: "note.taken", payload: {} }] });
    const { body } = await hand.does("POST", "/checkpoints", { name: "here" });
    await hand.does("POST", "/request-input", {});
    const [whole, cut] = [newPath(), newPath()];
    const args = { session_id: hand.id };

    const missed = await subscribe(owner, whole, { args, more: { cursor: "0" } });
    await hand.does("POST", "/trim", { checkpoint: body.checkpoint.id });
    const trimmed = await subscribe(owner, cut, { args, more: { cursor: "0" } });

    expect([missed.truncated, trimmed.truncated]).toEqual([false, true]);
    await expect.poll(async () => (await events(whole)).length).toBe(1);
    await expect.poll(() => controls(cut)).toEqual(["verification", "gap"]);
    await expect.poll(async () => (await events(cut)).length).toBe(1);
  });

  it("is terminated when its session ends, after its last event, and takes no more", async () => {
    const owner = ownerOf();
    const hand = await begin(owner);
    const path = newPath();
    const args = { session_id: hand.id };
    const made = await subscribe(owner, path, { name: "session.cancelled", args });
    await hand.does("POST", "/cancel", {});

    await expect
      .poll(async () => (await bodies(path)).map(({ type, name }) => type ?? name))
      .toEqual(["verification", "session.cancelled", "terminated"]);
    const last = (await arrivedAt(path)).at(-1);
    expect(last?.headers["x-mcp-subscription-id"]).toBe(made.id);
    expect(last?.headers["webhook-id"]).toMatch(/^msg_terminated_/);
    expect(JSON.parse(last?.text ?? "").error.code).toBe(-32011);
    const after = await subscribe(owner, path, { name: "session.cancelled", args });
    expect([after.code, after.data.kind]).toEqual([-32011, "living session"]);
    const { body } = await owner.call("GET", "/endpoints");
    expect(body.endpoints).toMatchObject([{ format: "mcp", status: "ended" }]);
  });

  it("is terminated when its session is purged", async () => {
    const owner = ownerOf();
    const hand = await begin(owner);
    const path = newPath();
    await subscribe(owner, path, { args: { session_id: hand.id } });
    await hand.does("DELETE", "");

    await expect.poll(() => controls(path)).toEqual(["verification", "terminated"]);
  });

  it("ends by unsubscribing, and by lapsing", async () => {
    const owner = ownerOf();
    const [kept, left] = [newPath(), newPath()];
    await subscribe(owner, kept);
    await subscribe(owner, left);
    const { body: before } = await owner.call("GET", "/endpoints");

    const gone = await unsubscribe(owner, left);
    const twice = await unsubscribe(owner, left);

    expect(gone).not.toHaveProperty("code");
    expect([twice.code, twice.data.kind]).toEqual([-32011, "subscription"]);
    const { body: after } = await owner.call("GET", "/endpoints");
    expect([before.endpoints.length, after.endpoints.length]).toEqual([2, 1]);
    const hand = await begin(owner);
    await hand.does("POST", "/request-input", {});
    await expect.poll(async () => (await events(kept)).length).toBe(1);
    expect(await events(left)).toEqual([]);
    const anew = await subscribe(owner, left);
    expect(anew.id).toMatch(/^sub_/);
    expect(await controls(left)).toEqual(["verification", "verification"]);
  });

  it("lives for as long as it is granted", async () => {
    const owner = ownerOf();
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

  it("is told of a gap where a delivery was given up", async () => {
    const owner = ownerOf();
    const hand = await begin(owner);
    const path = `/challenge/${crypto.randomUUID()}`;
    await subscribe(owner, path, { args: { session_id: hand.id } });
    const { body } = await owner.call("GET", "/endpoints");
    const hex = endpointHexOf(body.endpoints[0].id) ?? "";
    const stub = NOTICE_ENDPOINT.get(NOTICE_ENDPOINT.idFromString(hex));
    await runInDurableObject(stub as never, (instance: NoticeEndpoint) => {
      const holder = instance as unknown as { env: Record<string, unknown> };
      // One attempt for each message.
      holder.env = { ...holder.env, WEBHOOK_DELAYS_MS: "0" };
    });
    await hand.does("POST", "/request-input", {});

    await expect.poll(() => controls(path)).toEqual(["verification", "gap"]);
    const [event] = await events(path);
    expect((await bodies(path)).at(-1)).toEqual({ type: "gap", cursor: String(event.data.seq) });
  });

  it("are at most a hundred of one owner", async () => {
    const owner = ownerOf();
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

  it("is changed over MCP only, and shows nothing of its address", async () => {
    const owner = ownerOf();
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
    ["for an event nobody knows", "key", { name: "no.such" }, -32011],
    ["for another mode", "key", { mode: "push" }, -32014],
    ["to a private address", "key", { url: "https://127.0.0.1/x" }, -32602],
    ["to plain http", "key", { url: "http://hooks.example.com/x" }, -32602],
    ["with a short secret", "key", { secret: `whsec_${btoa("short")}` }, -32602],
    ["with a cursor and no session", "key", { cursor: "3" }, -32602],
    ["to a session of nobody", "key", { args: { session_id: "ses_no" } }, -32012],
    ["to an address that answers 500", "key", { url: "500" }, -32015],
    ["to an address that answers 404", "key", { url: "404" }, -32015],
    ["to an address that redirects", "key", { url: "302" }, -32015],
  ])("is refused %s, and nothing is kept", async (_, key, given, code) => {
    const owner = ownerOf();
    const { url, mode = "webhook", secret = SECRET, ...rest } = given as Record<string, string>;
    const address = /^\d+$/.test(url ?? "204") ? newPath(Number(url ?? 204)) : null;
    const mcp =
      key === "" ? new RawMcp(sendFrom({}, { ...owner.settings, ...ON }), BASE) : by(owner);
    const { args = {}, ...params } = rest as { args?: object };

    const refused = await ask(mcp, "events/subscribe", {
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

  it("needs the right manage", async () => {
    const owner = ownerOf();
    const { OWNERS } = owner.settings;
    const less = OWNERS.replaceAll(',"manage"', "");
    expect(less).not.toBe(OWNERS);
    const headers = { Authorization: `Bearer ${owner.key}` };
    const mcp = new RawMcp(sendFrom(headers, { OWNERS: less, ...ON }), BASE);

    const refused = await ask(mcp, "events/subscribe", {
      name: "session.created",
      delivery: { mode: "webhook", url: `https://receiver.test${newPath()}`, secret: SECRET },
    });

    expect([refused.code, refused.data.code]).toEqual([-32012, "scope_denied"]);
  });
});

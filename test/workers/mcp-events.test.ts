import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import { NOTICE_TYPES } from "../../src/domain/notices/catalogue";
import { sendFrom } from "../support/caller";
import { overloadOf } from "../support/gate/overload";
import { TestAgent } from "../support/test-agent";
import { RawMcp, type Facts } from "../support/mcp";
import {
  callMethod,
  BASE,
  createSession,
  mcpOf,
  anonymousMcp,
  MCP_EVENTS_ON,
  poll,
  openEventStream,
} from "../support/mcp-events";
import { createOwner } from "../support/test-owner";
import { client } from "../support/worker";

describe("MCP Events", () => {
  // Shows ME-1.
  it("is unavailable unless the setting turns it on", async () => {
    const off = new RawMcp(sendFrom({}), BASE);
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    };

    const [without, refused] = [
      await callMethod(off, "initialize", params),
      await callMethod(off, "events/list", {}),
    ];
    const on = await callMethod(anonymousMcp, "initialize", params);

    expect(without.capabilities).not.toHaveProperty("events");
    expect(refused.code).toBe(-32601);
    expect(on.capabilities.events).toEqual({ listChanged: false });
  });

  // Shows ME-1.
  it("lists every notice, each with its three delivery modes", async () => {
    const { events: listed } = await callMethod(anonymousMcp, "events/list", {});

    expect(listed.map(({ name }: Facts) => name)).toEqual(NOTICE_TYPES);
    for (const { delivery, description, inputSchema, payloadSchema } of listed) {
      expect(delivery).toEqual(["poll", "push", "webhook"]);
      expect(description).not.toBe("");
      expect([inputSchema.type, payloadSchema.type]).toEqual(["object", "object"]);
    }
  });
});

describe("events/poll", () => {
  // Shows ME-2.
  it("starts now, and then returns the events after the cursor, which is a seq", async () => {
    const agent = await TestAgent.create(client);
    const first = await poll(agent.token, null);
    const { body } = await agent.call("POST", "/request-input", {});
    const second = await poll(agent.token, first.cursor);
    const third = await poll(agent.token, second.cursor);

    expect(first).toMatchObject({ events: [], truncated: false, hasMore: false });
    const [event] = second.events;
    expect(second.cursor).toBe(String(body.session.head));
    expect(event).toMatchObject({
      eventId: `${agent.id}:${event.data.seq}`,
      name: "session.awaiting_input",
      data: { sessionId: agent.id, state: "awaiting_input", payload: {} },
    });
    expect(Number(first.cursor)).toBeLessThan(event.data.seq);
    expect(third).toMatchObject({ events: [], cursor: second.cursor });
  });

  // Shows ME-2.
  it("returns at most maxEvents, reports that there are more, and returns nothing older than maxAgeMs", async () => {
    const agent = await TestAgent.create(client);
    const { cursor } = await poll(agent.token, null);
    await agent.call("POST", "/request-input", {});
    await agent.call("PATCH", "", { fields: { a: 1 } });
    await agent.call("POST", "/request-input", {});

    const one = await poll(agent.token, cursor, { maxEvents: 1 });
    const rest = await poll(agent.token, one.cursor, { maxEvents: 1 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    const none = await poll(agent.token, cursor, { maxAgeMs: 1 });

    expect([one.events.length, one.hasMore]).toEqual([1, true]);
    expect([rest.events.length, rest.events[0].eventId]).not.toEqual([1, one.events[0].eventId]);
    expect([none.events, none.truncated]).toEqual([[], true]);
  });

  // Shows ME-2.
  it("waits for the next event if timeoutMs is given", async () => {
    const agent = await TestAgent.create(client);
    const { cursor } = await poll(agent.token, null);
    const waiting = poll(agent.token, cursor, { timeoutMs: 20_000 });
    await agent.call("POST", "/request-input", {});

    expect((await waiting).events).toHaveLength(1);
  });

  // Shows ME-3.
  it("continues after the trimmed part of the log, and reports the gap", async () => {
    const agent = await TestAgent.create(client);
    await agent.call("POST", "/events", { events: [{ type: "note.taken", payload: {} }] });
    const { body } = await agent.call("POST", "/checkpoints", { name: "here" });
    await agent.call("POST", "/trim", { checkpoint: body.checkpoint.id });
    await agent.call("POST", "/request-input", {});

    const page = await poll(agent.token, "0");

    expect(page.truncated).toBe(true);
    expect(page.events).toHaveLength(1);
  });

  // Shows ME-2.
  it("accepts an owner's key for a session, and a token in the header", async () => {
    const owner = createOwner();
    const agent = await createSession(owner);
    const params = { name: "session.created", arguments: { session_id: agent.id }, cursor: "0" };
    const bearer = { Authorization: `Bearer ${agent.token}` };

    const byKey = await callMethod(mcpOf(owner), "events/poll", params);
    const byToken = await callMethod(
      new RawMcp(sendFrom(bearer, MCP_EVENTS_ON), BASE),
      "events/poll",
      {
        ...params,
        arguments: {},
      },
    );
    const foreign = await callMethod(mcpOf(createOwner()), "events/poll", params);

    expect([byKey.events.length, byToken.events.length]).toEqual([1, 1]);
    expect([foreign.code, foreign.data.code]).toEqual([-32012, "token_invalid"]);
  });

  it.each([
    ["an unknown event", { name: "nobody.knows" }, -32011],
    ["a cursor of another kind", { cursor: "abc" }, -32602],
    ["a cursor beyond the end", { cursor: "999999" }, -32602],
    ["an unknown argument", { arguments: { colour: "red" } }, -32602],
    ["no credential", { arguments: {} }, -32012],
    ["a wrong token", { arguments: { resume_token: "rtok_no" } }, -32012],
    ["too many at once", { maxEvents: LIMITS.pageEvents + 1 }, -32602],
    // Shows ME-2.
  ])("refuses %s", async (_, more, code) => {
    const agent = await TestAgent.create(client);
    expect((await poll(agent.token, "0", more)).code).toBe(code);
  });
});

/** Too large for an announcement, so that a follower has to read the log. */
const appendLarge = (agent: TestAgent): Promise<unknown> => {
  const text = "x".repeat(LIMITS.announcedLength);
  return agent.call("POST", "/events", { events: [{ type: "note.large", payload: { text } }] });
};

const kindsOf = (messages: readonly Facts[]): readonly string[] =>
  messages.map(({ method }) => method?.split("/").at(-1) ?? "result");

describe("events/stream", () => {
  // Shows ME-4.
  it("confirms, sends events, and reports that the session ended", async () => {
    const agent = await TestAgent.create(client);
    const { messages } = await openEventStream(agent.token, "0");
    await agent.call("POST", "/request-input", {});
    await agent.call("POST", "/cancel", {});

    const [active, event, terminated, result] = await messages;

    const meta = { "io.modelcontextprotocol/subscriptionId": 7 };
    expect(active).toMatchObject({
      method: "notifications/events/active",
      params: { cursor: "0", truncated: false, _meta: meta },
    });
    expect(event).toMatchObject({
      method: "notifications/events/event",
      params: { name: "session.awaiting_input", data: { sessionId: agent.id }, _meta: meta },
    });
    expect(event.params.cursor).toBe(String(event.params.data.seq));
    expect(terminated).toMatchObject({
      method: "notifications/events/terminated",
      params: { error: { code: -32011, data: { reason: "ended" } } },
    });
    expect(result).toMatchObject({ id: 7, result: { _meta: {} } });
  });

  // Shows ME-8.
  it("reports that the log cannot be read for a while, and continues with nothing lost", async () => {
    const agent = await TestAgent.create(client);
    const overload = overloadOf(["SESSION"]);
    const stream = await openEventStream(agent.token, null, overload.changes);
    overload.start();
    await appendLarge(agent);
    await stream.heard("error");
    await agent.call("POST", "/request-input", {});
    overload.end();
    await stream.heard("event");
    await agent.call("POST", "/cancel", {});

    const messages = await stream.messages;

    const error = messages.find(({ method }) => method === "notifications/events/error");
    expect(error.params).toMatchObject({
      error: { code: -32603, data: { code: "overloaded" } },
      _meta: { "io.modelcontextprotocol/subscriptionId": 7 },
    });
    expect(kindsOf(messages).filter((kind) => kind !== "error")).toEqual([
      "active",
      "event",
      "terminated",
      "result",
    ]);
  });

  // Shows ME-8.
  it("reports a gap if the log was trimmed while it could not be read", async () => {
    const agent = await TestAgent.create(client);
    const overload = overloadOf(["SESSION"]);
    const stream = await openEventStream(agent.token, null, overload.changes);
    overload.start();
    await appendLarge(agent);
    await stream.heard("error");
    await agent.call("POST", "/events", { events: [{ type: "note.taken", payload: {} }] });
    const { body } = await agent.call("POST", "/checkpoints", { name: "here" });
    await agent.call("POST", "/trim", { checkpoint: body.checkpoint.id });
    overload.end();
    await agent.call("POST", "/request-input", {});
    await stream.heard("event");
    await agent.call("POST", "/cancel", {});

    const active = (await stream.messages).filter(
      ({ method }) => method === "notifications/events/active",
    );

    expect(active.map(({ params }) => params.truncated)).toEqual([false, true]);
    expect(Number(active[1].params.cursor)).toBeGreaterThan(Number(active[0].params.cursor));
  });

  // Shows ME-8.
  it("is terminated if access was lost while the log could not be read", async () => {
    const agent = await TestAgent.create(client);
    const handedOff = await agent.call("POST", "/handoffs", { to: "agent", scopes: ["view"] });
    const overload = overloadOf(["SESSION"]);
    const stream = await openEventStream(handedOff.body.participantToken, null, overload.changes);
    overload.start();
    await appendLarge(agent);
    await stream.heard("error");
    await agent.call("POST", "/revoke", { participant: "par_2" });
    overload.end();

    const messages = await stream.messages;

    expect(kindsOf(messages).slice(-2)).toEqual(["terminated", "result"]);
    expect(messages.at(-2).params.error).toMatchObject({ code: -32012 });
  });

  // Shows ME-4.
  it("ends with the token that opened it", async () => {
    const agent = await TestAgent.create(client);
    const handedOff = await agent.call("POST", "/handoffs", { to: "agent", scopes: ["view"] });
    const { messages } = await openEventStream(handedOff.body.participantToken, null);
    await agent.call("POST", "/revoke", { participant: "par_2" });

    const last = (await messages).find(
      ({ method }) => method === "notifications/events/terminated",
    );

    expect(last.params.error).toMatchObject({ code: -32012, data: { reason: "revoked" } });
  });
});

/**
 * What a narrowed agent receives live, on every kind of connection: the events of its terms once
 * each and in order, none of the others, and cursors that pass the others.
 */
import { describe, expect, it, vi } from "vitest";
import { connectArcp, mcpOf } from "../support/gate/access-paths";
import { LISTENERS } from "../support/gate/listeners";
import { createMarker, expectNoContent } from "../support/gate/marker";
import { resumeOf } from "../support/arcp";
import { agentName, Jobs } from "../support/jobs";
import { openStream, openTestSocket, send } from "../support/live/worker-access";
import { TestAgent } from "../support/test-agent";
import { client } from "../support/worker";

const CHAT = { events: { append: ["chat.request"], read: ["chat.*"] } } as const;
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 30_000 });

async function createChat(scopes: readonly string[] = ["append"]) {
  const marker = createMarker();
  const owner = await TestAgent.create(client, {
    title: `${marker}-title`,
    fields: { secret: `${marker}-field` },
  });
  const body = { to: "agent", scopes, ...CHAT };
  const { participantToken: token } = (await owner.call("POST", "/handoffs", body)).body;
  return { marker, owner, page: { id: owner.id, token: token as string } };
}
type Chat = Awaited<ReturnType<typeof createChat>>;

const hide = async ({ owner, marker }: Chat) => {
  const note = { type: "agent.note", payload: { text: `${marker}-note` } };
  await owner.call("POST", "/events", { events: [note, note] });
  await owner.call("PATCH", "", { fields: { secret: `${marker}-later` }, title: `${marker}-two` });
};
const say = async ({ owner }: Chat, text: string): Promise<number> => {
  const chunk = { type: "chat.chunk", payload: { text } };
  const { body } = await owner.call("POST", "/events", { events: [{ type: "agent.note" }, chunk] });
  return body.last;
};

describe.each(LISTENERS.filter(({ name }) => name !== "ARCP"))(
  "a narrowed listener by $name",
  ({ open }) => {
    // Shows NA-12.
    it("gets what it may read, and nothing else", async () => {
      const chat = await createChat();
      const listening = await open(chat.page);
      await hide(chat);
      await say(chat, "first");
      await hide(chat);
      await say(chat, "second");
      await eventually(() => expect(listening.text()).toContain("second"));
      expect(listening.text()).toContain("first");
      expect(listening.text().match(/"text\\?":\\?"second/g)).toHaveLength(1);
      expectNoContent({ text: listening.text() }, chat.marker);
      expect(listening.text()).not.toContain("agent.note");
      listening.leave();
    });

    it("gets nothing once it is revoked", async () => {
      const chat = await createChat();
      const listening = await open(chat.page);
      await chat.owner.call("POST", "/revoke", { participant: "par_2" });
      await say(chat, "late");
      await listening.ended;
      expect(listening.text()).not.toContain("late");
    });
  },
);

describe("a cursor of a narrowed reader", () => {
  // Shows NA-12.
  it("passes what is hidden, over a stream and its continuation", async () => {
    const chat = await createChat();
    const first = await say(chat, "one");
    await hide(chat);
    const stream = await openStream(chat.page, "?after=0");
    const seen: unknown[] = [];
    for (;;) {
      const frame = await stream.next();
      seen.push(frame);
      if (JSON.stringify(frame).includes("replay.done")) break;
    }
    expectNoContent({ text: JSON.stringify(seen) }, chat.marker);
    expect(JSON.stringify(seen)).toContain(`"seq":${first}`.replaceAll('"', '\\"'));
    const second = await say(chat, "two");
    const next = JSON.stringify(await stream.next());
    expect(next).toContain(String(second));
    void stream.cancel();
    const again = await openStream(chat.page, `?after=${second}`);
    expect(JSON.stringify(await again.next())).toContain("replay.done");
    void again.cancel();
  });

  // Shows NA-12.
  it("moves over hidden events in a long-poll, which ends with the next visible one", async () => {
    const chat = await createChat();
    const { head } = await chat.owner.session();
    const path = `/events?after=${head}&waitMs=10000`;
    const waiting = client.on(chat.page, "GET", path, { token: chat.page.token });
    await hide(chat);
    const seq = await say(chat, "now");
    const { body, text } = await waiting;
    expectNoContent({ text }, chat.marker);
    expect(body.events.map((event: { seq: number }) => event.seq)).toEqual([seq]);
    expect([body.nextAfter, body.head, body.more]).toEqual([seq, seq, false]);
    await hide(chat);
    const short = `/events?after=${seq}&waitMs=1`;
    const none = await client.on(chat.page, "GET", short, { token: chat.page.token });
    expect([none.body.events, none.body.nextAfter]).toEqual([[], none.body.head]);
  });

  // Shows NA-10.
  it("stays when it appends over a socket, where other types are refused", async () => {
    const chat = await createChat();
    const socket = await openTestSocket(chat.page, { after: 0 });
    const types: string[] = [];
    const received: string[] = [];
    const until = async (wanted: string) => {
      for (;;) {
        const message = await socket.receive();
        if (message === null) throw new Error("closed");
        received.push(JSON.stringify(message));
        types.push(JSON.stringify(message).includes(wanted) ? wanted : "");
        if (types.at(-1) === wanted) return message;
      }
    };
    await until("replay.done");
    const append = (id: string, type: string) =>
      socket.send({ type: "append", id, events: [{ type, payload: { text: id } }] });
    append("forged", "chat.chunk");
    expect(JSON.stringify(await until("scope_denied"))).toContain("chat.chunk");
    append("mine", "chat.request");
    await until("chat.request");
    await hide(chat);
    await say(chat, "answer");
    await until("answer");
    expectNoContent({ text: received.join("\n") }, chat.marker);
    socket.close();
  });
});

const callTool = async ({ page }: Chat, name: string, args: object = {}) => {
  const params = { name, arguments: { resume_token: page.token, ...args } };
  return (await mcpOf(send).request("tools/call", params)).text;
};

describe("a narrowed agent over MCP", () => {
  // Shows NA-10.
  it("reads, waits and appends within its terms", async () => {
    const chat = await createChat();
    await hide(chat);
    await say(chat, "over MCP");
    const read = await callTool(chat, "read_events", { after: 0 });
    const waited = await callTool(chat, "wait_for", { after: 0, types: ["agent.*", "chat.*"] });
    const shown = await callTool(chat, "get_session");
    const forged = await callTool(chat, "append_events", { events: [{ type: "chat.chunk" }] });
    for (const text of [read, waited, shown, forged]) expectNoContent({ text }, chat.marker);
    expect(read).toContain("over MCP");
    expect(waited).toContain("over MCP");
    expect(forged).toContain("scope_denied");
    expect(
      await callTool(chat, "append_events", { events: [{ type: "chat.request" }] }),
    ).not.toContain("scope_denied");
    const resumed = await callTool(chat, "resume_session", { last_event_seq: 0 });
    expectNoContent({ text: resumed }, chat.marker);
    expect(resumed).toContain("over MCP");
  });

  it("is made by handoff_to_agent with the same terms", async () => {
    const owner = await TestAgent.create(client, { fields: { amount: 1, paid: "no" } });
    const params = {
      name: "handoff_to_agent",
      arguments: { resume_token: owner.token, scopes: ["fill"], ask: ["paid"], ...CHAT },
    };
    const { message } = await mcpOf(send).request("tools/call", params);
    const { participant_token: token, handoff } = message.result.structuredContent;
    expect(handoff).toMatchObject({ ask: ["paid"], ...CHAT });
    const agent = new TestAgent(client, { id: owner.id, token });
    expect((await agent.session()).fields).toEqual({ paid: "no" });
  });
});

describe("a narrowed agent over ARCP", () => {
  // Shows NA-4.
  it("resumes, and gets no job of its session, there or from another session", async () => {
    const chat = await createChat(["fill"]);
    const jobs = new Jobs(client);
    const agent = agentName();
    const input = { text: `${chat.marker}-input` };
    const { job } = (await chat.owner.call("POST", "/jobs", { agent, input })).body;
    const claim = await jobs.claimOrThrow(agent);
    const bearer = crypto.randomUUID();
    const arcp = await connectArcp(send);
    const welcome = await arcp.hello({ bearer, extra: resumeOf(chat.page.token, 0) ?? {} });
    expect(welcome.type).toBe("session.welcome");
    arcp.send("session.list_jobs", {});
    arcp.send("job.submit", { agent, input: {} });
    arcp.send("job.subscribe", { job_id: job.id, history: true });
    const message = `${chat.marker}-event`;
    await jobs.report(claim, "events", {
      events: [{ kind: "log", body: { level: "info", message } }],
    });
    await jobs.report(claim, "result", { result: `${chat.marker}-result` });
    const other = await connectArcp(send);
    await other.hello({ bearer });
    other.send("job.subscribe", { job_id: job.id, history: true });
    other.send("job.get", { job_id: job.id });
    await eventually(() => expect(arcp.frames.length).toBeGreaterThanOrEqual(4));
    await eventually(() => expect(other.frames.length).toBeGreaterThanOrEqual(3));
    expectNoContent({ text: JSON.stringify([arcp.frames, other.frames]) }, chat.marker);
    expect(JSON.stringify([arcp.frames, other.frames])).not.toContain('"job.subscribed"');
    arcp.drop();
    other.drop();
  });
});

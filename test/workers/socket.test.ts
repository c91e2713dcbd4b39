import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { SERVER_NAMESPACES } from "../../src/domain/log/event";
import type { CreatedSession } from "../support/client";
import { client, objectCount } from "../support/worker";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };

interface SocketClient {
  readonly response: Response;
  send(message: unknown): void;
  sendRaw(data: string | ArrayBuffer): void;
  // oxlint-disable-next-line typescript/no-explicit-any -- messages of every shape
  receive(): Promise<any>;
  closed(): Promise<{ code: number; reason: string }>;
  close(): void;
}

async function openSocket(
  ref: string,
  headers: Record<string, string> = {},
): Promise<SocketClient> {
  const response = await worker.default.fetch(
    new Request(`http://baton.test/sessions/${ref}/socket`, {
      headers: { Upgrade: "websocket", ...headers },
    }),
  );
  const socket = response.webSocket;
  const received: unknown[] = [];
  const waiting: ((message: unknown) => void)[] = [];
  const closing = new Promise<{ code: number; reason: string }>((resolve) => {
    socket?.addEventListener("close", ({ code, reason }) => resolve({ code, reason }));
  });
  socket?.accept();
  socket?.addEventListener("message", ({ data }) => {
    const message: unknown = JSON.parse(String(data));
    const listener = waiting.shift();
    if (listener === undefined) received.push(message);
    else listener(message);
  });
  return {
    response,
    send: (message) => socket?.send(JSON.stringify(message)),
    sendRaw: (data) => socket?.send(data),
    receive: () =>
      received.length > 0
        ? Promise.resolve(received.shift())
        : new Promise((resolve) => waiting.push(resolve)),
    closed: () => closing,
    close: () => socket?.close(),
  };
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

const append = (session: CreatedSession, type: string) =>
  client.on(session, "POST", "/events", {
    token: session.token,
    body: { events: [{ type, payload: {} }] },
  });

describe("a WebSocket", () => {
  // Shows LE-8.
  it("appends under the lease of a frame only while that lease is held", async () => {
    const session = await client.create();
    const { token } = session;
    const body = { ttlMs: 60_000 };
    const { lease } = (await client.on(session, "POST", "/leases/worker", { token, body })).body;
    const socket = await openSocket(session.id, bearer(token));
    const held = `worker=${lease.number}`;
    socket.send({ type: "hello", lease: held });
    expect((await socket.receive()).type).toBe("welcome");
    while ((await socket.receive()).type !== "replay.done");
    const events = [{ type: "agent.step" }];
    socket.send({ type: "append", id: "one", events, lease: held });
    const first = [await socket.receive(), await socket.receive()];
    expect(first.map(({ type }) => type).toSorted()).toEqual(["appended", "event"]);
    socket.send({ type: "append", id: "two", events, lease: `worker=${lease.number + 1}` });
    expect(await socket.receive()).toMatchObject({
      type: "error",
      id: "two",
      problem: { code: "lease_lost" },
    });
    socket.send({ type: "append", id: "three", events, lease: "worker" });
    expect((await socket.closed()).code).toBe(4400);
  });

  // Shows LE-8.
  it("that names a lost lease is refused, in its handshake or its hello", async () => {
    const session = await client.create();
    const refused = await openSocket(session.id, {
      ...bearer(session.token),
      "Baton-Lease": "worker=1",
    });
    expect(refused.response.status).toBe(409);
    const malformed = { ...bearer(session.token), "Baton-Lease": "worker" };
    expect((await openSocket(session.id, malformed)).response.status).toBe(400);
    const socket = await openSocket(session.id, bearer(session.token));
    socket.send({ type: "hello", lease: "worker=1" });
    expect(await socket.receive()).toMatchObject({ problem: { code: "lease_lost" } });
    expect((await socket.closed()).code).toBe(4422);
  });

  // Shows N-9.
  it("welcomes, replays after the given seq, marks the end of the replay, and continues live", async () => {
    const session = await client.create({ title: "Socket" });
    await append(session, "agent.one");
    const socket = await openSocket(session.id, bearer(session.token));
    expect(socket.response.status).toBe(101);
    socket.send({ type: "hello", after: 1 });
    const welcome = await socket.receive();
    expect(welcome).toMatchObject({ type: "welcome", head: 3, session: { title: "Socket" } });
    expect(welcome).not.toHaveProperty("resumeToken");
    expect(welcome.session.participants[0].connected).toBe(true);
    expect((await socket.receive()).event.seq).toBe(2);
    expect((await socket.receive()).event.seq).toBe(3);
    expect(await socket.receive()).toEqual({ type: "replay.done", head: 3 });
    await append(session, "agent.two");
    expect(await socket.receive()).toMatchObject({
      type: "event",
      event: { seq: 4, type: "agent.two" },
    });
    socket.close();
  });

  // Shows N-7.
  it("accepts the token as header, as second subprotocol or in the hello, and never echoes it", async () => {
    const session = await client.create();
    const inProtocol = await openSocket(session.id, {
      "Sec-WebSocket-Protocol": `baton.v1, ${session.token}`,
    });
    expect(inProtocol.response.headers.get("Sec-WebSocket-Protocol")).toBe("baton.v1");
    inProtocol.send({ type: "hello" });
    expect((await inProtocol.receive()).type).toBe("welcome");
    const inHello = await openSocket(session.id, { "Sec-WebSocket-Protocol": "baton.v1" });
    inHello.send({ type: "hello", token: session.token });
    expect((await inHello.receive()).type).toBe("welcome");
    const inUrl = await openSocket(session.token);
    expect(inUrl.response.status).toBe(400);
    inProtocol.close();
    inHello.close();
  });

  // Shows N-8.
  it("refuses a bad token by HTTP if it came with the handshake, and otherwise by a message", async () => {
    const session = await client.create();
    const other = await client.create();
    const objects = await objectCount();
    const early = await openSocket(session.id, bearer(other.token));
    expect(early.response.status).toBe(403);
    const late = await openSocket(session.id, { Origin: "https://elsewhere.example" });
    late.send({ type: "hello", token: other.token });
    const error = await late.receive();
    expect(error).toMatchObject({ type: "error", problem: { code: "token_invalid" } });
    expect(error.problem).not.toHaveProperty("sessionId");
    expect((await late.closed()).code).toBe(4403);
    const none = await openSocket(session.id);
    none.send({ type: "hello" });
    expect(await none.receive()).toMatchObject({ problem: { code: "credential_missing" } });
    expect(await objectCount()).toBe(objects);
  });

  // Shows N-6.
  it("is not a WebSocket without an upgrade, and speaks only baton.v1", async () => {
    const session = await client.create();
    const plain = await client.on(session, "GET", "/socket", { token: session.token });
    expect([plain.status, plain.body.code]).toEqual([426, "upgrade_required"]);
    const foreign = await openSocket(session.id, {
      ...bearer(session.token),
      "Sec-WebSocket-Protocol": "chat",
    });
    expect(foreign.response.status).toBe(400);
  });

  // Shows E-4.
  it("appends no event in a reserved namespace", async () => {
    const session = await client.create();
    const socket = await openSocket(session.id, bearer(session.token));
    socket.send({ type: "hello" });
    expect((await socket.receive()).type).toBe("welcome");
    expect((await socket.receive()).type).toBe("replay.done");
    for (const namespace of SERVER_NAMESPACES) {
      socket.send({ type: "append", id: namespace, events: [{ type: `${namespace}.forged` }] });
      expect(await socket.receive()).toMatchObject({
        type: "error",
        id: namespace,
        problem: { code: "invalid_request", status: 400 },
      });
    }
    socket.close();
  });

  // Shows N-10.
  it("appends with the message's id as key, so that a repeated append is one append", async () => {
    const session = await client.create();
    const socket = await openSocket(session.id, bearer(session.token));
    socket.send({ type: "hello" });
    expect((await socket.receive()).type).toBe("welcome");
    expect((await socket.receive()).type).toBe("replay.done");
    const message = { type: "append", id: "a-1", events: [{ type: "agent.said" }] };
    socket.send(message);
    socket.send(message);
    const received = [await socket.receive(), await socket.receive(), await socket.receive()];
    const answers = received.filter((one) => one.type === "appended");
    expect(answers).toEqual([
      { type: "appended", id: "a-1", first: 3, last: 3 },
      { type: "appended", id: "a-1", first: 3, last: 3 },
    ]);
    socket.send({ type: "append", id: "a-2", events: [{ type: "session.forged" }] });
    expect(await socket.receive()).toMatchObject({
      type: "error",
      id: "a-2",
      problem: { code: "invalid_request" },
    });
    socket.send({ type: "ping" });
    expect(await socket.receive()).toEqual({ type: "pong" });
    socket.close();
  });

  // Shows N-11.
  it("resumes on request: the next token comes with the welcome and older connections end", async () => {
    const session = await client.create();
    const old = await openSocket(session.id, bearer(session.token));
    old.send({ type: "hello" });
    await old.receive();
    const socket = await openSocket(session.id, bearer(session.token));
    socket.send({ type: "hello", resume: true, id: "resume-1", after: 0 });
    const welcome = await socket.receive();
    expect(welcome.resumeToken).toMatch(/^rtok_/);
    expect(await old.closed()).toEqual({ code: 4409, reason: "superseded" });
    const seqs = [];
    for (
      let message = await socket.receive();
      message.type === "event";
      message = await socket.receive()
    ) {
      seqs.push(message.event.seq);
    }
    expect(seqs).toEqual([1, 2, 3, 4]);
    socket.close();
  });

  it("resumes without a seq from the participant's cursor", async () => {
    const session = await client.create();
    await append(session, "agent.one");
    const socket = await openSocket(session.id, bearer(session.token));
    socket.send({ type: "hello", resume: true });
    expect((await socket.receive()).type).toBe("welcome");
    const seqs = [];
    for (
      let message = await socket.receive();
      message.type === "event";
      message = await socket.receive()
    ) {
      seqs.push(message.event.seq);
    }
    expect(seqs).toEqual([3, 4, 5]);
    socket.close();
  });

  // Shows N-9.
  it("filters by type", async () => {
    const session = await client.create();
    const socket = await openSocket(session.id, bearer(session.token));
    socket.send({ type: "hello", after: 0, types: ["agent.*", "session.created"] });
    await socket.receive();
    expect((await socket.receive()).event.type).toBe("session.created");
    expect((await socket.receive()).type).toBe("replay.done");
    await append(session, "other.thing");
    await append(session, "agent.thing");
    expect((await socket.receive()).event).toMatchObject({ seq: 4, type: "agent.thing" });
    socket.close();
  });

  it.each([
    ["not JSON", "{"],
    ["an unknown type", '{"type":"dance"}'],
    ["an unknown key", '{"type":"hello","afterr":1}'],
    ["a cursor beyond the head", '{"type":"hello","after":99}'],
    ["an append before hello", '{"type":"append","id":"x","events":[{"type":"a.b"}]}'],
    ["a key called __proto__", '{"type":"hello","__proto__":{}}'],
    ["too large a frame", JSON.stringify({ type: "ping", filler: "x".repeat(1024 * 1024) })],
    ["a binary frame", new Uint8Array([1, 2, 3]).buffer],
    // Shows N-12.
  ])("answers %s with a clear error and a close, and nothing else breaks", async (_, frame) => {
    const session = await client.create();
    const good = await openSocket(session.id, bearer(session.token));
    good.send({ type: "hello" });
    expect((await good.receive()).type).toBe("welcome");
    expect((await good.receive()).type).toBe("replay.done");
    const bad = await openSocket(session.id, bearer(session.token));
    bad.sendRaw(frame);
    const error = await bad.receive();
    expect(error).toMatchObject({ type: "error", problem: { retryable: false } });
    expect((await bad.closed()).code).toBe(4400);
    await append(session, "agent.fine");
    expect((await good.receive()).event.type).toBe("agent.fine");
    good.close();
  });

  // Shows N-12.
  it("ignores everything that was sent after a hello that it refuses", async () => {
    const session = await client.create();
    const socket = await openSocket(session.id, bearer(session.token));
    socket.send({ type: "hello", after: 99 });
    socket.send({ type: "append", id: "behind", events: [{ type: "agent.note" }] });
    expect(await socket.receive()).toMatchObject({
      type: "error",
      problem: { code: "invalid_request" },
    });
    await socket.closed();
    // It would be in the log before this one, which reaches the same object later.
    await append(session, "agent.after");
    const { body } = await client.on(session, "GET", "/events?after=2", { token: session.token });
    expect(body.events.map(({ type }: { type: string }) => type)).toEqual(["agent.after"]);
  });

  // Shows N-13.
  it("closes with the reason when the session ends, is purged, or the participant is revoked", async () => {
    const owned = await client.create();
    const handedOff = await client.on(owned, "POST", "/handoffs", {
      token: owned.token,
      body: { to: "agent", scopes: ["view"] },
    });
    const participantSocket = await openSocket(owned.id, bearer(handedOff.body.participantToken));
    participantSocket.send({ type: "hello" });
    await participantSocket.receive();
    const host = await openSocket(owned.id, bearer(handedOff.body.resumeToken));
    host.send({ type: "hello" });
    await host.receive();
    const revoked = await client.on(owned, "POST", "/revoke", {
      token: handedOff.body.resumeToken,
      body: { others: true },
    });
    expect(await participantSocket.closed()).toEqual({ code: 4403, reason: "revoked" });
    await client.on(owned, "POST", "/cancel", { token: revoked.body.resumeToken });
    expect(await host.closed()).toEqual({ code: 4200, reason: "ended" });
    const purged = await client.create();
    const last = await openSocket(purged.id, bearer(purged.token));
    last.send({ type: "hello" });
    await last.receive();
    await client.on(purged, "DELETE", "", { token: purged.token });
    expect(await last.closed()).toEqual({ code: 4411, reason: "gone" });
  });
});

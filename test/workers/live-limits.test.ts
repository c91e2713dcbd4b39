import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { CreatedSession } from "../support/client";
import { TestSocket } from "../support/live/test-socket";
import { openIdleListeners } from "../support/live/idle-listeners";
import { openTestSocket, handshake, openStream, workerAccess } from "../support/live/worker-access";
import { bindIn, client, inside, objectCount, stubOf } from "../support/worker";

const append = (session: CreatedSession, type: string) =>
  client.on(session, "POST", "/events", {
    token: session.token,
    body: { events: [{ type, payload: {} }] },
  });

/** A mark that only this instance of the object has. */
const instanceMark = (session: CreatedSession, mark?: number): Promise<number | undefined> =>
  inside(session, (instance) => {
    const own = instance as unknown as { mark?: number };
    if (mark !== undefined) own.mark = mark;
    return own.mark;
  });

describe("200 idle listeners", () => {
  it("let the object hibernate: it is constructed again for the next event, and all of them get it", async () => {
    const session = await client.create();
    const listeners = await openIdleListeners(workerAccess, session, 200);
    expect(await instanceMark(session, 1)).toBe(1);
    await evictDurableObject(stubOf(session), { webSockets: "hibernate" });
    await append(session, "agent.woke");
    expect(await instanceMark(session)).toBeUndefined();
    const received = await Promise.all(listeners.map((listener) => listener.next()));
    expect(received).toEqual(Array.from({ length: 200 }, () => "agent.woke"));
    await Promise.all(listeners.map((listener) => listener.leave()));
  });
});

describe("the listener past the limit", () => {
  const LIMIT = 3;

  it("without own is refused beyond its share of connections, counted with the participants it created", async () => {
    const session = await client.create();
    // A fifth of ten: as 200 of 1,000.
    await bindIn(session, { MAX_LISTENERS: "10" });
    const handedOff = await client.on(session, "POST", "/handoffs", {
      token: session.token,
      body: { to: "agent", scopes: ["view", "handoff"] },
    });
    const participant = { ...session, token: handedOff.body.participantToken as string };
    const more = await client.on(participant, "POST", "/handoffs", {
      token: participant.token,
      body: { to: "agent", scopes: ["view"] },
    });
    const friend = { ...session, token: more.body.participantToken as string };
    const repeated = { ...session, token: more.body.resumeToken as string };
    const owner = { ...session, token: handedOff.body.resumeToken as string };
    const first = await Promise.all([repeated, friend].map((one) => openTestSocket(one)));
    for (const socket of first) expect((await socket.receive()).type).toBe("welcome");
    for (const { token } of [repeated, friend]) {
      const stream = await client.on(session, "GET", "/events", {
        token,
        headers: { Accept: "text/event-stream" },
      });
      expect(stream.status).toBe(429);
    }
    const others = await Promise.all([1, 2, 3].map(() => openTestSocket(owner)));
    for (const socket of others) expect((await socket.receive()).type).toBe("welcome");
    for (const socket of [...first, ...others]) socket.close();
  });

  async function withFullHouse(): Promise<{ session: CreatedSession; leave: () => void }> {
    const session = await client.create();
    await bindIn(session, { MAX_LISTENERS: String(LIMIT) });
    const sockets = await Promise.all(Array.from({ length: LIMIT }, () => openTestSocket(session)));
    for (const socket of sockets) expect((await socket.receive()).type).toBe("welcome");
    return { session, leave: () => sockets[0]?.close() };
  }

  it("is refused on every transport with 429 and Retry-After, and accepted once another has left", async () => {
    const { session, leave } = await withFullHouse();
    const { token } = session;
    const refused = { status: 429, code: "rate_limited", retryable: true };

    const stream = await client.on(session, "GET", "/events", {
      token,
      headers: { Accept: "text/event-stream" },
    });
    expect({ ...stream.body, status: stream.status }).toMatchObject(refused);
    expect(Number(stream.headers.get("Retry-After"))).toBeGreaterThan(0);
    const poll = await client.on(session, "GET", "/events?after=2&waitMs=1000", { token });
    expect({ ...poll.body, status: poll.status }).toMatchObject(refused);
    expect(Number(poll.headers.get("Retry-After"))).toBeGreaterThan(0);
    const socket = await openTestSocket(session);
    expect(await socket.receive()).toMatchObject({ type: "error", problem: refused });
    expect((await socket.closed).code).toBe(1012);

    // Reading and writing need no listener slot.
    expect((await append(session, "agent.note")).status).toBe(201);
    leave();
    await expect
      .poll(async () => {
        const reconnected = await openStream(session);
        const { status } = reconnected.response;
        await reconnected.cancel();
        return status;
      })
      .toBe(200);
  });
});

describe("a WebSocket without a credential", () => {
  const foreign = { Origin: "https://elsewhere.example", "Sec-WebSocket-Protocol": "baton.v1" };

  async function arrive(session: Pick<CreatedSession, "id">): Promise<TestSocket> {
    const { webSocket } = await handshake(session.id, foreign);
    if (webSocket === null) throw new Error("no socket");
    webSocket.accept();
    return new TestSocket(webSocket);
  }

  it("gets nothing from a foreign origin but the refusal, and reaches no object", async () => {
    const session = await client.create();
    const objects = await objectCount();
    for (const message of [
      { type: "hello" },
      { type: "hello", after: 0 },
      { type: "append", id: "a", events: [{ type: "agent.forged" }] },
    ]) {
      const socket = await arrive(session);
      socket.send(message);
      const received = await socket.receive();
      expect(received.type).toBe("error");
      expect(JSON.stringify(received)).not.toContain(session.id);
      expect(await socket.receive()).toBeNull();
      expect([4400, 4403]).toContain((await socket.closed).code);
    }
    expect(await objectCount()).toBe(objects);
    const log = await client.on(session, "GET", "/events?after=0", { token: session.token });
    expect(log.body.head).toBe(2);
  });
});

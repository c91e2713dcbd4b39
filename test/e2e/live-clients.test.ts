import { EventSource } from "eventsource";
import { WebSocket as ReconnectingSocket } from "partysocket";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { CreatedSession } from "../support/client.ts";
import { startProxy, type Proxy } from "../support/live/proxy.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();
let proxy: Proxy;
/** Connects first and sends nothing; the last test checks its close. */
let silent: Promise<unknown>;
beforeAll(async () => {
  proxy = await startProxy(server.url);
  silent = staySilent(await server.client.create());
});
afterAll(async () => {
  await proxy.stop();
});

/** Collects seqs as they arrive; a test can wait for one of them. */
class ReceivedSeqs {
  readonly seqs: number[] = [];
  #wake: () => void = () => {};

  add(seq: number): void {
    this.seqs.push(seq);
    this.#wake();
  }

  async until(seq: number): Promise<void> {
    while (!this.seqs.includes(seq)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

async function append(session: CreatedSession, count: number): Promise<number> {
  const events = Array.from({ length: count }, () => ({ type: "agent.note", payload: {} }));
  const { token } = session;
  const { body } = await server.client.on(session, "POST", "/events", { token, body: { events } });
  return body.last;
}

const socketUrl = (base: string, { id }: CreatedSession): string =>
  `${base.replace("http", "ws")}/sessions/${id}/socket`;

/** All messages to a client that opens a socket and does not send hello. */
function staySilent(session: CreatedSession): Promise<unknown> {
  const socket = new WebSocket(socketUrl(server.url, session), "baton.v1");
  const received: unknown[] = [];
  socket.on("message", (data) => {
    const { type, problem } = JSON.parse(String(data));
    received.push(type, problem.code, problem.detail);
  });
  return new Promise((resolve) => {
    socket.on("close", (code) => resolve([...received, code]));
  });
}

const upTo = (head: number): readonly number[] =>
  Array.from({ length: head }, (_, index) => index + 1);

/** The client reads, is disconnected, and must reconnect by itself: three times. */
async function expectReconnects(session: CreatedSession, seen: ReceivedSeqs): Promise<void> {
  await seen.until(await append(session, 3));
  for (let cut = 0; cut < 3; cut++) {
    const before = proxy.connections;
    proxy.cut();
    // Written while the client is disconnected or just reconnecting.
    const head = await append(session, 5);
    await seen.until(head);
    expect(proxy.connections).toBeGreaterThan(before);
    await seen.until(await append(session, 1));
  }
  const head = await append(session, 1);
  await seen.until(head);
  expect(seen.seqs).toEqual(upTo(head));
}

describe("an independent client", () => {
  it("eventsource reconnects by itself and misses and repeats nothing", async () => {
    const session = await server.client.create();
    const seen = new ReceivedSeqs();
    const source = new EventSource(`${proxy.url}/sessions/${session.token}/events?after=0`);
    for (const type of ["session.created", "token.issued", "agent.note"]) {
      source.addEventListener(type, ({ lastEventId }) => seen.add(Number(lastEventId)));
    }
    await expectReconnects(session, seen);
    source.close();
  });

  it("eventsource sends the token in a header of its own fetch and keeps its filter", async () => {
    const session = await server.client.create();
    const seen = new ReceivedSeqs();
    const source = new EventSource(
      `${proxy.url}/sessions/${session.id}/events?after=0&type=agent.note`,
      {
        fetch: (input, init) =>
          fetch(input, {
            ...init,
            headers: { ...init.headers, Authorization: `Bearer ${session.token}` },
          }),
      },
    );
    source.addEventListener("agent.note", ({ lastEventId }) => seen.add(Number(lastEventId)));
    for (const type of ["session.created", "token.issued", "fields.updated"]) {
      source.addEventListener(type, () => seen.add(-1));
    }
    await seen.until(await append(session, 2));
    proxy.cut();
    const { token } = session;
    const body = { fields: { a: 1 } };
    await server.client.on(session, "PATCH", "", { token, body });
    await seen.until(await append(session, 2));
    expect(seen.seqs).toEqual([3, 4, 6, 7]);
    source.close();
  });

  it("eventsource stops for good when the session has ended", async () => {
    const session = await server.client.create();
    const seen = new ReceivedSeqs();
    const source = new EventSource(`${proxy.url}/sessions/${session.token}/events?after=0`);
    let reason = "";
    source.addEventListener("end", ({ data }) => {
      reason = JSON.parse(data).reason;
    });
    source.addEventListener("session.cancelled", ({ lastEventId }) =>
      seen.add(Number(lastEventId)),
    );
    source.addEventListener("token.issued", ({ lastEventId }) => seen.add(Number(lastEventId)));
    await seen.until(2);
    await server.client.on(session, "POST", "/cancel", { token: session.token });
    await seen.until(3);
    // It reconnects once and gets 204, which ends it.
    await new Promise<void>((resolve) => {
      source.addEventListener("error", () => {
        if (source.readyState === source.CLOSED) resolve();
      });
    });
    expect(reason).toBe("ended");
    expect(seen.seqs).toEqual([2, 3]);
  });

  it("ws reads, appends and gets the reason when it is closed", async () => {
    const session = await server.client.create();
    const socket = new WebSocket(socketUrl(server.url, session), "baton.v1", {
      headers: { Authorization: `Bearer ${session.token}` },
    });
    const seen = new ReceivedSeqs();
    let appended: unknown;
    socket.on("open", () => socket.send(JSON.stringify({ type: "hello", after: 0 })));
    socket.on("message", (data) => {
      const message = JSON.parse(String(data));
      if (message.type === "event") seen.add(message.event.seq);
      if (message.type === "appended") appended = message;
      if (message.type === "replay.done") {
        const events = [{ type: "agent.note" }];
        socket.send(JSON.stringify({ type: "append", id: "first", events }));
      }
    });
    await seen.until(3);
    const closing = new Promise((resolve) => {
      socket.on("close", (code, reason) => resolve({ code, reason: String(reason) }));
    });
    await server.client.on(session, "POST", "/cancel", { token: session.token });
    expect(await closing).toEqual({ code: 4200, reason: "ended" });
    expect(socket.protocol).toBe("baton.v1");
    expect(appended).toEqual({ type: "appended", id: "first", first: 3, last: 3 });
    expect(seen.seqs).toEqual([1, 2, 3, 4]);
  });

  it("partysocket reconnects by itself, sends its position, and misses and repeats nothing", async () => {
    const session = await server.client.create();
    const seen = new ReceivedSeqs();
    const socket = new ReconnectingSocket(
      socketUrl(proxy.url, session),
      ["baton.v1", session.token],
      { WebSocket, minReconnectionDelay: 20, maxReconnectionDelay: 200 },
    );
    socket.addEventListener("open", () => {
      socket.send(JSON.stringify({ type: "hello", after: seen.seqs.at(-1) ?? 0 }));
    });
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data));
      if (message.type === "event") seen.add(message.event.seq);
    });
    await expectReconnects(session, seen);
    socket.close();
  });

  it("is closed when it does not send hello within 10 seconds", async () => {
    expect(await silent).toEqual([
      "error",
      "invalid_request",
      expect.stringContaining("no hello within 10000 ms"),
      4400,
    ]);
  });
});

import { EventSource } from "eventsource";
import { WebSocket as ReconnectingSocket } from "partysocket";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { CreatedSession } from "../support/client.ts";
import { startProxy, type Proxy } from "../support/live/proxy.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();
let proxy: Proxy;
/** Connected first and never says anything; what becomes of it is looked at last. */
let silent: Promise<unknown>;
beforeAll(async () => {
  proxy = await startProxy(server.url);
  silent = staySilent(await server.client.create());
});
afterAll(async () => {
  await proxy.stop();
});

/** Numbers as they come, and a way to wait for one of them. */
class ReceivedSeqs {
  readonly seqs: number[] = [];
  #wake: () => void = () => {};

  add(seq: number): void {
    this.seqs.push(seq);
    this.#wake();
  }

  async until(seq: number): Promise<void> {
    while (!this.seqs.includes(seq)) {
      await new Promise<void>((settle) => {
        this.#wake = settle;
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

/** All that a client is told which opens a socket and does not say hello. */
function staySilent(session: CreatedSession): Promise<unknown> {
  const socket = new WebSocket(socketUrl(server.url, session), "baton.v1");
  const heard: unknown[] = [];
  socket.on("message", (data) => {
    const { type, problem } = JSON.parse(String(data));
    heard.push(type, problem.code, problem.detail);
  });
  return new Promise((settle) => {
    socket.on("close", (code) => settle([...heard, code]));
  });
}

const upTo = (head: number): readonly number[] =>
  Array.from({ length: head }, (_, index) => index + 1);

/** Reads, is cut off, and has to come back by itself: three times. */
async function survivesCuts(session: CreatedSession, seen: ReceivedSeqs): Promise<void> {
  await seen.until(await append(session, 3));
  for (let cut = 0; cut < 3; cut++) {
    const before = proxy.connections;
    proxy.cut();
    // Written while nobody listens, or is just coming back.
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
    await survivesCuts(session, seen);
    source.close();
  });

  it("eventsource takes the token in a header of its own fetch and keeps its filter", async () => {
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
    // It comes back once, as it does, and is told with 204 that there is nothing to come back for.
    await new Promise<void>((settle) => {
      source.addEventListener("error", () => {
        if (source.readyState === source.CLOSED) settle();
      });
    });
    expect(reason).toBe("ended");
    expect(seen.seqs).toEqual([2, 3]);
  });

  it("ws reads, appends and is told why it is closed", async () => {
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
    const closing = new Promise((settle) => {
      socket.on("close", (code, reason) => settle({ code, reason: String(reason) }));
    });
    await server.client.on(session, "POST", "/cancel", { token: session.token });
    expect(await closing).toEqual({ code: 4200, reason: "ended" });
    expect(socket.protocol).toBe("baton.v1");
    expect(appended).toEqual({ type: "appended", id: "first", first: 3, last: 3 });
    expect(seen.seqs).toEqual([1, 2, 3, 4]);
  });

  it("partysocket reconnects by itself, says where it was, and misses and repeats nothing", async () => {
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
    await survivesCuts(session, seen);
    socket.close();
  });

  it("is closed when it does not say hello within 10 seconds", async () => {
    expect(await silent).toEqual([
      "error",
      "invalid_request",
      expect.stringContaining("no hello within 10000 ms"),
      4400,
    ]);
  });
});

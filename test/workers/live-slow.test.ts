import { describe, expect, it } from "vitest";
import type { CreatedSession } from "../support/client";
import type { TestSocket } from "../support/live/test-socket";
import { openTestSocket, openStream } from "../support/live/worker-access";
import { client } from "../support/worker";

/** Three events per request, sized so that a dozen requests exceed what a socket may leave unacknowledged. */
const FILLING = "x".repeat(240_000);
const REQUESTS = 14;

async function appendMuch(session: CreatedSession, requests = REQUESTS): Promise<number> {
  let head = 0;
  for (let request = 0; request < requests; request++) {
    const events = Array.from({ length: 3 }, () => ({
      type: "agent.page",
      payload: { filling: FILLING },
    }));
    const { token } = session;
    const answer = await client.on(session, "POST", "/events", { token, body: { events } });
    expect(answer.status, answer.text).toBe(201);
    head = answer.body.head;
  }
  return head;
}

const upTo = (head: number): readonly number[] =>
  Array.from({ length: head }, (_, index) => index + 1);

/** Seqs of the events received until it is closed or `last` has arrived. */
async function seqsOf(socket: TestSocket, last = Infinity): Promise<number[]> {
  const seqs: number[] = [];
  for (let message = await socket.receive(); message !== null; message = await socket.receive()) {
    if (message.type === "event") seqs.push(message.event.seq);
    if (seqs.at(-1) === last) break;
  }
  return seqs;
}

describe("a WebSocket that never acknowledges", () => {
  it("is closed as too slow at 8 MiB with the seq to continue from, and loses nothing", async () => {
    const session = await client.create();
    const head = await appendMuch(session);
    const socket = await openTestSocket(session, { after: 0 });
    const first = await seqsOf(socket);
    const { code, reason } = await socket.closed;
    expect(code).toBe(4408);
    const last = first.at(-1) ?? 0;
    expect(reason).toBe(`too slow; continue after ${last}`);
    expect(last).toBeLessThan(head);
    // As much as is allowed, and not one event less. The first two are the session's own and small.
    const bytes = (first.length - 2) * FILLING.length;
    expect(bytes).toBeGreaterThan(7.5 * 1024 * 1024);
    expect(bytes).toBeLessThan(8 * 1024 * 1024);

    const reconnected = await openTestSocket(session, { after: last });
    const rest = await seqsOf(reconnected, head);
    expect([...first, ...rest]).toEqual(upTo(head));
    reconnected.close();
  });
});

describe("a WebSocket that acknowledges", () => {
  it("is waited for, however long it takes, and gets everything on one connection", async () => {
    const session = await client.create();
    const head = await appendMuch(session);
    const socket = await openTestSocket(session, { after: 0 });
    socket.send({ type: "ack", seq: 0 });
    const seqs: number[] = [];
    while (seqs.at(-1) !== head) {
      const message = await socket.receive();
      expect(message).not.toBeNull();
      if (message.type !== "event") continue;
      seqs.push(message.event.seq);
      // Acknowledges only now and then, and always late.
      if (seqs.length % 8 === 0) socket.send({ type: "ack", seq: message.event.seq });
    }
    expect(seqs).toEqual(upTo(head));
    socket.close();
  });

  it("is closed at once when its access ends while the server waits for it", async () => {
    const session = await client.create();
    const handedOff = await client.on(session, "POST", "/handoffs", {
      token: session.token,
      body: { to: "agent", scopes: ["view"] },
    });
    await appendMuch(session);
    const participant = { id: session.id, token: handedOff.body.participantToken };
    const socket = await openTestSocket(participant, { after: 0 });
    socket.send({ type: "ack", seq: 0 });
    // When these have arrived, nothing more may be sent without another ack.
    for (let events = 0; events < 30; ) {
      if ((await socket.receive()).type === "event") events += 1;
    }
    await client.on(session, "POST", "/revoke", {
      token: handedOff.body.resumeToken,
      body: { others: true },
    });
    await seqsOf(socket);
    expect(await socket.closed).toEqual({ code: 4403, reason: "revoked" });
  });
});

describe("a consumer that stops reading", () => {
  it("does not hold up the others, and gets the rest once in order when it reads again", async () => {
    const session = await client.create();
    const asleep = await openStream(session, "?after=0");
    const awake = await openStream(session, "?after=0");
    const socket = await openTestSocket(session, { after: 0 });
    const head = await appendMuch(session, 8);

    const seen: number[] = [];
    while (seen.at(-1) !== head) {
      const frame = await awake.next();
      expect(frame).not.toBeNull();
      if (frame?.event !== "replay.done") seen.push(Number(frame?.id));
    }
    expect(seen).toEqual(upTo(head));
    expect(await seqsOf(socket, head)).toEqual(upTo(head));

    const late: number[] = [];
    while (late.at(-1) !== head) {
      const frame = await asleep.next();
      expect(frame).not.toBeNull();
      if (frame?.event !== "replay.done") late.push(Number(frame?.id));
    }
    expect(late).toEqual(upTo(head));
    await Promise.all([asleep.cancel(), awake.cancel()]);
    socket.close();
  });
});

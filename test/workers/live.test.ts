import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { CreatedSession } from "../support/client";
import { client, inside, stubOf } from "../support/worker";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };

afterEach(() => {
  vi.useRealTimers();
});

interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

/** Reads server-sent events one by one, as a browser would. */
async function openStream(session: CreatedSession, token: string, query = "", headers = {}) {
  const response = await worker.default.fetch(
    new Request(`http://baton.test/sessions/${session.id}/events${query}`, {
      headers: { Accept: "text/event-stream", Authorization: `Bearer ${token}`, ...headers },
    }),
  );
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  async function next(): Promise<Frame | null> {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        const frame = Object.fromEntries(
          block.split("\n").map((line) => {
            const at = line.indexOf(": ");
            return [line.slice(0, at), line.slice(at + 2)];
          }),
        );
        if ("event" in frame) return frame as Frame;
        continue;
      }
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) return null;
      text += chunk.value;
    }
  }
  return { response, next, cancel: () => reader?.cancel() };
}

const append = (session: CreatedSession, type: string, n = 1) =>
  client.on(session, "POST", "/events", {
    token: session.token,
    body: { events: Array.from({ length: n }, (_, i) => ({ type, payload: { i } })) },
  });

describe("a stream of server-sent events", () => {
  // Shows N-1.
  it("replays, marks the end of the replay, and continues live with no gap and no duplicate", async () => {
    const session = await client.create();
    await append(session, "agent.note", 3);
    const stream = await openStream(session, session.token, "?after=0");
    expect(stream.response.headers.get("Content-Type")).toContain("text/event-stream");
    const seen: number[] = [];
    for (;;) {
      const frame = await stream.next();
      if (frame?.event === "replay.done") break;
      seen.push(Number(frame?.id));
    }
    await append(session, "agent.note", 2);
    await append(session, "agent.more", 1);
    for (let i = 0; i < 3; i++) seen.push(Number((await stream.next())?.id));
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    await stream.cancel();
  });

  // Shows N-1.
  it("prefers Last-Event-ID to `after`, and starts at the participant's cursor without either", async () => {
    const session = await client.create();
    await append(session, "agent.note", 3);
    const byHeader = await openStream(session, session.token, "?after=0", { "Last-Event-ID": "4" });
    expect((await byHeader.next())?.id).toBe("5");
    const byCursor = await openStream(session, session.token);
    expect((await byCursor.next())?.id).toBe("3");
    await byHeader.cancel();
    await byCursor.cancel();
  });

  // Shows N-3.
  it("ends with the last event of a finalized session and tells the client not to reconnect", async () => {
    const session = await client.create();
    const stream = await openStream(session, session.token);
    expect((await stream.next())?.event).toBe("replay.done");
    const submitted = await client.on(session, "POST", "/submit", { token: session.token });
    await client.on(session, "POST", "/finalize", { token: submitted.body.resumeToken });
    const names: (string | undefined)[] = [];
    let last = "0";
    for (;;) {
      const frame = await stream.next();
      if (frame === null) break;
      names.push(frame.event);
      last = frame.id ?? last;
    }
    expect(names).toEqual(["session.submitted", "session.finalized", "end"]);
    const reconnected = await openStream(session, session.token, "", { "Last-Event-ID": last });
    expect(reconnected.response.status).toBe(204);
  });

  // Shows N-2.
  it("survives the object's hibernation: it wakes for the next event and every listener gets it", async () => {
    const session = await client.create();
    const streams = await Promise.all(
      Array.from({ length: 20 }, () => openStream(session, session.token)),
    );
    for (const stream of streams) expect((await stream.next())?.event).toBe("replay.done");
    const before = await inside(session, (instance) => {
      (instance as unknown as { mark: number }).mark = 1;
      return (instance as unknown as { mark?: number }).mark;
    });
    await evictDurableObject(stubOf(session), { webSockets: "hibernate" });
    await append(session, "agent.wake");
    const after = await inside(
      session,
      (instance) => (instance as unknown as { mark?: number }).mark,
    );
    expect([before, after]).toEqual([1, undefined]);
    for (const stream of streams) expect((await stream.next())?.event).toBe("agent.wake");
    await Promise.all(streams.map((stream) => stream.cancel()));
  });

  // Shows N-2.
  it("recovers by itself when the object restarts and its sockets are lost", async () => {
    const session = await client.create();
    const stream = await openStream(session, session.token);
    expect((await stream.next())?.event).toBe("replay.done");
    await evictDurableObject(stubOf(session), { webSockets: "close" });
    await append(session, "agent.after");
    expect((await stream.next())?.event).toBe("agent.after");
    await stream.cancel();
  });

  // Shows N-4.
  it("ends with the reason on expiry, revocation, purge and its own resume", async () => {
    const expired = await client.create();
    const a = await openStream(expired, expired.token);
    await a.next();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 8 * 24 * 3600_000 });
    await runDurableObjectAlarm(stubOf(expired));
    expect((await a.next())?.event).toBe("session.expired");
    vi.useRealTimers();
    const endOf = async (stream: Awaited<ReturnType<typeof openStream>>) => {
      for (;;) {
        const frame = await stream.next();
        if (frame === null) return null;
        if (frame.event === "end") return JSON.parse(frame.data ?? "{}").reason as string;
      }
    };
    expect(await endOf(a)).toBe("expired");

    const owned = await client.create();
    const handedOff = await client.on(owned, "POST", "/handoffs", {
      token: owned.token,
      body: { to: "agent", scopes: ["view"] },
    });
    const b = await openStream(owned, handedOff.body.participantToken);
    await b.next();
    const revoked = await client.on(owned, "POST", "/revoke", {
      token: handedOff.body.resumeToken,
      body: { others: true },
    });
    expect(await endOf(b)).toBe("revoked");
    const c = await openStream(owned, revoked.body.resumeToken);
    await c.next();
    const resumed = await client.on(owned, "POST", "/resume", { token: revoked.body.resumeToken });
    expect(await endOf(c)).toBe("superseded");
    const d = await openStream(owned, resumed.body.resumeToken);
    await d.next();
    await client.on(owned, "DELETE", "", { token: resumed.body.resumeToken });
    expect(await endOf(d)).toBe("gone");
  });
});

describe("a long-poll", () => {
  // Shows N-5.
  it("waits for the next event and returns it, or an empty page after the timeout", async () => {
    const session = await client.create();
    const waiting = client.on(session, "GET", "/events?after=2&waitMs=20000", {
      token: session.token,
    });
    await append(session, "agent.soon");
    const answer = await waiting;
    expect(answer.body.events.map((event: { seq: number }) => event.seq)).toEqual([3]);
    expect(answer.body).toMatchObject({ head: 3, nextAfter: 3, more: false });
    const empty = await client.on(session, "GET", "/events?after=3&waitMs=50", {
      token: session.token,
    });
    expect(empty.body).toMatchObject({ events: [], head: 3, nextAfter: 3, more: false });
    const long = await client.on(session, "GET", "/events?waitMs=60001", { token: session.token });
    expect([long.status, long.body.code]).toEqual([400, "invalid_request"]);
  });
});

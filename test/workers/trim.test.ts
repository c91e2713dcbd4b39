import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { randomKey, type Answer } from "../support/client";
import { Hand } from "../support/hand";
import { client } from "../support/worker";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };

interface Story {
  readonly hand: Hand;
  /** A token that was spent before the trim. */
  readonly spent: string;
  /** The server's own events before it. */
  readonly before: readonly unknown[];
}

/** Notes, a change, more notes, a checkpoint, trimmed below it; then one more note. */
async function trimmed(): Promise<Story> {
  const hand = await Hand.begin(client, { fields: { a: 1 } });
  await hand.append("agent.a", "agent.b");
  const spent = hand.token;
  await hand.does("PATCH", "", { fields: { a: 2 } });
  await hand.append("agent.c");
  await hand.append("agent.d");
  await hand.does("POST", "/checkpoints", { name: "bridge" });
  const before = (await hand.events()).filter(({ type }) => !type.startsWith("agent."));
  const trim = await hand.does("POST", "/trim", { checkpoint: "chk_1" });
  expect(trim.body).toMatchObject({ floor: 8, trimmed: true });
  await hand.append("agent.after");
  return { hand, spent, before };
}

const GAP = { floor: 8, checkpoint: { id: "chk_1", name: "bridge", seq: 8 } };

function expectGap({ status, body }: Pick<Answer, "status" | "body">): void {
  expect([status, body.code]).toEqual([409, "replay_gap"]);
  expect(body).toMatchObject(GAP);
}

const read = (hand: Hand, after: number, accept: string) =>
  client.on(hand, "GET", `/events?after=${after}`, {
    token: hand.token,
    headers: { Accept: accept },
  });

async function helloAfter(hand: Hand, hello: object) {
  const response = await worker.default.fetch(
    new Request(`http://baton.test/sessions/${hand.id}/socket`, {
      headers: { Upgrade: "websocket", Authorization: `Bearer ${hand.token}` },
    }),
  );
  const socket = response.webSocket;
  const messages: Record<string, unknown>[] = [];
  const done = new Promise<void>((settle) => {
    socket?.addEventListener("close", () => settle());
    socket?.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as Record<string, unknown>;
      messages.push(message);
      if (message["type"] === "replay.done") settle();
    });
  });
  socket?.accept();
  socket?.send(JSON.stringify({ type: "hello", ...hello }));
  await done;
  socket?.close();
  return messages;
}

describe("a cursor below the floor", () => {
  // Shows Y-3.
  it.each(["application/json", "application/x-ndjson", "application/jsonl", "text/event-stream"])(
    "gets replay_gap with the checkpoint that bridges it, as %s",
    async (accept) => {
      const { hand } = await trimmed();
      for (const after of [0, 3, 7]) {
        const answer = await read(hand, after, accept);
        expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
        expectGap(answer);
      }
    },
  );

  // Shows Y-3.
  it("gets it by Last-Event-ID, by long-poll, and by the cursor it had", async () => {
    const { hand } = await trimmed();
    const headers = { Accept: "text/event-stream", "Last-Event-ID": "5" };
    expectGap(await client.on(hand, "GET", "/events", { token: hand.token, headers }));
    expectGap(await hand.tries("GET", "/events?after=5&waitMs=1000"));
    expectGap(await hand.tries("GET", "/events"));
  });

  // Shows Y-3.
  it("gets it in the socket's answer to hello", async () => {
    const { hand } = await trimmed();
    for (const hello of [{ after: 5 }, { after: 5, resume: true }]) {
      const [error, ...more] = await helloAfter(hand, hello);
      expect(error).toMatchObject({ type: "error", problem: { code: "replay_gap", ...GAP } });
      expect(more).toEqual([]);
    }
  });

  // Shows Y-3.
  it("gets it on resume, which spends no token, and is told so beforehand", async () => {
    const { hand } = await trimmed();
    const { token } = hand;
    expect((await hand.does("GET", "/resumable?lastEventSeq=5")).body).toMatchObject({
      resumable: false,
      reason: "replay_gap",
    });
    expectGap(await hand.tries("POST", "/resume", { lastEventSeq: 5 }));
    expectGap(await hand.tries("POST", "/resume", {}));
    expect(hand.token).toBe(token);
    expect((await hand.does("PATCH", "", { fields: { a: 3 } })).status).toBe(200);
  });
});

describe("continuing from the bridging checkpoint", () => {
  // Shows Y-3.
  it("works for every way of reading, with nothing missing after it", async () => {
    const { hand } = await trimmed();
    const gap = await hand.tries("POST", "/resume", { lastEventSeq: 2 });
    const { checkpoint } = gap.body;
    const held = (await hand.does("GET", `/checkpoints/${checkpoint.id}`)).body.checkpoint;
    expect(held.document.fields).toEqual({ a: 2 });
    const { body } = await read(hand, checkpoint.seq, "application/json");
    const types = body.events.map(({ type }: { type: string }) => type);
    expect(types).toEqual(["checkpoint.created", "session.trimmed", "agent.after"]);
    expect(body.events.map(({ seq }: { seq: number }) => seq)).toEqual([9, 10, 11]);
    const lines = await read(hand, checkpoint.seq, "application/x-ndjson");
    expect(
      lines.text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(body.events);
    const [welcome, ...messages] = await helloAfter(hand, { after: checkpoint.seq });
    expect(welcome).toMatchObject({ type: "welcome", head: 11 });
    expect(messages.flatMap(({ event }) => event ?? [])).toEqual(body.events);
    const resumed = await hand.does("POST", "/resume", { lastEventSeq: checkpoint.seq });
    expect(resumed.body.events.slice(0, 3)).toEqual(body.events);
    // The cursor is now above the floor: no number needed any more.
    expect((await hand.does("POST", "/resume", {})).status).toBe(200);
  });
});

describe("trimming", () => {
  // Shows Y-1.
  it("leaves every event of the server, so that audit remains whole", async () => {
    const { hand, before } = await trimmed();
    const events = await hand.events();
    expect(events.slice(0, before.length)).toEqual(before);
    expect(events.map(({ type }) => type).filter((type) => type.startsWith("agent."))).toEqual([
      "agent.after",
    ]);
  });

  // Shows Y-1.
  it("leaves spent tokens told from false ones, and last answers repeatable", async () => {
    const { hand, spent } = await trimmed();
    const stale = await client.on(hand, "PATCH", "", { token: spent, body: { fields: { a: 9 } } });
    expect([stale.status, stale.body.code]).toEqual([409, "token_superseded"]);
    const { id, token } = hand;
    const options = { token, key: randomKey(), body: { checkpoint: "chk_1" } };
    const first = await client.on({ id }, "POST", "/trim", options);
    const again = await client.on({ id }, "POST", "/trim", options);
    expect(first.body).toMatchObject({ floor: 8, trimmed: false });
    expect(again.body).toMatchObject({ floor: 8, trimmed: false });
    expect(again.body.resumeToken).toBe(first.body.resumeToken);
  });

  it("remembers the keys of appends: repeated after it they are still one append", async () => {
    const hand = await Hand.begin(client);
    const options = { token: hand.token, body: { events: [{ type: "agent.a" }] }, key: "k-1" };
    const first = await client.on(hand, "POST", "/events", options);
    await hand.append("agent.b");
    await hand.does("POST", "/checkpoints", {});
    const trim = await hand.does("POST", "/trim", { checkpoint: "chk_1" });
    expect(trim.body).toMatchObject({ floor: 4, trimmed: true });
    const again = await client.on(hand, "POST", "/events", { ...options, token: hand.token });
    expect(again.status, again.text).toBe(201);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expect([again.body.first, again.body.last]).toEqual([first.body.first, first.body.last]);
    const twice = await hand.does("POST", "/trim", { checkpoint: "chk_1" });
    expect(twice.body).toMatchObject({ floor: 4, trimmed: false });
  });

  // Shows Y-1.
  it("removes nothing where there is nothing to remove, and says so", async () => {
    const hand = await Hand.begin(client);
    await hand.does("POST", "/checkpoints", {});
    await hand.append("agent.later");
    const trim = await hand.does("POST", "/trim", { checkpoint: "chk_1" });
    expect(trim.body).toMatchObject({ floor: 0, trimmed: false });
    expect(await hand.events("&type=session.trimmed&outcome=skipped")).toHaveLength(1);
    expect((await read(hand, 0, "application/json")).body.events).toHaveLength(5);
  });

  it("leaves no hole in the repeated answer to a resume from before it: it says to read on", async () => {
    const hand = await Hand.begin(client);
    const made = await hand.does("POST", "/handoffs", { to: "agent", scopes: ["own"] });
    const other = new Hand(client, { id: hand.id, token: made.body.participantToken });
    await other.append("agent.a", "agent.b");
    const { id, token } = hand;
    const options = { token, key: randomKey(), body: { lastEventSeq: 3 } };
    const first = await client.on({ id }, "POST", "/resume", options);
    expect(first.body.events.map(({ seq }: { seq: number }) => seq)).toEqual([4, 5, 6, 7, 8]);
    await other.does("POST", "/checkpoints", {});
    await other.does("POST", "/trim", { checkpoint: "chk_1" });
    const again = await client.on({ id }, "POST", "/resume", options);
    expect(again.status, again.text).toBe(200);
    expect(again.body.resumeToken).toBe(first.body.resumeToken);
    expect(again.body).toMatchObject({ events: [], more: true });
    const on = await client.on({ id }, "GET", "/events?after=3", { token: again.body.resumeToken });
    expect([on.status, on.body.code]).toEqual([409, "replay_gap"]);
  });

  // Shows Y-5.
  it("shows a conflict without a hole where what was missed is gone", async () => {
    const hand = await Hand.begin(client);
    const made = await hand.does("POST", "/handoffs", { to: "agent", scopes: ["fill"] });
    await hand.does("PATCH", "", { fields: { a: 1 } });
    await hand.append("agent.a");
    await hand.does("POST", "/checkpoints", {});
    await hand.does("POST", "/trim", { checkpoint: "chk_1" });
    const conflict = await client.on(hand, "PATCH", "", {
      token: made.body.participantToken,
      body: { fields: { b: 1 } },
    });
    expect([conflict.status, conflict.body.code]).toEqual([409, "version_conflict"]);
    expect(conflict.body).toMatchObject({ missed: [], more: true, current: { fields: { a: 1 } } });
  });

  it("needs the owner, a checkpoint that is there, and a living session", async () => {
    const { hand } = await trimmed();
    const made = await hand.does("POST", "/handoffs", { to: "agent", scopes: ["fill"] });
    const body = { checkpoint: "chk_1" };
    const denied = await client.on(hand, "POST", "/trim", {
      token: made.body.participantToken,
      body,
    });
    expect([denied.status, denied.body.code]).toEqual([403, "scope_denied"]);
    expect((await hand.tries("POST", "/trim", { checkpoint: "chk_7" })).status).toBe(404);
    expect((await hand.tries("POST", "/trim", { checkpoint: "bridge" })).status).toBe(400);
    expect((await hand.tries("POST", "/trim", {})).status).toBe(400);
    await hand.does("POST", "/cancel");
    expect((await hand.tries("POST", "/trim", body)).body.code).toBe("illegal_transition");
  });
});

describe("the bridging checkpoint", () => {
  // Shows Y-4.
  it("can be neither deleted nor pruned, until another one bridges", async () => {
    const { hand } = await trimmed();
    const refused = await hand.tries("DELETE", "/checkpoints/chk_1");
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_request"]);
    for (let n = 0; n < 12; n++) await hand.does("POST", "/checkpoints", {});
    const ids = async (): Promise<string[]> =>
      (await hand.does("GET", "/checkpoints")).body.checkpoints.map(({ id }: { id: string }) => id);
    expect(await ids()).toEqual([
      "chk_1",
      ...[5, 6, 7, 8, 9, 10, 11, 12, 13].map((n) => `chk_${n}`),
    ]);
    const moved = await hand.does("POST", "/trim", { checkpoint: "chk_13" });
    expect(moved.body).toMatchObject({ floor: 11, trimmed: true });
    expect((await hand.tries("DELETE", "/checkpoints/chk_13")).status).toBe(400);
    expect((await hand.tries("DELETE", "/checkpoints/chk_1")).status).toBe(200);
    expect(await ids()).not.toContain("chk_1");
    const gap = await read(hand, 8, "application/json");
    expect(gap.body).toMatchObject({ code: "replay_gap", floor: 11, checkpoint: { id: "chk_13" } });
  });
});

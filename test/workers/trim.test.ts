import { createHash } from "node:crypto";
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { randomKey, type Answer } from "../support/client";
import { TestAgent } from "../support/test-agent";
import { client } from "../support/worker";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };

interface TrimmedSession {
  readonly agent: TestAgent;
  /** A token that was spent before the trim. */
  readonly spent: string;
  /** The server's own events before the trim. */
  readonly before: readonly unknown[];
}

/** Appends notes, a change, more notes and a checkpoint, trims below it, then appends one more note. */
async function createTrimmed(): Promise<TrimmedSession> {
  const agent = await TestAgent.create(client, { fields: { a: 1 } });
  await agent.append("agent.a", "agent.b");
  const spent = agent.token;
  await agent.call("PATCH", "", { fields: { a: 2 } });
  await agent.append("agent.c");
  await agent.append("agent.d");
  await agent.call("POST", "/checkpoints", { name: "bridge" });
  const before = (await agent.events()).filter(({ type }) => !type.startsWith("agent."));
  const trim = await agent.call("POST", "/trim", { checkpoint: "chk_1" });
  expect(trim.body).toMatchObject({ floor: 8, trimmed: true });
  await agent.append("agent.after");
  return { agent, spent, before };
}

const GAP = { floor: 8, checkpoint: { id: "chk_1", name: "bridge", seq: 8 } };

function expectGap({ status, body }: Pick<Answer, "status" | "body">): void {
  expect([status, body.code]).toEqual([409, "replay_gap"]);
  expect(body).toMatchObject(GAP);
}

const read = (agent: TestAgent, after: number, accept: string) =>
  client.on(agent, "GET", `/events?after=${after}`, {
    token: agent.token,
    headers: { Accept: accept },
  });

async function helloAfter(agent: TestAgent, hello: object) {
  const response = await worker.default.fetch(
    new Request(`http://baton.test/sessions/${agent.id}/socket`, {
      headers: { Upgrade: "websocket", Authorization: `Bearer ${agent.token}` },
    }),
  );
  const socket = response.webSocket;
  const messages: Record<string, unknown>[] = [];
  const done = new Promise<void>((resolve) => {
    socket?.addEventListener("close", () => resolve());
    socket?.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as Record<string, unknown>;
      messages.push(message);
      if (message["type"] === "replay.done") resolve();
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
      const { agent } = await createTrimmed();
      for (const after of [0, 3, 7]) {
        const answer = await read(agent, after, accept);
        expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
        expectGap(answer);
      }
    },
  );

  // Shows Y-3.
  it("gets it by Last-Event-ID, by long-poll, and by its stored cursor", async () => {
    const { agent } = await createTrimmed();
    const headers = { Accept: "text/event-stream", "Last-Event-ID": "5" };
    expectGap(await client.on(agent, "GET", "/events", { token: agent.token, headers }));
    expectGap(await agent.tryCall("GET", "/events?after=5&waitMs=1000"));
    expectGap(await agent.tryCall("GET", "/events"));
  });

  // Shows Y-3.
  it("gets it in the socket's reply to hello", async () => {
    const { agent } = await createTrimmed();
    for (const hello of [{ after: 5 }, { after: 5, resume: true }]) {
      const [error, ...more] = await helloAfter(agent, hello);
      expect(error).toMatchObject({ type: "error", problem: { code: "replay_gap", ...GAP } });
      expect(more).toEqual([]);
    }
  });

  // Shows Y-3.
  it("gets it on resume, which spends no token, and from a check beforehand", async () => {
    const { agent } = await createTrimmed();
    const { token } = agent;
    expect((await agent.call("GET", "/resumable?lastEventSeq=5")).body).toMatchObject({
      resumable: false,
      reason: "replay_gap",
    });
    expectGap(await agent.tryCall("POST", "/resume", { lastEventSeq: 5 }));
    expectGap(await agent.tryCall("POST", "/resume", {}));
    expect(agent.token).toBe(token);
    expect((await agent.call("PATCH", "", { fields: { a: 3 } })).status).toBe(200);
  });
});

describe("continuing from the bridging checkpoint", () => {
  // Shows Y-3.
  it("works for every way of reading, with nothing missing after it", async () => {
    const { agent } = await createTrimmed();
    const gap = await agent.tryCall("POST", "/resume", { lastEventSeq: 2 });
    const { checkpoint } = gap.body;
    const restored = (await agent.call("GET", `/checkpoints/${checkpoint.id}`)).body.checkpoint;
    expect(restored.document.fields).toEqual({ a: 2 });
    const { body } = await read(agent, checkpoint.seq, "application/json");
    const types = body.events.map(({ type }: { type: string }) => type);
    expect(types).toEqual(["checkpoint.created", "session.trimmed", "agent.after"]);
    expect(body.events.map(({ seq }: { seq: number }) => seq)).toEqual([9, 10, 11]);
    const lines = await read(agent, checkpoint.seq, "application/x-ndjson");
    expect(
      lines.text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(body.events);
    const [welcome, ...messages] = await helloAfter(agent, { after: checkpoint.seq });
    expect(welcome).toMatchObject({ type: "welcome", head: 11 });
    expect(messages.flatMap(({ event }) => event ?? [])).toEqual(body.events);
    const resumed = await agent.call("POST", "/resume", { lastEventSeq: checkpoint.seq });
    expect(resumed.body.events.slice(0, 3)).toEqual(body.events);
    // The cursor is now above the floor: no seq is needed any more.
    expect((await agent.call("POST", "/resume", {})).status).toBe(200);
  });
});

describe("trimming", () => {
  // Shows Y-1.
  it("leaves every event of the server, so that the audit stays complete", async () => {
    const { agent, before } = await createTrimmed();
    const events = await agent.events();
    expect(events.slice(0, before.length)).toEqual(before);
    expect(events.map(({ type }) => type).filter((type) => type.startsWith("agent."))).toEqual([
      "agent.after",
    ]);
  });

  // Shows Y-1.
  it("leaves spent tokens distinguishable from false ones, and last responses replayable", async () => {
    const { agent, spent } = await createTrimmed();
    const stale = await client.on(agent, "PATCH", "", { token: spent, body: { fields: { a: 9 } } });
    expect([stale.status, stale.body.code]).toEqual([409, "token_superseded"]);
    const { id, token } = agent;
    const options = { token, key: randomKey(), body: { checkpoint: "chk_1" } };
    const first = await client.on({ id }, "POST", "/trim", options);
    const repeated = await client.on({ id }, "POST", "/trim", options);
    expect(first.body).toMatchObject({ floor: 8, trimmed: false });
    expect(repeated.body).toMatchObject({ floor: 8, trimmed: false });
    expect(repeated.body.resumeToken).toBe(first.body.resumeToken);
  });

  it("retains the keys of appends: if repeated after it they are still one append", async () => {
    const agent = await TestAgent.create(client);
    const options = { token: agent.token, body: { events: [{ type: "agent.a" }] }, key: "k-1" };
    const first = await client.on(agent, "POST", "/events", options);
    await agent.append("agent.b");
    await agent.call("POST", "/checkpoints", {});
    const trim = await agent.call("POST", "/trim", { checkpoint: "chk_1" });
    expect(trim.body).toMatchObject({ floor: 4, trimmed: true });
    const repeated = await client.on(agent, "POST", "/events", { ...options, token: agent.token });
    expect(repeated.status, repeated.text).toBe(201);
    expect(repeated.headers.get("Idempotent-Replayed")).toBe("true");
    expect([repeated.body.first, repeated.body.last]).toEqual([first.body.first, first.body.last]);
    const twice = await agent.call("POST", "/trim", { checkpoint: "chk_1" });
    expect(twice.body).toMatchObject({ floor: 4, trimmed: false });
  });

  // Shows Y-6.
  it("records how much is missing from the log and the digest of the list, also of earlier trims", async () => {
    const { agent } = await createTrimmed();
    const recorded = async () =>
      (await agent.events("&type=session.trimmed")).at(-1)?.payload["removed"];
    const exportedDigest = async () => {
      const lines = (await agent.call("GET", "/export")).text.trimEnd().split("\n");
      const entries = lines.flatMap((line) => JSON.parse(line).trimmed ?? []);
      return createHash("sha256").update(JSON.stringify(entries)).digest("hex");
    };
    expect(await recorded()).toEqual({ commits: 3, events: 4, sha256: await exportedDigest() });
    await agent.call("POST", "/checkpoints", {});
    await agent.call("POST", "/trim", { checkpoint: "chk_2" });
    expect(await recorded()).toEqual({ commits: 4, events: 5, sha256: await exportedDigest() });
    const repeated = await agent.call("POST", "/trim", { checkpoint: "chk_2" });
    expect([repeated.body.trimmed, await recorded()]).toEqual([false, undefined]);
  });

  // Shows Y-1.
  it("removes nothing if there is nothing to remove, and reports it", async () => {
    const agent = await TestAgent.create(client);
    await agent.call("POST", "/checkpoints", {});
    await agent.append("agent.later");
    const trim = await agent.call("POST", "/trim", { checkpoint: "chk_1" });
    expect(trim.body).toMatchObject({ floor: 0, trimmed: false });
    expect(await agent.events("&type=session.trimmed&outcome=skipped")).toHaveLength(1);
    expect((await read(agent, 0, "application/json")).body.events).toHaveLength(5);
  });

  it("leaves no gap in the replayed response to an earlier resume: it asks to read on", async () => {
    const agent = await TestAgent.create(client);
    const handedOff = await agent.call("POST", "/handoffs", { to: "agent", scopes: ["own"] });
    const other = new TestAgent(client, { id: agent.id, token: handedOff.body.participantToken });
    await other.append("agent.a", "agent.b");
    const { id, token } = agent;
    const options = { token, key: randomKey(), body: { lastEventSeq: 3 } };
    const first = await client.on({ id }, "POST", "/resume", options);
    expect(first.body.events.map(({ seq }: { seq: number }) => seq)).toEqual([4, 5, 6, 7, 8]);
    await other.call("POST", "/checkpoints", {});
    await other.call("POST", "/trim", { checkpoint: "chk_1" });
    const repeated = await client.on({ id }, "POST", "/resume", options);
    expect(repeated.status, repeated.text).toBe(200);
    expect(repeated.body.resumeToken).toBe(first.body.resumeToken);
    expect(repeated.body).toMatchObject({ events: [], more: true });
    const on = await client.on({ id }, "GET", "/events?after=3", {
      token: repeated.body.resumeToken,
    });
    expect([on.status, on.body.code]).toEqual([409, "replay_gap"]);
  });

  // Shows Y-5.
  it("shows a conflict without a gap if the missed events are gone", async () => {
    const agent = await TestAgent.create(client);
    const handedOff = await agent.call("POST", "/handoffs", { to: "agent", scopes: ["fill"] });
    await agent.call("PATCH", "", { fields: { a: 1 } });
    await agent.append("agent.a");
    await agent.call("POST", "/checkpoints", {});
    await agent.call("POST", "/trim", { checkpoint: "chk_1" });
    const conflict = await client.on(agent, "PATCH", "", {
      token: handedOff.body.participantToken,
      body: { fields: { b: 1 } },
    });
    expect([conflict.status, conflict.body.code]).toEqual([409, "version_conflict"]);
    expect(conflict.body).toMatchObject({ missed: [], more: true, current: { fields: { a: 1 } } });
  });

  it("needs own, an existing checkpoint, and an open session", async () => {
    const { agent } = await createTrimmed();
    const handedOff = await agent.call("POST", "/handoffs", { to: "agent", scopes: ["fill"] });
    const body = { checkpoint: "chk_1" };
    const denied = await client.on(agent, "POST", "/trim", {
      token: handedOff.body.participantToken,
      body,
    });
    expect([denied.status, denied.body.code]).toEqual([403, "scope_denied"]);
    expect((await agent.tryCall("POST", "/trim", { checkpoint: "chk_7" })).status).toBe(404);
    expect((await agent.tryCall("POST", "/trim", { checkpoint: "bridge" })).status).toBe(400);
    expect((await agent.tryCall("POST", "/trim", {})).status).toBe(400);
    await agent.call("POST", "/cancel");
    expect((await agent.tryCall("POST", "/trim", body)).body.code).toBe("illegal_transition");
  });
});

describe("the bridging checkpoint", () => {
  // Shows Y-4.
  it("can be neither deleted nor pruned, until another one bridges", async () => {
    const { agent } = await createTrimmed();
    const refused = await agent.tryCall("DELETE", "/checkpoints/chk_1");
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_request"]);
    for (let n = 0; n < 12; n++) await agent.call("POST", "/checkpoints", {});
    const ids = async (): Promise<string[]> =>
      (await agent.call("GET", "/checkpoints")).body.checkpoints.map(
        ({ id }: { id: string }) => id,
      );
    expect(await ids()).toEqual([
      "chk_1",
      ...[5, 6, 7, 8, 9, 10, 11, 12, 13].map((n) => `chk_${n}`),
    ]);
    const moved = await agent.call("POST", "/trim", { checkpoint: "chk_13" });
    expect(moved.body).toMatchObject({ floor: 11, trimmed: true });
    expect((await agent.tryCall("DELETE", "/checkpoints/chk_13")).status).toBe(400);
    expect((await agent.tryCall("DELETE", "/checkpoints/chk_1")).status).toBe(200);
    expect(await ids()).not.toContain("chk_1");
    const gap = await read(agent, 8, "application/json");
    expect(gap.body).toMatchObject({ code: "replay_gap", floor: 11, checkpoint: { id: "chk_13" } });
  });
});

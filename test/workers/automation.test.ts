import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { randomKey } from "../support/client";
import { client, stubOf } from "../support/worker";

afterEach(() => {
  vi.useRealTimers();
});

const typesOf = (answer: { body: { events: { type: string }[] } }) =>
  answer.body.events.map(({ type }) => type);

describe("a stop report", () => {
  it("gets the wait that the provider requested, and the resume is due once, not earlier", async () => {
    const session = await client.create();
    const stop = await client.on(session, "POST", "/stops", {
      token: session.token,
      body: { reason: "rate_limit", attempt: 1, retryAfter: "120" },
    });
    expect(stop.status, stop.text).toBe(200);
    const { decision } = stop.body;
    expect(decision).toMatchObject({ strategy: "same_session", attempt: 2 });
    expect(decision.waitMs).toBeGreaterThanOrEqual(120_000);
    await runDurableObjectAlarm(stubOf(session));
    const early = await client.on(session, "GET", "/events?after=0", { token: session.token });
    expect(typesOf(early)).not.toContain("resume.due");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(decision.resumeAt) });
    await runDurableObjectAlarm(stubOf(session));
    await runDurableObjectAlarm(stubOf(session));
    const due = await client.on(session, "GET", "/events?after=0", { token: session.token });
    expect(typesOf(due).filter((type) => type === "resume.due")).toHaveLength(1);
    const resumed = await client.on(session, "POST", "/resume", {
      token: session.token,
      body: { lastEventSeq: 3, auto: true },
    });
    expect(resumed.body.events.map(({ seq }: { seq: number }) => seq)).toEqual([4, 5, 6]);
  });

  // Shows A-9.
  it("repeated with its key gets the same decision and is recorded once", async () => {
    const session = await client.create();
    const options = { token: session.token, body: { reason: "crash" }, key: "stop-1" };
    const first = await client.on(session, "POST", "/stops", options);
    const repeated = await client.on(session, "POST", "/stops", options);
    expect(repeated.body).toEqual(first.body);
    expect(repeated.headers.get("Idempotent-Replayed")).toBe("true");
  });
});

describe("a fork", () => {
  // Shows L-5, B-1, B-4.
  it("creates one child, also if it is repeated, and parent and child refer to each other", async () => {
    const session = await client.create({
      title: "Parent",
      fields: { a: 1 },
      nextStep: { description: "go on", stepsCompleted: [1, 2], body: "all of {step}" },
    });
    const options = { token: session.token, body: { reason: "context full" }, key: randomKey() };
    const first = await client.on(session, "POST", "/fork", options);
    expect(first.status, first.text).toBe(201);
    const repeated = await client.on(session, "POST", "/fork", options);
    expect(repeated.status, repeated.text).toBe(201);
    expect(repeated.body.child.id).toBe(first.body.child.id);
    expect(repeated.body.childToken).toBe(first.body.childToken);
    expect(repeated.body.resumeToken).toBe(first.body.resumeToken);
    expect(first.body.child).toMatchObject({
      title: "Parent",
      fields: { a: 1 },
      state: "in_progress",
      parent: { sessionId: session.id, reason: "context full" },
    });
    expect(first.body.prompt).toBe(
      "Continue this work from step 3: go on\n\nWhat is known so far:\nall of {step}\n",
    );
    const child = { id: first.body.child.id };
    const written = await client.on(child, "PATCH", "", {
      token: first.body.childToken,
      body: { fields: { b: 2 } },
    });
    expect(written.status, written.text).toBe(200);
    const lineage = await client.on(session, "GET", "/lineage", { token: first.body.resumeToken });
    expect(lineage.body.lineage.map((one: { sessionId: string }) => one.sessionId)).toEqual([
      session.id,
      child.id,
    ]);
    const checkpoints = await client.on(session, "GET", "/checkpoints", {
      token: first.body.resumeToken,
    });
    expect(checkpoints.body.checkpoints).toMatchObject([{ id: "chk_1", automatic: true }]);
  });
});

describe("a checkpoint", () => {
  // Shows Y-3.
  it("can be restored and pinned, the log can be trimmed below it, and it bridges the gap", async () => {
    const session = await client.create({ fields: { a: 1 } });
    await client.on(session, "POST", "/events", {
      token: session.token,
      body: { events: [{ type: "agent.a" }, { type: "agent.b" }] },
    });
    const checkpointed = await client.on(session, "POST", "/checkpoints", {
      token: session.token,
      body: { name: "before" },
    });
    expect(checkpointed.status, checkpointed.text).toBe(201);
    const changed = await client.on(session, "PATCH", "", {
      token: checkpointed.body.resumeToken,
      body: { fields: { a: 2, b: 3 } },
    });
    const restored = await client.on(session, "POST", "/checkpoints/chk_1/restore", {
      token: changed.body.resumeToken,
    });
    expect(restored.status, restored.text).toBe(200);
    expect(restored.body.session.fields).toEqual({ a: 1 });
    const trimmed = await client.on(session, "POST", "/trim", {
      token: restored.body.resumeToken,
      body: { checkpoint: "chk_1" },
    });
    expect(trimmed.body).toMatchObject({ floor: 5, trimmed: true });
    const gap = await client.on(session, "GET", "/events?after=0", {
      token: trimmed.body.resumeToken,
    });
    expect([gap.status, gap.body.code]).toEqual([409, "replay_gap"]);
    expect(gap.body).toMatchObject({ floor: 5, checkpoint: { id: "chk_1", name: "before" } });
    const on = await client.on(session, "GET", `/events?after=${gap.body.checkpoint.seq}`, {
      token: trimmed.body.resumeToken,
    });
    expect(on.body.events[0].seq).toBe(6);
  });
});

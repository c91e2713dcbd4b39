/** Clauses of docs/protocol.md on stops, checkpoints, forks and trimming that are shown nowhere else. */
import { describe, expect, it } from "vitest";
import type { Answer, Begun } from "../support/client";
import { client, inside } from "../support/worker";

/** A session with its newest token, which every accepted write moves on. */
class Hand {
  readonly id: string;
  token: string;

  constructor({ id, token }: Pick<Begun, "id" | "token">) {
    this.id = id;
    this.token = token;
  }

  static async begin(body: unknown = {}): Promise<Hand> {
    return new Hand(await client.begin(body));
  }

  async send(method: string, path: string, body?: unknown): Promise<Answer> {
    const options = { token: this.token, ...(body === undefined ? {} : { body }) };
    const answer = await client.on(this, method, path, options);
    this.token = answer.body?.resumeToken ?? this.token;
    return answer;
  }

  async post(path: string, body: unknown = {}): Promise<Answer["body"]> {
    const answer = await this.send("POST", path, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  }

  async types(path: string): Promise<readonly string[]> {
    const { body } = await this.send("GET", path);
    return body.events.map(({ type }: { type: string }) => type);
  }
}

const refusalOf = ({ status, body }: Answer): string => `${status} ${body.code}`;

/** Two events, a checkpoint over them, and the log trimmed below it. */
async function trimmed(body: unknown = {}): Promise<Hand> {
  const hand = await Hand.begin(body);
  await hand.post("/events", { events: [{ type: "agent.a" }, { type: "agent.b" }] });
  await hand.post("/checkpoints", { name: "bridge" });
  const answer = await hand.post("/trim", { checkpoint: "chk_1" });
  expect(answer).toMatchObject({ trimmed: true });
  return hand;
}

describe("the breaker", () => {
  it("A-7, A-8: opens once, holds automatic resumes back, and is closed by unpause", async () => {
    const hand = await Hand.begin({ policy: { breaker: { failures: 2 } } });
    const crash = async () =>
      (await hand.post("/stops", { reason: "crash", attempt: 2 })).decision.strategy as string;

    expect([await crash(), await crash(), await crash()]).toEqual(["same_session", "none", "none"]);
    expect(await hand.types("/events?after=0&type=resume.suspended")).toHaveLength(1);
    expect(refusalOf(await hand.send("POST", "/resume", { auto: true }))).toBe("409 paused");
    const dry = await hand.send("GET", "/resumable?auto=true");
    expect(dry.body).toMatchObject({ resumable: false, reason: "paused" });

    expect(await hand.post("/unpause")).toMatchObject({ already: false });
    expect(await hand.post("/unpause")).toMatchObject({ already: true });
    await hand.post("/resume", { auto: true });
    expect(await crash()).toBe("same_session");
  });
});

describe("a fork", () => {
  it("B-5: ends its parent where asked to, and takes a child of what has ended", async () => {
    const hand = await Hand.begin({ fields: { a: 1 } });

    const forked = await hand.post("/fork", { finalizeParent: true, reason: "context full" });
    const again = await hand.post("/fork");
    const twice = await hand.send("POST", "/fork", { finalizeParent: true });

    expect(forked.session.state).toBe("finalized");
    expect(forked.child).toMatchObject({ state: "in_progress", fields: { a: 1 } });
    expect(again.child.id).not.toBe(forked.child.id);
    expect(refusalOf(twice)).toBe("400 invalid_request");
  });

  it("B-6: waits while an earlier child is promised and not yet made", async () => {
    const hand = await Hand.begin();
    // What a fork leaves whose second step has not been done yet.
    await inside(hand, (_, { storage }) => {
      const plan = JSON.stringify({ childHex: "00".repeat(32) });
      storage.sql.exec("UPDATE session SET plan = ?", plan);
    });

    const refused = await hand.send("POST", "/fork", {});

    expect(refusalOf(refused)).toBe("409 busy");
    expect(refused.body).toMatchObject({ retryable: true, retryAfterMs: 1_000 });
    expect(refused.headers.get("Retry-After")).toBe("1");
  });

  it("B-7: shows the line to its members, and what is gone of it as gone", async () => {
    const root = await Hand.begin({ title: "Root" });
    const { child, childToken } = await root.post("/fork", { reason: "one" });
    const middle = new Hand({ id: child.id, token: childToken });
    const last = await middle.post("/fork", { reason: "two" });
    const leaf = new Hand({ id: last.child.id, token: last.childToken });

    const whole = (await root.send("GET", "/lineage")).body.lineage;
    await root.send("DELETE", "");
    const rest = (await leaf.send("GET", "/lineage")).body.lineage;

    expect(whole).toMatchObject([
      { sessionId: root.id, title: "Root", reason: null, children: [middle.id], current: true },
      { sessionId: middle.id, reason: "one", children: [leaf.id], current: false },
      { sessionId: leaf.id, reason: "two", children: [], current: false },
    ]);
    expect(rest).toMatchObject([
      { sessionId: root.id, title: null, state: "gone" },
      { sessionId: middle.id, state: "draft" },
      { sessionId: leaf.id, current: true },
    ]);
  });
});

describe("a trimmed log", () => {
  it("Y-1: has lost what clients appended, and nothing of the server's", async () => {
    const hand = await trimmed();

    const told = await hand.types("/audit");

    expect(told).toEqual([
      "session.created",
      "token.issued",
      "checkpoint.created",
      "session.trimmed",
    ]);
    expect((await hand.send("GET", "/audit")).body.head).toBe(6);
    expect(await hand.post("/trim", { checkpoint: "chk_1" })).toMatchObject({
      floor: 4,
      trimmed: false,
    });
  });

  it("Y-3: refuses every way of reading on from below its floor", async () => {
    const hand = await trimmed();
    const at = (accept: string) =>
      client.on(hand, "GET", "/events?after=3", { token: hand.token, headers: { Accept: accept } });

    for (const refused of [
      await at("application/json"),
      await at("application/x-ndjson"),
      await at("text/event-stream"),
      await hand.send("GET", "/events?after=3&waitMs=10"),
      await hand.send("POST", "/resume", { lastEventSeq: 3 }),
    ]) {
      expect(refusalOf(refused)).toBe("409 replay_gap");
      expect(refused.body).toMatchObject({
        floor: 4,
        checkpoint: { id: "chk_1", name: "bridge", seq: 4 },
        current: { head: 6 },
      });
    }
    const dry = await hand.send("GET", "/resumable?lastEventSeq=3");
    expect(dry.body).toMatchObject({ resumable: false, reason: "replay_gap" });
    const on = await hand.post("/resume", { lastEventSeq: 4 });
    expect(on.events.map(({ seq }: { seq: number }) => seq)).toEqual([5, 6, 7, 8]);
  });

  it("Y-4: keeps the checkpoint that bridges it", async () => {
    const hand = await trimmed({ policy: { keepCheckpoints: 1 } });

    const refused = await hand.send("DELETE", "/checkpoints/chk_1");
    await hand.post("/checkpoints");
    await hand.post("/checkpoints");
    const kept = (await hand.send("GET", "/checkpoints")).body.checkpoints;

    expect(refusalOf(refused)).toBe("400 invalid_request");
    expect(kept.map(({ id }: { id: string }) => id)).toEqual(["chk_1", "chk_3"]);
  });

  it("Y-5: shows a participant that saw nothing since below the floor no part of the gap", async () => {
    const owner = await Hand.begin();
    const guest = await owner.post("/handoffs", { to: "agent", scopes: ["fill"] });
    await owner.post("/events", { events: [{ type: "agent.a" }] });
    const moved = await owner.send("PATCH", "", { fields: { a: 1 } });
    await owner.post("/checkpoints");
    await owner.post("/trim", { checkpoint: "chk_1" });

    const conflict = await client.on(owner, "PATCH", "", {
      token: guest.participantToken,
      body: { fields: { b: 2 } },
    });

    expect(refusalOf(conflict)).toBe("409 version_conflict");
    expect(conflict.body).toMatchObject({ missed: [], more: true });
    expect(conflict.body.current.version).toBe(moved.body.session.version);
  });
});

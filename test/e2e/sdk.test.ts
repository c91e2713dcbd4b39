/** Everything that the SDK does, against one server. */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  Baton,
  ConflictError,
  MemoryTokenStore,
  StopError,
  StoreError,
  unwrap,
  WireError,
  type LogEvent,
  type Progress,
  type Session,
} from "../../src/client/index.ts";
import { FileTokenStore } from "../../src/client-node/index.ts";
import { processIdentity } from "../../src/client-node/process-identity.ts";
import { emptySavedSession } from "../../src/client/token-store.ts";
import { sharedServer, temporaryFolder } from "../support/server.ts";

const folder = temporaryFolder();
const server = sharedServer();
let baton: Baton;
beforeAll(async () => {
  baton = Baton.connect(server.url);
});
afterAll(() => folder[Symbol.dispose]());

const SCHEMA = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };

describe("a session through the SDK", () => {
  it("is created, filled, checked, submitted, reviewed and finalized", async () => {
    const session = await baton.create({ title: "Form", schema: SCHEMA, review: { approvals: 1 } });
    expect(session.state).toMatchObject({ state: "draft", missingFields: ["name"] });

    expect(await session.validate({ name: "Ada" })).toMatchObject({ valid: true, errors: [] });
    await expect(session.setFields({ name: 7 })).rejects.toMatchObject({ code: "invalid_fields" });
    expect(await session.requestInput({ note: "a name, please" })).toMatchObject({ ok: true });
    expect(await session.set({ fields: { name: "Ada" }, title: "The form" })).toMatchObject({
      ok: true,
      session: { title: "The form", fields: { name: "Ada" } },
    });
    const { participantToken, handoff } = await session.handoff({ scopes: ["review"] });
    expect((await session.handoffs()).map(({ id }) => id)).toEqual([handoff.id]);
    unwrap(await session.submit());

    const reviewer = await baton.resume(participantToken, { actor: { id: "reviewer" } });
    unwrap(await reviewer.requestChanges({ fields: { name: "whole name" } }));
    unwrap(
      await session.set(
        { fields: { name: "Ada Lovelace" } },
        { ifMatch: (await session.get()).version },
      ),
    );
    unwrap(await session.submit());
    unwrap(
      await reviewer.approve({ comment: "good" }, { ifMatch: (await reviewer.get()).version }),
    );
    const done = await session.finalize(
      { reason: "done" },
      { ifMatch: (await session.get()).version },
    );

    expect(unwrap(done).session).toMatchObject({ state: "finalized" });
    const audit = await session.audit({ type: ["review.*"], limit: 10 });
    expect(audit.events.length).toBeGreaterThan(0);
    expect(audit.events.every(({ type }) => type.startsWith("review."))).toBe(true);
  });

  it("is rejected, cancelled, extended, paused, revoked and purged", async () => {
    const session = await baton.create({ review: {} });
    const { participantToken } = await session.handoff({ scopes: ["review"], note: "look" });
    expect(await session.pause({ reason: "wait" })).toMatchObject({
      already: false,
      session: { paused: true },
    });
    expect(await session.pause()).toMatchObject({ already: true });
    expect(await session.resumable({ auto: true })).toMatchObject({
      resumable: false,
      reason: "paused",
    });
    await session.unpause();
    expect(Date.parse((await session.extend(3_600_000)).expiresAt)).toBeGreaterThan(Date.now());
    unwrap(await session.setFields({ a: 1 }));
    unwrap(await session.submit());
    const reviewer = await baton.resume(participantToken);
    unwrap(await reviewer.reject({ reason: "no" }));
    expect((await session.get()).state).toBe("rejected");

    const other = await baton.create();
    const first = await other.handoff({ scopes: ["view"] });
    const second = await other.handoff({ scopes: ["view"] });
    await other.revokeHandoff(first.handoff.id);
    await other.revoke({ participant: second.handoff.participant });
    await expect(baton.attach(second.participantToken)).rejects.toMatchObject({
      code: "token_invalid",
    });
    unwrap(await other.cancel());
    await other.purge();
    await expect(baton.attach(other.name)).rejects.toThrow(StoreError);
  });

  it("is checkpointed, restored, trimmed and forked, and shows its lineage", async () => {
    const session = await baton.create({ fields: { a: 1 } });
    const checkpoint = await session.checkpoint({ name: "before" });
    expect((await session.getCheckpoint(checkpoint.id)).name).toBe("before");
    expect(await session.pinCheckpoint(checkpoint.id, true)).toMatchObject({ pinned: true });
    unwrap(await session.setFields({ a: 2 }));
    unwrap(await session.restoreCheckpoint(checkpoint.id));
    expect(session.state?.fields).toEqual({ a: 1 });
    expect(await session.trim(checkpoint.id)).toMatchObject({
      trimmed: expect.any(Boolean) as boolean,
    });
    const later = await session.checkpoint();
    await session.deleteCheckpoint(later.id);
    expect((await session.checkpoints()).map(({ id }) => id)).toContain(checkpoint.id);

    const { child, prompt } = unwrap(
      await session.fork({ reason: "fresh", template: "Go on at {step}" }),
    );

    expect(prompt).toBe("Go on at 1");
    expect(child.state?.parent).toMatchObject({ sessionId: session.id, reason: "fresh" });
    unwrap(await child.setFields({ b: 2 }));
    const line = await child.lineage();
    expect(line.map(({ sessionId }) => sessionId)).toEqual([session.id, child.id]);
    // Its token was saved too: another handle finds it.
    expect((await baton.attach(child.id)).token).toBe(child.token);
  });
});

async function openTwoHandles(): Promise<readonly [Session, Session]> {
  const first = await baton.create({ fields: { count: 0 } });
  const { participantToken } = await first.handoff({ scopes: ["fill"] });
  return [first, await baton.attach(participantToken)];
}

const countUp = (session: Session) =>
  session.update(({ fields }) => ({ fields: { count: Number(fields["count"]) + 1 } }), {
    attempts: 100,
  });

describe("a conflict", () => {
  it("is a value with the state and the missed events, and the write can overwrite it", async () => {
    const [first, second] = await openTwoHandles();
    unwrap(await second.setFields({ count: 1 }));

    const result = await first.setFields({ mine: true });

    if (result.ok) throw new Error("it should not be accepted");
    expect(result.conflict.current.fields).toEqual({ count: 1 });
    expect(result.conflict.missed.map(({ type }) => type)).toContain("fields.updated");
    expect(() => unwrap(result)).toThrow(ConflictError);
    const { version } = result.conflict.current;
    expect(await first.setFields({ mine: true }, { ifMatch: version })).toMatchObject({ ok: true });
  });

  it("is resolved by repeating the change: no count is lost between two writers", async () => {
    const [first, second] = await openTwoHandles();

    for (let round = 0; round < 5; round += 1) await Promise.all([countUp(first), countUp(second)]);

    expect((await first.get()).fields["count"]).toBe(10);
    expect(await first.update(() => null)).toBeNull();
  });

  it("at the log's head is a value too", async () => {
    const [first] = await openTwoHandles();
    const { head } = await first.get();
    expect(await first.appendAt(head, [{ type: "a.b" }])).toMatchObject({
      ok: true,
      first: head + 1,
    });
    expect(await first.appendAt(head, [{ type: "a.b" }])).toMatchObject({
      ok: false,
      conflict: { code: "version_conflict" },
    });
  });
});

async function drain(events: AsyncIterable<LogEvent>): Promise<void> {
  for await (const _ of events);
}

describe("events", () => {
  it.each(["sse", "websocket"] as const)(
    "arrive once each over %s, replayed and live, across the client's own resume, until the session ends",
    async (transport) => {
      const session = await baton.create();
      for (let n = 1; n <= 40; n += 1) await session.append({ type: "a.b", payload: { n } });
      const seen: LogEvent[] = [];
      const heads: number[] = [];
      const following = (async () => {
        for await (const event of session.events({
          after: 0,
          transport,
          onReplayed: (head) => heads.push(head),
        })) {
          seen.push(event);
        }
      })();
      await session.append({ type: "a.b", payload: { n: 41 } });
      // This ends the connection as superseded; the iteration continues with the next token.
      await session.resume();
      for (let n = 42; n <= 50; n += 1) await session.append({ type: "a.b", payload: { n } });
      unwrap(await session.cancel());
      await following;

      const { events } = await session.page({ after: 0, limit: 1_000 });
      expect(seen).toEqual(events);
      expect(heads).toHaveLength(1);
    },
  );

  it("can be filtered, stopped by the signal, and end with the replay", async () => {
    const session = await baton.create();
    await session.append([{ type: "a.b" }, { type: "c.d" }]);
    const types: string[] = [];
    for await (const { type } of session.events({ after: 0, types: ["c.*"], untilReplayed: true }))
      types.push(type);
    expect(types).toEqual(["c.d"]);

    const controller = new AbortController();
    const endless = session.events({ after: 0, signal: controller.signal });
    await endless.next();
    controller.abort(new Error("enough"));
    await expect(drain(endless)).rejects.toThrow("enough");
  });

  it.each(["sse", "websocket"] as const)(
    "end with the error when the right to read ends (%s)",
    async (transport) => {
      const session = await baton.create();
      const { participantToken } = await session.handoff({ scopes: ["view"] });
      const viewer = await baton.attach(participantToken);
      const following = drain(viewer.events({ after: 0, transport }));
      const ended = expect(following).rejects.toMatchObject({ code: "token_invalid" });
      await expect.poll(async () => (await session.get()).participants[1]?.connected).toBe(true);

      await session.revoke({ others: true });

      await ended;
    },
  );

  it("are awaited by a long-polled page", async () => {
    const session = await baton.create();
    const { head } = await session.get();
    const waiting = session.page({ after: head, waitMs: 20_000 });
    await session.append({ type: "a.b" });
    expect((await waiting).events.map(({ type }) => type)).toEqual(["a.b"]);
  });
});

describe("the saved session", () => {
  it("drafts of killed writers are removed, and those of running ones stay", async () => {
    const path = join(folder.path, "swept");
    mkdirSync(path);
    const ended = spawnSync(process.execPath, ["-e", ""]);
    const draft = (writer: string): string => join(path, `.${writer} ${randomUUID()}.draft`);
    const active = [draft(processIdentity()), join(path, ".unnamed.draft")];
    const startedBefore = `${process.pid} 1`;
    const leftovers = [draft(`${ended.pid} 1`), draft(startedBefore)];
    for (const file of [...active, ...leftovers]) writeFileSync(file, "rtok_left");

    await new FileTokenStore(path).exclusively("x", async () => undefined);

    expect([
      active.map((file) => existsSync(file)),
      leftovers.map((file) => existsSync(file)),
    ]).toEqual([
      [true, true],
      [false, false],
    ]);
    await new FileTokenStore(path).save("y", emptySavedSession(server.url));
    expect(readdirSync(path).filter((file) => file.endsWith(".draft"))).toHaveLength(2);
  });

  it("is a file readable by its owner only, under any name, and opens the session in another process", async () => {
    const path = join(folder.path, "store");
    const store = new FileTokenStore(path);
    const otherProcess = Baton.connect(server.url, { store });
    const session = await otherProcess.create({ title: "Kept" }, { as: "../odd/näme" });

    const file = join(path, "%2E.%2Fodd%2Fn%C3%A4me.json");
    expect(existsSync(file)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await store.list()).toEqual(["../odd/näme"]);
    const again = await Baton.connect(server.url, { store: new FileTokenStore(path) }).resume(
      "../odd/näme",
    );
    expect(again.id).toBe(session.id);
    expect(again.resumed?.events.map(({ type }) => type)).toContain("token.accessed");
    await expect(otherProcess.create({}, { as: "../odd/näme" })).rejects.toThrow(StoreError);
  });

  it("is shared by two handles: each uses the newest token of the line", async () => {
    const store = new FileTokenStore(join(folder.path, "shared"));
    const one = await Baton.connect(server.url, { store }).create({}, { as: "shared" });
    const other = await Baton.connect(server.url, {
      store: new FileTokenStore(store.folder),
    }).attach("shared");

    await Promise.all(
      Array.from({ length: 10 }, (_, n) => [
        one.setFields({ [`a${n}`]: n }),
        other.setFields({ [`b${n}`]: n }),
      ]).flat(),
    );
    await other.resume();

    expect(Object.keys((await one.get()).fields)).toHaveLength(20);
  });

  it("leads to the fork that took over", async () => {
    const store = new MemoryTokenStore();
    const otherProcess = Baton.connect(server.url, { store });
    const session = await otherProcess.create({}, { as: "line" });
    const { child } = unwrap(await session.fork({ succeed: true }));
    expect((await otherProcess.attach("line")).id).toBe(child.id);
  });

  it("can be replaced by a new one on request when it is gone, and the result says so", async () => {
    const session = await baton.create();
    const token = session.token;
    await session.purge();
    await expect(baton.resume(token)).rejects.toMatchObject({ code: "gone" });
    const fresh = await baton.resume(token, { onInvalid: "fresh" });
    expect(fresh.resumed).toMatchObject({ outcome: "fresh", warning: { code: "gone" } });
    expect(fresh.id).not.toBe(session.id);
    unwrap(await fresh.setFields({ a: 1 }));
  });
});

async function unreachable(): Promise<never> {
  throw new StopError({ reason: "network" });
}

describe("runWithResume", () => {
  const policy = { baseMs: 20, maxMs: 40, jitter: 0, maxAttempts: 3, breaker: { failures: 50 } };

  it("waits and resumes, continues in a fork, and reports success with attempt numbers", async () => {
    const session = await baton.create({ policy, nextStep: { step: 4, description: "the rest" } });
    const plan = ["rate_limit", "crash", "context_exhausted", null] as const;
    const progress: Progress[] = [];
    const seen: (readonly [number, string | null, boolean])[] = [];
    let turn = 0;

    const outcome = await session.runWithResume(
      async ({ attempt, prompt, isResumed, session: current }) => {
        seen.push([attempt, prompt, isResumed]);
        const reason = plan[turn] ?? null;
        turn += 1;
        await current.append({ type: "work.tried", payload: { turn } });
        if (reason !== null) throw new StopError({ reason });
        return "done";
      },
      { onProgress: (one) => void progress.push(one) },
    );

    expect(outcome).toMatchObject({ outcome: "success", value: "done", attempt: 1 });
    expect(outcome.session.state?.parent).toMatchObject({ sessionId: session.id });
    expect(seen.map(([attempt, , isResumed]) => [attempt, isResumed])).toEqual([
      [1, false],
      [2, true],
      [3, true],
      [1, false],
    ]);
    expect(seen[3]?.[1]).toContain("step 4: the rest");
    expect(progress.map(({ kind }) => kind)).toEqual([
      "started",
      "stopped",
      "delayed",
      "started",
      "stopped",
      "delayed",
      "started",
      "stopped",
      "forked",
      "started",
      "success",
    ]);
  });

  it("reports failure when the server decides to give up", async () => {
    const session = await baton.create({ policy });
    const outcome = await session.runWithResume(async () => {
      throw new Error("broken");
    });
    expect(outcome).toMatchObject({
      outcome: "failure",
      attempt: 3,
      stop: { reason: "crash" },
      decision: { strategy: "none" },
    });
  });

  it("waits while the session is paused, and continues when it is not", async () => {
    const session = await baton.create({ policy });
    const kinds: string[] = [];
    let runs = 0;
    const running = session.runWithResume(
      async () => {
        runs += 1;
        if (runs > 1) return "done";
        await session.pause();
        throw new StopError({ reason: "rate_limit", retryAfterMs: 1 });
      },
      {
        onProgress({ kind }) {
          kinds.push(kind);
          if (kind === "skipped") void session.unpause();
        },
      },
    );

    expect(await running).toMatchObject({ outcome: "success", attempt: 2 });
    expect(kinds).toEqual(["started", "stopped", "skipped", "delayed", "started", "success"]);
  });

  it("gives up while paused on request, and treats an abort as the user's exit", async () => {
    const session = await baton.create({ policy });
    await session.pause();
    expect(await session.runWithResume(unreachable, { whilePaused: "stop" })).toMatchObject({
      outcome: "skipped",
    });

    await session.unpause();
    const controller = new AbortController();
    const outcome = await session.runWithResume(
      async ({ signal }) => {
        controller.abort(new Error("Ctrl-C"));
        signal?.throwIfAborted();
      },
      { signal: controller.signal },
    );
    expect(outcome).toMatchObject({ outcome: "failure", stop: { reason: "user_exit" } });
  });
});

it("errors of the server keep its text", async () => {
  const error = await (await baton.create()).finalize().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(WireError);
  expect((error as WireError).problem.nextActions[0]).toMatch(/Possible now/);
});

/** Effects that happen once, under a lease. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import { openStorage } from "../../src/object/storage-port";
import { OnceStore } from "../../src/storage/once-store";
import { randomKey, type Answer } from "../support/client";
import { TestAgent } from "../support/test-agent";
import { client, inside, rowsWrittenBy } from "../support/worker";

const TTL_MS = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

interface Lease {
  readonly name: string;
  readonly number: number;
  readonly expiresAt: string;
}

const take = async (agent: TestAgent, name = "worker"): Promise<Lease> =>
  (await agent.call("POST", `/leases/${name}`, { ttlMs: TTL_MS })).body.lease;

const under = ({ name, number }: Lease) => ({ headers: { "Baton-Lease": `${name}=${number}` } });

const start = (agent: TestAgent, lease: Lease, key = "effect", body = {}): Promise<Answer> =>
  agent.tryCall("POST", `/once/${key}`, body, under(lease));

const end = (agent: TestAgent, lease: Lease, result: unknown, key = "effect"): Promise<Answer> =>
  agent.tryCall("PUT", `/once/${key}`, { result }, under(lease));

const onces = async (agent: TestAgent): Promise<readonly string[]> =>
  (await agent.events("&type=once.*")).map(({ type }) => type);

/** Two participants, each with a lease of its own. */
async function pair() {
  const owner = await TestAgent.create(client);
  const guest = await owner.handOffTo(["append"]);
  return { owner, guest, first: await take(owner), second: await take(guest, "other") };
}

const setClock = (time: string, moreMs = 0): void => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(time) + moreMs });
};

/** Writes to the session's table without a request for each. */
const fill = (agent: TestAgent, count: number, result: string | null): Promise<void> =>
  inside(agent, (_, { storage }) => {
    const store = new OnceStore(openStorage(storage, { rowsRead: 0, rowsWritten: 0 }));
    storage.transactionSync(() => {
      for (let n = 0; n < count; n += 1)
        store.save({ key: `filled-${n}`, lease: 1, doneSeq: result === null ? null : 1, result });
    });
  });

describe("an effect that happens once", () => {
  // Shows LE-11.
  it("is started under a lease and ended with its result, which everyone finds from then on", async () => {
    const { owner, guest, first, second } = await pair();
    const { token } = owner;
    const { version } = await owner.session();
    const started = await start(owner, first);
    expect([started.status, started.body]).toEqual([
      201,
      { once: { key: "effect", status: "started" } },
    ]);
    const done = { once: { key: "effect", status: "done", result: { id: 7 } } };
    const ended = await end(owner, first, { id: 7 });
    expect([ended.status, ended.body]).toEqual([200, done]);
    for (const [agent, lease] of [
      [owner, first],
      [guest, second],
    ] as const) {
      const found = await start(agent, lease);
      expect([found.status, found.body]).toEqual([200, done]);
    }
    const events = await owner.events("&type=once.*");
    expect(events.map(({ type, payload }) => [type, payload])).toEqual([
      ["once.started", { key: "effect", lease: "worker", number: first.number }],
      ["once.done", { key: "effect", number: first.number, result: { id: 7 } }],
    ]);
    expect(owner.token).toBe(token);
    expect((await owner.session()).version).toBe(version);
  });

  // Shows LE-12.
  it("is busy while another holds the lease that started it, and unknown once that is lost", async () => {
    const { owner, guest, first, second } = await pair();
    await start(owner, first);
    const busy = await start(guest, second);
    expect([busy.status, busy.body.code]).toEqual([409, "busy"]);
    expect(busy.body).toMatchObject({ retryable: true, retryAfterMs: 1_000 });
    expect(busy.headers.get("Retry-After")).toBe("1");
    await owner.call("POST", "/resume", {});
    const unknown = await start(guest, second);
    expect([unknown.status, unknown.body]).toEqual([
      200,
      { once: { key: "effect", status: "unknown" } },
    ]);
    expect(await onces(owner)).toEqual(["once.started"]);
  });

  // Shows LE-12.
  it("is still started for the lease that started it, which is told that it is not the first to ask", async () => {
    const { owner, first } = await pair();
    expect((await start(owner, first)).status).toBe(201);
    const again = await start(owner, first);
    expect([again.status, again.body.once.status]).toEqual([200, "started"]);
    expect(await onces(owner)).toEqual(["once.started"]);
  });

  // Shows LE-13.
  it("whose outcome is unknown is started again only with retry, and belongs to that lease", async () => {
    const { owner, guest, first, second } = await pair();
    await start(owner, first);
    const early = await start(guest, second, "effect", { retry: true });
    expect(early.body.code).toBe("busy");
    await owner.call("DELETE", "/leases/worker", undefined, under(first));
    const again = await start(guest, second, "effect", { retry: true });
    expect([again.status, again.body.once.status]).toEqual([201, "started"]);
    const third = await take(owner);
    expect((await start(owner, third, "effect", { retry: true })).body.code).toBe("busy");
    const foreign = await end(owner, third, "mine");
    expect([foreign.status, foreign.body.code]).toEqual([409, "lease_lost"]);
    expect((await end(guest, second, "theirs")).body.once.result).toBe("theirs");
    const [, second_] = await owner.events("&type=once.started");
    expect(second_?.payload).toMatchObject({ again: true, number: second.number });
  });

  // Shows LE-13.
  it("ends once: a later end finds the first result", async () => {
    const { owner, first } = await pair();
    await start(owner, first);
    await end(owner, first, 1);
    let again: Answer | undefined;
    const rows = await rowsWrittenBy(owner, async () => {
      again = await end(owner, first, 2);
    });
    expect([again?.status, again?.body.once.result, rows]).toEqual([200, 1, 0]);
    expect(await onces(owner)).toEqual(["once.started", "once.done"]);
  });

  // Shows LE-13.
  it("is not ended under a lost lease", async () => {
    const { owner, first } = await pair();
    await start(owner, first);
    setClock(first.expiresAt);
    expect((await end(owner, first, 1)).body.code).toBe("lease_lost");
    expect(await onces(owner)).toEqual(["once.started"]);
  });

  // Shows LE-11.
  it("costs two rows to start and two to end, and a refusal costs none", async () => {
    const { owner, guest, first, second } = await pair();
    await start(owner, first, "creates-the-table");
    expect(await rowsWrittenBy(owner, () => start(owner, first))).toBe(2);
    expect(await rowsWrittenBy(owner, () => start(guest, second))).toBe(0);
    expect(await rowsWrittenBy(owner, () => end(owner, first, 1))).toBe(2);
    expect(await rowsWrittenBy(owner, () => start(guest, second))).toBe(0);
  });

  // Shows LE-14.
  it("that is started with a key is replayed: the answer to a lost response is that it is yours", async () => {
    const { owner, first } = await pair();
    const options = { ...under(first), key: randomKey() };
    await owner.call("POST", "/once/effect", {}, options);
    const again = await owner.tryCall("POST", "/once/effect", {}, options);
    expect([again.status, again.body.once.status]).toEqual([201, "started"]);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expect(await onces(owner)).toEqual(["once.started"]);
  });

  it("needs a lease, and a start before its end", async () => {
    const { owner, first } = await pair();
    const bare = await owner.tryCall("POST", "/once/effect", {});
    expect([bare.status, bare.body.at]).toEqual([400, "Baton-Lease"]);
    const ended = await owner.tryCall("PUT", "/once/effect", { result: 1 });
    expect([ended.status, ended.body.at]).toEqual([400, "Baton-Lease"]);
    expect((await end(owner, first, 1)).body.code).toBe("not_found");
    expect((await owner.tryCall("PUT", "/once/effect", {}, under(first))).status).toBe(400);
  });

  it("has a key of 1 to 255 visible characters", async () => {
    const { owner, first } = await pair();
    expect((await start(owner, first, "k".repeat(LIMITS.onceKeyLength))).status).toBe(201);
    expect((await start(owner, first, "k".repeat(LIMITS.onceKeyLength + 1))).status).toBe(400);
    expect((await start(owner, first, "a%2Fb%3Dc")).body.once.key).toBe("a/b=c");
    expect((await start(owner, first, "a%20b")).status).toBe(400);
  });

  // Shows LE-15.
  it("is one of 1,000, and one more is refused", async () => {
    const { owner, first } = await pair();
    await fill(owner, LIMITS.onces - 1, null);
    expect((await start(owner, first, "the-last")).status).toBe(201);
    const refused = await start(owner, first, "one-more");
    expect([refused.status, refused.body.code]).toEqual([413, "too_large"]);
    expect(refused.body).toMatchObject({ limit: 1_000, used: 1_000 });
    expect((await end(owner, first, 1, "the-last")).status).toBe(200);
  });

  // Shows LE-15.
  it("has a result of at most eventBytes", async () => {
    const { owner, first } = await pair();
    await start(owner, first);
    const tooMuch = await end(owner, first, "x".repeat(LIMITS.eventBytes - 1));
    expect([tooMuch.status, tooMuch.body.code]).toEqual([413, "too_large"]);
    expect((await end(owner, first, "x".repeat(LIMITS.eventBytes - 2))).status).toBe(200);
  });

  // Shows LE-15.
  it("shares onceBytes with the other results and not one byte more", async () => {
    const { owner, first } = await pair();
    const each = LIMITS.eventBytes;
    await fill(owner, LIMITS.onceBytes / each - 1, JSON.stringify("x".repeat(each - 2)));
    await start(owner, first, "ten");
    await end(owner, first, "x".repeat(8), "ten");
    await start(owner, first);
    const refused = await end(owner, first, "x".repeat(each - 10 - 1));
    expect([refused.status, refused.body.code]).toEqual([413, "too_large"]);
    expect((await end(owner, first, "x".repeat(each - 10 - 2))).status).toBe(200);
  });

  // Shows LE-16.
  it("is carried into a fork once it is done, and only then", async () => {
    const { owner, first } = await pair();
    await start(owner, first, "done");
    await end(owner, first, { id: 7 }, "done");
    await start(owner, first, "open");
    const { body } = await owner.call("POST", "/fork", {});
    const child = new TestAgent(client, { id: body.child.id, token: body.childToken });
    const lease = await take(child);
    const found = await start(child, lease, "done");
    expect([found.status, found.body.once.result]).toEqual([200, { id: 7 }]);
    expect((await start(child, lease, "open")).status).toBe(201);
    const grandchild = (await child.call("POST", "/fork", {})).body;
    const last = new TestAgent(client, { id: grandchild.child.id, token: grandchild.childToken });
    expect((await start(last, await take(last), "done")).body.once.result).toEqual({ id: 7 });
  });

  // Shows LE-16.
  it("is not trimmed", async () => {
    const { owner, first } = await pair();
    await start(owner, first);
    await end(owner, first, 7);
    await owner.append("agent.step");
    const { body } = await owner.call("POST", "/checkpoints", {});
    await owner.call("POST", "/trim", { checkpoint: body.checkpoint.id });
    expect(await onces(owner)).toEqual(["once.started", "once.done"]);
    expect((await start(owner, first)).body.once.result).toBe(7);
  });

  it("is forgotten with a purged session", async () => {
    const { owner, first } = await pair();
    await start(owner, first);
    await owner.call("DELETE", "");
    const tables = await inside(owner, (_, { storage }) => [
      ...storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'once'"),
    ]);
    expect(tables).toEqual([]);
  });
});

it.each(["lease.taken", "once.done", "message.queued", "Lease.x"])(
  "a client cannot append %s",
  async (type) => {
    const agent = await TestAgent.create(client);
    const refused = await agent.tryCall("POST", "/events", { events: [{ type }] });
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_request"]);
  },
);

/** Leases: an exclusive right to a name, with a number that fences those before it. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import { randomKey, type Answer } from "../support/client";
import { TestAgent } from "../support/test-agent";
import { client, rowsWrittenBy } from "../support/worker";

const TTL_MS = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

interface Lease {
  readonly name: string;
  readonly number: number;
  readonly expiresAt: string;
}

const tryTake = (agent: TestAgent, name = "worker", body = {}, options = {}): Promise<Answer> =>
  agent.tryCall("POST", `/leases/${name}`, { ttlMs: TTL_MS, ...body }, options);

async function take(agent: TestAgent, name = "worker", body = {}): Promise<Lease> {
  const answer = await tryTake(agent, name, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.lease;
}

const under = ({ name, number }: Pick<Lease, "name" | "number">) => ({
  headers: { "Baton-Lease": `${name}=${number}` },
});

const release = (agent: TestAgent, lease: Pick<Lease, "name" | "number">): Promise<Answer> =>
  agent.tryCall("DELETE", `/leases/${lease.name}`, undefined, under(lease));

const append = (agent: TestAgent, lease: Pick<Lease, "name" | "number">): Promise<Answer> =>
  agent.tryCall("POST", "/events", { events: [{ type: "agent.step" }] }, under(lease));

/** Sets the clock this long after the given time. */
const setClock = (time: string, moreMs = 0): void => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(time) + moreMs });
};

const pair = async (): Promise<readonly [TestAgent, TestAgent]> => {
  const owner = await TestAgent.create(client);
  return [owner, await owner.handOffTo(["append"])];
};

describe("a lease", () => {
  // Shows LE-1.
  it("is taken with the seq of its event as its number, spends no token and moves no version", async () => {
    const agent = await TestAgent.create(client);
    const { token } = agent;
    const before = await agent.session();
    setClock("2026-11-18T12:00:00.000Z");
    const lease = await take(agent);
    const [event] = await agent.events("&type=lease.taken");
    expect(lease).toEqual({
      name: "worker",
      number: event?.seq,
      expiresAt: "2026-11-18T12:01:00.000Z",
    });
    expect(event?.payload).toEqual({ name: "worker", expiresAt: lease.expiresAt });
    expect(agent.token).toBe(token);
    expect((await agent.session()).version).toBe(before.version);
    expect((await agent.call("PATCH", "", { fields: { a: 1 } })).status).toBe(200);
  });

  // Shows LE-1.
  it("that is held is refused to everyone, with its holder and the time to wait", async () => {
    const [owner, guest] = await pair();
    setClock("2026-11-18T12:00:00.000Z");
    await take(owner);
    setClock("2026-11-18T12:00:20.000Z");
    for (const agent of [owner, guest]) {
      const refused = await tryTake(agent);
      expect(refused.status).toBe(409);
      expect(refused.headers.get("Retry-After")).toBe("40");
      expect(refused.body).toMatchObject({
        code: "lease_held",
        retryable: true,
        retryAfterMs: 40_000,
        holder: { participant: "par_1", actor: { kind: "agent" } },
      });
    }
    expect((await take(guest, "another")).number).toBeGreaterThan(0);
  });

  // Shows LE-2.
  it("is renewed by its number, in one row and without an event", async () => {
    const agent = await TestAgent.create(client);
    setClock("2026-11-18T12:00:00.000Z");
    let lease: Lease | undefined;
    expect(await rowsWrittenBy(agent, async () => void (lease = await take(agent)))).toBe(2);
    setClock("2026-11-18T12:00:30.000Z");
    const { head } = await agent.session();
    const number = lease?.number;
    let renewed: Lease | undefined;
    const rows = await rowsWrittenBy(agent, async () => {
      renewed = await take(agent, "worker", { number });
    });
    expect(rows).toBe(1);
    expect(renewed).toEqual({ name: "worker", number, expiresAt: "2026-11-18T12:01:30.000Z" });
    expect((await agent.session()).head).toBe(head);
    setClock("2026-11-18T12:01:29.999Z");
    expect((await append(agent, { name: "worker", number: number ?? 0 })).status).toBe(201);
  });

  // Shows LE-2.
  it("is not renewed by another number, nor after its end", async () => {
    const [owner, guest] = await pair();
    const first = await take(owner);
    const guessed = await tryTake(guest, "worker", { number: first.number });
    expect([guessed.status, guessed.body.code]).toEqual([409, "lease_held"]);
    const wrong = await tryTake(owner, "worker", { number: first.number + 1 });
    expect([wrong.status, wrong.body.code]).toEqual([409, "lease_held"]);
    setClock(first.expiresAt);
    const late = await tryTake(owner, "worker", { number: first.number });
    expect([late.status, late.body.code]).toEqual([409, "lease_lost"]);
    const second = await take(guest);
    expect(second.number).toBeGreaterThan(first.number);
  });

  // Shows LE-3.
  it("ends at its time: the last millisecond is its own, the next one is not", async () => {
    const [owner, guest] = await pair();
    const lease = await take(owner);
    setClock(lease.expiresAt, -1);
    expect((await append(owner, lease)).status).toBe(201);
    expect((await tryTake(guest)).body).toMatchObject({ code: "lease_held", retryAfterMs: 1 });
    setClock(lease.expiresAt);
    expect((await append(owner, lease)).body.code).toBe("lease_lost");
    expect((await take(guest)).number).toBeGreaterThan(lease.number);
  });

  // Shows LE-4.
  it("is released by its holder with its number, and is free at once", async () => {
    const [owner, guest] = await pair();
    const lease = await take(owner);
    let released: Answer | undefined;
    const rows = await rowsWrittenBy(owner, async () => {
      released = await release(owner, lease);
    });
    expect([released?.status, rows]).toEqual([204, 2]);
    const [event] = await owner.events("&type=lease.released");
    expect(event?.payload).toEqual({ name: "worker", number: lease.number });
    expect((await release(owner, lease)).body.code).toBe("lease_lost");
    const next = await take(guest);
    expect((await release(owner, lease)).body.code).toBe("lease_lost");
    expect((await append(guest, next)).status).toBe(201);
  });

  // Shows LE-4.
  it("is released only with the header, which names it", async () => {
    const agent = await TestAgent.create(client);
    const lease = await take(agent);
    const other = await take(agent, "other");
    const missing = await agent.tryCall("DELETE", "/leases/worker");
    expect([missing.status, missing.body.at]).toEqual([400, "Baton-Lease"]);
    const wrong = await agent.tryCall("DELETE", "/leases/worker", undefined, under(other));
    expect([wrong.status, wrong.body.at]).toEqual([400, "Baton-Lease"]);
    expect((await append(agent, lease)).status).toBe(201);
  });

  // Shows LE-5.
  it("taken with a key is replayed: the same number, and nothing is written", async () => {
    const agent = await TestAgent.create(client);
    const key = randomKey();
    const first = await tryTake(agent, "worker", {}, { key });
    expect(first.headers.get("Idempotent-Replayed")).toBeNull();
    let again: Answer | undefined;
    const rows = await rowsWrittenBy(agent, async () => {
      again = await tryTake(agent, "worker", {}, { key });
    });
    expect(again?.status).toBe(201);
    expect(again?.headers.get("Idempotent-Replayed")).toBe("true");
    expect([again?.body, rows]).toEqual([first.body, 0]);
    const other = await tryTake(agent, "worker", { ttlMs: 1 }, { key });
    expect([other.status, other.body.code]).toEqual([422, "idempotency_mismatch"]);
  });

  // Shows LE-6.
  it("is ended by a resume of its holder, and by no other resume", async () => {
    const [owner, guest] = await pair();
    const lease = await take(guest);
    await owner.call("POST", "/resume", {});
    expect((await append(guest, lease)).status).toBe(201);
    await guest.call("POST", "/resume", {});
    expect((await append(guest, lease)).body.code).toBe("lease_lost");
    expect((await take(owner)).number).toBeGreaterThan(lease.number);
  });

  // Shows LE-6.
  it("is ended by the revocation of its holder", async () => {
    const [owner, guest] = await pair();
    const lease = await take(guest);
    expect((await tryTake(owner)).body.code).toBe("lease_held");
    await owner.call("POST", "/revoke", { others: true });
    expect((await append(guest, lease)).status).toBe(403);
    expect((await take(owner)).number).toBeGreaterThan(lease.number);
  });

  // Shows LE-6.
  it("is ended by the end of its holder's access", async () => {
    const owner = await TestAgent.create(client);
    const body = { to: "agent", scopes: ["append"], ttlMs: TTL_MS / 2 };
    const made = (await owner.call("POST", "/handoffs", body)).body;
    const guest = new TestAgent(client, { id: owner.id, token: made.participantToken });
    await take(guest);
    setClock(made.handoff.expiresAt);
    expect((await take(owner)).name).toBe("worker");
  });

  // Shows LE-7.
  it("is one of 64 that are held at a time, and one more is refused", async () => {
    const agent = await TestAgent.create(client);
    setClock("2026-11-18T12:00:00.000Z");
    for (let n = 0; n < LIMITS.leases; n += 1) await take(agent, `lease-${n}`);
    const refused = await tryTake(agent, "one-more");
    expect([refused.status, refused.body.code]).toEqual([413, "too_large"]);
    expect(refused.body).toMatchObject({ limit: 64, used: 64 });
    expect((await tryTake(agent, "lease-63")).body.code).toBe("lease_held");
    setClock("2026-11-18T12:01:00.000Z");
    await take(agent, "one-more");
  });

  it("lasts at most ten minutes", async () => {
    const agent = await TestAgent.create(client);
    await take(agent, "worker", { ttlMs: LIMITS.leaseMs });
    const refused = await tryTake(agent, "other", { ttlMs: LIMITS.leaseMs + 1 });
    expect([refused.status, refused.body.at]).toEqual([400, "ttlMs"]);
    expect((await tryTake(agent, "other", { ttlMs: 0 })).status).toBe(400);
  });

  it.each(["a".repeat(64), "A.b_c:d-9", "0"])("may be named %s", async (name) => {
    expect((await take(await TestAgent.create(client), name)).name).toBe(name);
  });

  it.each(["a".repeat(65), "-a", ".a", "a%20b", "a%3Db", "%C3%A9", "a%2Fb"])(
    "may not be named %s",
    async (name) => {
      const agent = await TestAgent.create(client);
      const refused = await tryTake(agent, name);
      expect([refused.status, refused.body.code]).toEqual([400, "invalid_request"]);
    },
  );

  it("needs the scope append and a session that has not ended", async () => {
    const owner = await TestAgent.create(client);
    const viewer = await owner.handOffTo(["view"]);
    expect((await tryTake(viewer)).body).toMatchObject({ code: "scope_denied", needed: "append" });
    await owner.call("POST", "/cancel", {});
    expect((await tryTake(owner)).body.code).toBe("illegal_transition");
  });

  it("is not shown in the session", async () => {
    const agent = await TestAgent.create(client);
    await take(agent, "a-name-of-its-own");
    expect(JSON.stringify(await agent.session())).not.toContain("a-name-of-its-own");
  });
});

/** Every kind of request: a read, an append, writes that spend the token, a stop, a listener. */
const REQUESTS: readonly (readonly [method: string, path: string, body?: object])[] = [
  ["GET", ""],
  ["GET", "/events"],
  ["GET", "/audit"],
  ["GET", "/resumable"],
  ["GET", "/handoffs"],
  ["GET", "/jobs"],
  ["GET", "/export"],
  ["POST", "/validate", {}],
  ["POST", "/events", { events: [{ type: "agent.step" }] }],
  ["PATCH", "", { fields: { a: 1 } }],
  ["POST", "/stops", { reason: "crash" }],
  ["POST", "/jobs", { agent: "leases" }],
  ["POST", "/uploads", { name: "a", type: "text/plain", size: 1 }],
  ["POST", "/checkpoints", {}],
  ["POST", "/handoffs", { to: "agent", scopes: ["view"] }],
  ["POST", "/resume", {}],
  ["POST", "/pause", {}],
  ["POST", "/fork", {}],
  ["POST", "/cancel", {}],
  ["POST", "/leases/third", { ttlMs: 1 }],
  ["POST", "/once/effect", {}],
  ["DELETE", ""],
];

describe("a request that names a lease", () => {
  // Shows LE-8.
  it.for(REQUESTS)("%s %s is refused once the lease is lost", async ([method, path, body]) => {
    const agent = await TestAgent.create(client);
    const lease = await take(agent);
    setClock(lease.expiresAt);
    const { token } = agent;
    const before = await agent.session();
    let refused: Answer | undefined;
    const rows = await rowsWrittenBy(agent, async () => {
      refused = await agent.tryCall(method, path, body, under(lease));
    });
    expect([refused?.status, refused?.body.code, rows]).toEqual([409, "lease_lost", 0]);
    expect(refused?.body.retryable).toBe(false);
    expect(agent.token).toBe(token);
    expect(await agent.session()).toEqual(before);
  });

  // Shows LE-8.
  it.for(REQUESTS)("%s %s is accepted while it is held", async ([method, path, body]) => {
    const agent = await TestAgent.create(client);
    const lease = await take(agent);
    const answer = await agent.tryCall(method, path, body, under(lease));
    expect(answer.status, answer.text).toBeLessThan(300);
  });

  // Shows LE-8.
  it("is refused if another participant holds the lease, or nobody ever did", async () => {
    const [owner, guest] = await pair();
    const lease = await take(owner);
    expect((await append(guest, lease)).body.code).toBe("lease_lost");
    expect((await append(owner, { ...lease, number: lease.number + 1 })).body.code).toBe(
      "lease_lost",
    );
    expect((await append(owner, { ...lease, name: "other" })).body.code).toBe("lease_lost");
    expect((await append(owner, lease)).status).toBe(201);
  });

  // Shows LE-9.
  it("is checked after its form and its scope, and before paused, version and transition", async () => {
    const owner = await TestAgent.create(client);
    const lost = under({ name: "worker", number: 1 });
    const viewer = await owner.handOffTo(["view"]);
    const denied = await viewer.tryCall("PATCH", "", { fields: { a: 1 } }, lost);
    expect(denied.body.code).toBe("scope_denied");
    const malformed = await owner.tryCall("PATCH", "", { fields: 7 }, lost);
    expect(malformed.body.code).toBe("invalid_request");
    await owner.call("POST", "/pause", {});
    expect((await owner.tryCall("POST", "/resume", { auto: true }, lost)).body.code).toBe(
      "lease_lost",
    );
    const stale = { headers: { ...lost.headers, "If-Match": '"99"' } };
    expect((await owner.tryCall("PATCH", "", { fields: { a: 1 } }, stale)).body.code).toBe(
      "lease_lost",
    );
    await owner.call("POST", "/cancel", {});
    expect((await owner.tryCall("POST", "/pause", {}, lost)).body.code).toBe("lease_lost");
    const wrongToken = await client.on(owner, "GET", "", { token: "rtok_AA", ...lost });
    expect(wrongToken.body.code).toBe("token_invalid");
  });

  // Shows LE-9.
  it("that was accepted before is replayed, also after the lease is lost", async () => {
    const agent = await TestAgent.create(client);
    const lease = await take(agent);
    const options = { ...under(lease), key: randomKey(), token: agent.token };
    const request = { ...options, body: { fields: { a: 1 } } };
    const first = await client.on(agent, "PATCH", "", request);
    expect(first.status).toBe(200);
    setClock(lease.expiresAt);
    const again = await client.on(agent, "PATCH", "", request);
    expect([again.status, again.body.resumeToken]).toEqual([200, first.body.resumeToken]);
  });

  // Shows LE-10.
  it.each([
    "",
    "worker",
    "worker=",
    "=1",
    "worker=0",
    "worker=1.5",
    "worker=-1",
    "worker=x",
    "a=1, b=2",
    "worker=9999999999999999",
    // Shows LE-10.
  ])("and writes %j is malformed", async (header) => {
    const agent = await TestAgent.create(client);
    const refused = await agent.tryCall("GET", "", undefined, {
      headers: { "Baton-Lease": header },
    });
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_request"]);
    expect(refused.body.at).toBe("Baton-Lease");
  });

  it("does not find a lease of another session", async () => {
    const [one, other] = [await TestAgent.create(client), await TestAgent.create(client)];
    const lease = await take(one);
    expect((await append(other, lease)).body.code).toBe("lease_lost");
  });
});

/** All that an owner's key can do with a session. */
import { describe, expect, it } from "vitest";
import { callerFrom, sendFrom } from "../support/caller";
import { randomKey } from "../support/client";
import { TestAgent } from "../support/test-agent";
import { EventStream } from "../support/live/event-stream";
import { inTime } from "../support/live/in-time";
import { createOwner, bindOwners } from "../support/test-owner";
import { keyEntry, newKey } from "../support/owners";
import { rowsWrittenBy } from "../support/worker";

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of every shape
type Json = any;

const DAY_MS = 24 * 3_600_000;
const eventsOf = async (owner: ReturnType<typeof createOwner>, id: string): Promise<Json[]> =>
  (await owner.call("GET", `/sessions/${id}/events?after=0`, { token: owner.key })).body.events;

async function openSession(
  owner: ReturnType<typeof createOwner>,
  { id }: { readonly id: string },
  scopes: readonly string[],
): Promise<TestAgent> {
  const { status, text, body } = await owner.call("POST", `/sessions/${id}/open`, {
    body: { scopes },
  });
  expect(status, text).toBe(201);
  return new TestAgent(owner.client, { id, token: body.resumeToken });
}

async function handOff(
  owner: ReturnType<typeof createOwner>,
  maker: TestAgent,
  scopes: readonly string[],
): Promise<TestAgent> {
  const { body } = await maker.call("POST", "/handoffs", { to: "agent", scopes });
  return new TestAgent(owner.client, { id: maker.id, token: body.participantToken });
}

const statusesOf = (participants: readonly TestAgent[] = []): Promise<number[]> =>
  Promise.all(participants.map(async (agent) => (await agent.tryCall("GET", "")).status));

describe("a session opened by its owner's key", () => {
  // Shows OW-7.
  it("gives a new participant a token, and the log records who opened it", async () => {
    const owner = createOwner();
    const session = await owner.create({ title: "Lost" });
    const opened = await owner.call("POST", `/sessions/${session.id}/open`, {
      body: { scopes: ["fill"], actor: { id: "rescuer" } },
    });
    expect(opened.status, opened.text).toBe(201);
    expect(opened.headers.get("Access-Control-Allow-Origin")).toBeNull();
    await bindOwners(session, owner.settings.OWNERS);
    const token = opened.body.resumeToken;
    const patch = await owner.client.on(session, "PATCH", "", {
      token,
      body: { fields: { a: 1 } },
    });
    expect(patch.status, patch.text).toBe(200);
    const events = await eventsOf(owner, session.id);
    expect(events.find(({ type }) => type === "owner.opened")).toMatchObject({
      actor: { kind: "owner", id: owner.name, name: expect.stringMatching(/^key-/) },
      payload: { participant: "par_2", owner: owner.name, scopes: ["view", "append", "fill"] },
    });
    const view = patch.body.session.participants[1];
    expect(view).toMatchObject({ id: "par_2", actor: { kind: "agent", id: "rescuer" } });
    const life = Date.parse(view.expiresAt) - Date.parse(view.createdAt);
    expect(life).toBe(DAY_MS);
  });

  // Shows OW-7.
  it("cannot be claimed by a client: no client can append owner.opened", async () => {
    const owner = createOwner();
    const session = await owner.create();
    const answer = await owner.client.on(session, "POST", "/events", {
      token: session.token,
      body: { events: [{ type: "owner.opened" }] },
    });
    expect(answer.status).toBe(400);
  });

  // Shows OW-7.
  it("never grants review, and lasts no longer than its key", async () => {
    const owner = createOwner();
    const session = await owner.create();
    const path = `/sessions/${session.id}/open`;
    const review = await owner.call("POST", path, { body: { scopes: ["review"] } });
    expect([review.status, review.body.at]).toEqual([400, "scopes"]);
    const key = newKey();
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const OWNERS = JSON.stringify([{ name: owner.name, keys: [keyEntry(key, { expiresAt })] }]);
    const soon = callerFrom(null, { OWNERS }, { "Baton-Key": key });
    const opened = await soon.call("POST", path, { body: { ttlMs: DAY_MS } });
    const [, created] = opened.body.session.participants;
    expect(created.expiresAt).toBe(expiresAt);
  });

  it("and a listener by the key itself receives nothing after the key's end", async () => {
    const owner = createOwner();
    const session = await owner.create();
    const { fixture, listening } = await inTime(
      (lifeMs) => Promise.resolve({ endsAt: Date.now() + lifeMs }),
      async ({ endsAt }) => {
        const key = newKey();
        const entry = keyEntry(key, { expiresAt: new Date(endsAt).toISOString() });
        const OWNERS = JSON.stringify([{ name: owner.name, keys: [entry] }]);
        const headers = { Accept: "text/event-stream", Authorization: `Bearer ${key}` };
        const url = `http://localhost:8787/sessions/${session.id}/events`;
        const stream = new EventStream(
          await sendFrom({}, { OWNERS })(new Request(url, { headers })),
        );
        expect(stream.response.status).toBe(200);
        expect((await stream.next())?.event).toBe("session.created");
        return { stream, leave: () => void stream.cancel() };
      },
    );
    await new Promise((resolve) => setTimeout(resolve, fixture.endsAt - Date.now() + 50));
    const late = { events: [{ type: "agent.late" }] };
    await owner.client.on(session, "POST", "/events", { token: session.token, body: late });
    const { stream } = listening;
    for (let frame = await stream.next(); frame !== null; frame = await stream.next()) {
      expect(JSON.stringify(frame)).not.toContain("agent.late");
    }
  });

  // Shows OW-7.
  it("ends when its key is removed from the setting, with all participants it created", async () => {
    const owner = createOwner();
    const session = await owner.create();
    const opened = await owner.call("POST", `/sessions/${session.id}/open`, { body: {} });
    await bindOwners(session, owner.settings.OWNERS);
    const handedOff = await owner.client.on(session, "POST", "/handoffs", {
      token: opened.body.resumeToken,
      body: { to: "agent", scopes: ["view"] },
    });
    expect(handedOff.status, handedOff.text).toBe(201);
    const statusOf = async (token: string): Promise<number> =>
      (await owner.client.on(session, "GET", "", { token })).status;
    expect(await statusOf(handedOff.body.participantToken)).toBe(200);
    const shown = async () =>
      (await owner.client.on(session, "GET", "", { token: session.token })).body.session
        .participants;
    const [, created] = await shown();
    expect(created.actor).toMatchObject({ id: "agent-2", name: expect.stringMatching(/^key-/) });
    const revoked = async () => (await shown()).map((one: Json) => one.revoked);
    expect(await revoked()).toEqual([false, false, false]);
    await bindOwners(session, createOwner().settings.OWNERS);
    expect(await statusOf(handedOff.body.resumeToken)).toBe(403);
    expect(await statusOf(handedOff.body.participantToken)).toBe(403);
    expect(await statusOf(session.token)).toBe(200);
    expect(await revoked()).toEqual([false, true, true]);
  });

  // Shows OW-7.
  it("works a thousand times", async () => {
    const owner = createOwner();
    const session = await owner.create();
    const openOnce = () => owner.call("POST", `/sessions/${session.id}/open`, { body: {} });
    for (let n = 0; n < 100; n += 1) {
      const answers = await Promise.all(Array.from({ length: 10 }, openOnce));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
    }
    await bindOwners(session, owner.settings.OWNERS);
    const last = await openOnce();
    expect(last.body.session.participants.length).toBeLessThanOrEqual(100);
    const { token } = session;
    expect((await owner.client.on(session, "GET", "", { token })).status).toBe(200);
  });

  // Shows OW-7.
  it("is evicted first if it has no remaining participants of its own, so no reviewer outlives the filler", async () => {
    const owner = createOwner();
    const session = await owner.create({ review: { required: true } });
    await bindOwners(session, owner.settings.OWNERS);
    const filler = await openSession(owner, session, ["fill", "handoff"]);
    const reviewer = await handOff(owner, filler, ["review"]);
    await filler.call("PATCH", "", { fields: { a: 1 } });
    await filler.call("POST", "/submit", {});
    await reviewer.call("POST", "/resume", {});
    const before = await reviewer.tryCall("POST", "/approve", {});
    expect([before.status, before.body.code]).toEqual([403, "scope_denied"]);
    const idle = await openSession(owner, session, ["fill"]);
    for (let n = 0; n < 99; n += 1) await openSession(owner, session, ["view"]);
    expect(await statusesOf([idle, filler, reviewer])).toEqual([403, 200, 200]);
    const after = await reviewer.tryCall("POST", "/approve", {});
    expect([after.status, after.body.code]).toEqual([403, "scope_denied"]);
  });

  // Shows OW-7.
  it("is evicted with all participants it created", async () => {
    const owner = createOwner();
    const session = await owner.create();
    await bindOwners(session, owner.settings.OWNERS);
    const creator = new TestAgent(owner.client, session);
    await handOff(owner, creator, ["view"]);
    const pairs: (readonly [TestAgent, TestAgent])[] = [];
    for (let n = 0; n < 49; n += 1) {
      const opened = await openSession(owner, session, ["fill", "handoff"]);
      pairs.push([opened, await handOff(owner, opened, ["review"])]);
    }
    await openSession(owner, session, ["view"]);
    expect(await statusesOf(pairs[0])).toEqual([403, 403]);
    expect(await statusesOf(pairs[1])).toEqual([200, 200]);
    const revoked = await creator.events("&type=token.revoked");
    expect(revoked.map(({ payload }) => payload)).toEqual([
      expect.objectContaining({ participant: "par_3", reason: "opened_again" }),
      expect.objectContaining({ participant: "par_4", reason: "opened_again" }),
    ]);
  });

  // Shows C-10.
  it("with a name is not created twice by one key, also after it was purged", async () => {
    const owner = createOwner();
    const create = (key: string) =>
      owner.call("POST", "/sessions", { key, body: { externalId: "once" } });
    const purge = async ({ body }: Awaited<ReturnType<typeof create>>) => {
      const { id } = body.session;
      const purged = await owner.call("DELETE", `/sessions/${id}`, { token: body.resumeToken });
      expect(purged.status, purged.text).toBe(200);
    };
    const [first, second, third] = [randomKey(), randomKey(), randomKey()];
    await purge(await create(first));
    expect((await create(first)).body).toMatchObject({ code: "idempotency_mismatch" });
    await purge(await create(second));
    for (const key of [first, second]) {
      const repeated = await create(key);
      expect([repeated.status, repeated.body.code]).toEqual([422, "idempotency_mismatch"]);
    }
    // Another request may use the name.
    expect((await create(third)).status).toBe(201);
  });

  // Shows OW-6.
  it("cannot be opened by another owner, by its id or by its name", async () => {
    const owner = createOwner();
    const session = await owner.create({ externalId: "mine" });
    const other = createOwner();
    const foreign = await other.call("POST", `/sessions/${session.id}/open`, { body: {} });
    const unknown = await other.call("POST", `/sessions/ses_${"A".repeat(43)}/open`, { body: {} });
    expect(foreign.status).toBe(403);
    expect(foreign.body).toEqual(unknown.body);
    const named = await other.call("POST", "/sessions/open", { body: { externalId: "mine" } });
    const none = await other.call("POST", "/sessions/open", { body: { externalId: "none" } });
    expect(named.status).toBe(404);
    expect(named.body).toEqual(none.body);
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/events"],
      ["POST", "/cancel"],
      ["DELETE", ""],
    ] as const) {
      const answer = await other.call(method, `/sessions/${session.id}${path}`, {
        token: other.key,
        ...(method === "POST" ? { body: {} } : {}),
      });
      expect([answer.status, answer.body.code]).toEqual([403, "token_invalid"]);
      expect(answer.text).not.toContain(session.id);
    }
  });

  // Shows OW-7.
  it("is not opened when it has ended, nor by a key without the right", async () => {
    const owner = createOwner();
    const session = await owner.create();
    const path = `/sessions/${session.id}/open`;
    const key = newKey();
    const OWNERS = JSON.stringify([
      { name: owner.name, keys: [keyEntry(key, { rights: ["read"] })] },
    ]);
    const reader = callerFrom(null, { OWNERS }, { "Baton-Key": key });
    const denied = await reader.call("POST", path, { body: {} });
    expect([denied.status, denied.body.needed]).toEqual([403, "open"]);
    await owner.client.on(session, "POST", "/cancel", { token: session.token, body: {} });
    const ended = await owner.call("POST", path, { body: {} });
    expect([ended.status, ended.body.code]).toEqual([409, "illegal_transition"]);
  });
});

const open = (owner: ReturnType<typeof createOwner>, body: object) =>
  owner.call("POST", "/sessions/open", { body: { externalId: "job/7", ...body } });

describe("a session opened by its name", () => {
  // Shows OW-8.
  it("is opened, or created on request, and otherwise 404", async () => {
    const owner = createOwner();
    expect((await open(owner, {})).status).toBe(404);
    const created = await open(owner, { create: { title: "Seven" } });
    expect([created.status, created.body.outcome]).toEqual([201, "created"]);
    expect(created.body.session).toMatchObject({ title: "Seven", externalId: "job/7" });
    const repeated = await open(owner, { create: true });
    expect([repeated.status, repeated.body.outcome]).toEqual([200, "opened"]);
    expect(repeated.body.session.id).toBe(created.body.session.id);
    expect(repeated.body.resumeToken).not.toBe(created.body.resumeToken);
  });

  // Shows OW-8.
  it("by a hundred requests at once is one session", async () => {
    const owner = createOwner();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => open(owner, { create: true })),
    );
    const created = new Set(answers.map(({ body }) => body.session.id));
    expect(created.size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(99);
    await expect.poll(async () => (await owner.list()).counts.total).toBe(1);
  });

  // Shows OW-8.
  it("that has ended is 410, or replaced with a warning; the name is free after a purge", async () => {
    const owner = createOwner();
    const { body: first } = await open(owner, { create: true });
    const { id } = first.session;
    await owner.call("POST", `/sessions/${id}/cancel`, { token: owner.key, body: {} });
    const ended = await open(owner, { create: true });
    expect([ended.status, ended.body.code]).toEqual([410, "expired"]);
    const fresh = await open(owner, { onEnded: "fresh" });
    expect([fresh.status, fresh.body.outcome]).toEqual([201, "fresh"]);
    expect(fresh.body.warning).toMatchObject({ code: "expired", requested: id });
    const opened = await open(owner, {});
    expect(opened.body.session.id).toBe(fresh.body.session.id);
    for (const one of [id, fresh.body.session.id]) {
      const purged = await owner.call("DELETE", `/sessions/${one}`, { token: owner.key });
      expect(purged.status, purged.text).toBe(200);
    }
    expect((await open(owner, {})).status).toBe(404);
    const replaced = await open(owner, { create: true });
    expect([replaced.status, replaced.body.outcome]).toEqual([201, "created"]);
  });

  // Shows OW-8.
  it("is created only by a key that may create", async () => {
    const owner = createOwner();
    const key = newKey();
    const OWNERS = JSON.stringify([
      { name: owner.name, keys: [keyEntry(key, { rights: ["open"] })] },
    ]);
    const opener = callerFrom(null, { OWNERS }, { "Baton-Key": key });
    const body = { externalId: "x", create: true };
    const denied = await opener.call("POST", "/sessions/open", { body });
    expect([denied.status, denied.body.needed]).toEqual([403, "create"]);
  });
});

describe("a key as bearer on a session's own routes", () => {
  // Shows OW-9.
  it("reads, pauses, extends, labels, revokes, cancels and purges, and gets no token", async () => {
    const owner = createOwner();
    const session = await owner.create({ title: "Steered" });
    const act = (method: string, path: string, body?: object) =>
      owner.call(method, `/sessions/${session.id}${path}`, {
        token: owner.key,
        ...(body === undefined ? {} : { body }),
      });
    const read = await act("GET", "");
    expect([read.status, read.body.session.title]).toEqual([200, "Steered"]);
    expect((await act("GET", "/events?after=0")).body.events).toHaveLength(2);
    for (const [method, path, body] of [
      ["POST", "/pause", {}],
      ["POST", "/unpause", {}],
      ["POST", "/extend", { ttlMs: DAY_MS }],
      ["PATCH", "", { labels: { a: "b" } }],
      ["POST", "/revoke", { participant: "par_1" }],
      ["POST", "/cancel", { reason: "enough" }],
    ] as const) {
      const answer = await act(method, path, body);
      expect(answer.status, `${path}: ${answer.text}`).toBe(200);
      expect(answer.body).not.toHaveProperty("resumeToken");
      expect(answer.headers.get("Resume-Token")).toBeNull();
    }
    const { token } = session;
    expect((await owner.client.on(session, "GET", "", { token })).status).toBe(403);
    const events = (await act("GET", "/events?after=0")).body.events as Json[];
    expect(events.at(-1)).toMatchObject({
      type: "session.cancelled",
      actor: { kind: "owner", id: owner.name },
    });
    expect((await act("DELETE", "")).status).toBe(200);
    expect((await act("GET", "")).status).toBe(410);
  });

  // Shows OW-9.
  it("does nothing else, and nothing beyond its rights", async () => {
    const owner = createOwner();
    const session = await owner.create();
    const call = (
      client: typeof owner.client,
      key: string,
      method: string,
      path: string,
      body: object,
    ) => client.call(method, `/sessions/${session.id}${path}`, { token: key, body });
    for (const [method, path, body] of [
      ["PATCH", "", { fields: { a: 1 } }],
      ["POST", "/events", { events: [{ type: "a.b" }] }],
      ["POST", "/resume", {}],
      ["POST", "/handoffs", { to: "agent", scopes: ["own"] }],
      ["POST", "/fork", { reason: "x" }],
      ["POST", "/submit", {}],
      ["POST", "/jobs", { agent: "any", input: {} }],
    ] as const) {
      const answer = await call(owner.client, owner.key, method, path, body);
      expect([answer.status, answer.body.code], path).toEqual([403, "scope_denied"]);
    }
    const key = newKey();
    const OWNERS = JSON.stringify([
      { name: owner.name, keys: [keyEntry(key, { rights: ["read"] })] },
    ]);
    const reader = callerFrom(null, { OWNERS });
    const denied = await call(reader, key, "POST", "/cancel", {});
    expect([denied.status, denied.body.needed]).toEqual([403, "manage"]);
  });
});

describe("the cost of being listed", () => {
  // Shows OW-11.
  it("is at most three more rows per reported change, and nothing for a session without an owner", async () => {
    const owner = createOwner();
    const session = await owner.create();
    const anonymous = callerFrom(null);
    const plain = await anonymous.create();
    const listedTitle = async () => (await owner.row(session.id))?.title;
    await expect.poll(listedTitle).toBeNull();
    const rows = async (
      client: typeof anonymous,
      of: typeof plain,
      title: string,
      isListed: boolean,
    ) =>
      rowsWrittenBy(of, async () => {
        const answer = await client.on(of, "PATCH", "", { token: of.token, body: { title } });
        expect(answer.status, answer.text).toBe(200);
        if (isListed) await expect.poll(listedTitle).toBe(title);
        // The follow-up writes are done when the object has nothing left to do.
        if (isListed) await new Promise((resolve) => setTimeout(resolve, 200));
      });
    const alone = await rows(anonymous, plain, "T", false);
    const listed = await rows(owner.client, session, "T", true);
    expect(alone).toBe(2);
    expect(listed - alone).toBeLessThanOrEqual(3);
  });
});

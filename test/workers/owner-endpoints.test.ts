/** All that an owner can do with its webhook endpoints. */
import { env } from "cloudflare:workers";
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { endpointHexOf } from "../../src/domain/notices/endpoint";
import { directoryName } from "../../src/domain/owners/owners";
import type { Env } from "../../src/env";
import type { NoticeEndpoint } from "../../src/object/notice-endpoint";
import type { OwnerDirectory } from "../../src/object/owner-directory";
import { TestAgent } from "../support/test-agent";
import { createOwner, type TestOwner } from "../support/test-owner";
import { keyEntry, newKey } from "../support/owners";
import { callerFrom } from "../support/caller";
import { bindAt, client, inside, rowsWrittenBy, stubOf } from "../support/worker";
import {
  arrivedAt,
  bodiesAt,
  addEndpoint,
  newPath,
  typesAt,
  delayRetries,
  type AddedEndpoint,
} from "../support/worker-endpoints";

const DAY_MS = 24 * 60 * 60 * 1000;
const bindings = env as unknown as Env;
const endpoints = bindings.NOTICE_ENDPOINT as unknown as DurableObjectNamespace<NoticeEndpoint>;
const directories = bindings.OWNER_DIRECTORY as unknown as DurableObjectNamespace<OwnerDirectory>;

const directoryStub = ({ name }: TestOwner) =>
  directories.get(directories.idFromName(directoryName(name)));
const insideEndpoint = <T>(
  { endpoint }: AddedEndpoint,
  read: (instance: NoticeEndpoint, state: DurableObjectState) => T | Promise<T>,
): Promise<T> =>
  runInDurableObject(endpoints.get(endpoints.idFromString(endpointHexOf(endpoint.id) ?? "")), read);

async function register(
  owner: TestOwner,
  path: string,
  notices: readonly string[] = ["session.submitted"],
  more: object = {},
): Promise<AddedEndpoint> {
  const body = { url: `https://receiver.test${path}`, notices, ...more };
  const answer = await owner.call("POST", "/endpoints", { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

const createSession = async (owner: TestOwner, body: object = {}): Promise<TestAgent> =>
  new TestAgent(client, await owner.create(body));

const pendingIn = (storage: DurableObjectStorage): number => {
  const news = storage.sql.exec("SELECT news FROM session").one()["news"];
  return (JSON.parse(String(news ?? '{"untold":[]}')) as { untold: unknown[] }).untold.length;
};
const outboxEmptied = (agent: TestAgent) =>
  expect.poll(() => inside(agent, (_, { storage }) => pendingIn(storage))).toBe(0);

const meterOf = (owner: TestOwner): Promise<number> =>
  runInDurableObject(directoryStub(owner), (instance) => instance.meter.rowsWritten);
/** Until `mendCalls`, the directory's calls of endpoints fail. */
const unreachable = (): Promise<never> => Promise.reject(new Error("not reachable"));
const breakCalls = (owner: TestOwner): Promise<Env> => {
  const stub = { tell: unreachable, put: unreachable };
  const NOTICE_ENDPOINT = { idFromString: () => "", get: () => stub };
  return bindAt(directoryStub(owner) as never, { NOTICE_ENDPOINT });
};
const mendCalls = (owner: TestOwner): Promise<Env> =>
  bindAt(directoryStub(owner) as never, bindings);

describe("an endpoint of an owner", () => {
  // Shows NO-11.
  it("is shown as failing from its first failed attempt on, with the result of the last one", async () => {
    const owner = createOwner();
    const [fails, works] = [newPath(500), newPath()];
    const failing = await register(owner, fails);
    await register(owner, works);
    const agent = await createSession(owner);
    await agent.call("POST", "/submit", {});
    await expect.poll(async () => (await arrivedAt(works)).length).toBe(1);
    const listed = async () => (await owner.call("GET", "/endpoints")).body.endpoints;
    const lastFailure = { since: expect.any(String), at: expect.any(String), status: 500 };
    await expect
      .poll(listed)
      .toMatchObject([{ id: failing.endpoint.id, failing: lastFailure }, {}]);
    expect((await listed())[1]).not.toHaveProperty("failing");
    const one = await owner.call("GET", `/endpoints/${failing.endpoint.id}`);
    expect(one.body.endpoint).toMatchObject({ status: "active", failing: lastFailure });
  });

  // Shows NO-11.
  it("receives notices of all the owner's sessions, and of no others", async () => {
    const [owner, otherOwner] = [createOwner(), createOwner()];
    const path = newPath();
    await register(owner, path, ["session.created", "session.submitted"]);

    const [one, other, theirs] = [
      await createSession(owner),
      await createSession(owner),
      await createSession(otherOwner),
    ];
    for (const agent of [one, other, theirs]) await agent.call("POST", "/submit", {});

    await expect.poll(() => arrivedAt(path)).toHaveLength(4);
    await outboxEmptied(theirs);
    const delivered = (await bodiesAt(path)).map(
      ({ type, data }) => `${data["sessionId"]} ${type}`,
    );
    expect(delivered.toSorted()).toEqual(
      [one, other]
        .flatMap(({ id }) => [`${id} session.created`, `${id} session.submitted`])
        .toSorted(),
    );
    expect((await bodiesAt(path)).every(({ data }) => data["owner"] === owner.name)).toBe(true);
  });

  // Shows NO-11.
  it("shows its secret once, and only the origin of its URL", async () => {
    const owner = createOwner();
    const path = newPath();
    const registered = await register(owner, path);

    const list = await owner.call("GET", "/endpoints");
    const one = await owner.call("GET", `/endpoints/${registered.endpoint.id}`);

    expect(registered.secret).toMatch(/^whsec_/);
    expect(list.body.endpoints).toEqual([registered.endpoint]);
    expect(one.body.endpoint).toMatchObject({ origin: "https://receiver.test", status: "active" });
    for (const { text } of [list, one]) {
      expect(text).not.toContain(path);
      expect(text).not.toContain(registered.secret);
    }
  });

  // Shows NO-12.
  it("receives notices only of sessions that have its labels", async () => {
    const owner = createOwner();
    const [north, all] = [newPath(), newPath()];
    await register(owner, north, ["session.created"], { labels: { team: "north" } });
    await register(owner, all, ["session.created"]);

    const labelled = await createSession(owner, { labels: { team: "north", kind: "claim" } });
    await createSession(owner, { labels: { team: "south" } });

    await expect.poll(() => arrivedAt(all)).toHaveLength(2);
    const named = async () => (await bodiesAt(north)).map(({ data }) => data["sessionId"]);
    await expect.poll(named).toEqual([labelled.id]);
  });

  // Shows NO-11.
  it("needs a key with the right manage, and is unknown to other owners", async () => {
    const [owner, otherOwner] = [createOwner(), createOwner()];
    const registered = await register(owner, newPath());
    const reader = newKey();
    const rights = ["create", "read", "open"];
    const OWNERS = JSON.stringify([{ name: owner.name, keys: [keyEntry(reader, { rights })] }]);
    const reading = callerFrom(null, { OWNERS }, { "Baton-Key": reader });
    const url = `https://receiver.test${newPath()}`;
    const path = `/endpoints/${registered.endpoint.id}`;
    const calls = [
      ["GET", "/endpoints", undefined],
      ["POST", "/endpoints", { url, notices: ["session.created"] }],
      ["GET", path, undefined],
      ["PATCH", path, { format: "slack" }],
      ["POST", `${path}/rotate`, undefined],
      ["GET", `${path}/deliveries`, undefined],
      ["POST", `${path}/replay`, { since: "2026-11-16T09:00:00Z" }],
      ["DELETE", path, undefined],
    ] as const;

    for (const [method, to, body] of calls) {
      const options = body === undefined ? {} : { body };
      const denied = await reading.call(method, to, options);
      expect([method, to, denied.status, denied.body.code]).toEqual([
        method,
        to,
        403,
        "scope_denied",
      ]);
      const keyless = await callerFrom(null, { OWNERS }).call(method, to, options);
      expect(keyless.status, to).toBe(401);
      if (to === "/endpoints") continue;
      const foreign = await otherOwner.call(method, to, options);
      expect([method, to, foreign.status]).toEqual([method, to, 404]);
    }

    expect((await owner.call("GET", path)).body.endpoint).toEqual(registered.endpoint);
  });

  // Shows NO-11.
  it("is changed, rotated, replayed and removed", async () => {
    const owner = createOwner();
    const agent = await createSession(owner);
    const [bad, good] = [newPath(500), newPath()];
    const registered = await register(owner, bad);
    await delayRetries(registered.endpoint.id);
    const path = `/endpoints/${registered.endpoint.id}`;
    const since = new Date(Date.now() - 1_000).toISOString();
    await agent.call("POST", "/submit", {});
    await expect.poll(() => arrivedAt(bad)).toHaveLength(1);

    const url = `https://receiver.test${good}`;
    const changed = await owner.call("PATCH", path, { body: { url, labels: {} } });
    const rotated = await owner.call("POST", `${path}/rotate`);
    const replayed = await owner.call("POST", `${path}/replay`, { body: { since } });

    expect([changed.status, rotated.status, replayed.status]).toEqual([200, 200, 200]);
    expect(rotated.body.secret).not.toBe(registered.secret);
    await expect.poll(() => typesAt(good)).toEqual(["session.submitted"]);
    const [posted] = await arrivedAt(good);
    const signatures = posted?.headers["webhook-signature"]?.split(" ") ?? [];
    expect(signatures.filter((one) => one.startsWith("v1,"))).toHaveLength(2);
    const { deliveries } = (await owner.call("GET", `${path}/deliveries`)).body;
    expect(deliveries).toHaveLength(1);
    const one = { delivery: deliveries[0].id };
    expect((await owner.call("POST", `${path}/replay`, { body: one })).status).toBe(200);
    await expect.poll(() => typesAt(good)).toHaveLength(2);

    const removed = await owner.call("DELETE", path);
    const after = await owner.call("GET", path);
    expect([removed.status, after.status]).toEqual([200, 404]);
    await insideEndpoint(registered, (_, { storage }) => {
      expect(storage.sql.exec("SELECT name FROM sqlite_master").toArray()).toEqual([]);
    });
  });

  // Shows NO-11.
  it("is refused for a URL that is not public, and changes nothing", async () => {
    const owner = createOwner();
    const registered = await register(owner, newPath());
    const body = { url: "https://10.0.0.1/", notices: ["session.created"] };

    const added = await owner.call("POST", "/endpoints", { body });
    const { url } = body;
    const changed = await owner.call("PATCH", `/endpoints/${registered.endpoint.id}`, {
      body: { url },
    });

    expect([added.status, changed.status]).toEqual([400, 400]);
    expect((await owner.call("GET", "/endpoints")).body.endpoints).toEqual([registered.endpoint]);
  });

  it("is one of at most twenty", async () => {
    const owner = createOwner();
    for (let n = 0; n < 20; n += 1) await register(owner, newPath());
    const body = { url: `https://receiver.test${newPath()}`, notices: ["session.created"] };

    const past = await owner.call("POST", "/endpoints", { body });

    expect([past.status, past.body.code]).toEqual([413, "too_large"]);
  });

  // Shows NO-13.
  it("is notified again by the session until it has acknowledged, and once for each notice", async () => {
    const owner = createOwner();
    const path = newPath();
    await register(owner, path, ["session.submitted"]);
    const agent = await createSession(owner);
    await outboxEmptied(agent);
    await breakCalls(owner);

    await agent.call("POST", "/submit", {});
    await expect.poll(() => inside(agent, (_, { storage }) => pendingIn(storage))).toBe(1);
    await mendCalls(owner);
    await runDurableObjectAlarm(stubOf(agent));

    await expect.poll(() => typesAt(path)).toEqual(["session.submitted"]);

    await outboxEmptied(agent);
  });

  // Shows NO-14.
  it("that is suspended is reported to the owner's other endpoints", async () => {
    const owner = createOwner();
    const [bad, good] = [newPath(500), newPath()];
    const failing = await register(owner, bad, ["session.submitted", "session.cancelled"]);
    await register(owner, good, ["endpoint.suspended"]);
    const agent = await createSession(owner, { review: { required: true, approvals: 1 } });
    await agent.call("POST", "/submit", {});
    const since = () =>
      insideEndpoint(failing, (_, { storage }) =>
        Number(storage.sql.exec("SELECT failing_since FROM endpoint").one()["failing_since"]),
      );
    await expect.poll(since).toBeGreaterThan(0);
    await insideEndpoint(failing, (_, { storage }) => {
      storage.sql.exec("UPDATE endpoint SET failing_since = ?", Date.now() - 5 * DAY_MS);
    });

    await agent.call("POST", "/cancel", {});

    await expect.poll(() => typesAt(good)).toEqual(["endpoint.suspended"]);
    const [reported] = await bodiesAt(good);
    expect(reported?.data).toEqual({
      endpointId: failing.endpoint.id,
      origin: "https://receiver.test",
      seq: expect.any(Number),
      waiting: null,
      labels: {},
      owner: owner.name,
      actor: { kind: "system", id: "baton" },
      participant: null,
    });
    const path = `/endpoints/${failing.endpoint.id}`;
    const status = async () => (await owner.call("GET", path)).body.endpoint.status;
    await expect.poll(status).toBe("suspended");
    const body = { status: "active" };
    expect((await owner.call("PATCH", path, { body })).body.endpoint.status).toBe("active");
  });

  // Shows NO-8.
  it("that has ended cannot be named by a handoff", async () => {
    const owner = createOwner();
    const { endpoint } = await register(owner, newPath(410), ["session.created"]);
    const agent = await createSession(owner);
    const path = `/endpoints/${endpoint.id}`;
    const status = async () => (await owner.call("GET", path)).body.endpoint.status;
    await expect.poll(status).toBe("ended");

    const handoff = { to: "human", scopes: ["view"], notify: [endpoint.id] };
    const refused = await agent.tryCall("POST", "/handoffs", handoff);
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining("ended")]);
  });

  // Shows NO-15.
  it("retains of a purged session only that something happened, and only until it is sent", async () => {
    const owner = createOwner();
    const [bad, good] = [newPath(500), newPath()];
    const pending = await register(owner, bad, ["session.cancelled"]);
    await delayRetries(pending.endpoint.id);
    const sent = await register(owner, good, ["session.cancelled"]);
    const agent = await createSession(owner, { title: "Oak Street", labels: { team: "north" } });
    await agent.call("POST", "/cancel", {});
    await expect.poll(() => arrivedAt(bad)).toHaveLength(1);
    await expect.poll(() => arrivedAt(good)).toHaveLength(1);

    const purged = await client.on(agent, "DELETE", "", { token: agent.token });
    expect(purged.status, purged.text).toBe(200);

    const path = `/endpoints/${pending.endpoint.id}`;
    const url = `https://receiver.test${newPath()}`;
    await owner.call("PATCH", path, { body: { url } });
    const { deliveries } = (await owner.call("GET", `${path}/deliveries`)).body;
    await owner.call("POST", `${path}/replay`, { body: { delivery: deliveries[0].id } });
    const { pathname } = new URL(url);
    await expect.poll(() => bodiesAt(pathname)).toHaveLength(1);
    const [body] = await bodiesAt(pathname);
    expect(body).toMatchObject({ type: "session.cancelled", data: { sessionId: agent.id } });
    expect(JSON.stringify(body)).not.toMatch(/Oak Street|north/);
    const settled = await owner.call("GET", `/endpoints/${sent.endpoint.id}/deliveries`);
    expect(settled.body.deliveries).toEqual([]);
  });

  // Shows NO-10.
  it("costs what docs/notices.md states: nothing in the directory for a notice that changes no listing", async () => {
    const [owner, plain] = [createOwner(), createOwner()];
    const path = newPath();
    const registered = await register(owner, path, ["stop.reported"]);
    const [agent, other] = [await createSession(owner), await createSession(plain)];
    await outboxEmptied(agent);
    await outboxEmptied(other);
    const report = { reason: "user_exit", attempt: 1 };
    await agent.call("POST", "/stops", report);
    await other.call("POST", "/stops", report);
    await outboxEmptied(agent);
    await outboxEmptied(other);
    await expect.poll(() => arrivedAt(path)).toHaveLength(1);
    const rowsOf = () => insideEndpoint(registered, (instance) => instance.meter.rowsWritten);
    const isSettled = async () => {
      const { body } = await owner.call("GET", `/endpoints/${registered.endpoint.id}/deliveries`);
      return body.deliveries.every(({ status }: { status: string }) => status === "delivered");
    };
    await expect.poll(isSettled).toBe(true);
    const [directory, endpoint] = [await meterOf(owner), await rowsOf()];

    const session = await rowsWrittenBy(agent, async () => {
      await agent.call("POST", "/stops", report);
      await outboxEmptied(agent);
    });
    await expect.poll(() => arrivedAt(path)).toHaveLength(2);
    await expect.poll(isSettled).toBe(true);

    // The alarm of the endpoint is still set from the previous delivery.
    expect({
      session,
      directory: (await meterOf(owner)) - directory,
      endpoint: (await rowsOf()) - endpoint,
    }).toEqual({ session: 5, directory: 0, endpoint: 4 });
  });
});

describe("a handoff of an owner's session", () => {
  // Shows NO-8.
  it("notifies the owner's endpoints and the session's, with its link", async () => {
    const owner = createOwner();
    const [ofOwner, ofSession, other] = [newPath(), newPath(), newPath()];
    const first = await register(owner, ofOwner, ["session.expired"]);
    await register(owner, other, ["handoff.created"]);
    const agent = await createSession(owner);
    const second = await addEndpoint(agent, ofSession, ["session.expired"]);

    const handedOff = await agent.call("POST", "/handoffs", {
      to: "human",
      scopes: ["fill"],
      notify: [first.endpoint.id, second.endpoint.id],
    });

    for (const path of [ofOwner, ofSession]) {
      await expect.poll(() => typesAt(path)).toEqual(["handoff.created"]);
      expect((await bodiesAt(path))[0]?.data["url"]).toBe(handedOff.body.handoff.url);
    }
    await expect.poll(() => typesAt(other)).toEqual(["handoff.created"]);
    expect((await arrivedAt(other))[0]?.text).not.toContain("/h/");
  });

  // Shows NO-8.
  it("never notifies another owner's endpoint, and neither does a handoff of a session without an owner", async () => {
    const [owner, otherOwner] = [createOwner(), createOwner()];
    const path = newPath();
    const { endpoint } = await register(otherOwner, path);
    const link = { to: "human", scopes: ["fill"], notify: [endpoint.id] };

    for (const agent of [await createSession(owner), await TestAgent.create(client)]) {
      const refused = await agent.tryCall("POST", "/handoffs", link);
      expect([refused.status, refused.body.code]).toEqual([404, "not_found"]);
    }

    expect(await arrivedAt(path)).toEqual([]);
  });
});

describe("a directory that could not configure an endpoint", () => {
  // Shows NO-13.
  it("configures it from its alarm", async () => {
    const owner = createOwner();
    const registered = await register(owner, newPath());
    const hex = endpointHexOf(registered.endpoint.id) ?? "";
    await breakCalls(owner);
    const path = `/endpoints/${registered.endpoint.id}`;
    const changed = await owner.call("PATCH", path, { body: { format: "slack" } });
    await mendCalls(owner);

    await runDurableObjectAlarm(directoryStub(owner));

    expect(changed.body.endpoint.format).toBe("slack");
    const stored = await runInDurableObject(
      endpoints.get(endpoints.idFromString(hex)),
      (_, state) =>
        String(state.storage.sql.exec("SELECT settings FROM endpoint").one()["settings"]),
    );
    expect(JSON.parse(stored).format).toBe("slack");
  });
});

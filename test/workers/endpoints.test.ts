/** All that one session can do with its webhook endpoints. */
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { endpointHexOf } from "../../src/domain/notices/endpoint";
import type { Env } from "../../src/env";
import type { NoticeEndpoint } from "../../src/object/notice-endpoint";
import { randomKey } from "../support/client";
import { TestAgent } from "../support/test-agent";
import { client, inside, rowsWrittenBy } from "../support/worker";
import {
  arrivedAt,
  addEndpoint,
  newPath,
  typesAt,
  delayRetries,
} from "../support/worker-endpoints";

const DAY_MS = 24 * 60 * 60 * 1000;

afterEach(() => {
  vi.useRealTimers();
});

const bindings = env as unknown as Env;
const namespace = bindings.NOTICE_ENDPOINT as unknown as DurableObjectNamespace<NoticeEndpoint>;

const insideEndpoint = <T>(
  id: string,
  read: (instance: NoticeEndpoint, state: DurableObjectState) => T | Promise<T>,
): Promise<T> =>
  runInDurableObject(namespace.get(namespace.idFromString(endpointHexOf(id) ?? "")), read);

const deliveriesOf = async (agent: TestAgent, id: string) =>
  (await agent.call("GET", `/endpoints/${id}/deliveries`)).body.deliveries as {
    id: string;
    seq: number;
    status: string;
    attempts: { status?: number; error?: string }[];
  }[];

describe("registering an endpoint", () => {
  // Shows NO-2.
  it("shows the secret once, and only the origin of the URL", async () => {
    const owner = await TestAgent.create(client);
    const path = newPath();
    const registered = await addEndpoint(owner, path);

    const list = await owner.call("GET", "/endpoints");
    const one = await owner.call("GET", `/endpoints/${registered.endpoint.id}`);
    const log = await owner.call("GET", "/events?after=0");

    expect(registered.secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(list.body.endpoints).toEqual([registered.endpoint]);
    expect(one.body.endpoint).toMatchObject({ origin: "https://receiver.test", status: "active" });
    for (const text of [list.text, one.text, log.text]) {
      expect(text).not.toContain(path);
      expect(text).not.toContain(registered.secret);
    }
  });

  // Shows NO-2.
  it("is replayed with the same secret by its key", async () => {
    const owner = await TestAgent.create(client);
    const { token } = owner;
    const body = { url: `https://receiver.test${newPath()}`, notices: ["session.submitted"] };
    const key = randomKey();
    const first = await client.on(owner, "POST", "/endpoints", { token, body, key });
    const repeated = await client.on(owner, "POST", "/endpoints", { token, body, key });
    const other = { ...body, url: `https://receiver.test${newPath()}` };
    const changed = await client.on(owner, "POST", "/endpoints", { token, body: other, key });

    expect(repeated.body.secret).toBe(first.body.secret);
    expect(repeated.body.endpoint).toEqual(first.body.endpoint);
    expect(changed.status).toBe(409);
  });

  // Shows NO-2.
  it("accepts a valid secret from the client, and no other", async () => {
    const owner = await TestAgent.create(client);
    const secret = `whsec_${btoa("x".repeat(32))}`;
    const registered = await addEndpoint(owner, newPath(), ["session.submitted"], { secret });
    const url = `https://receiver.test${newPath()}`;
    const short = { url, notices: ["session.submitted"], secret: `whsec_${btoa("short")}` };

    const refused = await owner.tryCall("POST", "/endpoints", short);

    expect(registered.secret).toBe(secret);
    expect(refused.status).toBe(400);
  });

  // Shows NO-2.
  it("needs own", async () => {
    const owner = await TestAgent.create(client);
    const handedOff = await owner.call("POST", "/handoffs", { to: "agent", scopes: ["fill"] });
    const filler = new TestAgent(client, { id: owner.id, token: handedOff.body.participantToken });
    const url = `https://receiver.test${newPath()}`;

    const added = await filler.tryCall("POST", "/endpoints", { url, notices: ["session.expired"] });
    const listed = await filler.tryCall("GET", "/endpoints");

    expect([added.body.code, listed.body.code]).toEqual(["scope_denied", "scope_denied"]);
  });

  it.each([
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://10.1.2.3/",
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/",
    "https://[fc00::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[64:ff9b::a00:1]/",
    "https://[::ffff:0:127.0.0.1]/",
    "https://[::127.0.0.1]/",
    "https://[2002:7f00:1::]/",
    "https://0.0.0.0/",
    "https://localhost/",
    "https://a.localhost./",
    "https://printer/",
    "http://hooks.example.com/",
    "https://user:pass@hooks.example.com/",
    "ftp://hooks.example.com/",
    "not an address",
    // Shows NO-3.
  ])("for %s is refused and changes nothing", async (url) => {
    const owner = await TestAgent.create(client);
    const { head } = await owner.session();

    const refused = await owner.tryCall("POST", "/endpoints", {
      url,
      notices: ["session.expired"],
    });

    expect(refused.status, refused.text).toBe(400);
    expect((await owner.session()).head).toBe(head);
  });
});

describe("a delivery", () => {
  // Shows NO-10.
  it("costs the session and the endpoint the rows that docs/notices.md states", async () => {
    const plain = await TestAgent.create(client);
    const owner = await TestAgent.create(client);
    const path = newPath();
    const { endpoint } = await addEndpoint(owner, path, ["session.submitted"]);
    await expect.poll(() => inside(owner, (_, { storage }) => pendingIn(storage))).toBe(0);
    const meter = () => insideEndpoint(endpoint.id, (instance) => instance.meter.rowsWritten);
    const before = await meter();

    const without = await rowsWrittenBy(plain, () => plain.call("POST", "/submit", {}));
    const withOne = await rowsWrittenBy(owner, async () => {
      await owner.call("POST", "/submit", {});
      await expect.poll(() => typesAt(path)).toEqual(["session.submitted"]);
      await expect.poll(() => inside(owner, (_, { storage }) => pendingIn(storage))).toBe(0);
    });
    await expect
      .poll(async () => (await deliveriesOf(owner, endpoint.id))[0]?.status)
      .toBe("delivered");

    expect({ without, withOne, endpoint: (await meter()) - before }).toEqual({
      without: 2,
      withOne: 5,
      endpoint: 5,
    });
  });

  // Shows NO-6.
  it("that failed is listed with its attempts, and arrives on replay", async () => {
    const owner = await TestAgent.create(client);
    const path = newPath(500);
    const { endpoint } = await addEndpoint(owner, path);
    await delayRetries(endpoint.id);
    await owner.call("POST", "/submit", {});
    await expect
      .poll(async () => (await deliveriesOf(owner, endpoint.id))[0]?.attempts.length)
      .toBe(1);
    const [failed] = await deliveriesOf(owner, endpoint.id);
    expect(failed).toMatchObject({ status: "pending", attempts: [{ status: 500 }] });

    const good = newPath();
    const url = `https://receiver.test${good}`;
    await owner.call("PATCH", `/endpoints/${endpoint.id}`, { url });
    const replay = `/endpoints/${endpoint.id}/replay`;
    const unknown = await owner.tryCall("POST", replay, { delivery: "dlv_99" });
    expect([unknown.status, unknown.body.detail]).toEqual([
      404,
      expect.stringContaining("delivery"),
    ]);
    await owner.call("POST", replay, { delivery: failed?.id });

    await expect.poll(() => typesAt(good)).toEqual(["session.submitted"]);
    const [repeated] = await arrivedAt(good);
    const [first] = await arrivedAt(path);
    expect(repeated?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  });

  // Shows NO-5. Shows NO-8.
  it("is the last one if the receiver answers 410, and no handoff can name the endpoint then", async () => {
    const owner = await TestAgent.create(client, { review: { required: true, approvals: 1 } });
    const path = newPath(410);
    const notices = ["session.submitted", "session.needs_review", "session.cancelled"];
    const { endpoint } = await addEndpoint(owner, path, notices);
    await owner.call("POST", "/submit", {});
    const status = async () => (await owner.call("GET", `/endpoints/${endpoint.id}`)).body.endpoint;
    await expect.poll(async () => (await status()).status).toBe("ended");
    const handoff = { to: "human", scopes: ["view"], notify: [endpoint.id] };
    const refused = await owner.tryCall("POST", "/handoffs", handoff);
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining("ended")]);

    await owner.call("POST", "/cancel", {});

    expect(await typesAt(path)).toEqual(["session.submitted"]);
    expect(await owner.types()).toContain("endpoint.ended");
  });

  // Shows NO-6.
  it("is not made after five days of failure: the endpoint is suspended, which is a notice", async () => {
    const owner = await TestAgent.create(client, { review: { required: true, approvals: 1 } });
    const path = newPath(500);
    const notices = ["session.submitted", "session.cancelled"];
    const { endpoint } = await addEndpoint(owner, path, notices);
    await delayRetries(endpoint.id);
    await owner.call("POST", "/submit", {});
    await expect.poll(() => typesAt(path)).toHaveLength(1);
    await expect
      .poll(() =>
        insideEndpoint(endpoint.id, (_, { storage }) =>
          Number(storage.sql.exec("SELECT failing_since FROM endpoint").one()["failing_since"]),
        ),
      )
      .toBeGreaterThan(0);
    await insideEndpoint(endpoint.id, (_, { storage }) => {
      storage.sql.exec("UPDATE endpoint SET failing_since = ?", Date.now() - 5 * DAY_MS);
    });

    await owner.call("POST", "/cancel", {});

    await expect.poll(() => owner.types()).toContain("endpoint.suspended");
    const shown = await owner.call("GET", `/endpoints/${endpoint.id}`);
    expect(shown.body.endpoint.status).toBe("suspended");
    const retained = await deliveriesOf(owner, endpoint.id);
    expect(retained.map(({ status }) => status)).toEqual(["given_up", "given_up"]);
  });

  // Shows NO-4.
  it("carries both signatures for a day after a rotation", async () => {
    const owner = await TestAgent.create(client);
    const path = newPath();
    const { endpoint, secret } = await addEndpoint(owner, path);
    const rotated = await owner.call("POST", `/endpoints/${endpoint.id}/rotate`);
    await owner.call("POST", "/submit", {});
    await expect.poll(() => arrivedAt(path)).toHaveLength(1);

    const [posted] = await arrivedAt(path);

    const signatures = posted?.headers["webhook-signature"]?.split(" ") ?? [];
    expect(rotated.body.secret).not.toBe(secret);
    expect(signatures.filter((one) => one.startsWith("v1,"))).toHaveLength(2);
  });
});

describe("an endpoint", () => {
  // Shows NO-7.
  it("gets no more deliveries once its maker is revoked", async () => {
    const owner = await TestAgent.create(client, { review: { required: true, approvals: 1 } });
    const handedOff = await owner.call("POST", "/handoffs", { to: "agent", scopes: ["own"] });
    const other = new TestAgent(client, { id: owner.id, token: handedOff.body.participantToken });
    const [ownPath, theirs] = [newPath(), newPath()];
    const notices = ["session.submitted", "session.cancelled"];
    await addEndpoint(owner, ownPath, notices);
    const { endpoint } = await addEndpoint(other, theirs, notices);
    await owner.call("POST", "/submit", {});
    await expect.poll(() => typesAt(theirs)).toEqual(["session.submitted"]);

    await owner.call("POST", "/revoke", { participant: "par_2" });
    await owner.call("POST", "/cancel", {});

    await expect.poll(() => typesAt(ownPath)).toEqual(notices);
    expect(await typesAt(theirs)).toEqual(["session.submitted"]);
    const shown = await owner.call("GET", `/endpoints/${endpoint.id}`);
    expect(shown.body.endpoint.status).toBe("ended");
  });

  // Shows NO-7.
  it("leaves nothing when it is removed or its session is purged", async () => {
    const owner = await TestAgent.create(client);
    const first = await addEndpoint(owner, newPath());
    const second = await addEndpoint(owner, newPath());
    await expect.poll(() => inside(owner, (_, { storage }) => pendingIn(storage))).toBe(0);

    await owner.call("DELETE", `/endpoints/${first.endpoint.id}`);
    await expect.poll(() => tablesOf(first.endpoint.id)).toEqual([]);
    await client.on(owner, "DELETE", "", { token: owner.token });

    expect(await tablesOf(second.endpoint.id)).toEqual([]);
  });

  it("holds ten endpoints and not one more", async () => {
    const owner = await TestAgent.create(client);
    for (let n = 0; n < 10; n += 1) await addEndpoint(owner, newPath());

    const url = `https://receiver.test${newPath()}`;
    const refused = await owner.tryCall("POST", "/endpoints", {
      url,
      notices: ["session.expired"],
    });

    expect([refused.status, refused.body.code]).toEqual([413, "too_large"]);
  });

  it("lists at most a hundred deliveries in one page", async () => {
    const owner = await TestAgent.create(client);
    const { endpoint } = await addEndpoint(owner, newPath());

    const maxPage = await owner.tryCall("GET", `/endpoints/${endpoint.id}/deliveries?limit=100`);
    const past = await owner.tryCall("GET", `/endpoints/${endpoint.id}/deliveries?limit=101`);

    expect([maxPage.status, past.status]).toEqual([200, 400]);
  });
});

describe("a handoff that notifies endpoints", () => {
  // Shows NO-8.
  it("sends its link to the endpoints it names, in that message and nowhere else", async () => {
    const owner = await TestAgent.create(client, { title: "Oak Street" });
    const [named, other] = [newPath(), newPath()];
    const { endpoint } = await addEndpoint(owner, named, ["session.expired"]);
    await addEndpoint(owner, other, ["handoff.created"]);

    const handedOff = await owner.call("POST", "/handoffs", {
      to: "human",
      scopes: ["fill"],
      notify: [endpoint.id],
    });

    await expect.poll(() => typesAt(named)).toEqual(["handoff.created"]);
    await expect.poll(() => typesAt(other)).toEqual(["handoff.created"]);
    const [withLink] = await arrivedAt(named);
    const [withoutLink] = await arrivedAt(other);
    expect(JSON.parse(withLink?.text ?? "").data.url).toBe(handedOff.body.handoff.url);
    expect(withoutLink?.text).not.toContain("/h/");
    const log = await owner.call("GET", "/events?after=0");
    expect(log.text).not.toContain(handedOff.body.handoff.code);
  });

  // Shows NO-8.
  it("notifies only endpoints of its own session", async () => {
    const [owner, stranger] = [await TestAgent.create(client), await TestAgent.create(client)];
    const { endpoint } = await addEndpoint(stranger, newPath());

    const refused = await owner.tryCall("POST", "/handoffs", {
      to: "human",
      scopes: ["fill"],
      notify: [endpoint.id],
    });

    expect([refused.status, refused.body.code]).toEqual([404, "not_found"]);
  });

  it("notifies ten endpoints by one handoff and not one more", async () => {
    const owner = await TestAgent.create(client);
    const ids: string[] = [];
    for (let n = 0; n < 10; n += 1) ids.push((await addEndpoint(owner, newPath())).endpoint.id);
    const body = { to: "human", scopes: ["fill"] };

    const past = await owner.tryCall("POST", "/handoffs", { ...body, notify: [...ids, ids[0]] });
    const maxNotified = await owner.tryCall("POST", "/handoffs", { ...body, notify: ids });

    expect([past.status, maxNotified.status]).toEqual([400, 201]);
  });
});

const pendingIn = (storage: DurableObjectStorage): number => {
  const news = storage.sql.exec("SELECT news FROM session").one()["news"];
  return (JSON.parse(String(news ?? '{"untold":[]}')) as { untold: unknown[] }).untold.length;
};

const tablesOf = (id: string): Promise<readonly string[]> =>
  insideEndpoint(id, (_, { storage }) =>
    storage.sql
      .exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '_cf%'")
      .toArray()
      .map(({ name }) => String(name)),
  );

import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { TestAgent } from "../support/test-agent";
import { person } from "../support/links";
import {
  arrivedAt,
  bodiesAt,
  addEndpoint,
  newPath,
  delayRetries,
} from "../support/worker-endpoints";
import { client, stubOf } from "../support/worker";
import { createOwner } from "../support/test-owner";

const HOUR_MS = 3_600_000;

afterEach(() => {
  vi.useRealTimers();
});

const idsAt = async (path: string): Promise<readonly (string | undefined)[]> =>
  (await arrivedAt(path)).map(({ headers }) => headers["webhook-id"]);

describe("a message", () => {
  // Shows NO-4.
  it("states what happened in which session, by whom, and the head of the log's chain", async () => {
    const agent = await TestAgent.create(client, { title: "Oak Street" });
    const path = newPath();
    await addEndpoint(agent, path);

    await agent.call("POST", "/submit", {});

    await expect.poll(() => bodiesAt(path)).toHaveLength(1);
    const [body] = await bodiesAt(path);
    const event = (await agent.events()).find(({ type }) => type === "session.submitted");
    const { proof } = (await agent.call("GET", `/proof?seq=${event?.seq}`)).body;
    expect(body).toEqual({
      type: "session.submitted",
      timestamp: event?.at,
      data: {
        sessionId: agent.id,
        seq: event?.seq,
        state: "submitted",
        waiting: { for: "agent", since: expect.any(String) },
        title: "Oak Street",
        labels: {},
        actor: event?.actor,
        participant: "par_1",
        chain: proof.chain,
      },
    });
  });

  // Shows NO-4.
  it("of an owner's session contains the owner, its externalId and its labels", async () => {
    const owner = createOwner();
    const created = await owner.create({ externalId: "claim-7", labels: { team: "north" } });
    const agent = new TestAgent(client, created);
    const path = newPath();
    await addEndpoint(agent, path);

    await agent.call("POST", "/submit", {});

    await expect.poll(() => bodiesAt(path)).toHaveLength(1);
    expect((await bodiesAt(path))[0]?.data).toMatchObject({
      owner: owner.name,
      externalId: "claim-7",
      labels: { team: "north" },
    });
  });

  // Shows NO-4.
  it("contains labels only if it stays below 20 KB", async () => {
    const labels = Object.fromEntries(
      Array.from({ length: 16 }, (_, n) => [`label-${n}`, "\u{1f511}".repeat(128)]),
    );
    const owner = createOwner();
    const agent = new TestAgent(
      client,
      await owner.create({ labels, title: "\u{1f511}".repeat(100) }),
    );
    const path = newPath();
    await addEndpoint(agent, path);

    await agent.call("POST", "/submit", {});

    await expect.poll(() => arrivedAt(path)).toHaveLength(1);
    const [posted] = await arrivedAt(path);
    expect(new TextEncoder().encode(posted?.text).length).toBeLessThanOrEqual(20 * 1024);
  });
});

describe("an endpoint that a handoff names", () => {
  // Shows NO-8. Shows D-18.
  it("receives every notice of that handoff, each with its id, until the person hands back", async () => {
    const agent = await TestAgent.create(client);
    const path = newPath();
    const { endpoint } = await addEndpoint(agent, path, ["session.expired"]);
    const link = { to: "human", scopes: ["fill"], notify: [endpoint.id] };
    const { handoff } = (await agent.call("POST", "/handoffs", link)).body;
    const linkHolder = person();
    const page = await linkHolder.open(handoff.code);
    await linkHolder.press(handoff.code, page.html, "handBack", { message: "Ask Bo" });

    await expect.poll(() => bodiesAt(path)).toHaveLength(3);
    const bodies = (await bodiesAt(path)).toSorted(
      (a, b) => Number(a.data["seq"]) - Number(b.data["seq"]),
    );
    const delivered = bodies.map(({ type, data }) => [type, data["handoff"], "url" in data]);
    expect(delivered).toEqual([
      ["handoff.created", { id: handoff.id }, true],
      ["handoff.opened", { id: handoff.id }, false],
      ["handoff.answered", { id: handoff.id }, false],
    ]);
    expect(bodies[2]?.data["waiting"]).toMatchObject({ for: "agent" });
    expect(JSON.stringify(bodies)).not.toContain("Ask Bo");
  });
});

describe("a reissued link", () => {
  // Shows NO-8.
  it("is sent to the endpoints that received the previous one, which no longer works", async () => {
    const agent = await TestAgent.create(client);
    const [named, other] = [newPath(), newPath()];
    const { endpoint } = await addEndpoint(agent, named, ["session.expired"]);
    await addEndpoint(agent, other, ["handoff.created"]);
    const link = { to: "human", scopes: ["fill"], notify: [endpoint.id] };
    const handedOff = await agent.call("POST", "/handoffs", link);
    await expect.poll(() => bodiesAt(named)).toHaveLength(1);

    const reissued = await agent.call("POST", `/handoffs/${handedOff.body.handoff.id}/reissue`, {});

    await expect.poll(() => bodiesAt(named)).toHaveLength(2);
    const urls = (await bodiesAt(named)).map(({ data }) => data["url"]);
    expect(urls).toEqual([handedOff.body.handoff.url, reissued.body.handoff.url]);
    expect(urls[0]).not.toBe(urls[1]);
    const old = await client.call("GET", new URL(String(urls[0])).pathname);
    expect(old.text).not.toContain("<form");
    await expect.poll(() => bodiesAt(other)).toHaveLength(2);
    expect((await bodiesAt(other)).some(({ data }) => "url" in data)).toBe(false);
  });

  // Shows NO-8.
  it("is in the reminder too", async () => {
    const agent = await TestAgent.create(client);
    const path = newPath();
    const { endpoint } = await addEndpoint(agent, path, ["session.expired"]);
    const link = { to: "human", scopes: ["fill"], notify: [endpoint.id], remindAfterMs: HOUR_MS };
    const handedOff = await agent.call("POST", "/handoffs", link);

    const reissued = await agent.call("POST", `/handoffs/${handedOff.body.handoff.id}/reissue`, {});

    await expect.poll(() => bodiesAt(path)).toHaveLength(2);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + HOUR_MS });
    await runDurableObjectAlarm(stubOf(agent));

    await expect.poll(() => bodiesAt(path)).toHaveLength(3);
    const [, , reminded] = await bodiesAt(path);
    expect(reminded).toMatchObject({
      type: "handoff.reminded",
      data: { url: reissued.body.handoff.url },
    });
  });
});

describe("a replay since a time", () => {
  // Shows NO-6.
  it("sends deliveries that were given up, with their original id", async () => {
    const agent = await TestAgent.create(client, { review: { required: true, approvals: 1 } });
    const path = newPath(500);
    const notices = ["session.submitted", "session.needs_review"];
    const { endpoint } = await addEndpoint(agent, path, notices);
    await delayRetries(endpoint.id);
    const since = new Date(Date.now() - 1_000).toISOString();
    await agent.call("POST", "/submit", {});
    await expect.poll(() => arrivedAt(path)).toHaveLength(2);
    const good = newPath();
    await agent.call("PATCH", `/endpoints/${endpoint.id}`, { url: `https://receiver.test${good}` });

    await agent.call("POST", `/endpoints/${endpoint.id}/replay`, { since });

    await expect.poll(() => bodiesAt(good)).toHaveLength(2);
    expect((await idsAt(good)).toSorted()).toEqual((await idsAt(path)).toSorted());
  });
});

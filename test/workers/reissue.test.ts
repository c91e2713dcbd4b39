/** A reissued link: another code for the same handoff, and the old one no longer works. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { TestAgent } from "../support/test-agent";
import { createLinkedSession, person, SCHEMA, typesOf } from "../support/links";
import { client } from "../support/worker";

const DAY_MS = 24 * 3_600_000;

afterEach(() => {
  vi.useRealTimers();
});

describe("a reissued link", () => {
  // Shows D-21.
  it("has another code, and the old one and its cookie no longer work", async () => {
    const { session, code, token, id } = await createLinkedSession();
    const linkHolder = person();
    await linkHolder.open(code);
    const reissued = await client.on(session, "POST", `/handoffs/${id}/reissue`, {
      token,
      body: {},
    });
    expect(reissued.status, reissued.text).toBe(200);
    const next = reissued.body.handoff.code as string;
    expect(next).not.toBe(code);
    expect((await linkHolder.go("GET", `/h/${code}`)).status).toBe(410);
    expect((await person().go("GET", `/h/${code}`)).status).toBe(410);
    expect((await person().open(next)).status).toBe(200);
    expect(await typesOf(session, reissued.body.resumeToken)).toContain("handoff.reissued");
  });

  // Shows D-7, D-21.
  it("does not accept the cookie of its old code, even from someone who knows the new code", async () => {
    const { session, code, token, id } = await createLinkedSession(
      { singleUse: true },
      { schema: SCHEMA, fields: { city: "Oslo" } },
    );
    const former = person();
    const page = await former.open(code);
    expect(page.html).toContain("Oslo");
    const reissued = await client.on(session, "POST", `/handoffs/${id}/reissue`, {
      token,
      body: {},
    });
    const next = reissued.body.handoff.code as string;
    const head = reissued.body.session.head as number;
    const tries = [
      await former.go("GET", `/h/${next}`),
      await former.press(next, page.html, "save", { "f/city": "Rome" }),
      await former.go("GET", `/h/${next}/events`),
    ];
    for (const { status, html } of tries) {
      expect([status < 400, html.includes("Oslo")]).toEqual([false, false]);
    }
    const now = await client.on(session, "GET", "", { token: reissued.body.resumeToken });
    expect(now.body.session).toMatchObject({ head, fields: { city: "Oslo" } });
    const right = await person().open(next);
    expect([right.status, right.html.includes("Oslo")]).toEqual([200, true]);
    expect((await former.go("GET", `/h/${next}`)).html).not.toContain("Oslo");
  });

  // Shows D-21.
  it("is the same when the request is repeated with its key", async () => {
    const { session, token, id } = await createLinkedSession();
    const reissue = () =>
      client.on(session, "POST", `/handoffs/${id}/reissue`, { token, body: {}, key: "again-1" });
    const [first, second] = [await reissue(), await reissue()];
    expect(second.body.handoff.code).toBe(first.body.handoff.code);
    expect((await person().open(first.body.handoff.code)).status).toBe(200);
  });

  // Shows D-2, H-11.
  it("lasts no longer than its maker, whoever reissues it", async () => {
    const now = Date.now() + DAY_MS;
    vi.useFakeTimers({ toFake: ["Date"], now });
    const owner = await TestAgent.create(client);
    const handedOff = await owner.call("POST", "/handoffs", {
      to: "agent",
      scopes: ["handoff", "fill"],
      ttlMs: 60_000,
    });
    const maker = new TestAgent(client, { id: owner.id, token: handedOff.body.participantToken });
    const link = await maker.call("POST", "/handoffs", { to: "human", scopes: ["fill"] });
    const path = `/handoffs/${link.body.handoff.id}/reissue`;
    const repeated = await owner.call("POST", path, { ttlMs: 3_600_000 });
    expect(Date.parse(repeated.body.handoff.expiresAt)).toBe(now + 60_000);
    vi.setSystemTime(now + 60_000);
    const late = await owner.tryCall("POST", path, { ttlMs: 3_600_000 });
    expect([late.status, late.body.code]).toEqual([400, "invalid_request"]);
    expect(late.body.detail).toContain("make a new handoff");
    expect((await person().go("GET", `/h/${repeated.body.handoff.code}`)).status).toBe(410);
  });

  // Shows D-21.
  it("is only for links, and for their makers and owners", async () => {
    const { session, token } = await createLinkedSession();
    const agent = await client.on(session, "POST", "/handoffs", {
      token,
      body: { to: "agent", scopes: ["handoff"] },
    });
    const wrong = await client.on(session, "POST", "/handoffs/hnd_3/reissue", {
      token: agent.body.resumeToken,
      body: {},
    });
    expect(wrong.status).toBe(404);
    const otherParticipant = await client.on(session, "POST", "/handoffs/hnd_2/reissue", {
      token: agent.body.participantToken,
      body: {},
    });
    expect(otherParticipant.status).toBe(403);
  });
});

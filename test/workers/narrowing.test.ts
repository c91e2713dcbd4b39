/** Rights only narrow: the participants that one creates, and its share of common quotas. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { CreatedSession, Client } from "../support/client";
import { callerFrom, publicAddress } from "../support/caller";
import { client } from "../support/worker";

afterEach(() => {
  vi.useRealTimers();
});

/** One participant: every accepted write replaces its token. */
class TestParticipant {
  constructor(
    readonly session: Pick<CreatedSession, "id">,
    public token: string,
    readonly by: Client = client,
  ) {}

  async try(method: string, path: string, body: unknown = {}) {
    const answer = await this.by.on(this.session, method, path, { token: this.token, body });
    if (answer.status < 300) this.token = answer.body.resumeToken;
    return answer;
  }

  read = () => this.by.on(this.session, "GET", "", { token: this.token });

  async handOff(scopes: readonly string[], more = {}): Promise<TestParticipant> {
    const answer = await this.try("POST", "/handoffs", { to: "agent", scopes, ...more });
    expect(answer.status, answer.text).toBe(201);
    return new TestParticipant(this.session, answer.body.participantToken, this.by);
  }
}

async function createOwner(body = {}, by: Client = client): Promise<TestParticipant> {
  const session = await by.create(body);
  return new TestParticipant(session, session.token, by);
}

describe("a participant with an expiry", () => {
  it.each([
    ["agent", {}],
    ["agent", { ttlMs: 60_000 }],
    ["human", {}],
    ["human", { ttlMs: 60_000 }],
    // Shows H-11.
  ])("creates none that expires later, and the response shows it (%s %j)", async (to, more) => {
    // Tomorrow by the object's clock, so that no alarm runs by itself.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 24 * 3_600_000 });
    const owner = await createOwner();
    const short = await owner.handOff(["fill", "handoff"], { ttlMs: 2_000 });
    const listed = (await short.read()).body.session.participants[1].expiresAt;
    const answer = await short.try("POST", "/handoffs", { to, scopes: ["fill"], ...more });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.handoff.expiresAt).toBe(listed);
    const earlier = await short.handOff(["view"], { ttlMs: 1_000 });
    vi.setSystemTime(Date.now() + 1_000);
    expect((await earlier.read()).status).toBe(410);
    if (to === "human") return;
    const created = new TestParticipant(owner.session, answer.body.participantToken);
    expect((await created.read()).status).toBe(200);
    vi.setSystemTime(Date.now() + 1_000);
    expect((await created.read()).status).toBe(410);
    expect((await owner.read()).status).toBe(200);
  });
});

describe("a participant bound to a network", () => {
  // Shows H-12.
  it("creates tokens and links that are bound to it too", async () => {
    const home = callerFrom("198.51.100.7");
    const otherNetwork = callerFrom(publicAddress());
    const owner = await createOwner({}, home);
    const bound = await owner.handOff(["fill", "handoff"], {
      bind: { network: "198.51.100.0/24" },
    });
    const handedOff = await bound.handOff(["view"]);
    expect((await handedOff.read()).status).toBe(200);
    expect(
      (await new TestParticipant(owner.session, handedOff.token, otherNetwork).read()).status,
    ).toBe(403);
    const link = await bound.try("POST", "/handoffs", { to: "human", scopes: ["fill"] });
    expect(link.body.handoff.bound).toEqual(["network"]);
    const otherBinding = { to: "agent", scopes: ["view"], bind: { network: "203.0.113.0/24" } };
    const refused = await bound.try("POST", "/handoffs", otherBinding);
    expect([refused.status, refused.body.code, refused.body.needed]).toEqual([
      403,
      "scope_denied",
      "own",
    ]);
    const single = await bound.handOff(["view"], { bind: { network: "198.51.100.7" } });
    expect((await single.read()).status).toBe(200);
    const next = new TestParticipant(owner.session, single.token, callerFrom("198.51.100.8"));
    expect((await next.read()).status).toBe(403);
  });

  // Shows H-12.
  it("names another network only with own", async () => {
    const home = callerFrom("198.51.100.7");
    const owner = await createOwner({ bind: { network: true } }, home);
    const handedOff = await owner.handOff(["view"], { bind: { network: "203.0.113.0/24" } });
    expect((await handedOff.read()).status).toBe(403);
    const atNetwork = new TestParticipant(
      owner.session,
      handedOff.token,
      callerFrom("203.0.113.9"),
    );
    expect((await atNetwork.read()).status).toBe(200);
    const inherits = await owner.handOff(["view"]);
    const atOther = new TestParticipant(owner.session, inherits.token, callerFrom(publicAddress()));
    expect([(await inherits.read()).status, (await atOther.read()).status]).toEqual([200, 403]);
  });
});

const approve = async (reviewer: TestParticipant) => {
  await reviewer.try("POST", "/resume");
  const { status, body } = await reviewer.try("POST", "/approve");
  return [status, body.code];
};

describe("a participant that fills and hands off", () => {
  const REVIEWED = { review: { required: true, approvals: 2 } };

  // Shows H-2.
  it("creates no reviewer of its own work, and an owner does", async () => {
    const owner = await createOwner(REVIEWED);
    const filler = await owner.handOff(["fill", "handoff"]);
    await filler.try("PATCH", "", { fields: { a: 1 } });
    const refused = await filler.try("POST", "/handoffs", { to: "agent", scopes: ["review"] });
    expect([refused.status, refused.body.code, refused.body.needed]).toEqual([
      403,
      "scope_denied",
      "own",
    ]);
    const link = await filler.try("POST", "/handoffs", { to: "human", scopes: ["review"] });
    expect(link.status).toBe(403);
    const reviewer = await owner.handOff(["review"]);
    await filler.try("POST", "/submit");
    await reviewer.try("POST", "/resume");
    expect((await reviewer.try("POST", "/approve")).status).toBe(200);
  });

  // Shows W-8.
  it("cannot approve through reviewers that it created earlier, nor what another one it created has filled", async () => {
    const owner = await createOwner(REVIEWED);
    const head = await owner.handOff(["fill", "handoff"]);
    const early = await head.handOff(["review"]);
    const through = await (await head.handOff(["handoff"])).handOff(["review"]);
    const filler = await head.handOff(["fill"]);
    await filler.try("PATCH", "", { fields: { a: 1 } });
    await filler.try("POST", "/submit");
    expect(await approve(early)).toEqual([403, "scope_denied"]);
    expect(await approve(through)).toEqual([403, "scope_denied"]);
    expect((await owner.read()).body.session.review.approvedBy).toEqual([]);
    expect((await approve(await owner.handOff(["review"])))[0]).toBe(200);
  });
});

const idsOf = async ({ session, token }: TestParticipant): Promise<readonly string[]> => {
  const { body } = await client.on(session, "GET", "/checkpoints", { token });
  return body.checkpoints.map(({ id }: { id: string }) => id);
};

describe("checkpoints", () => {
  // Shows K-3.
  it("of an owner are not evicted by a participant that only fills", async () => {
    const owner = await createOwner({ policy: { keepCheckpoints: 3 } });
    for (let taken = 0; taken < 3; taken++) await owner.try("POST", "/checkpoints");
    const filler = await owner.handOff(["fill"]);
    for (let taken = 0; taken < 5; taken++) {
      expect((await filler.try("POST", "/checkpoints")).status).toBe(201);
    }
    expect(await idsOf(owner)).toEqual(["chk_1", "chk_2", "chk_3", "chk_8"]);
    await owner.try("POST", "/checkpoints");
    expect(await idsOf(owner)).toEqual(["chk_2", "chk_3", "chk_8", "chk_9"]);
  });

  // Shows K-3.
  it("are pinned by owners only, also at creation", async () => {
    const owner = await createOwner();
    const filler = await owner.handOff(["fill"]);
    const refused = await filler.try("POST", "/checkpoints", { pinned: true });
    expect([refused.status, refused.body.needed]).toEqual([403, "own"]);
    expect(await idsOf(owner)).toEqual([]);
    expect((await filler.try("POST", "/checkpoints", { pinned: false })).status).toBe(201);
    expect((await filler.try("PATCH", "/checkpoints/chk_1", { pinned: true })).status).toBe(403);
    expect((await owner.try("POST", "/checkpoints", { pinned: true })).status).toBe(201);
  });
});

/** Rights only narrow: a new participant never has more than its maker, and owners keep their share. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { callerFrom, publicAddress } from "../support/caller";
import { Client, type Answer } from "../support/client";
import { announceFile, advanceTime } from "../support/gate/fixture";
import { TestAgent } from "../support/test-agent";
import { mcp } from "../support/mcp-worker";
import { person } from "../support/links";
import { client } from "../support/worker";

const MINUTE_MS = 60_000;
const ADDRESS = "198.51.100.7";

afterEach(() => {
  vi.useRealTimers();
});

/** A participant created by `maker`, ready to act. */
async function handOff(
  maker: TestAgent,
  scopes: readonly string[],
  more = {},
  via: Client = client,
) {
  const handedOff = await maker.call("POST", "/handoffs", { to: "agent", scopes, ...more });
  return new TestAgent(via, { id: maker.id, token: handedOff.body.participantToken });
}

const codeOf = ({ status, body }: Answer): readonly unknown[] => [status, body?.code];

describe("a participant with an expiry", () => {
  const ending = { ttlMs: 2 * MINUTE_MS };

  it.each([["fill", "handoff"], ["own"]])(
    "(%s) creates an agent that expires with it",
    async (...scopes) => {
      const owner = await TestAgent.create(client);
      const maker = await handOff(owner, scopes, ending);
      const handedOff = await handOff(maker, ["view"]);
      expect((await handedOff.tryCall("GET", "")).status).toBe(200);
      advanceTime(2 * MINUTE_MS);
      expect(codeOf(await handedOff.tryCall("GET", ""))).toEqual([410, "expired"]);
    },
  );

  it("cannot create one that lasts longer, whatever it requests", async () => {
    const owner = await TestAgent.create(client);
    const maker = await handOff(owner, ["fill", "handoff"], ending);
    const body = { to: "agent", scopes: ["view"], ttlMs: 60 * MINUTE_MS };
    const answer = await maker.tryCall("POST", "/handoffs", body);
    advanceTime(2 * MINUTE_MS);
    if (answer.status >= 400) return;
    const created = new TestAgent(client, { id: owner.id, token: answer.body.participantToken });
    expect(codeOf(await created.tryCall("GET", ""))).toEqual([410, "expired"]);
  });

  it("creates a link that expires with it, opened or not", async () => {
    const owner = await TestAgent.create(client);
    const maker = await handOff(owner, ["fill", "handoff"], ending);
    const link = { to: "human", scopes: ["fill"] };
    const [opened, unopened] = [
      await maker.call("POST", "/handoffs", link),
      await maker.call("POST", "/handoffs", link),
    ].map(({ body }) => body.handoff.code as string);
    const linkHolder = person();
    expect((await linkHolder.open(opened!)).status).toBe(200);
    advanceTime(2 * MINUTE_MS);
    expect((await linkHolder.go("GET", `/h/${opened}`)).status).toBe(410);
    expect((await linkHolder.go("GET", `/h/${unopened}`)).status).toBe(410);
  });

  it("passes its expiry on through all participants below it", async () => {
    const owner = await TestAgent.create(client);
    const maker = await handOff(owner, ["fill", "handoff"], ending);
    const second = await handOff(maker, ["view", "handoff"]);
    const third = await handOff(second, ["view"]);
    advanceTime(2 * MINUTE_MS);
    expect(codeOf(await third.tryCall("GET", ""))).toEqual([410, "expired"]);
  });
});

const fromBoundNetwork = (): Client => callerFrom(ADDRESS);
const fromOtherNetwork = (): Client => callerFrom(publicAddress());

describe("a participant bound to a network", () => {
  const bind = { bind: { network: "198.51.100.0/24" } };

  it.each([["fill", "handoff"], ["own"]])(
    "(%s) creates an agent bound to it too",
    async (...scopes) => {
      const maker = await handOff(await TestAgent.create(client), scopes, bind, fromBoundNetwork());
      const { id, token } = await handOff(maker, ["view"]);
      expect((await fromBoundNetwork().on({ id }, "GET", "", { token })).status).toBe(200);
      expect(codeOf(await fromOtherNetwork().on({ id }, "GET", "", { token }))).toEqual([
        403,
        "token_invalid",
      ]);
    },
  );

  it("cannot name another network without `own`", async () => {
    const maker = await handOff(
      await TestAgent.create(client),
      ["fill", "handoff"],
      bind,
      fromBoundNetwork(),
    );
    const body = { to: "agent", scopes: ["view"], bind: { network: "203.0.113.0/24" } };
    expect(codeOf(await maker.tryCall("POST", "/handoffs", body))).toEqual([403, "scope_denied"]);
  });

  it.each(["198.51.0.0/16", "198.51.100.0/23"])(
    "cannot name a wider network (%s) without `own`, whether that is refused or narrowed",
    async (network) => {
      const maker = await handOff(
        await TestAgent.create(client),
        ["fill", "handoff"],
        bind,
        fromBoundNetwork(),
      );
      const body = { to: "agent", scopes: ["view"], bind: { network } };
      const answer = await maker.tryCall("POST", "/handoffs", body);
      if (answer.status >= 400) return expect(answer.status, answer.text).toBe(403);
      const outside = callerFrom("198.51.101.1");
      const token = answer.body.participantToken as string;
      expect(codeOf(await outside.on(maker, "GET", "", { token }))).toEqual([403, "token_invalid"]);
    },
  );

  it("may name another network with `own`", async () => {
    const maker = await handOff(await TestAgent.create(client), ["own"], bind, fromBoundNetwork());
    const handedOff = await handOff(maker, ["view"], { bind: { network: "203.0.113.0/24" } });
    const fromOther = callerFrom("203.0.113.9");
    expect((await fromOther.on(handedOff, "GET", "", { token: handedOff.token })).status).toBe(200);
  });

  it("creates a link that opens only there", async () => {
    const maker = await handOff(
      await TestAgent.create(client),
      ["fill", "handoff"],
      bind,
      fromBoundNetwork(),
    );
    const link = await maker.call("POST", "/handoffs", { to: "human", scopes: ["fill"] });
    const { code } = link.body.handoff as { code: string };
    expect((await person(publicAddress()).go("GET", `/h/${code}`)).status).toBe(404);
    expect((await person(ADDRESS).open(code)).status).toBe(200);
  });
});

const createReviewed = () => TestAgent.create(client, { review: { required: true, approvals: 2 } });

describe("a participant that filled fields", () => {
  it("cannot create a reviewer without `own`", async () => {
    const filler = await handOff(await createReviewed(), ["fill", "handoff"]);
    await filler.call("PATCH", "", { fields: { a: 1 } });
    for (const to of ["agent", "human"]) {
      const answer = await filler.tryCall("POST", "/handoffs", { to, scopes: ["review"] });
      expect(codeOf(answer), answer.text).toEqual([403, "scope_denied"]);
    }
  });

  it("creates one with `own`, and one that did not fill creates one with `handoff`", async () => {
    const owner = await createReviewed();
    await owner.call("PATCH", "", { fields: { a: 1 } });
    expect((await handOff(owner, ["review"])).token).toMatch(/^rtok_/);
    const giver = await handOff(owner, ["handoff"]);
    expect((await handOff(giver, ["review"])).token).toMatch(/^rtok_/);
  });
});

const namesOf = async (agent: TestAgent): Promise<readonly string[]> =>
  (await agent.call("GET", "/checkpoints")).body.checkpoints.map(
    (one: { name: string }) => one.name,
  );

describe("checkpoints", () => {
  it("of an owner are not evicted by a participant that may only fill", async () => {
    const owner = await TestAgent.create(client, { policy: { keepCheckpoints: 3 } });
    for (const name of ["one", "two", "three"]) await owner.call("POST", "/checkpoints", { name });
    const filler = await handOff(owner, ["fill"]);
    for (let n = 0; n < 5; n++)
      await filler.tryCall("POST", "/checkpoints", { name: `filled ${n}` });
    expect(await namesOf(owner)).toEqual(expect.arrayContaining(["one", "two", "three"]));
    expect((await owner.tryCall("POST", "/checkpoints", { name: "four" })).status).toBe(201);
  });

  it("are pinned by an owner only", async () => {
    const owner = await TestAgent.create(client);
    const filler = await handOff(owner, ["fill"]);
    const answer = await filler.tryCall("POST", "/checkpoints", { pinned: true });
    expect(codeOf(answer), answer.text).toEqual([403, "scope_denied"]);
    await filler.call("POST", "/checkpoints", { name: "plain" });
    const [{ id }] = (await owner.call("GET", "/checkpoints")).body.checkpoints;
    const pinned = await filler.tryCall("PATCH", `/checkpoints/${id}`, { pinned: true });
    expect(codeOf(pinned)).toEqual([403, "scope_denied"]);
    expect((await owner.tryCall("PATCH", `/checkpoints/${id}`, { pinned: true })).status).toBe(200);
  });
});

/** Creates participants until one is refused. */
async function exhaust(
  maker: TestAgent,
  scopes: readonly string[],
  max = 110,
): Promise<TestAgent[]> {
  const created: TestAgent[] = [];
  while (created.length < max) {
    const answer = await maker.tryCall("POST", "/handoffs", { to: "agent", scopes });
    if (answer.status !== 201) return created;
    created.push(new TestAgent(client, { id: maker.id, token: answer.body.participantToken }));
  }
  return created;
}

describe("participants", () => {
  it("are used up to a fifth without `own`, and an owner can still hand off", async () => {
    const owner = await TestAgent.create(client);
    const giver = await handOff(owner, ["view", "handoff"]);
    const created = await exhaust(giver, ["view"]);
    expect(created.length).toBe(20);
    const refused = await giver.tryCall("POST", "/handoffs", { to: "agent", scopes: ["view"] });
    expect(codeOf(refused)).toEqual([413, "too_large"]);
    expect(
      (await owner.tryCall("POST", "/handoffs", { to: "agent", scopes: ["view"] })).status,
    ).toBe(201);
  });

  it("are not used up by many participants that may hand off", async () => {
    const owner = await TestAgent.create(client);
    const giver = await handOff(owner, ["view", "handoff"]);
    for (const one of await exhaust(giver, ["view", "handoff"])) {
      await exhaust(one, ["view", "handoff"], 6);
    }
    const answer = await owner.tryCall("POST", "/handoffs", { to: "agent", scopes: ["own"] });
    expect(answer.status, answer.text).toBe(201);
  });
});

describe("a file field", () => {
  const schema = {
    type: "object",
    properties: { scan: { type: "object", format: "file" }, other: { type: "string" } },
  };
  const forged = {
    id: "upl_2",
    name: "contract.pdf",
    type: "application/pdf",
    size: 5,
    sha256: "0".repeat(64),
  };

  async function uploaded(): Promise<TestAgent> {
    const agent = await TestAgent.create(client, { schema });
    await announceFile(agent, 1, "first");
    await agent.call("POST", "/uploads/upl_1/confirm", {});
    const announced = { name: "b.txt", type: "text/plain", size: 6 };
    await agent.call("POST", "/uploads", announced);
    return agent;
  }

  it("is not set by PATCH, over HTTP or MCP", async () => {
    const agent = await uploaded();
    const before = (await agent.session()).fields.scan;
    for (const value of [forged, { ...before, name: "contract.pdf" }]) {
      const answer = await agent.tryCall("PATCH", "", { fields: { scan: value, other: "x" } });
      expect([400, 422], answer.text).toContain(answer.status);
    }
    const fields = { scan: forged };
    const called = await mcp.call("set_fields", { resume_token: agent.token, fields });
    expect(called.isError).toBe(true);
    expect((await agent.session()).fields).toEqual({ scan: before });
  });

  it("is not set at creation either", async () => {
    const created = await client.call("POST", "/sessions", {
      body: { schema, fields: { scan: forged } },
    });
    expect([400, 422], created.text).toContain(created.status);
  });
});

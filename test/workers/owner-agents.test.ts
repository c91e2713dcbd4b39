import { describe, expect, it } from "vitest";
import { callerFrom, sendFrom } from "../support/caller";
import { randomKey, type Answer, type Client } from "../support/client";
import { greetArcp } from "../support/greet-arcp";
import { agentName, Jobs } from "../support/jobs";
import { keyEntry, newKey, ownersText, sha256Hex } from "../support/owners";
import { bindIn } from "../support/worker";

const NOTHING_TO_DO = 204;

/** Two owners that each have an agent of the same name, and one agent of the deployment. */
function twoOwners() {
  const agent = agentName();
  const shared = agentName();
  const names = { ada: `ada-${agent}`, bob: `bob-${agent}` };
  const keys = { ada: newKey(), bob: newKey() };
  const agentKeys = { ada: randomKey(), bob: randomKey(), shared: randomKey() };
  const AGENTS = JSON.stringify([
    { name: agent, owner: names.ada, keyHash: sha256Hex(agentKeys.ada), versions: ["1"] },
    { name: agent, owner: names.bob, keyHash: sha256Hex(agentKeys.bob) },
    { name: shared, keyHash: sha256Hex(agentKeys.shared) },
  ]);
  const OWNERS = ownersText({ [names.ada]: [keys.ada], [names.bob]: [keys.bob] });
  const settings = { OWNERS, AGENTS };
  const client = (key?: string): Client =>
    callerFrom(null, settings, key === undefined ? {} : { "Baton-Key": key });
  /** The session reads the setting of agents itself. */
  const submit = async (key: string, to: string): Promise<Answer> => {
    const session = await client(key).create();
    await bindIn(session, settings);
    return new Jobs(client(key)).submit(session, { agent: to, input: { by: key.slice(-4) } });
  };
  const claim = (bearer: string | null, of = agent): Promise<Answer> =>
    client().call("POST", `/agents/${of}/claim`, {
      body: {},
      ...(bearer === null ? {} : { token: bearer }),
    });
  return { agent, shared, names, keys, agentKeys, settings, client, submit, claim };
}

describe("agents of owners", () => {
  // Shows OW-12.
  it("get the jobs of their own owner's sessions, and no others", async () => {
    const { agent, keys, agentKeys, submit, claim } = twoOwners();
    const job = await submit(keys.ada, agent);
    expect(job.status, job.text).toBe(201);
    expect((await claim(agentKeys.bob)).status).toBe(NOTHING_TO_DO);
    expect((await claim(keys.bob)).status).toBe(NOTHING_TO_DO);
    const claimed = await claim(agentKeys.ada);
    expect([claimed.status, claimed.body?.job.id]).toEqual([200, job.body.job.id]);
    await submit(keys.bob, agent);
    expect((await claim(agentKeys.ada)).status).toBe(NOTHING_TO_DO);
    expect((await claim(keys.ada)).status).toBe(NOTHING_TO_DO);
    expect((await claim(keys.bob)).status).toBe(200);
  });

  // Shows OW-12.
  it("can be claimed for only with a key of their owner that has the right", async () => {
    const { agent, names, claim, settings } = twoOwners();
    expect((await claim(null)).status).toBe(401);
    expect((await claim(newKey())).status).toBe(403);
    expect((await claim(randomKey())).status).toBe(403);
    const key = newKey();
    const OWNERS = JSON.stringify([
      { name: names.ada, keys: [keyEntry(key, { rights: ["read"] })] },
    ]);
    const reader = callerFrom(null, { ...settings, OWNERS }, { "Baton-Key": key });
    const denied = await reader.call("POST", `/agents/${agent}/claim`, { body: {} });
    expect([denied.status, denied.body.needed]).toEqual([403, "open"]);
  });

  // Shows OW-12.
  it("do not exist for sessions and keys of another owner", async () => {
    const { names, keys, settings } = twoOwners();
    const only = agentName();
    const AGENTS = JSON.stringify([{ name: only, owner: names.ada }]);
    const bob = callerFrom(null, { ...settings, AGENTS }, { "Baton-Key": keys.bob });
    const foreign = await bob.call("POST", `/agents/${only}/claim`, { body: {} });
    const unknown = await bob.call("POST", `/agents/${agentName()}/claim`, { body: {} });
    expect(foreign.status).toBe(404);
    expect(foreign.body).toEqual(unknown.body);
    const session = await bob.create();
    await bindIn(session, { AGENTS });
    const submitted = await new Jobs(bob).submit(session, { agent: only, input: 1 });
    expect([submitted.status, submitted.body.code]).toEqual([404, "not_found"]);
  });

  // Shows OW-12.
  it("without an owner serve every owner without an agent of that name, each by its own key", async () => {
    const { shared, keys, agentKeys, submit, claim } = twoOwners();
    const job = await submit(keys.ada, shared);
    expect((await claim(keys.bob, shared)).status).toBe(NOTHING_TO_DO);
    const claimed = await claim(agentKeys.shared, shared);
    expect([claimed.status, claimed.body?.job.id]).toEqual([200, job.body.job.id]);
    const second = await submit(keys.bob, shared);
    const own = await claim(keys.bob, shared);
    expect(own.body.job.id).toBe(second.body.job.id);
  });

  // Shows OW-12.
  it("without a key of their own give a caller without a key no access to an owner's jobs", async () => {
    const { keys, settings } = twoOwners();
    const open = agentName();
    const AGENTS = JSON.stringify([{ name: "*" }]);
    const ada = callerFrom(null, { ...settings, AGENTS }, { "Baton-Key": keys.ada });
    const session = await ada.create();
    const job = await new Jobs(ada).submit(session, { agent: open, input: 1 });
    expect(job.status, job.text).toBe(201);
    const path = `/agents/${open}/claim`;
    const anonymous = callerFrom(null, { ...settings, AGENTS });
    expect((await anonymous.call("POST", path, { body: {} })).status).toBe(NOTHING_TO_DO);
    expect((await ada.call("POST", path, { body: {} })).body.job.id).toBe(job.body.job.id);
  });

  // Shows OW-12.
  it("without a key serve all sessions of local on its own machine, and none on other deployments", async () => {
    const key = newKey();
    const open = agentName();
    const settings = { OWNERS: ownersText({ local: [key] }), AGENTS: '[{"name":"*"}]' };
    const keyed = callerFrom(null, settings, { "Baton-Key": key });
    const claim = (more: object = {}): Promise<Answer> =>
      callerFrom(null, { ...settings, ...more }).call("POST", `/agents/${open}/claim`, {
        body: {},
      });
    for (const client of [keyed, callerFrom(null, settings)]) {
      const session = await client.create();
      const job = await new Jobs(client).submit(session, { agent: open, input: 1 });
      expect(job.status, job.text).toBe(201);
      expect((await claim({ PUBLIC_URL: "https://baton.example" })).status).toBe(NOTHING_TO_DO);
      expect((await claim()).body.job.id).toBe(job.body.job.id);
    }
  });
});

describe("a list of agents that cannot be read", () => {
  const wrong = ["not JSON", '{"name": "secret"}', '[{"nmae": "secret"}]', [{ name: "" }]];

  // Shows OW-12.
  it.each(wrong)(
    "(%j) is 501 for submitting and claiming jobs, and names the setting",
    async (AGENTS) => {
      const client = callerFrom(null, { AGENTS });
      const session = await client.create();
      await bindIn(session, { AGENTS });
      const answers = [
        await client.call("POST", "/agents/secret/claim", { body: {} }),
        await client.call("POST", "/agents/secret/claim", { body: {}, token: newKey() }),
        await new Jobs(client).submit(session, { agent: "secret", input: 1 }),
      ];
      for (const { status, body, text } of answers) {
        expect([status, body.code, body.setting], text).toEqual([501, "not_configured", "AGENTS"]);
        expect(JSON.stringify({ ...body, current: null })).not.toContain("secret");
      }
      const { token } = session;
      expect((await client.on(session, "GET", "", { token })).status).toBe(200);
      expect((await client.on(session, "GET", "/jobs", { token })).status).toBe(200);
      const greeted = await greetArcp(sendFrom({}, { AGENTS }), {
        auth: { scheme: "bearer", token: "anything" },
      });
      expect(greeted.type).toBe("session.error");
      expect(JSON.stringify(greeted.payload)).toContain("AGENTS");
    },
  );
});

const hello = (settings: object, token: string, more: object = {}) =>
  greetArcp(sendFrom({}, settings), { auth: { scheme: "bearer", token }, ...more });

describe("ARCP with a key as bearer", () => {
  // Shows OW-13.
  it("is bound to the owner's name: another key of the owner resumes, another owner's does not", async () => {
    const { names, keys, settings } = twoOwners();
    const later = newKey();
    const OWNERS = ownersText({ [names.ada]: [keys.ada, later], [names.bob]: [keys.bob] });
    const created = await hello({ ...settings, OWNERS }, keys.ada);
    expect(created.type).toBe("session.welcome");
    const { session_id, resume_token } = created.payload;
    const resume = { resume: { session_id, resume_token, last_event_seq: 0 } };
    const foreign = await hello({ ...settings, OWNERS }, keys.bob, resume);
    expect([foreign.type, foreign.payload.code]).toEqual(["session.error", "UNAUTHENTICATED"]);
    const rotated = ownersText({ [names.ada]: [later], [names.bob]: [keys.bob] });
    const removed = await hello({ ...settings, OWNERS: rotated }, keys.ada, resume);
    expect(removed.type).toBe("session.error");
    const resumed = await hello({ ...settings, OWNERS: rotated }, later, resume);
    expect([resumed.type, resumed.payload.session_id]).toEqual(["session.welcome", session_id]);
  });

  // Shows OW-13.
  it("lists the agents that its owner can submit jobs to", async () => {
    const { agent, shared, keys, settings } = twoOwners();
    const welcome = await hello(settings, keys.ada);
    expect(welcome.payload.capabilities.agents).toEqual([
      { name: agent, versions: ["1"] },
      { name: shared, versions: [] },
    ]);
  });

  // Shows OW-13.
  it("is subject to the owner's quotas", async () => {
    const { names, keys, settings } = twoOwners();
    const quotas = { createsPerMinute: 1 };
    const OWNERS = JSON.stringify([{ name: names.ada, keys: [keyEntry(keys.ada)], quotas }]);
    expect((await hello({ ...settings, OWNERS }, keys.ada)).type).toBe("session.welcome");
    expect((await hello({ ...settings, OWNERS }, keys.ada)).type).toBe("session.error");
  });
});

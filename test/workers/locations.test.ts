/** Where data is stored, asserted at the calls of the platform, because the test runtime has no jurisdictions. */
import { createHash } from "node:crypto";
import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { Env } from "../../src/env";
import { greetArcp } from "../support/greet-arcp";
import { callerFrom, sendFrom } from "../support/caller";
import { randomKey, type Client } from "../support/client";
import { keyEntry, newKey } from "../support/owners";
import { recordedLocations, createRecorder, type Recorder } from "../support/recording";
import { bindIn } from "../support/worker";

interface Deployment extends Recorder {
  readonly client: Client;
  readonly key: string;
  readonly settings: Partial<Env>;
}

function deployment(entry: object = {}, changes: Partial<Env> = {}): Deployment {
  const recorder = createRecorder();
  const key = newKey();
  const name = `owner-${crypto.randomUUID()}`;
  const settings = {
    SESSION: recorder.namespace,
    FILES_JURISDICTION: "eu",
    OWNERS: JSON.stringify([{ name, keys: [keyEntry(key)], ...entry }]),
    ...changes,
  };
  return { ...recorder, key, settings, client: callerFrom(null, settings, { "Baton-Key": key }) };
}

const EU = { jurisdiction: "eu", locationHint: "weur" } as const;

/** Ids are also created to detect jurisdictions; the last one is the session's. */
const lastId = ({ ids }: Deployment): string | undefined => ids.at(-1);

const hexOf = ({ id }: { readonly id: string }): string =>
  Buffer.from(id.slice(id.indexOf("_") + 1), "base64url").toString("hex");

describe("a session that requests a location", () => {
  it.each([
    ["by its own request", {}, EU],
    ["by its owner's entry", EU, {}],
    [
      "by its own request rather than by its owner's entry",
      { jurisdiction: "us", locationHint: "enam" },
      EU,
    ],
    // Shows C-12.
  ])("is created there, %s, and shows it", async (_, entry, body) => {
    const deployed = deployment(entry);
    for (const [key, how] of [
      [null, "unique"],
      [randomKey(), "named"],
    ] as const) {
      const options = { body, ...(key === null ? {} : { headers: { "Idempotency-Key": key } }) };
      const created = await deployed.client.call("POST", "/sessions", options);
      expect(created.status, created.text).toBe(201);
      expect(created.body.session).toMatchObject(EU);
      expect(lastId(deployed)).toBe(`eu ${how}`);
      expect(deployed.hints.get(hexOf(created.body.session))).toBe("weur");
      if (key === null) continue;
      const repeated = await deployed.client.call("POST", "/sessions", options);
      expect(repeated.body.session.id).toBe(created.body.session.id);
    }
  });

  // Shows C-12.
  it("is created there by its template, whose jurisdiction no later version changes", async () => {
    const deployed = deployment();
    const put = (body: object) => deployed.client.call("PUT", "/templates/claim", { body });
    expect((await put({ ...EU, title: "Claim" })).status).toBe(201);
    expect((await put({ jurisdiction: "us" })).status).toBe(400);
    expect((await put({ ...EU, title: "A claim" })).status).toBe(200);
    const request = { body: { template: "claim" }, headers: { "Idempotency-Key": randomKey() } };
    const created = await deployed.client.call("POST", "/sessions", request);
    expect(created.body.session).toMatchObject({ ...EU, title: "A claim" });
    expect(lastId(deployed)).toBe("eu named");
    await deployed.client.call("DELETE", "/templates/claim");
    const repeated = await deployed.client.call("POST", "/sessions", request);
    expect(repeated.body.session?.id, repeated.text).toBe(created.body.session.id);
  });

  // Shows C-12.
  it("is found by its name only in the jurisdiction of its owner", async () => {
    const deployed = deployment({ jurisdiction: "eu" });
    const open = { externalId: "claim-1", create: { locationHint: "weur" } };
    const created = await deployed.client.call("POST", "/sessions/open", { body: open });
    expect(created.status, created.text).toBe(201);
    const opened = await deployed.client.call("POST", "/sessions/open", { body: open });
    expect(opened.body.session.id).toBe(created.body.session.id);
    const named = deployed.ids.filter((id) => id.endsWith("named"));
    expect(new Set(named)).toEqual(new Set(["eu named"]));
    const duplicate = await deployed.client.call("POST", "/sessions", {
      body: { externalId: "claim-1" },
    });
    expect(duplicate.body.code).toBe("external_id_taken");
    const unlocated = deployment();
    const refused = await unlocated.client.call("POST", "/sessions", {
      body: { externalId: "claim-1", jurisdiction: "eu" },
    });
    expect(refused).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  });

  // Shows C-12.
  it("is created over ARCP in the location of its owner's entry", async () => {
    const deployed = deployment(EU);
    const auth = { scheme: "bearer", token: deployed.key };
    const { type } = await greetArcp(sendFrom({}, deployed.settings), { auth });
    expect(type).toBe("session.welcome");
    expect(lastId(deployed)).toBe("eu unique");
    expect([...deployed.hints.values()]).toContain("weur");
  });

  // Shows C-12.
  it("has its children in the same location", async () => {
    const deployed = deployment();
    const { body } = await deployed.client.call("POST", "/sessions", { body: EU });
    const inObject = createRecorder();
    await bindIn(body.session, { SESSION: inObject.namespace });
    const path = `/sessions/${body.session.id}/fork`;
    const headers = { Authorization: `Bearer ${body.resumeToken}` };
    const forked = await deployed.client.call("POST", path, { headers, body: { reason: "more" } });
    expect(forked.status, forked.text).toBe(201);
    expect(forked.body.child).toMatchObject(EU);
    expect(lastId(deployed)).toBe("eu unique");
    expect(inObject.hints.get(hexOf(forked.body.child))).toBe("weur");
  });

  // Shows C-13.
  it("cannot have children if the server no longer has the jurisdiction", async () => {
    const { client } = deployment();
    const { body } = await client.call("POST", "/sessions", { body: EU });
    const later = deployment({}, { FILES_JURISDICTION: "us" });
    const forked = await later.client.call("POST", `/sessions/${body.session.id}/fork`, {
      headers: { Authorization: `Bearer ${body.resumeToken}` },
      body: { reason: "more" },
    });
    expect(forked).toMatchObject({ status: 501, body: { code: "not_configured" } });
  });
});

/** Records the objects that serve an owner. */
function serving() {
  const { OWNER_DIRECTORY, AGENT_QUEUE, NOTICE_ENDPOINT } = env as unknown as Env;
  const [directory, queue, endpoint] = [OWNER_DIRECTORY, AGENT_QUEUE, NOTICE_ENDPOINT].map((one) =>
    createRecorder(one),
  ) as [Recorder, Recorder, Recorder];
  const bindings = {
    OWNER_DIRECTORY: directory.namespace,
    AGENT_QUEUE: queue.namespace,
    NOTICE_ENDPOINT: endpoint.namespace,
  };
  return { directory, queue, endpoint, bindings };
}

describe("an owner", () => {
  // Shows C-14.
  it.each([
    [EU, "eu", "eu"],
    [{}, "anywhere", "eu"],
    [{ jurisdiction: "us" }, "anywhere", "eu"],
    // Shows C-14.
  ] as const)(
    "has its directory, its queues and its endpoints in its jurisdiction",
    async (entry, owner, all) => {
      const { directory, queue, endpoint, bindings } = serving();
      const agentKey = `agent-${randomKey()}`;
      const keyHash = createHash("sha256").update(agentKey).digest("hex");
      const { client, settings } = deployment(entry, bindings);
      const [{ name }] = JSON.parse(settings.OWNERS ?? "[]");
      const AGENTS = JSON.stringify([{ name: "coder", keyHash, owner: name }]);
      const worker = callerFrom(
        null,
        { ...settings, AGENTS },
        { Authorization: `Bearer ${agentKey}` },
      );
      expect((await client.call("GET", "/sessions")).status).toBe(200);
      expect((await client.call("PUT", "/templates/x", { body: { title: "x" } })).status).toBe(201);
      const registered = await client.call("POST", "/endpoints", {
        body: { url: "https://receiver.test/204/x", notices: ["session.submitted"] },
      });
      expect(registered.status, registered.text).toBe(201);
      const claimed = await worker.call("POST", "/agents/coder/claim", { body: {} });
      expect(claimed.status, claimed.text).toBe(204);
      expect(recordedLocations(directory)).toEqual([`${owner} named`]);
      expect(recordedLocations(queue)).toEqual([`${owner} named`]);
      expect(recordedLocations(endpoint)).toEqual([`${all} unique`]);
    },
  );

  // Shows C-14.
  it("notifies its directory there, also after the entry was removed", async () => {
    const deployed = deployment(EU, serving().bindings);
    const { body } = await deployed.client.call("POST", "/sessions", { body: {} });
    const directoriesUsed = async (settings: Partial<Env>): Promise<readonly string[]> => {
      const { directory, queue, bindings } = serving();
      await bindIn(body.session, { FILES_JURISDICTION: "eu", ...settings, ...bindings });
      const path = `/sessions/${body.session.id}`;
      const headers = { Authorization: `Bearer ${body.resumeToken}` };
      const titled = await deployed.client.call("PATCH", path, {
        headers,
        body: { title: randomKey() },
      });
      expect(titled.status, titled.text).toBe(200);
      body.resumeToken = titled.body.resumeToken;
      const job = { agent: "coder", input: {} };
      await deployed.client.call("POST", `${path}/jobs`, {
        headers: { Authorization: `Bearer ${body.resumeToken}` },
        body: job,
      });
      await expect.poll(() => directory.ids.length).toBeGreaterThan(0);
      return [...recordedLocations(directory), ...recordedLocations(queue)];
    };
    const { OWNERS } = deployed.settings;
    expect(await directoriesUsed(OWNERS === undefined ? {} : { OWNERS })).toEqual([
      "eu named",
      "eu named",
    ]);
    expect(await directoriesUsed({ OWNERS: "[]" })).toEqual(["eu named", "eu named"]);
  });

  it("is served if the runtime has no jurisdictions, whatever its entry states", async () => {
    const { OWNER_DIRECTORY, NOTICE_ENDPOINT, SESSION } = env as unknown as Env;
    const { client } = deployment(EU, { OWNER_DIRECTORY, NOTICE_ENDPOINT, SESSION });
    expect((await client.call("GET", "/sessions")).status).toBe(200);
    const registered = await client.call("POST", "/endpoints", {
      body: { url: "https://receiver.test/204/x", notices: ["session.submitted"] },
    });
    expect(registered.status, registered.text).toBe(201);
  });
});

describe("an unavailable location", () => {
  const { SESSION } = env as unknown as Env;
  it.each([
    ["an unknown jurisdiction", {}, {}, { jurisdiction: "moon" }, 400, "jurisdiction"],
    [
      "files in another jurisdiction",
      {},
      { FILES_JURISDICTION: "us" },
      EU,
      501,
      "FILES_JURISDICTION",
    ],
    ["files in no jurisdiction", {}, { FILES_JURISDICTION: "" }, EU, 501, "FILES_JURISDICTION"],
    ["a runtime without jurisdictions", {}, { SESSION }, EU, 400, "jurisdiction"],
    ["a server of one's own", {}, { RUNTIME: "self-hosted" }, EU, 400, "jurisdiction"],
    ["a hint to it", {}, { RUNTIME: "self-hosted" }, { locationHint: "weur" }, 400, "locationHint"],
    ["an entry of an owner of it", EU, { RUNTIME: "self-hosted" }, {}, 501, "OWNERS"],
    // Shows C-13.
  ] as const)("is refused: %s", async (_, entry, changes, body, status, names) => {
    const { client, hints } = deployment(entry, changes);
    const refused = await client.call("POST", "/sessions", { body });
    expect(refused.status, refused.text).toBe(status);
    expect(refused.text).toContain(names);
    expect(hints.size).toBe(0);
  });

  // Shows C-12.
  it("is never used for a session that requests none", async () => {
    const deployed = deployment();
    const { body } = await deployed.client.call("POST", "/sessions", { body: {} });
    expect(deployed.ids).toEqual(["anywhere unique"]);
    expect(body.session).not.toHaveProperty("jurisdiction");
    expect(body.session).not.toHaveProperty("locationHint");
  });
});

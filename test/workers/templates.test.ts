/** Templates of owners, over HTTP. */
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import { callerFrom } from "../support/caller";
import { randomKey, type Answer } from "../support/client";
import { createOwner, type TestOwner } from "../support/test-owner";
import { keyEntry, newKey } from "../support/owners";

const SCHEMA = { type: "object", properties: { a: { type: "number" } }, required: ["a"] };
const LATER = { type: "object", properties: { b: { type: "string" } } };

const put = (owner: TestOwner, name: string, body: object): Promise<Answer> =>
  owner.call("PUT", `/templates/${name}`, { body });
const get = (owner: TestOwner, ref: string): Promise<Answer> =>
  owner.call("GET", `/templates/${ref}`);
const createSession = (owner: TestOwner, body: object, options = {}): Promise<Answer> =>
  owner.call("POST", "/sessions", { body, ...options });
const schemaOf = (bytes: number) => ({
  $comment: "x".repeat(bytes - '{"$comment":""}'.length),
});
const day = 24 * 3_600_000;

describe("a template", () => {
  // Shows OW-14.
  it("is stored in numbered versions, shown and listed", async () => {
    const owner = createOwner();
    expect((await get(owner, "claim")).status).toBe(404);
    const first = await put(owner, "claim", { title: "Claim", schema: SCHEMA });
    expect([first.status, first.body.template.version], first.text).toEqual([201, 1]);
    expect(first.body.template).toMatchObject({
      name: "claim",
      definition: { title: "Claim", schema: SCHEMA },
      createdBy: expect.stringMatching(/^key-/),
    });
    const same = await put(owner, "claim", { schema: SCHEMA, title: "Claim" });
    expect([same.status, same.body.template.version]).toEqual([200, 1]);
    const second = await put(owner, "claim", { schema: LATER });
    expect([second.status, second.body.template.version]).toEqual([200, 2]);
    await put(owner, "another", {});
    const { body } = await owner.call("GET", "/templates");
    expect(body.templates).toMatchObject([
      { name: "another", version: 1 },
      { name: "claim", version: 2 },
    ]);
    expect((await get(owner, "claim")).body.template.definition).toEqual({ schema: LATER });
    expect((await get(owner, "claim@1")).body.template.definition.title).toBe("Claim");
    expect((await get(owner, "claim@3")).status).toBe(404);
  });

  // Shows OW-14.
  it("has a name of 1 to 64 characters", async () => {
    const owner = createOwner();
    const longestName = "x".repeat(64);
    expect((await put(owner, longestName, {})).status).toBe(201);
    expect((await put(owner, `${longestName}x`, {})).status).toBe(400);
    expect((await put(owner, "a@1", {})).status).toBe(400);
    expect((await put(owner, ".a", {})).status).toBe(400);
    const version = "9".repeat(LIMITS.templateRefLength - 65);
    const unknown = await createSession(owner, { template: `${longestName}@${version}` });
    expect(unknown.status).toBe(404);
    expect((await createSession(owner, { template: `${longestName}@${version}9` })).status).toBe(
      400,
    );
  });

  // Shows OW-14.
  it("a definition is bounded, and refused if a create would be", async () => {
    const owner = createOwner();
    for (const [body, status] of [
      [{ fields: {} }, 400],
      [{ schema: { type: "nothing" } }, 400],
      [{ ttlMs: 1 }, 400],
      [{ links: { colour: "red" } }, 400],
      [{ review: { approvals: 0 } }, 400],
    ] as const) {
      const answer = await put(owner, "t", body);
      expect(answer.status, answer.text).toBe(status);
    }
    const largest = await put(owner, "t", { schema: schemaOf(LIMITS.schemaBytes) });
    expect(largest.status, largest.text).toBe(201);
    const overLimit = await put(owner, "t", { schema: schemaOf(LIMITS.schemaBytes + 1) });
    expect([overLimit.status, overLimit.body.limit]).toEqual([413, LIMITS.schemaBytes]);
    expect((await get(owner, "t")).body.template.version).toBe(1);
  });

  // Shows OW-14.
  it("the number of templates and of their versions is bounded", async () => {
    const owner = createOwner();
    for (let n = 1; n <= LIMITS.templateVersions + 1; n += 1) {
      await put(owner, "many", { title: `T${n}` });
    }
    expect((await get(owner, "many@1")).status).toBe(404);
    expect((await get(owner, "many@2")).body.template.definition.title).toBe("T2");
    for (let n = 2; n <= LIMITS.templates; n += 1) {
      expect((await put(owner, `t${n}`, {})).status).toBe(201);
    }
    const overLimit = await put(owner, "over", {});
    expect([overLimit.status, overLimit.body.limit]).toEqual([413, LIMITS.templates]);
    expect((await put(owner, "t2", { title: "next" })).status).toBe(200);
    expect((await owner.call("GET", "/templates")).body.templates).toHaveLength(LIMITS.templates);
  });

  // Shows OW-14.
  it("is visible to its owner only, and needs the right", async () => {
    const owner = createOwner();
    const other = createOwner();
    await put(owner, "mine", { title: "Secret" });
    expect((await get(other, "mine")).body).toEqual((await get(other, "none")).body);
    expect((await createSession(other, { template: "mine" })).status).toBe(404);
    expect((await other.call("DELETE", "/templates/mine")).status).toBe(404);
    expect((await other.call("GET", "/templates")).body.templates).toEqual([]);
    const key = newKey();
    const rights = ["create", "read"];
    const OWNERS = JSON.stringify([{ name: owner.name, keys: [keyEntry(key, { rights })] }]);
    const reader = callerFrom(null, { OWNERS }, { "Baton-Key": key });
    expect((await reader.call("GET", "/templates/mine")).status).toBe(200);
    for (const method of ["PUT", "DELETE"]) {
      const sent = method === "PUT" ? { body: {} } : {};
      const answer = await reader.call(method, "/templates/mine", sent);
      expect([answer.status, answer.body.needed]).toEqual([403, "manage"]);
    }
    expect((await reader.create({ template: "mine" })).answer.body.session.title).toBe("Secret");
    const stranger = callerFrom(null, owner.settings);
    for (const [method, path] of [
      ["GET", "/templates"],
      ["GET", "/templates/mine"],
      ["DELETE", "/templates/mine"],
    ] as const) {
      const answer = await stranger.call(method, path);
      expect(answer.status).toBe(401);
      expect(answer.headers.get("Access-Control-Allow-Origin")).toBeNull();
    }
  });
});

describe("a session that is created from a template", () => {
  // Shows OW-15.
  it("takes its values, and keeps them when a new version comes", async () => {
    const owner = createOwner();
    await put(owner, "claim", {
      title: "Claim",
      schema: SCHEMA,
      review: { required: true, approvals: 2 },
      ttlMs: 3 * day,
      policy: { maxAttempts: 7 },
      labels: { kind: "claim" },
      nextStep: { description: "Ask for the amount." },
    });
    const { body } = await createSession(owner, { template: "claim" });
    expect(body.session).toMatchObject({
      title: "Claim",
      schema: SCHEMA,
      review: { required: true, approvals: 2 },
      labels: { kind: "claim" },
      template: { name: "claim", version: 1 },
      nextStep: { description: "Ask for the amount." },
    });
    const life = Date.parse(body.session.expiresAt) - Date.parse(body.session.createdAt);
    expect(life).toBe(3 * day);
    await put(owner, "claim", { schema: LATER });
    const session = { id: body.session.id };
    const wrong = await owner.client.on(session, "PATCH", "", {
      token: body.resumeToken,
      body: { fields: { a: "text" } },
    });
    expect(wrong.status).toBe(422);
    const right = await owner.client.on(session, "PATCH", "", {
      token: body.resumeToken,
      body: { fields: { a: 1 } },
    });
    expect(right.body.session).toMatchObject({
      schema: SCHEMA,
      template: { name: "claim", version: 1 },
    });
    const fork = await owner.client.on(session, "POST", "/fork", {
      token: right.body.resumeToken,
      body: { reason: "branch" },
    });
    expect(fork.body.child.template).toEqual({ name: "claim", version: 1 });
    const later = await createSession(owner, { template: "claim" });
    expect(later.body.session).toMatchObject({
      schema: LATER,
      template: { name: "claim", version: 2 },
    });
  });

  // Shows OW-15.
  it("prefers the values of the request, label by label", async () => {
    const owner = createOwner();
    const labels = { kind: "claim", team: "red" };
    await put(owner, "t", { title: "T", schema: SCHEMA, labels, idleTtlMs: 5 * day });
    const { body } = await createSession(owner, {
      template: "t",
      title: null,
      schema: null,
      labels: { team: "blue", n: "1" },
      ttlMs: day,
    });
    expect(body.session.title).toBeNull();
    expect(body.session.schema).toBeNull();
    expect(body.session.labels).toEqual({ kind: "claim", team: "blue", n: "1" });
    expect(body.session).not.toHaveProperty("idleTtlMs");
    const fifteen = Object.fromEntries(
      Array.from({ length: LIMITS.labels - 1 }, (_, n) => [`n${n}`, "v"]),
    );
    const many = await createSession(owner, { template: "t", labels: fifteen });
    expect([many.status, many.body.at]).toEqual([400, "labels"]);
  });

  // Shows OW-15.
  it("can be created by an open, and from the named version", async () => {
    const owner = createOwner();
    await put(owner, "t", { title: "One" });
    await put(owner, "t", { title: "Two" });
    const { body } = await owner.call("POST", "/sessions/open", {
      body: { externalId: "x", create: { template: "t@1" } },
    });
    expect(body.session).toMatchObject({ title: "One", template: { name: "t", version: 1 } });
    const none = await owner.call("POST", "/sessions/open", {
      body: { externalId: "y", create: { template: "t@9" } },
    });
    expect(none.status).toBe(404);
    const keyless = await callerFrom(null).call("POST", "/sessions", { body: { template: "t" } });
    expect([keyless.status, keyless.body.code]).toEqual([401, "credential_missing"]);
  });

  // Shows OW-15.
  it("uses the template's texts for links, unless the handoff has its own", async () => {
    const owner = createOwner();
    await put(owner, "t", { links: { question: "How much?", submitLabel: "Send", note: "N" } });
    const { body } = await createSession(owner, { template: "t" });
    expect(body.session.template).toEqual({ name: "t", version: 1 });
    const participant = (token: string, more: object) =>
      owner.client.on({ id: body.session.id }, "POST", "/handoffs", {
        token,
        body: { to: "human", scopes: ["fill"], ...more },
      });
    const first = await participant(body.resumeToken, {});
    expect(first.body.handoff, first.text).toMatchObject({
      question: "How much?",
      submitLabel: "Send",
      note: "N",
    });
    const own = await participant(first.body.resumeToken, { question: "When?" });
    expect(own.body.handoff).toMatchObject({ question: "When?", submitLabel: "Send" });
    const agent = await participant(own.body.resumeToken, { to: "agent" });
    expect(agent.body.handoff).not.toHaveProperty("question");
  });

  // Shows OW-16.
  it("cannot be created from a deleted template, which can be stored again", async () => {
    const owner = createOwner();
    await put(owner, "t", { title: "T" });
    const key = randomKey();
    const created = await createSession(owner, { template: "t" }, { key });
    const retired = await owner.call("DELETE", "/templates/t");
    expect(retired.status).toBe(200);
    expect(retired.body.template).toMatchObject({ name: "t", retiredAt: expect.any(String) });
    expect((await owner.call("DELETE", "/templates/t")).body).toEqual(retired.body);
    expect((await owner.call("GET", "/templates")).body.templates).toEqual([]);
    for (const template of ["t", "t@1"]) {
      const refused = await createSession(owner, { template });
      expect([refused.status, refused.body.code]).toEqual([410, "gone"]);
      expect(refused.body.title).toContain("template");
    }
    const repeated = await createSession(owner, { template: "t" }, { key });
    expect([repeated.status, repeated.body.session.id]).toEqual([201, created.body.session.id]);
    const other = await createSession(owner, { template: "t" }, { key: randomKey() });
    expect(other.status).toBe(410);
    expect((await put(owner, "t", { title: "T" })).body.template.version).toBe(2);
    expect((await createSession(owner, { template: "t" })).body.session.template.version).toBe(2);
  });
});

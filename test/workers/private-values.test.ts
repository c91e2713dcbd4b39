import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/domain/json";
import { verifyExport } from "../../src/verify/index";
import { TestAgent } from "../support/test-agent";
import { client, inside, rowsWrittenBy } from "../support/worker";

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", title: "Name" },
    ssn: {
      type: "string",
      title: "Insurance number",
      pattern: "^[A-Z0-9-]{4,40}$",
      "x-baton": { private: true },
    },
    bank: {
      type: "object",
      properties: { iban: { type: "string", "x-baton": { private: true } } },
    },
  },
  required: ["ssn"],
};

const SSN = "CANARY-4711-0815";
const createSession = (body: object = {}): Promise<TestAgent> =>
  TestAgent.create(client, { schema: SCHEMA, ...body });
const hashOf = (salt: string, value: unknown): string =>
  createHash("sha256")
    .update(`${salt}${canonicalJson(value)}`)
    .digest("hex");

/** What `validate` returns to a participant with these scopes. */
const verdictOf = async (one: TestAgent, scopes: readonly string[]) => {
  const { body } = await one.call("POST", "/handoffs", { to: "agent", scopes });
  const participant = new TestAgent(client, { id: one.id, token: body.participantToken as string });
  const { valid, errors } = (await participant.call("POST", "/validate", {})).body;
  return { valid, errors };
};

/** Everything that can be read of a session with all rights, except for the values themselves. */
async function everything(agent: TestAgent): Promise<string> {
  const paths = [
    "",
    "/events?after=0",
    "/audit?limit=1000",
    "/export",
    "/checkpoints",
    "/handoffs",
  ];
  const answers = await Promise.all(paths.map((path) => agent.call("GET", path)));
  return answers.map(({ text }) => text).join("\n");
}

describe("a private value", () => {
  // Shows PV-1.
  it("is a salted hash in the session and the log, and is read with fill", async () => {
    const agent = await createSession();
    const set = await agent.call("PATCH", "", { fields: { ssn: SSN, name: "Ada" } });
    const { session } = set.body;
    expect(session.fields).toEqual({
      name: "Ada",
      ssn: { $private: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    const read = await agent.call("GET", "/private/ssn");
    const { field, value, salt, hash } = read.body.private;
    expect({ field, value }).toEqual({ field: "ssn", value: SSN });
    expect(hash).toBe(session.fields.ssn.$private);
    expect(hash).toBe(hashOf(salt, SSN));
    const [event] = await agent.events("&type=fields.updated");
    expect(event?.payload.changes).toContainEqual({ field: "ssn", to: { $private: hash } });
    expect(await everything(agent)).not.toContain(SSN);
  });

  // Shows PV-1.
  it("is hidden when the session is created with it, and the same value twice gives different hashes", async () => {
    const agent = await createSession({ fields: { ssn: SSN } });
    const first = (await agent.session()).fields.ssn.$private;
    const repeated = await agent.call("PATCH", "", { fields: { ssn: SSN } });
    expect(repeated.body.session.fields.ssn.$private).not.toBe(first);
    expect(await everything(agent)).not.toContain(SSN);
  });

  // Shows PV-1.
  it("makes the whole field private of which it is a part", async () => {
    const agent = await createSession({ fields: { bank: { iban: SSN } } });
    expect(Object.keys((await agent.session()).fields.bank)).toEqual(["$private"]);
    expect((await agent.call("GET", "/private/bank")).body.private.value).toEqual({ iban: SSN });
    expect(await everything(agent)).not.toContain(SSN);
  });

  // Shows PV-2.
  it("does not affect what validate returns to a participant that may not read it", async () => {
    const rule = { required: ["specialist"] };
    const condition = { properties: { ssn: { const: SSN } }, required: ["ssn"] };
    const parts = [
      ["if", condition],
      ["then", rule],
    ] as const;
    const schema = { ...SCHEMA, allOf: [Object.fromEntries(parts)] };
    const agent = await createSession({ schema, fields: { ssn: SSN } });
    const other = await createSession({ schema, fields: { ssn: "ANOTHER-1" } });
    expect(await verdictOf(agent, ["view"])).toEqual(await verdictOf(other, ["view"]));
    expect(await verdictOf(agent, ["view"])).toMatchObject({ valid: true });
    expect(await verdictOf(agent, ["fill"])).toMatchObject({
      valid: false,
      errors: [{ field: "specialist" }],
    });
  });

  // Shows PV-2.
  it("is validated as the value itself, when it is set and at submit", async () => {
    const agent = await createSession();
    const wrong = await agent.tryCall("PATCH", "", { fields: { ssn: "no" } });
    expect(wrong.body).toMatchObject({ code: "invalid_fields", errors: [{ field: "ssn" }] });
    expect((await agent.tryCall("POST", "/submit", {})).body.code).toBe("missing_fields");
    expect((await agent.call("POST", "/validate", {})).body.valid).toBe(false);
    expect((await agent.call("POST", "/validate", { fields: { ssn: SSN } })).body.valid).toBe(true);
    await agent.call("PATCH", "", { fields: { ssn: SSN } });
    expect((await agent.call("POST", "/validate", {})).body.valid).toBe(true);
    expect((await agent.call("POST", "/submit", {})).body.session.state).toBe("submitted");
  });

  // Shows PV-2.
  it("stays unchanged when its hash is sent back, and no other hash is accepted", async () => {
    const agent = await createSession({ fields: { ssn: SSN } });
    const { ssn } = (await agent.session()).fields;
    await agent.call("PATCH", "", { fields: { ssn, name: "Ada" } });
    expect((await agent.call("GET", "/private/ssn")).body.private.value).toBe(SSN);
    const other = { $private: "0".repeat(64) };
    const refused = await agent.tryCall("PATCH", "", { fields: { ssn: other } });
    expect(refused.body.errors).toEqual([
      { field: "ssn", problem: "invalid", message: expect.stringContaining("is private") },
    ]);
  });

  // Shows PV-1.
  it("is not in conflicts, missed events or replayed responses", async () => {
    const agent = await createSession();
    const handedOff = await agent.call("POST", "/handoffs", { to: "agent", scopes: ["fill"] });
    const other = new TestAgent(client, { id: agent.id, token: handedOff.body.participantToken });
    const spent = agent.token;
    const options = { token: spent, key: "k".repeat(22), body: { fields: { ssn: SSN } } };
    await client.on(agent, "PATCH", "", options);
    const replayed = await client.on(agent, "PATCH", "", options);
    expect(replayed.headers.get("Idempotent-Replayed")).toBe("true");
    const conflict = await other.tryCall("PATCH", "", { fields: { name: "B" } });
    expect(conflict.body).toMatchObject({ code: "version_conflict" });
    expect(JSON.stringify(conflict.body.missed)).toContain("$private");
    expect(`${conflict.text}${replayed.text}`).not.toContain(SSN);
  });

  // Shows PV-3.
  it("needs fill or review to be read", async () => {
    const agent = await createSession({ fields: { ssn: SSN } });
    const statuses: Record<string, number> = {};
    for (const scope of ["view", "append", "handoff", "fill", "review", "own"]) {
      const handedOff = await agent.call("POST", "/handoffs", { to: "agent", scopes: [scope] });
      const other = new TestAgent(client, { id: agent.id, token: handedOff.body.participantToken });
      statuses[scope] = (await other.tryCall("GET", "/private/ssn")).status;
    }
    expect(statuses).toEqual({
      view: 403,
      append: 403,
      handoff: 403,
      fill: 200,
      review: 200,
      own: 200,
    });
    expect((await agent.tryCall("GET", "/private/name")).status).toBe(404);
  });

  it("is deleted when its field is removed", async () => {
    const agent = await createSession({ fields: { ssn: SSN } });
    const removed = await agent.call("PATCH", "", { fields: { ssn: null } });
    expect(removed.body.session.fields).toEqual({});
    expect((await agent.tryCall("GET", "/private/ssn")).status).toBe(404);
  });
});

describe("erasing a private value", () => {
  // Shows PV-4.
  it("deletes it, keeps the hash, and is recorded in the log and the session", async () => {
    const agent = await createSession({ fields: { ssn: SSN } });
    const { ssn } = (await agent.session()).fields;
    const erased = await agent.call("DELETE", "/private/ssn");
    const { session } = erased.body;
    expect(session.fields).toEqual({ ssn });
    expect(session.fieldMeta.ssn.erasedAt).toMatch(/^20/);
    expect(session.missingFields).toEqual(["ssn"]);
    expect(session.version).toBe(erased.body.session.version);
    expect((await agent.tryCall("GET", "/private/ssn")).status).toBe(404);
    expect((await agent.tryCall("DELETE", "/private/ssn")).status).toBe(404);
    const [event] = await agent.events("&type=private.erased");
    expect(event?.payload).toEqual({ field: "ssn", hash: ssn.$private, outcome: "success" });
    expect((await agent.tryCall("POST", "/submit", {})).body.code).toBe("missing_fields");
    // Sending back the hash of an erased value restores nothing.
    await agent.call("PATCH", "", { fields: { ssn } });
    expect((await agent.session()).fieldMeta.ssn.erasedAt).toMatch(/^20/);
    await agent.call("PATCH", "", { fields: { ssn: "NEW-1" } });
    expect((await agent.session()).missingFields).toEqual([]);
  });

  // Shows PV-4.
  it("is possible after the session has ended, and needs own", async () => {
    const agent = await createSession({ fields: { ssn: SSN } });
    const handedOff = await agent.call("POST", "/handoffs", { to: "agent", scopes: ["fill"] });
    const other = new TestAgent(client, { id: agent.id, token: handedOff.body.participantToken });
    expect((await other.tryCall("DELETE", "/private/ssn")).body.code).toBe("scope_denied");
    await agent.call("POST", "/submit", {});
    await agent.call("POST", "/finalize", {});
    await agent.call("DELETE", "/private/ssn");
    const rows = await inside(agent, (_, state) =>
      state.storage.sql.exec("SELECT held FROM private_values").toArray(),
    );
    const storedTexts = rows.map((row) =>
      new TextDecoder().decode(row["held"] as ArrayBuffer).trim(),
    );
    expect(storedTexts).toEqual(["[]"]);
  });

  // Shows PV-5.
  it("is reported by a restore of an earlier checkpoint", async () => {
    const agent = await createSession({ fields: { ssn: SSN } });
    await agent.call("POST", "/checkpoints", { name: "before" });
    await agent.call("DELETE", "/private/ssn");
    const restored = await agent.call("POST", "/checkpoints/chk_1/restore", {});
    expect(restored.body.session.fieldMeta.ssn.erasedAt).toMatch(/^20/);
    const [event] = await agent.events("&type=checkpoint.restored");
    expect(event?.payload.erased).toEqual(["ssn"]);
    const copies = await agent.call("GET", "/checkpoints/chk_1");
    expect(copies.text).not.toContain(SSN);
  });

  // Shows PV-5.
  it("is not needed for a value that was replaced: a restore reports it too", async () => {
    const agent = await createSession({ fields: { ssn: SSN } });
    await agent.call("POST", "/checkpoints", { name: "before" });
    await agent.call("PATCH", "", { fields: { ssn: "NEWER-1" } });
    const restored = await agent.call("POST", "/checkpoints/chk_1/restore", {});
    expect(restored.body.session.missingFields).toEqual(["ssn"]);
    expect((await agent.tryCall("GET", "/private/ssn")).status).toBe(404);
    // Back to the copy that the restore created: its value is still stored.
    await agent.call("POST", "/checkpoints/chk_2/restore", {});
    expect((await agent.call("GET", "/private/ssn")).body.private.value).toBe("NEWER-1");
  });
});

// Shows PV-4.
it("does not break the chain when it is erased: the export still verifies", async () => {
  const agent = await createSession({ fields: { ssn: SSN } });
  await agent.call("POST", "/checkpoints", { name: "before" });
  await agent.call("DELETE", "/private/ssn");
  const { text } = await agent.call("GET", "/export?files=true");
  expect(text).not.toContain(SSN);
  const { keys } = (await client.call("GET", "/.well-known/baton-keys.json")).body;
  expect(await verifyExport([new TextEncoder().encode(text)], keys)).toMatchObject({ whole: true });
});

describe("a fork", () => {
  // Shows PV-5.
  it("copies no private value, and names what it left out", async () => {
    const agent = await createSession({ fields: { ssn: SSN, name: "Ada" } });
    const forked = await agent.call("POST", "/fork", { reason: "full" });
    expect(forked.body.child).toMatchObject({ fields: { name: "Ada" }, missingFields: ["ssn"] });
    const [event] = await agent.events("&type=session.forked");
    expect(event?.payload.withheld).toEqual(["ssn"]);
    expect((await agent.call("GET", "/private/ssn")).body.private.value).toBe(SSN);
  });
});

describe("private values", () => {
  it("hold 256 KiB together and not one byte more", async () => {
    const agent = await TestAgent.create(client, {
      schema: {
        properties: { a: { "x-baton": { private: true } }, b: { "x-baton": { private: true } } },
      },
    });
    const half = 128 * 1024 - 2;
    await agent.call("PATCH", "", { fields: { a: "x".repeat(half) } });
    const overLimit = await agent.tryCall("PATCH", "", { fields: { b: "y".repeat(half + 1) } });
    expect(overLimit.body).toMatchObject({ code: "too_large", limit: 256 * 1024 });
    await agent.call("PATCH", "", { fields: { b: "y".repeat(half) } });
  });

  it("cost one row, besides the two of the write, and one more if they outgrow their row", async () => {
    const session = await client.create({ schema: SCHEMA });
    let { token } = session;
    const write = async (fields: object): Promise<void> => {
      const answer = await client.on(session, "PATCH", "", { token, body: { fields } });
      expect(answer.status, answer.text).toBe(200);
      token = answer.body.resumeToken;
    };
    expect(await rowsWrittenBy(session, () => write({ name: "a" }))).toBe(2);
    expect(await rowsWrittenBy(session, () => write({ ssn: SSN }))).toBe(3);
    expect(await rowsWrittenBy(session, () => write({ ssn: SSN, bank: {} }))).toBe(3);
    expect(await rowsWrittenBy(session, () => write({ bank: { a: "x".repeat(9_000) } }))).toBe(4);
    const erased = await rowsWrittenBy(session, async () => {
      await client.on(session, "DELETE", "/private/ssn", { token });
    });
    expect(erased).toBe(3);
  });

  it.each([
    [{ additionalProperties: { "x-baton": { private: true } } }, 'under "properties"'],
    [{ "x-baton": { private: true } }, 'under "properties"'],
    [{ properties: { a: { "x-baton": { private: "yes" } } } }, "true or false"],
    [{ properties: { a: { format: "file", "x-baton": { private: true } } } }, "cannot be private"],
    // Shows PV-7.
  ])("are refused if the schema path is not a field: %o", async (schema, expectedText) => {
    const refused = await client.call("POST", "/sessions", { body: { schema } });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(expectedText.replaceAll('"', '\\"'));
  });
});

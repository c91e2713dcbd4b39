import { afterEach, describe, expect, it, vi } from "vitest";
import { TestAgent } from "../support/test-agent";
import { client, inside } from "../support/worker";

const NOW = Date.UTC(2031, 4, 6, 7, 8, 9);

afterEach(() => {
  vi.useRealTimers();
});

const createSession = (body: unknown = {}): Promise<TestAgent> => TestAgent.create(client, body);

const checkpointsOf = async (
  agent: TestAgent,
): Promise<readonly { id: string; name: string; automatic: boolean }[]> =>
  (await agent.tryCall("GET", "/checkpoints")).body.checkpoints;

const idsOf = async (agent: TestAgent): Promise<readonly string[]> =>
  (await checkpointsOf(agent)).map(({ id }) => id);

const run = (agent: TestAgent, statement: string): Promise<unknown> =>
  inside(agent, (_, { storage }) => storage.sql.exec(statement).toArray());

const upTo = (last: number): readonly string[] =>
  Array.from({ length: last }, (_, index) => `chk_${index + 1}`);

describe("a checkpoint", () => {
  // Shows K-1.
  it("holds the document, the next step and the position in the log, with size and hash", async () => {
    const nextStep = { step: 3, description: "write it up", body: "# Next\nall of it" };
    const agent = await createSession({ title: "T", fields: { a: "ü" }, nextStep });
    const checkpointed = await agent.tryCall("POST", "/checkpoints", { name: "first" });
    expect(checkpointed.status, checkpointed.text).toBe(201);
    expect(checkpointed.body.checkpoint).toMatchObject({
      id: "chk_1",
      name: "first",
      automatic: false,
      pinned: false,
      seq: 3,
      version: 2,
    });
    const { checkpoint } = (await agent.tryCall("GET", "/checkpoints/chk_1")).body;
    expect(checkpoint.document).toMatchObject({ title: "T", fields: { a: "ü" }, nextStep });
    const [row] = (await run(
      agent,
      `SELECT body, length(CAST(body AS BLOB)) AS bytes FROM checkpoints`,
    )) as [{ body: string; bytes: number }];
    const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(row.body));
    const hex = [...new Uint8Array(hash)]
      .map((byte) => byte.toString(16).padStart(2, "0"))
      .join("");
    expect(checkpoint).toMatchObject({ bytes: row.bytes, sha256: hex });
  });

  // Shows K-2.
  it("without a name is named by its time in UTC, as an automatic one is", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW });
    const agent = await createSession();
    await agent.tryCall("POST", "/checkpoints", {});
    await agent.tryCall("POST", "/checkpoints/chk_1/restore");
    const names = (await checkpointsOf(agent)).map(({ name, automatic }) => [name, automatic]);
    expect(names).toEqual([
      ["20310506-070809", false],
      ["20310506-070809", true],
    ]);
  });

  it("that does not exist is 404, and a name that is too long or unknown members are 400", async () => {
    const agent = await createSession();
    for (const path of ["/checkpoints/chk_1", "/checkpoints/chk_0", "/checkpoints/other"]) {
      expect((await agent.tryCall("GET", path)).status).toBe(404);
      expect((await agent.tryCall("DELETE", path)).status).toBe(404);
      expect((await agent.tryCall("PATCH", path, { pinned: true })).status).toBe(404);
      expect((await agent.tryCall("POST", `${path}/restore`)).status).toBe(404);
    }
    for (const body of [{ name: "x".repeat(101) }, { name: "" }, { pinned: 1 }, { odd: 1 }]) {
      expect((await agent.tryCall("POST", "/checkpoints", body)).status).toBe(400);
    }
    expect((await agent.tryCall("PATCH", "/checkpoints/chk_1", {})).status).toBe(400);
  });

  // Shows K-2.
  it("is gone once deleted, and its number is not reused", async () => {
    const agent = await createSession();
    await agent.tryCall("POST", "/checkpoints", {});
    await agent.tryCall("POST", "/checkpoints", {});
    expect((await agent.tryCall("DELETE", "/checkpoints/chk_2")).status).toBe(200);
    await agent.tryCall("POST", "/checkpoints", {});
    expect(await idsOf(agent)).toEqual(["chk_1", "chk_3"]);
  });
});

describe("restoring", () => {
  // Shows K-4.
  it("restores document and next step as a write that moves the version, and saves the state before it", async () => {
    const agent = await createSession({ title: "one", fields: { a: 1 }, nextStep: { step: 1 } });
    await agent.tryCall("POST", "/checkpoints", {});
    await agent.tryCall("PATCH", "", {
      title: "two",
      fields: { a: null, b: 2 },
      nextStep: { step: 2 },
    });
    const before = (await agent.tryCall("GET", "")).body.session;
    const restored = await agent.tryCall("POST", "/checkpoints/chk_1/restore");
    expect(restored.body.session).toMatchObject({
      title: "one",
      fields: { a: 1 },
      nextStep: { step: 1 },
      state: "in_progress",
    });
    expect(restored.body.session.version).toBeGreaterThan(before.version);
    const repeated = await agent.tryCall("POST", "/checkpoints/chk_2/restore");
    expect(repeated.body.session).toMatchObject({ title: "two", fields: { b: 2 } });
    expect(repeated.body.session.fieldMeta).toEqual(before.fieldMeta);
  });

  // Shows K-4.
  it("with an outdated version is refused and restores nothing", async () => {
    const agent = await createSession({ fields: { a: 1 } });
    await agent.tryCall("POST", "/checkpoints", {});
    const handedOff = await agent.tryCall("POST", "/handoffs", { to: "agent", scopes: ["fill"] });
    await client.on(agent, "PATCH", "", {
      token: handedOff.body.participantToken,
      body: { fields: { a: 2 } },
    });
    const refused = await agent.tryCall("POST", "/checkpoints/chk_1/restore");
    expect([refused.status, refused.body.code]).toEqual([409, "version_conflict"]);
    expect(refused.body.current.fields).toEqual({ a: 2 });
    expect(await idsOf(agent)).toEqual(["chk_1"]);
  });
});

describe("retention", () => {
  // Shows K-3.
  it("removes only the oldest checkpoint that is not pinned when the eleventh is added", async () => {
    const agent = await createSession();
    for (let n = 1; n <= 10; n++) await agent.tryCall("POST", "/checkpoints", { pinned: n === 1 });
    expect(await idsOf(agent)).toEqual(upTo(10));
    const eleventh = await agent.tryCall("POST", "/checkpoints", {});
    expect(await idsOf(agent)).toEqual(["chk_1", ...upTo(11).slice(2)]);
    const { events } = (await agent.tryCall("GET", "/audit?type=checkpoint.created&limit=1000"))
      .body;
    expect(events.at(-1).payload).toMatchObject({ id: "chk_11", pruned: "chk_2" });
    expect(eleventh.body.checkpoint.id).toBe("chk_11");
    await agent.tryCall("PATCH", "/checkpoints/chk_3", { pinned: true });
    await agent.tryCall("PATCH", "/checkpoints/chk_1", { pinned: false });
    await agent.tryCall("POST", "/checkpoints", {});
    await agent.tryCall("POST", "/checkpoints", {});
    expect(await idsOf(agent)).toEqual(["chk_3", ...upTo(13).slice(4)]);
  });

  // Shows K-3.
  it("retains as many as the session's policy states, and pinned ones in addition", async () => {
    const agent = await createSession({ policy: { keepCheckpoints: 2 } });
    for (let n = 1; n <= 3; n++) await agent.tryCall("POST", "/checkpoints", { pinned: n < 3 });
    expect(await idsOf(agent)).toEqual(upTo(3));
    await agent.tryCall("POST", "/checkpoints", {});
    expect(await idsOf(agent)).toEqual(["chk_1", "chk_2", "chk_4"]);
  });

  it("pinning a pinned checkpoint changes nothing, and the log records that", async () => {
    const agent = await createSession();
    await agent.tryCall("POST", "/checkpoints", { pinned: true });
    const repeated = await agent.tryCall("PATCH", "/checkpoints/chk_1", { pinned: true });
    expect(repeated.body.checkpoint.pinned).toBe(true);
    const { events } = (await agent.tryCall("GET", "/audit?type=checkpoint.pinned")).body;
    expect(events.map((event: { payload: unknown }) => event.payload)).toEqual([
      { id: "chk_1", outcome: "skipped" },
    ]);
  });
});

describe("a corrupted checkpoint", () => {
  it.each([
    ["other words", `UPDATE checkpoints SET body = replace(body, '"a":1', '"a":7')`],
    ["fewer words", `UPDATE checkpoints SET body = substr(body, 1, length(body) - 1)`],
    [
      "another hash",
      `UPDATE checkpoints SET sha256 = replace(sha256, substr(sha256, 1, 4), 'zzzz')`,
    ],
    // Shows K-5.
  ])(
    "with %s is refused on restore, fork and trim, and the session is unharmed",
    async (_, harm) => {
      const agent = await createSession({ fields: { a: 1 } });
      await agent.tryCall("POST", "/events", { events: [{ type: "agent.note" }] });
      await agent.tryCall("POST", "/checkpoints", {});
      await agent.tryCall("PATCH", "", { fields: { a: 2 } });
      await run(agent, harm);
      const before = (await agent.tryCall("GET", "")).body.session;
      for (const [path, body] of [
        ["/checkpoints/chk_1/restore", undefined],
        ["/fork", { from: "chk_1" }],
        ["/trim", { checkpoint: "chk_1" }],
      ] as const) {
        const refused = await agent.tryCall("POST", path, body);
        expect([refused.status, refused.body.code], path).toEqual([409, "checkpoint_corrupt"]);
      }
      const shown = await agent.tryCall("GET", "/checkpoints/chk_1");
      expect([shown.status, shown.body.code]).toEqual([409, "checkpoint_corrupt"]);
      expect((await agent.tryCall("GET", "")).body.session).toEqual(before);
      expect((await agent.tryCall("PATCH", "", { fields: { a: 3 } })).status).toBe(200);
      expect((await agent.tryCall("DELETE", "/checkpoints/chk_1")).status).toBe(200);
    },
  );
});

/** From now on the table returns something else than was written. */
const MANGLE = `CREATE TRIGGER mangle AFTER INSERT ON checkpoints
  BEGIN UPDATE checkpoints SET body = body || ' ' WHERE number = new.number; END`;
const FAIL = `CREATE TRIGGER fail BEFORE INSERT ON checkpoints
  BEGIN SELECT RAISE(ABORT, 'disk is full'); END`;

describe.each([
  ["is not what was written", MANGLE],
  ["cannot be written", FAIL],
])("an automatic checkpoint that %s", (_, fault) => {
  const faulty = async (policy = {}) => {
    const agent = await createSession({ fields: { a: 1 }, policy });
    await agent.tryCall("POST", "/checkpoints", {});
    await agent.tryCall("PATCH", "", { fields: { a: 2 } });
    await run(agent, fault);
    return agent;
  };

  // Shows K-6, B-4.
  it("warns and does not stop the write", async () => {
    const agent = await faulty();
    const restored = await agent.tryCall("POST", "/checkpoints/chk_1/restore");
    expect(restored.status, restored.text).toBe(200);
    expect(restored.body.session.fields).toEqual({ a: 1 });
    const forked = await agent.tryCall("POST", "/fork", { reason: "on" });
    expect(forked.status, forked.text).toBe(201);
    expect(forked.body.child.fields).toEqual({ a: 1 });
    expect((await agent.types()).slice(-4)).toEqual([
      "checkpoint.failed",
      "checkpoint.restored",
      "checkpoint.failed",
      "session.forked",
    ]);
    expect(await idsOf(agent)).toEqual(["chk_1"]);
    const failed = await agent.tryCall("GET", "/audit?outcome=failure");
    expect(failed.body.events).toHaveLength(2);
    expect(failed.body.events[0].payload.reason).toContain("checkpoint");
  });

  // Shows K-6.
  it("refuses the write if the policy is strict, and a named checkpoint always fails", async () => {
    const agent = await faulty({ strictCheckpoints: true });
    const before = (await agent.tryCall("GET", "")).body.session;
    const restored = await agent.tryCall("POST", "/checkpoints/chk_1/restore");
    expect([restored.status, restored.body.code]).toEqual([409, "checkpoint_corrupt"]);
    const forked = await agent.tryCall("POST", "/fork", {});
    expect([forked.status, forked.body.code]).toEqual([409, "checkpoint_corrupt"]);
    const named = await agent.tryCall("POST", "/checkpoints", { name: "mine" });
    expect([named.status, named.body.code]).toEqual([409, "checkpoint_corrupt"]);
    expect((await agent.tryCall("GET", "")).body.session).toEqual(before);
  });

  it("sends listeners what was committed and nothing else", async () => {
    const agent = await faulty();
    const { head } = (await agent.tryCall("GET", "")).body.session;
    const listening = client.on(agent, "GET", `/events?after=${head}&waitMs=60000`, {
      token: agent.token,
    });
    await expect
      .poll(async () => (await agent.tryCall("GET", "")).body.session.participants[0].connected)
      .toBe(true);
    const { id, token } = agent;
    await client.on({ id }, "POST", "/checkpoints/chk_1/restore", { token });
    const { events } = (await listening).body;
    const stored = await client.on({ id }, "GET", `/events?after=${head}`, { token });
    expect(events).toEqual(stored.body.events);
  });
});

/** A session with a hundred pinned checkpoints: as many as it can have. */
async function createFull(policy = {}): Promise<TestAgent> {
  const agent = await createSession({ fields: { a: 1 }, policy });
  await agent.tryCall("POST", "/checkpoints", { pinned: true });
  const columns = "name, seq, version, at, automatic, pinned, bytes, sha256, body";
  await run(
    agent,
    `WITH RECURSIVE n(number) AS (SELECT 2 UNION ALL SELECT number + 1 FROM n WHERE number < 100)
     INSERT INTO checkpoints (number, ${columns})
     SELECT n.number, ${columns} FROM n CROSS JOIN checkpoints WHERE checkpoints.number = 1`,
  );
  return agent;
}

describe("an automatic checkpoint beyond the limit", () => {
  // Shows K-6.
  it("warns and does not stop the write, unless the policy is strict", async () => {
    const agent = await createFull();
    const refused = await agent.tryCall("POST", "/checkpoints", {});
    expect([refused.status, refused.body.code]).toEqual([413, "too_large"]);
    expect((await agent.tryCall("POST", "/checkpoints/chk_1/restore")).status).toBe(200);
    expect((await agent.types()).slice(-2)).toEqual(["checkpoint.failed", "checkpoint.restored"]);
    const strict = await createFull({ strictCheckpoints: true });
    const forked = await strict.tryCall("POST", "/fork", {});
    expect([forked.status, forked.body.code]).toEqual([413, "too_large"]);
  });
});

/** The rows that each operation writes. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { randomKey, type Answer, type CreatedSession } from "../support/client";
import { client, inside, rowsWrittenBy } from "../support/worker";

const DAY_MS = 24 * 3_600_000;
const MUTATION_BUDGET = 3;
const CREATE_BUDGET = 8;

const patch = { fields: { a: 1 } };
const manyFields = Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`f${n}`, n]));

afterEach(() => {
  vi.useRealTimers();
});

/** A session with a second participant that holds the given scopes. */
async function pair(scopes: readonly string[], create: unknown = {}) {
  const session = await client.create(create);
  const handedOff = await client.on(session, "POST", "/handoffs", {
    token: session.token,
    body: { to: "agent", scopes },
  });
  return {
    session,
    owner: handedOff.body.resumeToken as string,
    participant: handedOff.body.participantToken as string,
    spent: session.token,
  };
}

async function advance(
  session: CreatedSession,
  token: string,
  ...paths: string[]
): Promise<string> {
  for (const path of paths) {
    const answer = await client.on(session, "POST", path, { token, body: {} });
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.text}`);
    token = answer.body.resumeToken;
  }
  return token;
}

const rowsOfExtend = (session: CreatedSession, ttlMs: number): Promise<number> =>
  rowsWrittenBy(session, () =>
    client.on(session, "POST", "/extend", { token: session.token, body: { ttlMs } }),
  );

const event = (type: string, payload = {}) => ({ events: [{ type: "a.b" }, { type, payload }] });

describe("an append", () => {
  // Shows E-3.
  it.each([1, 2, 100, 1000])("of %i events writes one row", async (count) => {
    const session = await client.create();
    const events = Array.from({ length: count }, (_, n) => ({
      type: "agent.step",
      payload: { n },
    }));
    let answer: Answer | undefined;
    const rows = await rowsWrittenBy(session, async () => {
      answer = await client.on(session, "POST", "/events", {
        token: session.token,
        body: { events },
        key: randomKey(),
      });
    });
    expect(answer?.status, answer?.text).toBe(201);
    expect(rows).toBe(1);
  });

  // Shows B-2.
  it("that is repeated with its key writes nothing", async () => {
    const session = await client.create();
    const options = {
      token: session.token,
      body: { events: [{ type: "agent.step" }] },
      key: randomKey(),
    };
    await client.on(session, "POST", "/events", options);
    const rows = await rowsWrittenBy(session, () => client.on(session, "POST", "/events", options));
    expect(rows).toBe(0);
  });
});

describe("a mutation", () => {
  const mutations: readonly [
    name: string,
    method: string,
    path: string,
    body: unknown,
    before: readonly string[],
  ][] = [
    ["set fields", "PATCH", "", { fields: { a: 1, b: 2 }, title: "T", nextStep: {} }, []],
    ["request input", "POST", "/request-input", { note: "please" }, []],
    ["submit", "POST", "/submit", {}, []],
    ["finalize", "POST", "/finalize", {}, ["/submit"]],
    ["cancel", "POST", "/cancel", { reason: "enough" }, []],
    ["resume", "POST", "/resume", { actor: { id: "other" } }, []],
    ["handoff", "POST", "/handoffs", { to: "agent", scopes: ["own"] }, []],
    ["revoke one", "POST", "/revoke", { participant: "par_2" }, []],
    ["revoke all others", "POST", "/revoke", { others: true }, []],
    ["revoke a handoff", "DELETE", "/handoffs/hnd_2", undefined, []],
    ["extend", "POST", "/extend", { ttlMs: 8 * DAY_MS }, []],
    ["pause", "POST", "/pause", {}, []],
    ["unpause", "POST", "/unpause", {}, ["/pause"]],
    ["unpause a session that is not paused", "POST", "/unpause", {}, []],
  ];

  it.each(mutations)("(%s) writes at most three rows", async (_, method, path, body, before) => {
    const { session, owner } = await pair(["fill"]);
    const token = await advance(session, owner, ...before);
    let answer: Answer | undefined;
    const rows = await rowsWrittenBy(session, async () => {
      answer = await client.on(session, method, path, {
        token,
        key: randomKey(),
        ...(body === undefined ? {} : { body }),
      });
    });
    expect(answer?.status, answer?.text).toBeLessThan(300);
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThanOrEqual(MUTATION_BUDGET);
  });

  it.each(["/approve", "/reject", "/request-changes"])(
    "(%s) writes at most three rows",
    async (path) => {
      const { session, owner, participant } = await pair(["review"], { review: {} });
      const submitted = await client.on(session, "POST", "/submit", { token: owner, body: {} });
      const ifMatch = submitted.body.session.version as number;
      let answer: Answer | undefined;
      const rows = await rowsWrittenBy(session, async () => {
        answer = await client.on(session, "POST", path, { token: participant, body: {}, ifMatch });
      });
      expect(answer?.status, answer?.text).toBe(200);
      expect(rows).toBeGreaterThan(0);
      expect(rows).toBeLessThanOrEqual(MUTATION_BUDGET);
    },
  );

  it("that is replayed by its key writes nothing", async () => {
    const session = await client.create();
    const options = { token: session.token, body: { fields: { a: 1 } }, key: randomKey() };
    await client.on(session, "PATCH", "", options);
    let repeated: Answer | undefined;
    const rows = await rowsWrittenBy(session, async () => {
      repeated = await client.on(session, "PATCH", "", options);
    });
    expect(repeated?.headers.get("Idempotent-Replayed")).toBe("true");
    expect(rows).toBe(0);
  });

  it("writes one more row only if the alarm moves earlier", async () => {
    const later = await client.create();
    const sooner = await client.create();
    const usual = await rowsOfExtend(later, 8 * DAY_MS);
    expect(usual).toBeLessThanOrEqual(MUTATION_BUDGET);
    expect(await rowsOfExtend(sooner, DAY_MS)).toBe(usual + 1);
    const long = await client.create({ ttlMs: 90 * DAY_MS });
    const ended = await rowsWrittenBy(long, () => advance(long, long.token, "/cancel"));
    expect(ended).toBeLessThanOrEqual(MUTATION_BUDGET + 1);
  });
});

/** The rows that an accepted request on a session writes. */
async function rowsOf(
  session: CreatedSession,
  method: string,
  path: string,
  token: string,
  body?: unknown,
): Promise<{ readonly rows: number; readonly token: string }> {
  let answer: Answer | undefined;
  const rows = await rowsWrittenBy(session, async () => {
    answer = await client.on(session, method, path, {
      token,
      key: randomKey(),
      ...(body === undefined ? {} : { body }),
    });
  });
  expect(answer?.status, answer?.text).toBeLessThan(300);
  return { rows, token: (answer?.body.resumeToken as string | undefined) ?? token };
}

describe("a stop report", () => {
  it("writes two rows, and one more if the alarm moves earlier", async () => {
    const { session, owner } = await pair(["fill"]);
    const report = async (reason: string) =>
      (await rowsOf(session, "POST", "/stops", owner, { reason, attempt: 1 })).rows;
    expect(await report("user_exit")).toBe(2);
    expect(await report("crash")).toBe(3);
    expect(await report("context_exhausted")).toBe(2);
  });

  it("that is repeated with its key writes nothing", async () => {
    const session = await client.create();
    const options = {
      token: session.token,
      key: randomKey(),
      body: { reason: "crash", attempt: 1 },
    };
    const first = await client.on(session, "POST", "/stops", options);
    let repeated: Answer | undefined;
    const rows = await rowsWrittenBy(session, async () => {
      repeated = await client.on(session, "POST", "/stops", options);
    });
    expect(repeated?.body).toEqual(first.body);
    expect(repeated?.headers.get("Idempotent-Replayed")).toBe("true");
    expect(rows).toBe(0);
  });
});

describe("checkpoints", () => {
  it("cost three rows each, and the first one two more for their table", async () => {
    const { session, owner } = await pair(["fill"], { policy: { keepCheckpoints: 2 } });
    let token = owner;
    const does = async (method: string, path: string, body?: unknown): Promise<number> => {
      const done = await rowsOf(session, method, path, token, body);
      ({ token } = done);
      return done.rows;
    };
    expect(await does("POST", "/checkpoints", {})).toBe(MUTATION_BUDGET + 2);
    expect(await does("POST", "/checkpoints", {})).toBe(3);
    // The third one replaces the row of the first.
    expect(await does("POST", "/checkpoints", {})).toBe(3);
    expect(await does("PATCH", "/checkpoints/chk_3", { pinned: true })).toBe(3);
    expect(await does("DELETE", "/checkpoints/chk_2")).toBe(3);
    expect(await does("POST", "/checkpoints/chk_3/restore", {})).toBe(3);
  });

  it("that bridge a trimmed log cost one row for each deleted commit", async () => {
    const { session, owner } = await pair(["fill"]);
    for (let n = 0; n < 4; n++) {
      await client.on(session, "POST", "/events", { token: owner, body: event("a.b") });
    }
    const checkpointed = await rowsOf(session, "POST", "/checkpoints", owner, {});
    const body = { checkpoint: "chk_1" };
    const trimmed = await rowsOf(session, "POST", "/trim", checkpointed.token, body);
    // Four deleted commits, and one row for their remains, the first time in a new table.
    expect(trimmed.rows).toBe(2 + 4 + 1 + 2);
    const repeated = await rowsOf(session, "POST", "/trim", trimmed.token, body);
    expect(repeated.rows).toBe(2);
  });
});

describe("a fork", () => {
  it("costs its parent the write, the automatic checkpoint, the alarm and the completion of the fork", async () => {
    // Tomorrow by the object's clock, so that no alarm runs by itself.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY_MS });
    const { session, owner } = await pair(["fill"]);
    const checkpointed = await rowsOf(session, "POST", "/checkpoints", owner, {});
    const forked = await rowsOf(session, "POST", "/fork", checkpointed.token, {});
    expect(forked.rows).toBe(5);
  });

  it("that is repeated with its key writes nothing", async () => {
    // Tomorrow by the object's clock, so that no alarm runs by itself.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY_MS });
    const session = await client.create();
    const options = { token: session.token, body: {}, key: randomKey() };
    const first = await client.on(session, "POST", "/fork", options);
    let repeated: Answer | undefined;
    const rows = await rowsWrittenBy(session, async () => {
      repeated = await client.on(session, "POST", "/fork", options);
    });
    expect(repeated?.body.childToken).toBe(first.body.childToken);
    expect(rows).toBe(0);
  });

  it("creates its child within the budget of any creation", async () => {
    const session = await client.create({ fields: { a: 1 }, nextStep: { description: "go on" } });
    const forked = await client.on(session, "POST", "/fork", { token: session.token, body: {} });
    const rows = await inside(forked.body.child, ({ meter }) => meter.rowsWritten);
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThanOrEqual(CREATE_BUDGET);
  });
});

describe("creating", () => {
  const everything = {
    title: "All",
    actor: { id: "a", name: "A" },
    schema: { type: "object", properties: { a: { type: "number" } } },
    fields: { a: 1 },
    confidence: 0.5,
    ttlMs: DAY_MS,
    review: { required: true, approvals: 2 },
    nextStep: { description: "go on" },
  };

  it.each([
    ["nothing", {}, {}],
    ["everything", everything, {}],
    ["everything and a key", everything, { key: randomKey() }],
  ])("with %s writes at most eight rows", async (_, body, options) => {
    const session = await client.create(body, options);
    const rows = await inside(session, ({ meter }) => meter.rowsWritten);
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThanOrEqual(CREATE_BUDGET);
  });

  it("that is refused leaves nothing that its key could find", async () => {
    const key = randomKey();
    for (const body of [
      { ttlMs: 1 },
      { schema: { type: "string" } },
      { schema: { properties: { a: { type: "number" } } }, fields: { a: "one" } },
      { fields: manyFields },
    ]) {
      const answer = await client.call("POST", "/sessions", { body, key });
      expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    }
    const created = await client.create({}, { key });
    expect(created.answer.headers.has("Idempotent-Replayed")).toBe(false);
  });
});

describe("a refused write", () => {
  const schema = { type: "object", properties: { a: { type: "number" } }, required: ["a"] };
  type Case = readonly [
    code: string,
    what: string,
    as: "owner" | "participant" | "spent" | "false",
    request: readonly [method: string, path: string, body?: unknown, ifMatch?: number],
  ];
  const cases: readonly Case[] = [
    ["token_invalid", "a wrong secret", "false", ["PATCH", "", patch]],
    ["token_superseded", "a spent token", "spent", ["PATCH", "", patch]],
    ["scope_denied", "a right not held", "participant", ["POST", "/finalize", {}]],
    [
      "scope_denied",
      "a handoff wider than oneself",
      "participant",
      ["POST", "/handoffs", { to: "agent", scopes: ["own"] }],
    ],
    ["precondition_failed", "an If-Match that fails", "owner", ["PATCH", "", patch, 999]],
    [
      "version_conflict",
      "an expectedHead that fails",
      "owner",
      ["POST", "/events", { ...event("a.b"), expectedHead: 1 }],
    ],
    ["illegal_transition", "a state that forbids it", "owner", ["POST", "/finalize", {}]],
    ["invalid_fields", "a value that fits not", "owner", ["PATCH", "", { fields: { a: "" } }]],
    ["missing_fields", "a submit of half a form", "owner", ["POST", "/submit", {}]],
    ["invalid_request", "a ttl out of bounds", "owner", ["POST", "/extend", { ttlMs: 1 }]],
    [
      "invalid_request",
      "a resume beyond the head",
      "owner",
      ["POST", "/resume", { lastEventSeq: 999 }],
    ],
    ["invalid_request", "a server's type", "owner", ["POST", "/events", event("session.x")]],
    [
      "invalid_request",
      "a revoke of oneself",
      "owner",
      ["POST", "/revoke", { participant: "par_1" }],
    ],
    ["not_found", "an unknown handoff", "owner", ["DELETE", "/handoffs/hnd_9"]],
    ["not_found", "an unknown checkpoint", "owner", ["POST", "/checkpoints/chk_9/restore", {}]],
    ["not_found", "a fork from nowhere", "owner", ["POST", "/fork", { from: "chk_9" }]],
    ["not_found", "a trim below nothing", "owner", ["POST", "/trim", { checkpoint: "chk_9" }]],
    [
      "invalid_request",
      "a wait that is none",
      "owner",
      ["POST", "/stops", { reason: "rate_limit", retryAfter: "soon" }],
    ],
    ["not_found", "an unknown participant", "owner", ["POST", "/revoke", { participant: "par_9" }]],
    ["too_large", "too many fields", "owner", ["PATCH", "", { fields: manyFields }]],
    [
      "too_large",
      "an event that is too large",
      "owner",
      ["POST", "/events", event("a.b", { text: "x".repeat(262_144) })],
    ],
  ];

  // Shows T-4, P-4.
  it.each(cases)("(%s: %s) writes nothing", async (code, _, as, request) => {
    const { session, ...tokens } = await pair(["fill", "handoff"], { schema });
    const wrong = tokens.owner.slice(0, -1) + (tokens.owner.endsWith("A") ? "B" : "A");
    const [method, path, body, ifMatch] = request;
    let answer: Answer | undefined;
    const rows = await rowsWrittenBy(session, async () => {
      answer = await client.on(session, method, path, {
        token: as === "false" ? wrong : tokens[as],
        ...(body === undefined ? {} : { body }),
        ...(ifMatch === undefined ? {} : { ifMatch }),
      });
    });
    expect(answer?.body.code, answer?.text).toBe(code);
    expect(rows).toBe(0);
  });

  it("(version_conflict: another participant moved the version) writes nothing and spends no token", async () => {
    const { session, owner, participant } = await pair(["fill"]);
    const first = await client.on(session, "PATCH", "", { token: owner, body: patch });
    let answer: Answer | undefined;
    const rows = await rowsWrittenBy(session, async () => {
      answer = await client.on(session, "PATCH", "", { token: participant, body: patch });
    });
    expect(answer?.body.code).toBe("version_conflict");
    expect(rows).toBe(0);
    const repeated = await client.on(session, "PATCH", "", {
      token: participant,
      body: patch,
      ifMatch: first.body.session.version,
    });
    expect(repeated.status, repeated.text).toBe(200);
  });

  it("(paused) writes nothing", async () => {
    const { session, owner } = await pair(["fill"]);
    const token = await advance(session, owner, "/pause");
    let answer: Answer | undefined;
    const rows = await rowsWrittenBy(session, async () => {
      answer = await client.on(session, "POST", "/resume", { token, body: { auto: true } });
    });
    expect(answer?.body.code).toBe("paused");
    expect(rows).toBe(0);
  });

  it("(token_invalid: revoked) writes nothing", async () => {
    const { session, owner, participant } = await pair(["fill"]);
    await client.on(session, "POST", "/revoke", { token: owner, body: { others: true } });
    let answer: Answer | undefined;
    const rows = await rowsWrittenBy(session, async () => {
      answer = await client.on(session, "PATCH", "", { token: participant, body: patch });
    });
    expect(answer?.body.code).toBe("token_invalid");
    expect(rows).toBe(0);
  });

  it("(idempotency_mismatch) writes nothing", async () => {
    const key = randomKey();
    const session = await client.create({ title: "A" }, { key });
    const append = (type: string) =>
      client.on(session, "POST", "/events", {
        token: session.token,
        key,
        body: { events: [{ type }] },
      });
    await append("a.b");
    const codes: string[] = [];
    const rows = await rowsWrittenBy(session, async () => {
      codes.push((await append("a.c")).body.code);
      codes.push((await client.call("POST", "/sessions", { key, body: {} })).body.code);
    });
    expect(codes).toEqual(["idempotency_mismatch", "idempotency_mismatch"]);
    expect(rows).toBe(0);
  });

  it("(expired) writes nothing", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const session = await client.create({ ttlMs: DAY_MS });
    vi.setSystemTime(Date.now() + DAY_MS);
    let answer: Answer | undefined;
    const rows = await rowsWrittenBy(session, async () => {
      answer = await client.on(session, "PATCH", "", { token: session.token, body: patch });
    });
    expect(answer?.body.code).toBe("expired");
    expect(rows).toBe(0);
  });
});

describe("a read", () => {
  it.each([
    ["GET", ""],
    ["HEAD", ""],
    ["GET", "/events?after=0"],
    ["GET", "/audit"],
    ["GET", "/resumable"],
    ["GET", "/handoffs"],
    ["GET", "/checkpoints"],
    ["GET", "/checkpoints/chk_1"],
    ["GET", "/lineage"],
    ["POST", "/validate"],
    // Shows G-2.
  ])("(%s %s) writes nothing", async (method, path) => {
    const { session, owner } = await pair(["view"]);
    const { token } = await rowsOf(session, "POST", "/checkpoints", owner, {});
    let answer: Answer | undefined;
    const rows = await rowsWrittenBy(session, async () => {
      answer = await client.on(session, method, path, {
        token,
        ...(method === "POST" ? { body: { fields: { a: 1 } } } : {}),
      });
    });
    expect(answer?.status, answer?.text).toBe(200);
    expect(rows).toBe(0);
  });
});

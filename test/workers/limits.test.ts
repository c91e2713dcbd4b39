/**
 * Every limit that a client can reach, at the limit and one past it. The numbers are repeated here on
 * purpose. test/unit/limits.test.ts looks up the tests of each limit in this table.
 */
import { afterEach, describe, expect, it, vi } from "vitest";
import { randomKey, type Answer, type CreatedSession } from "../support/client";
import { client, inside } from "../support/worker";

const KIB = 1024;

afterEach(() => {
  vi.useRealTimers();
});

const text = (length: number): string => "x".repeat(length);
const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;
const numbered = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
/** `value(pad)` padded so that its JSON is exactly so many bytes. */
function sized<T>(bytes: number, value: (pad: string) => T): T {
  return value(text(bytes - bytesOf(value(""))));
}

type Try = (size: number) => Promise<Answer>;
const creating =
  (body: (size: number) => unknown): Try =>
  (size) =>
    client.call("POST", "/sessions", { body: body(size) });
const acting =
  (method: string, path: string, body: (size: number) => unknown): Try =>
  async (size) => {
    const session = await client.create();
    return client.on(session, method, path, { token: session.token, body: body(size) });
  };
const reading =
  (path: (size: number) => string): Try =>
  async (size) => {
    const session = await client.create();
    return client.on(session, "GET", path(size), { token: session.token });
  };

const manyFields = (count: number) => Object.fromEntries(numbered(count, (n) => [`f${n}`, n]));

/** Characters of the log after its first commit. */
const appendedLength = (session: CreatedSession): Promise<number> =>
  inside(session, (_, { storage }) =>
    Number(
      storage.sql
        .exec("SELECT SUM(LENGTH(events)) AS length FROM commits WHERE first_seq > 2")
        .one()["length"],
    ),
  );

const append = (session: CreatedSession, events: unknown, key?: string): Promise<Answer> =>
  client.on(session, "POST", "/events", {
    token: session.token,
    body: { events },
    ...(key === undefined ? {} : { key }),
  });

const bytesOfLastCommit = (session: CreatedSession): Promise<number> =>
  inside(session, (_, { storage }) => {
    const size = "length(CAST(events AS BLOB))";
    const last = `SELECT ${size} AS n FROM commits ORDER BY first_seq DESC LIMIT 1`;
    return Number(storage.sql.exec(last).one()["n"]);
  });

/** A full append. Three events share the padding, because a single one may not hold all of it. */
function batch(padding: number): readonly unknown[] {
  const third = Math.floor(padding / 3);
  const pads = [third, third, padding - 2 * third];
  return numbered(1_000, (n) => ({ type: "a.b", payload: { pad: text(pads[n] ?? 0) } }));
}

const policy = (choice: (size: number) => unknown): Try =>
  creating((size) => ({ policy: choice(size) }));
const stopping = (report: (size: number) => object): Try =>
  acting("POST", "/stops", (size) => ({ reason: "rate_limit", attempt: 1, ...report(size) }));

/** A handoff to an agent with these terms. */
const narrowed = (terms: (size: number) => object): Try =>
  acting("POST", "/handoffs", (size) => ({ to: "agent", scopes: ["fill"], ...terms(size) }));
/** Terms of exactly so many bytes; ten names share the padding. */
const termsOfBytes = (bytes: number): object =>
  sized(bytes, (pad) => ({
    ask: [
      ...numbered(370, (n) => `${n}`.padEnd(170, "x")),
      ...numbered(10, (n) => `t${n}${pad.slice(n * 150, n === 9 ? undefined : (n + 1) * 150)}`),
    ],
  }));

const conflict = (session: CreatedSession, seen: number): Promise<Answer> =>
  client.on(session, "POST", "/events", {
    token: session.token,
    body: { events: [{ type: "a.b" }], expectedHead: seen },
  });

const BOUNDS: readonly [what: string, bound: number, past: 400 | 413, attempt: Try][] = [
  ["a title", 300, 400, creating((n) => ({ title: text(n) }))],
  [
    "the address of an endpoint",
    2_000,
    400,
    acting("POST", "/endpoints", (n) => ({
      url: "https://receiver.test/".padEnd(n, "x"),
      notices: ["session.expired"],
    })),
  ],
  ["an actor's id", 200, 400, creating((n) => ({ actor: { id: text(n) } }))],
  ["an actor's name", 200, 400, creating((n) => ({ actor: { id: "a", name: text(n) } }))],
  ["a field's name", 200, 400, creating((n) => ({ fields: { [text(n)]: 1 } }))],
  ["the number of fields", 500, 413, creating((n) => ({ fields: manyFields(n) }))],
  [
    "all fields together",
    512 * KIB,
    413,
    creating((n) => ({ fields: sized(n, (pad) => ({ a: 1, pad })) })),
  ],
  [
    "all fields together after a change",
    512 * KIB,
    413,
    async (n) => {
      const session = await client.create({ fields: { a: text(1_000), b: 1 } });
      const { pad } = sized(n, (pad) => ({ a: text(1_000), pad }));
      const body = { fields: { b: null, pad } };
      return client.on(session, "PATCH", "", { token: session.token, body });
    },
  ],
  [
    "a schema",
    64 * KIB,
    413,
    creating((n) => ({ schema: sized(n, (description) => ({ type: "object", description })) })),
  ],
  [
    "a schema's pattern",
    500,
    400,
    creating((n) => ({ schema: { properties: { a: { pattern: text(n) } } } })),
  ],
  ["the approvals needed", 20, 400, creating((n) => ({ review: { approvals: n } }))],
  ["a next step's words", 4_000, 400, creating((n) => ({ nextStep: { description: text(n) } }))],
  ["a next step's body", 64 * KIB, 400, creating((n) => ({ nextStep: { body: text(n) } }))],
  [
    "the steps completed",
    1_000,
    400,
    creating((n) => ({ nextStep: { stepsCompleted: numbered(n, (i) => i + 1) } })),
  ],
  ["the longest life", 90 * 24 * 3_600_000, 400, creating((ttlMs) => ({ ttlMs }))],
  ["an extended life", 90 * 24 * 3_600_000, 400, acting("POST", "/extend", (ttlMs) => ({ ttlMs }))],
  ["a reason", 4_000, 400, acting("POST", "/cancel", (n) => ({ reason: text(n) }))],
  ["a note", 4_000, 400, acting("POST", "/request-input", (n) => ({ note: text(n) }))],
  [
    "the words on a button",
    60,
    400,
    acting("POST", "/request-input", (n) => ({ submitLabel: text(n) })),
  ],
  [
    "the fields asked for",
    500,
    400,
    acting("POST", "/request-input", (n) => ({ fields: numbered(n, (i) => `f${i}`) })),
  ],
  [
    "a handoff's note",
    4_000,
    400,
    acting("POST", "/handoffs", (n) => ({ to: "agent", scopes: ["view"], note: text(n) })),
  ],
  [
    "the events of one append",
    1_000,
    400,
    acting("POST", "/events", (n) => ({ events: numbered(n, () => ({ type: "a.b" })) })),
  ],
  [
    "an event's payload",
    256 * KIB,
    413,
    acting("POST", "/events", (n) => ({
      events: [{ type: "a.b", payload: sized(n, (pad) => ({ pad })) }],
    })),
  ],
  [
    "an event's type",
    128,
    400,
    acting("POST", "/events", (n) => ({ events: [{ type: `a.${text(n - 2)}` }] })),
  ],
  ["a checkpoint's name", 100, 400, acting("POST", "/checkpoints", (n) => ({ name: text(n) }))],
  ["a fork's reason", 4_000, 400, acting("POST", "/fork", (n) => ({ reason: text(n) }))],
  [
    "a template of a prompt",
    16 * KIB,
    400,
    acting("POST", "/fork", (n) => ({ template: text(n) })),
  ],
  [
    "the wait a provider asks for",
    90 * 24 * 3_600_000,
    400,
    stopping((retryAfterMs) => ({ retryAfterMs })),
  ],
  ["that wait in seconds", 90 * 24 * 3_600, 400, stopping((retryAfter) => ({ retryAfter }))],
  ["a failed attempt's number", 1_000_000, 400, stopping((attempt) => ({ attempt }))],
  ["the evidence of a stop", 4_000, 400, stopping((n) => ({ evidence: text(n) }))],
  ["the attempts of a policy", 100, 400, policy((maxAttempts) => ({ maxAttempts }))],
  ["the first backoff", 90 * 24 * 3_600_000, 400, policy((baseMs) => ({ baseMs }))],
  ["the longest backoff", 90 * 24 * 3_600_000, 400, policy((maxMs) => ({ maxMs }))],
  [
    "the window of a breaker",
    90 * 24 * 3_600_000,
    400,
    policy((windowMs) => ({ breaker: { windowMs } })),
  ],
  ["the jitter of a policy", 1, 400, policy((jitter) => ({ jitter }))],
  ["the failures of a breaker", 100, 400, policy((failures) => ({ breaker: { failures } }))],
  ["the checkpoints kept", 100, 400, policy((keepCheckpoints) => ({ keepCheckpoints }))],
  ["the events of a page", 20_000, 400, reading((n) => `/events?limit=${n}`)],
  ["the events of an audit page", 20_000, 400, reading((n) => `/audit?limit=${n}`)],
  [
    "the types of a filter",
    50,
    400,
    reading((n) => `/events?type=${numbered(n, (i) => `a.b${i}`).join(",")}`),
  ],
  [
    "the types that an agent may append",
    50,
    400,
    narrowed((n) => ({ events: { append: numbered(n, (i) => `a.b${i}`) } })),
  ],
  [
    "the types that an agent may read",
    50,
    400,
    narrowed((n) => ({ events: { read: numbered(n, (i) => `a.b${i}`) } })),
  ],
  [
    "a type in the terms of an agent",
    128,
    400,
    narrowed((n) => ({ events: { read: [`a.${text(n - 2)}`] } })),
  ],
  [
    "the fields that an agent may write",
    500,
    400,
    narrowed((n) => ({ ask: numbered(n, (i) => `f${i}`) })),
  ],
  [
    "the fields that an agent may see",
    500,
    400,
    narrowed((n) => ({ show: numbered(n, (i) => `f${i}`) })),
  ],
  ["the terms of an agent, in bytes", 65_536, 413, narrowed(termsOfBytes)],
  ["a type of a filter", 128, 400, reading((n) => `/events?type=a.${text(n - 2)}`)],
  [
    "an Idempotency-Key",
    255,
    400,
    (n) => client.call("POST", "/sessions", { body: {}, key: randomKey().padEnd(n, "k") }),
  ],
];

describe("a bound", () => {
  // Shows M-11.
  it.each(BOUNDS)("on %s allows %i and refuses one more", async (_, bound, past, attempt) => {
    const at = await attempt(bound);
    expect(at.status, at.text.slice(0, 500)).toBeLessThan(300);
    const beyond = await attempt(bound + 1);
    expect(beyond.status, beyond.text.slice(0, 500)).toBe(past);
    expect(beyond.body.code).toBe(past === 413 ? "too_large" : "invalid_request");
    if (past === 413) expect(beyond.body.limit).toBe(bound);
  });

  // Shows M-11.
  it("on the TTL and on the create key is also a minimum", async () => {
    for (const [ttlMs, status] of [
      [1_000, 201],
      [999, 400],
    ]) {
      expect((await client.call("POST", "/sessions", { body: { ttlMs } })).status).toBe(status);
    }
    const random = randomKey();
    for (const [length, status] of [
      [22, 201],
      [21, 400],
    ] as const) {
      const key = random.slice(0, length);
      expect((await client.call("POST", "/sessions", { body: {}, key })).status).toBe(status);
    }
  });

  // Shows H-13, M-11.
  it("on participants counts those that can still act", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const session = await client.create();
    let { token } = session;
    const agent = (scopes = ["view"], more = {}) =>
      client.on(session, "POST", "/handoffs", { token, body: { to: "agent", scopes, ...more } });
    const fill = async (from: number) => {
      for (let created = from; created <= 100; created++) {
        const answer = await agent();
        expect(answer.status, answer.text).toBe(201);
        token = answer.body.resumeToken;
      }
    };
    const short = await agent(["fill"], { ttlMs: 1_000 });
    token = short.body.resumeToken;
    await fill(3);
    const refused = await agent();
    expect([refused.status, refused.body.limit]).toEqual([413, 100]);

    // A participant that ended allows another one and leaves the row; its token gives no access any more.
    vi.setSystemTime(Date.now() + 1_000);
    const read = (presented: string) => client.on(session, "GET", "", { token: presented });
    expect((await read(short.body.participantToken)).status).toBe(410);
    await fill(100);
    expect((await agent()).status).toBe(413);
    expect((await read(short.body.participantToken)).status).toBe(403);

    const revoked = await client.on(session, "POST", "/revoke", { token, body: { others: true } });
    token = revoked.body.resumeToken;
    await fill(2);
    expect((await agent()).status).toBe(413);
    const { participants } = (await read(token)).body.session;
    expect(participants).toHaveLength(100);
    const ids = participants.map(({ id }: { id: string }) => id);
    expect([ids[0], ids[1], ids[99]]).toEqual(["par_1", "par_102", "par_200"]);
    expect((await read(short.body.participantToken)).status).toBe(403);
  });

  // Shows H-13.
  it("on participants created without own is a fifth", async () => {
    const session = await client.create();
    const helper = await client.on(session, "POST", "/handoffs", {
      token: session.token,
      body: { to: "agent", scopes: ["fill", "handoff"] },
    });
    let token = helper.body.participantToken;
    const agent = (presented: string) =>
      client.on(session, "POST", "/handoffs", {
        token: presented,
        body: { to: "agent", scopes: ["handoff"] },
      });
    let last = "";
    for (let created = 1; created <= 20; created++) {
      const answer = await agent(token);
      expect(answer.status, answer.text).toBe(201);
      token = answer.body.resumeToken;
      last = answer.body.participantToken;
    }
    // Neither it nor one that it created can create another; the owner can.
    for (const spent of [token, last]) {
      const refused = await agent(spent);
      expect([refused.status, refused.body.limit]).toEqual([413, 20]);
    }
    expect((await agent(helper.body.resumeToken)).status).toBe(201);
  });

  it.each([
    ["maxAttempts", { maxAttempts: 1 }, { maxAttempts: 0 }],
    ["keepCheckpoints", { keepCheckpoints: 1 }, { keepCheckpoints: 0 }],
    ["baseMs", { baseMs: 1 }, { baseMs: 0 }],
    ["maxMs", { maxMs: 1 }, { maxMs: 0 }],
    ["jitter", { jitter: 0 }, { jitter: -0.01 }],
    ["failures", { breaker: { failures: 1 } }, { breaker: { failures: 0 } }],
    ["windowMs", { breaker: { windowMs: 1 } }, { breaker: { windowMs: 0 } }],
    // Shows M-11.
  ])("on a policy's %s is also a minimum", async (_, least, less) => {
    for (const [choice, status] of [
      [least, 201],
      [less, 400],
    ] as const) {
      const answer = await client.call("POST", "/sessions", { body: { policy: choice } });
      expect(answer.status, answer.text).toBe(status);
    }
  });

  // Shows M-11.
  it("on one commit counts what would be stored", async () => {
    const session = await client.create({ actor: { id: "€".repeat(200), name: "€".repeat(200) } });
    expect((await append(session, batch(0))).status).toBe(201);
    // From here on every seq has four digits, so that batches differ by their padding alone.
    expect((await append(session, batch(0))).status).toBe(201);
    const capacity = 1_900_000 - (await bytesOfLastCommit(session));
    const at = await append(session, batch(capacity));
    expect(at.status, at.text).toBe(201);
    expect(await bytesOfLastCommit(session)).toBe(1_900_000);
    const beyond = await append(session, batch(capacity + 1));
    expect(beyond.status).toBe(413);
    expect(beyond.body).toMatchObject({ code: "too_large", limit: 1_900_000 });
  });

  it("on the time for which a create is replayed is a day", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const key = randomKey();
    const session = await client.create({}, { key });
    vi.setSystemTime(Date.now() + 24 * 3_600_000 - 1);
    const repeated = await client.call("POST", "/sessions", { key, body: {} });
    expect(repeated.body.resumeToken).toBe(session.token);
    vi.setSystemTime(Date.now() + 1);
    const late = await client.call("POST", "/sessions", { key, body: {} });
    expect([late.status, late.body.code]).toEqual([422, "idempotency_mismatch"]);
  });
});

describe("a page", () => {
  it("holds a hundred events without a limit parameter", async () => {
    const session = await client.create();
    await append(
      session,
      numbered(200, () => ({ type: "a.b" })),
    );
    for (const path of ["/events?after=0", "/audit"]) {
      const page = await client.on(session, "GET", path, { token: session.token });
      expect(page.body.events).toHaveLength(100);
      expect(page.body.more).toBe(true);
    }
  });

  // Shows E-8.
  it("ends before it holds more than four mebibytes, and the next one continues", async () => {
    const session = await client.create();
    const big = sized(256 * KIB, (pad) => ({ pad }));
    for (let n = 0; n < 17; n++) await append(session, [{ type: "a.big", payload: big }]);
    const read = (after: number) =>
      client.on(session, "GET", `/events?after=${after}`, { token: session.token });
    const first = await read(2);
    expect(first.body.events).toHaveLength(15);
    expect(first.body).toMatchObject({ nextAfter: 17, more: true });
    const second = await read(17);
    expect(second.body.events.map(({ seq }: { seq: number }) => seq)).toEqual([18, 19]);
    expect(second.body.more).toBe(false);
  });

  // Shows R-3.
  it("of a resume ends before it holds more than a mebibyte, and reading continues", async () => {
    const session = await client.create();
    const big = sized(256 * KIB, (pad) => ({ pad }));
    for (let n = 0; n < 5; n++) await append(session, [{ type: "a.big", payload: big }]);
    const body = { lastEventSeq: 2 };
    const resumed = await client.on(session, "POST", "/resume", { token: session.token, body });
    expect(resumed.body.events).toHaveLength(3);
    expect(resumed.body.more).toBe(true);
    const { resumeToken: token } = resumed.body;
    const rest = await client.on(session, "GET", "/events?after=5", { token });
    expect(rest.body.events.map(({ seq }: { seq: number }) => seq).slice(0, 2)).toEqual([6, 7]);
  });

  // Shows E-8.
  it("of JSON holds twenty thousand events, and no more can be requested", async () => {
    const session = await client.create();
    for (let n = 0; n < 20; n++) {
      await append(
        session,
        numbered(1_000, () => ({ type: "a.b" })),
      );
    }
    const read = (limit: number) =>
      client.on(session, "GET", `/events?after=0&limit=${limit}`, { token: session.token });
    const page = await read(20_000);
    expect(page.body.events).toHaveLength(20_000);
    expect(page.body).toMatchObject({ nextAfter: 20_000, more: true });
    expect((await read(20_001)).status).toBe(400);
  });

  // Shows E-8.
  it("looks through scanLength characters at a time for a rare type", async () => {
    const SCANNED = 1_048_576;
    for (const spare of [1, 0]) {
      const session = await client.create();
      const fill = (length: number) =>
        append(session, [{ type: "a.common", payload: { text: "x".repeat(length) } }]);
      // All but one are equally long, and so is the JSON around the text.
      const LONG = 200_000;
      await fill(LONG);
      const around = (await appendedLength(session)) - LONG;
      for (let n = 0; n < 4; n += 1) await fill(LONG);
      await fill(SCANNED - spare - 5 * (LONG + around) - around);
      expect(await appendedLength(session)).toBe(SCANNED - spare);
      await append(session, [{ type: "a.rare" }]);
      const read = (after: number) =>
        client.on(session, "GET", `/events?type=a.rare&after=${after}`, { token: session.token });
      const found = { events: [{ seq: 9 }], nextAfter: 9, more: false };
      const first = await read(2);
      expect(first.body).toMatchObject(
        spare === 1 ? found : { events: [], head: 9, nextAfter: 8, more: true },
      );
      expect((await read(8)).body).toMatchObject(found);
      const lines = await client.on(session, "GET", "/events?type=a.rare&after=0", {
        token: session.token,
        headers: { Accept: "application/x-ndjson" },
      });
      expect(lines.text.split("\n").filter((line) => line !== "")).toHaveLength(1);
    }
  });

  // Shows E-8.
  it("finds the server's own events on the first page, however much was appended in between", async () => {
    const session = await client.create();
    for (let n = 0; n < 6; n += 1) {
      await append(session, [{ type: "a.b", payload: { text: "x".repeat(200_000) } }]);
    }
    const ended = await client.on(session, "POST", "/cancel", { token: session.token, body: {} });
    const token = ended.body.resumeToken as string;
    const page = await client.on(session, "GET", "/events?type=session.*&after=0", { token });
    expect(page.body).toMatchObject({
      events: [{ seq: 1 }, { seq: 9 }],
      nextAfter: 9,
      more: false,
    });
  });
});

describe("the events in a conflict", () => {
  it("are the first hundred missed ones, and whether there are more", async () => {
    const session = await client.create();
    await append(
      session,
      numbered(101, () => ({ type: "a.b" })),
    );
    const all = await conflict(session, 3);
    expect(all.body.missed).toHaveLength(100);
    expect(all.body.more).toBe(false);
    const some = await conflict(session, 2);
    expect(some.body.missed).toHaveLength(100);
    expect(some.body.more).toBe(true);
    expect(some.body.missed[0].seq).toBe(3);
  });

  // Shows V-2.
  it("are at most a quarter of a mebibyte, but at least one event", async () => {
    const session = await client.create();
    const payload = { pad: text(150 * KIB) };
    await append(session, [
      { type: "a.b", payload },
      { type: "a.b", payload },
    ]);
    const answer = await conflict(session, 2);
    expect(answer.body.missed).toHaveLength(1);
    expect(answer.body.more).toBe(true);
  });
});

describe("the memory of an append's key", () => {
  // Shows E-5.
  it("reaches back 1,024 commits", async () => {
    const session = await client.create();
    const key = randomKey();
    const first = await append(session, [{ type: "a.b" }], key);
    await Promise.all(numbered(1_023, () => append(session, [{ type: "a.c" }])));
    const oldest = await append(session, [{ type: "a.b" }], key);
    expect(oldest.body.first).toBe(first.body.first);
    await append(session, [{ type: "a.c" }]);
    const forgotten = await append(session, [{ type: "a.b" }], key);
    expect(forgotten.body.first).toBe(first.body.first + 1_025);
  });
});

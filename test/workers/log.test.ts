/** The log as it is written and read. */
import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { randomKey, type Answer, type CreatedSession, type CallOptions } from "../support/client";
import { client, stubOf } from "../support/worker";

interface Event {
  readonly seq: number;
  readonly type: string;
  readonly payload: { readonly n?: number };
}

const steps = (from: number, to: number, type = "agent.step") =>
  Array.from({ length: to - from + 1 }, (_, n) => ({ type, payload: { n: from + n } }));

const append = (
  session: CreatedSession,
  body: unknown,
  options: Omit<CallOptions, "body"> = {},
): Promise<Answer> =>
  client.on(session, "POST", "/events", { token: session.token, ...options, body });

const events = (session: CreatedSession, query: string, headers: Record<string, string> = {}) =>
  client.on(session, "GET", `/events${query}`, { token: session.token, headers });

const seqs = (answer: Answer): readonly number[] =>
  (answer.body.events as Event[]).map(({ seq }) => seq);

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);

const headOf = ({ answer }: CreatedSession): number => answer.body.session.head as number;

describe("numbering", () => {
  // Shows E-1.
  it("is dense across appends, writes and evictions", async () => {
    const session = await client.create();
    const start = headOf(session);
    expect((await append(session, { events: steps(1, 3) })).body).toEqual({
      first: start + 1,
      last: start + 3,
      head: start + 3,
    });
    await evictDurableObject(stubOf(session));
    const patched = await client.on(session, "PATCH", "", {
      token: session.token,
      body: { fields: { a: 1 } },
    });
    expect(patched.body.session).toMatchObject({ head: start + 4, version: start + 4 });
    await evictDurableObject(stubOf(session));
    expect((await append(session, { events: steps(4, 4) })).body.first).toBe(start + 5);
    expect(seqs(await events(session, "?after=0"))).toEqual(range(1, start + 5));
  });

  // A new session's log ends at seq 2.
  it.each([0, 1, 2, 3, 7, 12])(
    "continues without a gap after an eviction and a resume from seq %i",
    async (lastEventSeq) => {
      const session = await client.create();
      expect(headOf(session)).toBe(2);
      await append(session, { events: steps(1, 10) });
      await evictDurableObject(stubOf(session));
      const resumed = await client.on(session, "POST", "/resume", {
        token: session.token,
        body: { lastEventSeq },
      });
      expect(resumed.status, resumed.text).toBe(200);
      expect(resumed.body).toMatchObject({ outcome: "resumed", more: false });
      expect(seqs(resumed)).toEqual(range(lastEventSeq + 1, resumed.body.head));
      const missed = (resumed.body.events as Event[]).filter(({ type }) => type === "agent.step");
      expect(missed.map(({ payload }) => payload.n)).toEqual(
        range(Math.max(1, lastEventSeq - 1), 10),
      );
      const { resumeToken: token, head } = resumed.body;
      const next = await append(session, { events: steps(11, 11) }, { token });
      expect(next.body).toEqual({ first: head + 1, last: head + 1, head: head + 1 });
    },
  );

  it("is the same text in every format in which the log is read", async () => {
    const session = await client.create();
    await append(session, { events: [{ type: "agent.said", payload: { text: "a\nb ü \u2028" } }] });
    const page = await events(session, "?after=0");
    const lines = await events(session, "?after=0", { Accept: "application/x-ndjson" });
    expect(
      lines.text
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toEqual(page.body.events);
    expect(page.body.events.at(-1)).toEqual({
      seq: page.body.head,
      type: "agent.said",
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      actor: { kind: "agent", id: "agent" },
      participant: "par_1",
      state: "draft",
      version: session.answer.body.session.version,
      payload: { text: "a\nb ü \u2028" },
    });
  });
});

describe("an append", () => {
  // Shows E-3.
  it("spends no token and moves no version", async () => {
    const session = await client.create();
    const answer = await append(session, { events: steps(1, 2) });
    expect(answer.status).toBe(201);
    expect(answer.text).not.toContain("rtok_");
    const after = await client.on(session, "GET", "", { token: session.token });
    expect(after.body.session.version).toBe(session.answer.body.session.version);
    const patched = await client.on(session, "PATCH", "", {
      token: session.token,
      body: { fields: { a: 1 } },
    });
    expect(patched.status).toBe(200);
  });

  // Shows E-5.
  it("with the same key and body returns the same seqs, also after an eviction", async () => {
    const session = await client.create();
    const key = randomKey();
    const first = await append(session, { events: steps(1, 2) }, { key });
    await append(session, { events: steps(3, 3) });
    await evictDurableObject(stubOf(session));
    const repeated = await append(session, { events: steps(1, 2) }, { key });
    expect(repeated.status).toBe(201);
    expect(repeated.headers.get("Idempotent-Replayed")).toBe("true");
    expect(repeated.body).toEqual({ ...first.body, head: first.body.head + 1 });
    expect(seqs(await events(session, "?after=0"))).toEqual(range(1, first.body.head + 1));
  });

  // Shows E-5.
  it("with the same key and another body is 422, and keys are separate per participant", async () => {
    const session = await client.create();
    const handedOff = await client.on(session, "POST", "/handoffs", {
      token: session.token,
      body: { to: "agent", scopes: ["append"] },
    });
    const key = randomKey();
    const first = await append(session, { events: steps(1, 1) }, { key });
    const other = await append(session, { events: steps(2, 2) }, { key });
    expect(other.status).toBe(422);
    expect(other.body).toMatchObject({ code: "idempotency_mismatch", sessionId: session.id });
    const otherAppend = await append(
      session,
      { events: steps(2, 2) },
      { key, token: handedOff.body.participantToken },
    );
    expect(otherAppend.status).toBe(201);
    expect(otherAppend.body.first).toBe(first.body.last + 1);
    expect(otherAppend.headers.has("Idempotent-Replayed")).toBe(false);
  });

  // Shows E-6.
  it("with an outdated expectedHead is 409 with the missed events", async () => {
    const session = await client.create();
    const expectedHead = headOf(session);
    const matching = await append(session, { events: steps(1, 2), expectedHead });
    expect(matching.status).toBe(201);
    const refused = await append(session, { events: steps(3, 3), expectedHead });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      code: "version_conflict",
      sessionId: session.id,
      current: { head: expectedHead + 2 },
      more: false,
    });
    expect((refused.body.missed as Event[]).map(({ seq }) => seq)).toEqual(
      range(expectedHead + 1, expectedHead + 2),
    );
    const repeated = await append(session, { events: steps(3, 3), expectedHead: expectedHead + 2 });
    expect(repeated.body.first).toBe(expectedHead + 3);
  });

  // Shows E-6.
  it("checks its expectedHead also if its If-Match matches", async () => {
    const session = await client.create();
    const { version } = session.answer.body.session as { version: number };
    await append(session, { events: steps(1, 1) });
    const body = { events: steps(2, 2), expectedHead: headOf(session) };
    const answer = await append(session, body, { ifMatch: version });
    expect(answer.body.code, answer.text).toBe("version_conflict");
  });

  it.each([
    ["session.created", "the server's own namespace"],
    ["Token.issued", "the same in another case"],
    ["job.done", "jobs"],
    ["progress", "no namespace"],
    [".step", "an empty namespace"],
    ["agent.", "an empty name"],
    ["agent..step", "an empty part"],
    ["agent.st\u00e9p", "a letter outside ASCII"],
    ["agent.st\nep", "a line break"],
    ["", "nothing at all"],
    // Shows E-3, E-4.
  ])("of type %j (%s) is 400 and appends nothing of its batch", async (type) => {
    const session = await client.create();
    const answer = await append(session, { events: [...steps(1, 1), { type, payload: {} }] });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: "invalid_request", at: "events[1].type" });
    const after = await client.on(session, "GET", "", { token: session.token });
    expect(after.body.session.head).toBe(headOf(session));
  });
});

describe("a page of the log", () => {
  // Shows E-7, E-8.
  it("leads to the next without gap or repeat", async () => {
    const session = await client.create();
    await append(session, { events: steps(1, 10) });
    await append(session, { events: steps(11, 15) });
    const head = headOf(session) + 15;
    const seen: number[] = [];
    let after = 0;
    for (let more = true; more; ) {
      const page = await events(session, `?after=${after}&limit=4`);
      expect(page.body.head).toBe(head);
      expect(page.body.events.length).toBeLessThanOrEqual(4);
      seen.push(...seqs(page));
      ({ more, nextAfter: after } = page.body);
    }
    expect(seen).toEqual(range(1, head));
    expect(after).toBe(head);
    const atEnd = await events(session, `?after=${head}`);
    expect(atEnd.body).toEqual({ events: [], head, nextAfter: head, more: false });
  });

  // Shows E-7.
  it("starts at the participant's cursor if none is given", async () => {
    const session = await client.create();
    await append(session, { events: steps(1, 3) });
    expect(seqs(await events(session, ""))).toEqual(
      range(headOf(session) + 1, headOf(session) + 3),
    );
    const resumed = await client.on(session, "POST", "/resume", {
      token: session.token,
      body: {},
    });
    const later = await client.on(session, "GET", "/events", {
      token: resumed.body.resumeToken as string,
    });
    expect(later.body.events).toEqual([]);
  });

  it.each([
    ["agent.step", ["agent.step"]],
    ["agent.step,tool.called", ["agent.step", "tool.called"]],
    ["agent.*", ["agent.step", "agent.step.done"]],
    ["agent.step.*", ["agent.step.done"]],
    ["session.*,tool.*", ["session.created", "tool.called"]],
    ["agent", []],
    ["agent.ste", []],
    ["*", []],
    // Shows E-9.
  ])(
    "filtered by %s contains only those types and reads up to the head",
    async (filter, expected) => {
      const session = await client.create();
      const kinds = ["agent.step", "agent.step.done", "agents.step", "tool.called", "x.y"];
      await append(session, { events: kinds.map((type) => ({ type })) });
      const page = await events(session, `?after=0&type=${filter}`);
      expect((page.body.events as Event[]).map(({ type }) => type).sort()).toEqual(expected);
      expect(page.body).toMatchObject({ nextAfter: page.body.head, more: false });
    },
  );

  it.each([
    "?after=-1",
    "?after=x",
    "?after=1.5",
    "?limit=0",
    "?limit=20001",
    "?limit=x",
    "?after=",
    // Shows E-8.
  ])("with %s is 400", async (query) => {
    const answer = await events(await client.create(), query);
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe("invalid_request");
  });

  // Shows E-10.
  it.each(["/events?after=", "/audit?cursor=", "/resumable?lastEventSeq="])(
    "with a cursor beyond the head is 400 (%s)",
    async (path) => {
      const session = await client.create();
      const { token } = session;
      const at = await client.on(session, "GET", `${path}${headOf(session)}`, { token });
      expect(at.status, at.text).toBe(200);
      const beyond = await client.on(session, "GET", `${path}${headOf(session) + 1}`, { token });
      expect(beyond.status).toBe(400);
      expect(beyond.body).toMatchObject({ code: "invalid_request", sessionId: session.id });
    },
  );
});

describe("the log as lines", () => {
  // Shows E-11.
  it("contains everything after the cursor, regardless of the page size", async () => {
    const session = await client.create();
    for (const from of [1, 1001, 2001]) await append(session, { events: steps(from, from + 999) });
    const head = headOf(session) + 3000;
    const answer = await events(session, "?after=1", { Accept: "application/x-ndjson" });
    expect(answer.headers.get("Content-Type")).toBe("application/x-ndjson");
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(answer.headers.get("Baton-Head")).toBe(String(head));
    expect(answer.text.endsWith("}\n")).toBe(true);
    const lines = answer.text.split("\n").slice(0, -1);
    expect(lines.map((line) => (JSON.parse(line) as Event).seq)).toEqual(range(2, head));
  });

  it("supports limit and type", async () => {
    const session = await client.create();
    await append(session, { events: [...steps(1, 5), ...steps(6, 10, "tool.called")] });
    const answer = await events(session, "?after=0&type=tool.*&limit=3", {
      Accept: "application/jsonl",
    });
    const lines = answer.text.split("\n").slice(0, -1);
    expect(lines.map((line) => (JSON.parse(line) as Event).payload.n)).toEqual([6, 7, 8]);
  });

  it("is empty, not an error, at the head, and a problem document beyond it", async () => {
    const session = await client.create();
    const headers = { Accept: "application/x-ndjson" };
    const atHead = await events(session, `?after=${headOf(session)}`, headers);
    expect([atHead.status, atHead.text]).toEqual([200, ""]);
    const beyond = await events(session, `?after=${headOf(session) + 1}`, headers);
    expect(beyond.status).toBe(400);
    expect(beyond.headers.get("Content-Type")).toBe("application/problem+json");
  });
});

/** The list of an owner's sessions, with every filter. */
import { describe, expect, it } from "vitest";
import { callerFrom, sendFrom } from "../support/caller";
import { LIMITS } from "../../src/domain/limits";
import { createOwner } from "../support/test-owner";
import { keyEntry, newKey } from "../support/owners";

const text = (length: number): string => "x".repeat(length);
const labels = (n: number) =>
  Object.fromEntries(Array.from({ length: n }, (_, at) => [`n${at}`, "v"]));
const ids = (page: { sessions: { id: string }[] }): string[] => page.sessions.map(({ id }) => id);

describe("a session's owner data", () => {
  // Shows OW-1.
  it("is shown: owner, externalId and labels", async () => {
    const owner = createOwner();
    const { body } = await owner.create({ externalId: "order-1", labels: { team: "blue" } });
    expect(body.session).toMatchObject({
      owner: owner.name,
      externalId: "order-1",
      labels: { team: "blue" },
    });
  });

  // Shows OW-1.
  it("is empty for a session without an owner, which may have labels", async () => {
    const anonymous = callerFrom(null);
    const { body } = await anonymous.call("POST", "/sessions", { body: { labels: { a: "b" } } });
    expect(body.session).not.toHaveProperty("owner");
    expect(body.session.labels).toEqual({ a: "b" });
    const named = await anonymous.call("POST", "/sessions", { body: { externalId: "x" } });
    expect([named.status, named.body.at]).toEqual([400, "externalId"]);
  });

  // Shows OW-1.
  it("is inherited by a fork, except for its name", async () => {
    const owner = createOwner();
    const parent = await owner.create({ externalId: "one", labels: { a: "1" } });
    const forked = await owner.client.on(parent, "POST", "/fork", {
      token: parent.token,
      body: { reason: "more" },
    });
    expect(forked.body.child).toMatchObject({ owner: owner.name, labels: { a: "1" } });
    expect(forked.body.child).not.toHaveProperty("externalId");
    await expect.poll(() => owner.row(forked.body.child.id)).toBeDefined();
  });

  // Shows OW-1.
  it("labels are replaced by PATCH, separately, and only with own", async () => {
    const owner = createOwner();
    const session = await owner.create({ labels: { a: "1" } });
    const handedOff = await owner.client.on(session, "POST", "/handoffs", {
      token: session.token,
      body: { to: "agent", scopes: ["fill"] },
    });
    const patch = (token: string, body: object) =>
      owner.client.on(session, "PATCH", "", { token, body });
    const byParticipant = await patch(handedOff.body.participantToken, { labels: {} });
    expect([byParticipant.status, byParticipant.body.code]).toEqual([403, "scope_denied"]);
    const both = await patch(handedOff.body.resumeToken, { labels: {}, title: "T" });
    expect(both.status).toBe(400);
    const set = await patch(handedOff.body.resumeToken, { labels: { b: "2" } });
    expect(set.body.session).toMatchObject({ labels: { b: "2" }, version: 1 });
    await expect.poll(async () => (await owner.row(session.id))?.labels).toEqual({ b: "2" });
  });

  it("holds 16 labels and not one more", async () => {
    const owner = createOwner();
    const { body } = await owner.create({ labels: labels(LIMITS.labels) });
    expect(Object.keys(body.session.labels)).toHaveLength(LIMITS.labels);
    const more = await owner.call("POST", "/sessions", { body: { labels: labels(17) } });
    expect(more.status).toBe(400);
  });

  it.each([
    ["a label's name", "labelNameLength", (n: number) => ({ labels: { [text(n)]: "v" } })],
    ["a label's value", "labelValueLength", (n: number) => ({ labels: { n: text(n) } })],
    ["an externalId", "externalIdLength", (n: number) => ({ externalId: text(n) })],
  ] as const)("the lengths of labels and names are bounded: %s", async (_, limit, bodyOf) => {
    const owner = createOwner();
    const atLimit = await owner.call("POST", "/sessions", { body: bodyOf(LIMITS[limit]) });
    const more = await owner.call("POST", "/sessions", { body: bodyOf(LIMITS[limit] + 1) });
    expect([atLimit.status, more.status]).toEqual([201, 400]);
  });
});

describe("an owner's name for a session", () => {
  // Shows OW-2.
  it("is taken while the session exists, and free after it was purged", async () => {
    const owner = createOwner();
    const first = await owner.create({ externalId: "order-7" });
    const repeated = await owner.call("POST", "/sessions", { body: { externalId: "order-7" } });
    expect([repeated.status, repeated.body.code]).toEqual([409, "external_id_taken"]);
    const other = await createOwner().create({ externalId: "order-7" });
    expect(other.id).not.toBe(first.id);
    for (const session of [first]) {
      const purged = await owner.client.on(session, "DELETE", "", { token: session.token });
      expect(purged.status).toBe(200);
    }
    const second = await owner.create({ externalId: "order-7" });
    expect(second.id).not.toBe(first.id);
    await owner.client.on(second, "DELETE", "", { token: second.token });
    const third = await owner.create({ externalId: "order-7" });
    expect([first.id, second.id]).not.toContain(third.id);
  });

  // Shows OW-2.
  it("is one session for a create that is repeated with its key", async () => {
    const owner = createOwner();
    const create = () =>
      owner.call("POST", "/sessions", {
        body: { externalId: "k" },
        key: "an-idempotency-key-of-enough-length",
      });
    const [one, two] = [await create(), await create()];
    expect(two.body.resumeToken).toBe(one.body.resumeToken);
    expect(two.headers.get("Idempotent-Replayed")).toBe("true");
  });
});

describe("the list of an owner's sessions", () => {
  // Shows OW-3.
  it("shows what each session reported, newest first, with counts over all", async () => {
    const owner = createOwner();
    const a = await owner.create({ title: "First", labels: { team: "blue" } });
    const b = await owner.create({ title: "Second", externalId: "order-2" });
    await expect.poll(async () => (await owner.list()).counts.total).toBe(2);
    const { sessions, nextCursor, counts } = await owner.list();
    expect(sessions.map((one: { id: string }) => one.id)).toEqual([b.id, a.id]);
    expect(sessions[1]).toEqual({
      id: a.id,
      title: "First",
      state: "draft",
      waiting: { for: "agent", since: expect.any(String) },
      labels: { team: "blue" },
      key: keyEntry(owner.key).name,
      createdAt: a.body.session.createdAt,
      changedAt: a.body.session.createdAt,
      expiresAt: a.body.session.expiresAt,
      seq: 2,
    });
    expect(sessions[0].externalId).toBe("order-2");
    expect(nextCursor).toBeNull();
    expect(counts).toEqual({ total: 2, states: { draft: 2 }, waiting: { agent: 2 } });
  });

  // Shows OW-3.
  it("follows state, title, waiting and end, and not the fields", async () => {
    const owner = createOwner();
    const session = await owner.create({ review: { required: true, approvals: 1 } });
    let { token } = session;
    const act = async (method: string, path: string, body: object): Promise<void> => {
      const answer = await owner.client.on(session, method, path, { token, body });
      if (answer.status >= 300) throw new Error(answer.text);
      token = answer.body.resumeToken;
    };
    const waits = async (): Promise<unknown> => (await owner.row(session.id))?.waiting?.for;
    await act("PATCH", "", { fields: { a: 1 }, title: "T" });
    await expect.poll(async () => (await owner.row(session.id))?.title).toBe("T");
    const { seq } = await owner.row(session.id);
    await act("PATCH", "", { fields: { a: 2 } });
    await act("POST", "/extend", { ttlMs: 3_600_000 });
    await expect.poll(async () => (await owner.row(session.id)).seq).toBe(seq + 2);
    await act("POST", "/handoffs", { to: "human", scopes: ["fill"] });
    await expect.poll(waits).toBe("person");
    await act("POST", "/revoke", { others: true });
    await expect.poll(waits).toBe("agent");
    await act("POST", "/request-input", {});
    await expect.poll(waits).toBe("person");
    await act("POST", "/submit", {});
    await expect.poll(waits).toBe("review");
    await act("POST", "/cancel", {});
    await expect.poll(async () => (await owner.row(session.id)).waiting).toBeNull();
    expect((await owner.list()).counts).toEqual({
      total: 1,
      states: { cancelled: 1 },
      waiting: {},
    });
  });

  // Shows OW-3.
  it("shows that a session waits for a job, and for a time", async () => {
    const owner = createOwner();
    const session = await owner.create();
    const { token } = session;
    const job = await owner.client.on(session, "POST", "/jobs", {
      token,
      body: { agent: "any", input: {} },
    });
    expect(job.status, job.text).toBe(201);
    await expect.poll(async () => (await owner.row(session.id)).waiting.for).toBe("job");
    await owner.client.on(session, "POST", `/jobs/${job.body.job.id}/cancel`, { token, body: {} });
    await expect.poll(async () => (await owner.row(session.id)).waiting.for).toBe("agent");
    await owner.client.on(session, "POST", "/stops", {
      token,
      body: { reason: "rate_limit", attempt: 1, retryAfterMs: 600_000 },
    });
    await expect.poll(async () => (await owner.row(session.id)).waiting.for).toBe("time");
  });

  // Shows OW-4.
  it("is filtered by each filter, and by several together", async () => {
    const owner = createOwner();
    const created = [];
    for (const n of [1, 2, 3, 4]) {
      created.push(
        await owner.create({
          title: `Water damage ${n} Oak Street`,
          externalId: `case-${n}`,
          labels: { team: n % 2 === 0 ? "blue" : "red", n: String(n) },
        }),
      );
    }
    const [one, two, three, four] = created.map(({ id }) => id);
    const third = created[2];
    if (third === undefined) throw new Error("unreachable: four were created");
    await owner.client.on(third, "POST", "/cancel", { token: third.token, body: {} });
    await expect
      .poll(async () => (await owner.list()).counts.states)
      .toEqual({ draft: 3, cancelled: 1 });
    const found = async (query: string): Promise<string[]> => ids(await owner.list(`?${query}`));
    expect(await found("state=cancelled")).toEqual([three]);
    expect(await found("state=cancelled,draft")).toEqual([four, three, two, one]);
    expect(await found("waiting=agent")).toEqual([four, two, one]);
    expect(await found("waitingLongerThanMs=0")).toEqual([four, two, one]);
    expect(await found("waitingLongerThanMs=3600000")).toEqual([]);
    expect(await found("label=team:blue")).toEqual([four, two]);
    expect(await found("label=team:blue&state=cancelled")).toEqual([]);
    expect(await found("externalId=case-2")).toEqual([two]);
    expect(await found("q=water%20oak")).toEqual([four, three, two, one]);
    expect(await found("q=WATER+3")).toEqual([three]);
    expect(await found("q=case-4")).toEqual([four]);
    expect(await found("q=blue")).toEqual([four, two]);
    expect(await found("q=blue&label=n:2")).toEqual([two]);
    expect(await found("q=nowhere")).toEqual([]);
    const at = created[1]?.body.session.createdAt;
    expect(await found(`createdAfter=${at}`)).not.toContain(two);
    expect(await found(`createdBefore=${at}`)).not.toContain(two);
    expect(
      (await found(`createdAfter=${at}`)).length + (await found(`createdBefore=${at}`)).length,
    ).toBeLessThan(4);
    expect(await found("changedAfter=2999-01-01")).toEqual([]);
    expect(await found("changedBefore=2999-01-01")).toHaveLength(4);
  });

  // Shows OW-4.
  it("is read page by page, each session once", async () => {
    const owner = createOwner();
    for (let n = 0; n < 7; n += 1) await owner.create({ title: `T${n}` });
    await expect.poll(async () => (await owner.list()).counts.total).toBe(7);
    const all = ids(await owner.list());
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page = await owner.list(`?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`);
      seen.push(...ids(page));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(all);
  });

  it("the sizes of a page of sessions and of changes are bounded", async () => {
    const owner = createOwner();
    const status = async (path: string): Promise<number> => (await owner.call("GET", path)).status;
    expect(await status(`/sessions?limit=${LIMITS.sessionsPage}`)).toBe(200);
    expect(await status(`/sessions?limit=${LIMITS.sessionsPage + 1}`)).toBe(400);
    expect(await status(`/sessions/changes?limit=${LIMITS.changesPage}`)).toBe(200);
    expect(await status(`/sessions/changes?limit=${LIMITS.changesPage + 1}`)).toBe(400);
    for (const bad of [
      "state=nowhere",
      "waiting=x",
      "waitng=person",
      "label=x",
      "cursor=abc",
      "createdAfter=soon",
    ]) {
      expect(await status(`/sessions?${bad}`)).toBe(400);
    }
  });

  // Shows OW-6.
  it("is refused without a key, with a wrong one, and with another owner's", async () => {
    const owner = createOwner();
    await owner.create({ title: "Mine" });
    const other = createOwner();
    expect((await other.list()).sessions).toEqual([]);
    for (const [key, status] of [
      ["", 401],
      [newKey(), 403],
    ] as const) {
      const stranger = callerFrom(null, owner.settings, key === "" ? {} : { "Baton-Key": key });
      for (const path of ["/sessions", "/sessions/changes"]) {
        const answer = await stranger.call("GET", path);
        expect(answer.status).toBe(status);
        expect(answer.headers.get("Access-Control-Allow-Origin")).toBeNull();
      }
    }
  });
});

describe("a page of another origin", () => {
  it.each([
    ["GET", "/sessions"],
    ["GET", "/sessions/changes"],
    ["POST", "/sessions/open"],
    ["POST", `/sessions/ses_${"A".repeat(43)}/open`],
    // Shows OW-6.
  ])("may not call an owner's route, nor read the refusal: %s %s", async (method, path) => {
    const owner = createOwner();
    const headers = { Origin: "https://evil.example" };
    const preflight = await owner.call("OPTIONS", path, {
      headers: { ...headers, "Access-Control-Request-Method": method },
    });
    const wrongMethod = await owner.call("PUT", path, { headers, body: {} });
    const answer = await owner.call(method, path, {
      headers,
      ...(method === "GET" ? {} : { body: {} }),
    });
    for (const { headers: said } of [preflight, answer]) {
      expect(said.get("Access-Control-Allow-Origin")).toBeNull();
      expect(said.get("Access-Control-Allow-Headers")).toBeNull();
    }
    expect(wrongMethod.status).toBe(405);
    const shared = path === "/sessions" ? "*" : null;
    expect(wrongMethod.headers.get("Access-Control-Allow-Origin")).toBe(shared);
  });

  it("may still create a session", async () => {
    const preflight = await createOwner().call("OPTIONS", "/sessions", {
      headers: { Origin: "https://page.example", "Access-Control-Request-Method": "POST" },
    });
    expect(preflight.headers.get("Access-Control-Allow-Origin")).toBe("*");
  });
});

describe("the changes of an owner's sessions", () => {
  // Shows OW-5.
  it("are numbered, complete and in order, and a purge is one", async () => {
    const owner = createOwner();
    const session = await owner.create({ title: "A" });
    const other = await owner.create({ title: "B" });
    await owner.client.on(other, "DELETE", "", { token: other.token });
    await owner.client.on(session, "POST", "/cancel", { token: session.token, body: {} });
    const read = async () => (await owner.call("GET", "/sessions/changes")).body;
    await expect.poll(async () => (await read()).changes.length).toBe(3);
    const { changes, nextAfter, head, more } = await read();
    expect(changes.map((one: { session: { id: string } }) => one.session.id)).toContain(other.id);
    expect(changes.at(-1).number).toBe(head);
    expect([nextAfter, more]).toEqual([head, false]);
    const removed = changes.find((one: { removed?: true }) => one.removed === true);
    expect(removed).toEqual({ number: removed.number, removed: true, session: { id: other.id } });
    const rest = await owner.call("GET", `/sessions/changes?after=${removed.number}`);
    expect(rest.body.changes[0]).toMatchObject({ session: { id: session.id, state: "cancelled" } });
    const beyond = await owner.call("GET", `/sessions/changes?after=${head + 1}`);
    expect(beyond.status).toBe(400);
  });

  // Shows OW-5.
  it("come as server-sent events, and Last-Event-ID wins over after", async () => {
    const owner = createOwner();
    const first = await owner.create({ title: "A" });
    await expect.poll(async () => (await owner.list()).counts.total).toBe(1);
    await owner.create({ title: "B" });
    await expect.poll(async () => (await owner.list()).counts.total).toBe(2);
    const read = async (after: number, last: string | null): Promise<string> => {
      const resumeHeaders = last === null ? {} : { "Last-Event-ID": last };
      const headers = { Accept: "text/event-stream", ...resumeHeaders };
      const send = sendFrom({ "Baton-Key": owner.key }, owner.settings);
      const answer = await send(
        new Request(`http://baton.test/sessions/changes?after=${after}`, { headers }),
      );
      expect(answer.headers.get("Access-Control-Allow-Origin")).toBeNull();
      const reader = (answer.body as ReadableStream<Uint8Array>)
        .pipeThrough(new TextDecoderStream())
        .getReader();
      let text = "";
      while (!text.includes('"B"')) text += (await reader.read()).value ?? "";
      await reader.cancel();
      return text;
    };
    const whole = await read(0, null);
    expect(whole).toMatch(/id: 1\ndata: \{"session":\{"id":"ses_/);
    expect(whole).toContain(first.id);
    expect(await read(0, "1")).not.toContain(first.id);
    expect(await read(2, "0")).toContain(first.id);
  });

  // Shows OW-5.
  it("come as lines, and by long-poll", async () => {
    const owner = createOwner();
    await owner.create({ title: "A" });
    await expect.poll(async () => (await owner.list()).counts.total).toBe(1);
    const lines = await owner.call("GET", "/sessions/changes", {
      headers: { Accept: "application/x-ndjson" },
    });
    expect(JSON.parse(lines.text.trim())).toMatchObject({ number: 1, session: { title: "A" } });
    const waiting = owner.call("GET", "/sessions/changes?after=1&waitMs=20000");
    await owner.create({ title: "B" });
    expect((await waiting).body.changes).toMatchObject([{ number: 2, session: { title: "B" } }]);
  });
});

/** Agents that a handoff narrows by `ask`, `show` and `events`: what they may do, see and hand on. */
import { describe, expect, it } from "vitest";
import { randomKey, type Answer } from "../support/client";
import { person } from "../support/links";
import { TestAgent, type LoggedEvent } from "../support/test-agent";
import { client, inside } from "../support/worker";

const SCHEMA = {
  type: "object",
  title: "canary-schema",
  properties: {
    amount: { type: "integer", description: "canary-amount" },
    decision: { type: "string", enum: ["canary-yes", "canary-no"] },
    paidAt: { type: "string" },
    iban: { $ref: "#/$defs/iban" },
    receipt: { type: "object", format: "file" },
    claim: { type: "object", format: "file" },
    secret: { type: "string", "x-baton": { private: true } },
    pin: { type: "string", "x-baton": { private: true } },
  },
  required: ["paidAt", "amount"],
  $defs: { iban: { type: "string", minLength: 3 }, unused: { description: "canary-definition" } },
  allOf: [{ description: "canary-part", properties: { decision: { type: "string" } } }],
};
const FIELDS = { decision: "canary-yes", iban: "DE00", secret: "canary-secret", pin: "1234" };

interface Terms {
  readonly ask?: readonly string[];
  readonly show?: readonly string[];
  readonly events?: { readonly append?: readonly string[]; readonly read?: readonly string[] };
}

const reasonOf = ({ status, body }: Answer) => [status, body.code, body.detail];

async function narrow(maker: TestAgent, scopes: readonly string[], terms: Terms) {
  const made = await maker.call("POST", "/handoffs", { to: "agent", scopes, ...terms });
  const { participantToken: token, handoff } = made.body;
  return { agent: new TestAgent(client, { id: maker.id, token }), handoff };
}

const createOwner = () =>
  TestAgent.create(client, {
    title: "canary-title",
    schema: SCHEMA,
    fields: FIELDS,
    nextStep: { description: "canary-step" },
  });

const PAYS = { ask: ["paidAt", "receipt"], show: ["iban"] } as const;

async function createPayout(scopes: readonly string[] = ["fill", "handoff"]) {
  const owner = await createOwner();
  const { agent, handoff } = await narrow(owner, scopes, PAYS);
  return { owner, agent, handoff };
}

const CHAT = { events: { append: ["chat.request"], read: ["chat.*"] } } as const;
const appending = (type: string) => ({ events: [{ type, payload: { text: `of ${type}` } }] });
const eventsOf = async (agent: TestAgent, query = "after=0"): Promise<readonly LoggedEvent[]> =>
  (await agent.call("GET", `/events?${query}`)).body.events;
const typesOf = async (agent: TestAgent) => (await eventsOf(agent)).map(({ type }) => type);

async function createChat() {
  const owner = await createOwner();
  const { agent: page, handoff } = await narrow(owner, ["append", "handoff"], CHAT);
  return { owner, page, handoff };
}

describe("an agent that asks and shows some fields", () => {
  // Shows NA-1.
  it("writes the fields that it asks for, and is told which others it may not write", async () => {
    const { owner, agent } = await createPayout();
    const refused = await agent.tryCall("PATCH", "", { fields: { amount: 9, decision: "x" } });
    expect(reasonOf(refused)).toEqual([
      403,
      "scope_denied",
      'This participant can write only the fields in its "ask", which does not contain: amount, decision.',
    ]);
    const shown = await agent.tryCall("PATCH", "", { fields: { paidAt: "now", iban: "FR00" } });
    expect(reasonOf(shown)).toEqual([403, "scope_denied", expect.stringContaining("iban")]);
    for (const more of [{ title: "mine" }, { nextStep: { description: "mine" } }]) {
      const whole = await agent.tryCall("PATCH", "", { fields: { paidAt: "now" }, ...more });
      expect(whole.status).toBe(403);
    }
    const paid = await agent.call("PATCH", "", { fields: { paidAt: "today" } });
    expect(paid.text).not.toContain("canary");
    expect((await owner.session()).fields.paidAt).toBe("today");
    expect((await owner.session()).fields.amount).toBeUndefined();
  });

  // Shows NA-2.
  it("sees those fields, itself and the progress, in the shape of any session", async () => {
    const { owner, agent } = await createPayout();
    const seen = await agent.call("GET", "");
    expect(seen.text).not.toContain("canary");
    const { session } = seen.body;
    expect(Object.keys(session).sort()).toEqual(
      Object.keys(await owner.session())
        .filter((name) => !["owner", "labels"].includes(name))
        .sort(),
    );
    expect(session.fields).toEqual({ iban: "DE00" });
    expect(session.schema).toEqual({
      type: "object",
      properties: {
        paidAt: { type: "string" },
        iban: { $ref: "#/$defs/iban" },
        receipt: { type: "object", format: "file" },
      },
      required: ["paidAt"],
      $defs: { iban: { type: "string", minLength: 3 } },
    });
    expect(session.missingFields).toEqual(["paidAt"]);
    expect(session.participants).toEqual([
      expect.objectContaining({ id: "par_2", ask: PAYS.ask, show: PAYS.show }),
    ]);
    expect([session.title, session.nextStep, session.parent]).toEqual([null, null, null]);
  });

  // Shows NA-3.
  it("reads the events of its fields and of its own handoff, and those of no client", async () => {
    const { owner, agent } = await createPayout();
    await owner.call("POST", "/events", {
      events: [{ type: "agent.note", payload: { text: "canary-note" } }],
    });
    await owner.call("PATCH", "", { fields: { amount: 7, iban: "NL00" }, title: "canary-two" });
    await owner.call("POST", "/checkpoints", { name: "canary-checkpoint" });
    await owner.call("POST", "/handoffs", { to: "agent", scopes: ["view"], note: "canary-note" });
    const log = await agent.call("GET", "/events?after=0");
    expect(log.text).not.toContain("canary");
    expect(log.body.events.map(({ type }: LoggedEvent) => type)).toEqual([
      "session.created",
      "fields.updated",
      "handoff.created",
      "fields.updated",
    ]);
    expect(log.body.events[3].payload.changes).toEqual([
      { field: "iban", from: "DE00", to: "NL00" },
    ]);
    expect(log.body.nextAfter).toBe(log.body.head);
  });

  it.each([
    ["GET", "/export"],
    ["GET", `/blobs/${"a".repeat(64)}`],
    ["PUT", `/blobs/${"a".repeat(64)}`],
    ["GET", "/jobs"],
    ["POST", "/jobs", { agent: "someone" }],
    ["GET", "/checkpoints"],
    ["GET", "/checkpoints/chk_1"],
    ["POST", "/checkpoints", {}],
    ["GET", "/lineage"],
    ["POST", "/stops", { reason: "crash" }],
    ["POST", "/validate", {}],
    ["POST", "/request-input", {}],
    // Shows NA-4.
  ])("is refused %s %s, with the rule", async (method, path, body?: object) => {
    const { agent } = await createPayout();
    const headers = method === "PUT" ? { "Content-Length": "1" } : {};
    const sent = method === "PUT" ? "x" : body;
    const answer = await agent.tryCall(method, path, sent, { headers });
    expect(reasonOf(answer)).toEqual([
      403,
      "scope_denied",
      expect.stringContaining("narrowed by ask, show or events"),
    ]);
  });

  // Shows NA-4.
  it("does not get the job of another participant by its key", async () => {
    const { owner, agent } = await createPayout();
    const key = randomKey();
    const body = { agent: "someone", input: { text: "canary-input" } };
    await owner.call("POST", "/jobs", body, { key });
    const repeated = await agent.tryCall("POST", "/jobs", body, { key });
    expect(repeated.status, repeated.text).toBe(403);
  });

  // Shows NA-5.
  it("submits, and is told of problems in its own fields only", async () => {
    const { agent } = await createPayout();
    const refused = await agent.tryCall("POST", "/submit", {});
    expect([refused.status, refused.body.code]).toEqual([422, "missing_fields"]);
    expect(refused.text).not.toContain("amount");
    expect(refused.body.errors.map(({ field }: { field: string }) => field)).toEqual([
      "paidAt",
      "",
    ]);
  });

  // Shows NA-6.
  it("reads private values and files of its fields only, and sends only those it asks for", async () => {
    const owner = await createOwner();
    const { agent } = await narrow(owner, ["fill"], { ask: ["receipt"], show: ["pin"] });
    expect((await agent.call("GET", "/private/pin")).body.private.value).toBe("1234");
    expect((await agent.tryCall("GET", "/private/secret")).status).toBe(404);
    const file = { name: "canary.txt", type: "text/plain", size: 1 };
    await owner.call("POST", "/uploads", { ...file, field: "claim" });
    const headers = { "Content-Type": "text/plain", "Content-Length": "1" };
    const sent = await agent.tryCall("PUT", "/uploads/upl_1", "x", { headers });
    expect([sent.status, sent.text.includes("canary")]).toEqual([404, false]);
    await owner.call("PUT", "/uploads/upl_1", "x", { headers });
    expect((await agent.tryCall("POST", "/uploads/upl_1/confirm", {})).status).toBe(409);
    await agent.call("POST", "/resume", {});
    expect((await agent.tryCall("POST", "/uploads/upl_1/confirm", {})).status).toBe(404);
    await owner.call("POST", "/uploads/upl_1/confirm", {});
    expect((await agent.tryCall("GET", "/uploads/upl_1")).status).toBe(404);
    await agent.call("POST", "/resume", {});
    expect((await agent.tryCall("DELETE", "/uploads/upl_1")).status).toBe(404);
    for (const field of [{}, { field: "claim" }]) {
      expect((await agent.tryCall("POST", "/uploads", { ...file, ...field })).status).toBe(403);
    }
    await agent.call("POST", "/uploads", { ...file, name: "mine.txt", field: "receipt" });
    await agent.call("PUT", "/uploads/upl_2", "y", { headers });
    const confirmed = await agent.call("POST", "/uploads/upl_2/confirm", {});
    expect(confirmed.text).not.toContain("canary");
    expect((await agent.call("GET", "/uploads/upl_2")).text).toBe("y");
  });

  // Shows NA-7.
  it("gets in a conflict what it may see, of the session and of what it missed", async () => {
    const { owner, agent } = await createPayout();
    await owner.call("PATCH", "", { fields: { iban: "NL00", decision: "canary-no" } });
    const refused = await agent.tryCall("PATCH", "", { fields: { paidAt: "today" } });
    expect([refused.status, refused.body.code]).toEqual([409, "version_conflict"]);
    expect(refused.text).not.toContain("canary");
    expect(refused.body.current.fields).toEqual({ iban: "NL00" });
    const missed = refused.body.missed.find(({ type }: LoggedEvent) => type.startsWith("f"));
    expect(missed.payload.changes).toEqual([{ field: "iban", from: "DE00", to: "NL00" }]);
  });

  // Shows NA-7.
  it("gets the same in the replay of an answer", async () => {
    const { agent } = await createPayout();
    const { token } = agent;
    const key = randomKey();
    const send = () =>
      client.on(agent, "POST", "/resume", { token, key, body: { lastEventSeq: 0 } });
    const [first, repeated] = [await send(), await send()];
    expect(repeated.headers.get("Idempotent-Replayed")).toBe("true");
    expect(repeated.body).toEqual(first.body);
    expect(repeated.text).not.toContain("canary");
    expect(repeated.body.events).toHaveLength(3);
  });

  // Shows NA-8.
  it("is shown with its terms to those who see it, in the log and in its row", async () => {
    const { owner, handoff } = await createPayout();
    expect(handoff).toMatchObject(PAYS);
    expect((await owner.session()).participants[1]).toMatchObject(PAYS);
    const [created] = await eventsOf(owner, "after=0&type=handoff.created");
    expect(created?.payload).toMatchObject(PAYS);
    const row = await inside(owner, (_, { storage }) =>
      String(storage.sql.exec("SELECT participants FROM session").one()["participants"]),
    );
    expect(JSON.parse(row)[1].terms).toEqual(PAYS);
  });

  it("asks for nothing if it names only what it sees", async () => {
    const owner = await createOwner();
    const { agent } = await narrow(owner, ["fill"], { show: ["iban"] });
    expect((await agent.session()).fields).toEqual({ iban: "DE00" });
    expect((await agent.tryCall("PATCH", "", { fields: { paidAt: "now" } })).status).toBe(403);
  });

  // Shows NA-9.
  it("cannot have own", async () => {
    const owner = await createOwner();
    const body = { to: "agent", scopes: ["own"], ...PAYS };
    const refused = await owner.tryCall("POST", "/handoffs", body);
    expect(reasonOf(refused)).toEqual([400, "invalid_request", expect.stringContaining("own")]);
  });
});

describe("an agent that appends and reads some types of events", () => {
  // Shows NA-10.
  it("appends those types only, and one other type refuses the whole batch", async () => {
    const { owner, page } = await createChat();
    const forged = await page.tryCall("POST", "/events", appending("chat.chunk"));
    expect(reasonOf(forged)).toEqual([
      403,
      "scope_denied",
      'This participant can append only events of the types in its "events.append", which does not contain: chat.chunk.',
    ]);
    const mixed = [...appending("chat.request").events, ...appending("chat.chunk").events];
    expect((await page.tryCall("POST", "/events", { events: mixed })).status).toBe(403);
    await page.call("POST", "/events", appending("chat.request"));
    const [request] = await eventsOf(owner, "after=0&type=chat.*");
    expect([request?.type, (request as { participant?: string }).participant]).toEqual([
      "chat.request",
      "par_2",
    ]);
    const types = (await eventsOf(owner)).map(({ type }) => type);
    expect(types).not.toContain("chat.chunk");
  });

  // Shows NA-11.
  it("reads those types, whole, and no field, title or other event", async () => {
    const { owner, page } = await createChat();
    await owner.call("POST", "/events", appending("chat.chunk"));
    await owner.call("POST", "/events", {
      events: [{ type: "agent.note", payload: { text: "canary-note" } }],
    });
    await page.call("POST", "/events", appending("chat.request"));
    expect(await typesOf(page)).toEqual(["chat.chunk", "chat.request"]);
    expect((await eventsOf(page))[0]?.payload).toEqual({ text: "of chat.chunk" });
    const { body, text } = await page.call("GET", "");
    expect(text).not.toContain("canary");
    expect(body.session.fields).toEqual({});
    for (const query of ["after=0&type=agent.*", "after=0&type=fields.updated"]) {
      expect(await eventsOf(page, query)).toEqual([]);
    }
    const audit = await page.call("GET", "/audit?limit=1000");
    expect(audit.body.events.map(({ type }: LoggedEvent) => type)).toEqual(await typesOf(page));
  });

  // Shows NA-12.
  it("reads page by page as if there were no other events", async () => {
    const { owner, page } = await createChat();
    for (let n = 0; n < 3; n++) {
      await owner.call("POST", "/events", {
        events: [{ type: "agent.note" }, ...appending("chat.chunk").events, { type: "b.c" }],
      });
    }
    const seen: number[] = [];
    let [after, more, pages] = [0, true, 0];
    while (more) {
      const { body } = await page.call("GET", `/events?after=${after}&limit=1`);
      seen.push(...body.events.map(({ seq }: LoggedEvent) => seq));
      ({ nextAfter: after, more } = body);
      pages += 1;
    }
    const whole = (await eventsOf(page)).map(({ seq }) => seq);
    expect([seen, seen.length]).toEqual([whole, 3]);
    expect(pages).toBeLessThanOrEqual(4);
    expect(after).toBe((await owner.session()).head);
    // A filter does not tell where a hidden event is.
    const other = await page.call("GET", "/events?after=0&limit=1&type=b.c");
    expect([other.body.events, other.body.nextAfter, other.body.more]).toEqual([
      [],
      other.body.head,
      false,
    ]);
  });

  it("is limited by append alone in what it appends, and sees what its scopes allow", async () => {
    const owner = await createOwner();
    const { agent } = await narrow(owner, ["fill"], { events: { append: ["log.*"] } });
    expect((await agent.session()).fields.decision).toBe("canary-yes");
    await agent.call("PATCH", "", { fields: { amount: 3 } });
    await agent.call("POST", "/events", appending("log.line.short"));
    expect((await agent.tryCall("POST", "/events", appending("agent.note"))).status).toBe(403);
    expect((await agent.tryCall("GET", "/export")).status).toBe(403);
    const { agent: mute } = await narrow(owner, ["append"], { events: { append: [] } });
    expect((await mute.tryCall("POST", "/events", appending("log.a"))).status).toBe(403);
  });

  it("reads nothing if it names no type, and events of visible fields if it names those", async () => {
    const owner = await createOwner();
    const { agent: blind } = await narrow(owner, ["view"], { events: { read: [] } });
    const terms = { show: ["iban"], events: { read: ["fields.*"] } };
    const { agent } = await narrow(owner, ["view"], terms);
    await owner.call("PATCH", "", { fields: { iban: "NL00", amount: 4 } });
    await owner.call("POST", "/events", appending("fieldsy.note"));
    expect(await typesOf(blind)).toEqual([]);
    const events = await eventsOf(agent);
    expect(events.map(({ payload }) => payload.changes)).toEqual([
      [{ field: "iban", to: "DE00" }],
      [{ field: "iban", from: "DE00", to: "NL00" }],
    ]);
  });

  it.each([[["*"]], [["chat"]], [["chat.*.x"]], [[".chat"]], [[""]]])(
    "does not take %j for a list of types",
    async (types) => {
      const owner = await createOwner();
      for (const events of [{ append: types }, { read: types }]) {
        const body = { to: "agent", scopes: ["append"], events };
        expect((await owner.tryCall("POST", "/handoffs", body)).status).toBe(400);
      }
    },
  );

  it("is not a link, and names at least one list", async () => {
    const owner = await createOwner();
    const link = { to: "human", scopes: ["view"], ...CHAT };
    expect((await owner.tryCall("POST", "/handoffs", link)).status).toBe(400);
    const empty = { to: "agent", scopes: ["view"], events: {} };
    expect((await owner.tryCall("POST", "/handoffs", empty)).status).toBe(400);
  });
});

describe("leases of a narrowed agent", () => {
  const TTL = { ttlMs: 60_000 };

  // Shows NA-4, NA-14, LE-9.
  it("are taken, renewed and released, and fence its writes after its narrowing is checked", async () => {
    const { agent } = await createPayout();
    const { lease } = (await agent.call("POST", "/leases/pay", TTL)).body;
    const { number } = lease;
    expect((await agent.call("POST", "/leases/pay", { ...TTL, number })).status).toBe(201);
    const under = { headers: { "Baton-Lease": `pay=${number}` } };
    const paid = await agent.call("PATCH", "", { fields: { paidAt: "today" } }, under);
    expect(paid.status).toBe(200);
    expect((await agent.call("DELETE", "/leases/pay", undefined, under)).status).toBe(204);
    const late = await agent.tryCall("PATCH", "", { fields: { paidAt: "late" } }, under);
    expect([late.status, late.body.code]).toEqual([409, "lease_lost"]);
    const outside = await agent.tryCall("PATCH", "", { fields: { amount: 1 } }, under);
    expect([outside.status, outside.body.code]).toEqual([403, "scope_denied"]);
  });

  // Shows NA-14.
  it("are the only ones whose events it sees, and others' holders are not named to it", async () => {
    const { owner, agent } = await createPayout();
    const { agent: reader } = await narrow(owner, ["append"], {
      events: { read: ["lease.*", "once.*"] },
    });
    const { lease } = (await owner.call("POST", "/leases/canary", TTL)).body;
    const under = { headers: { "Baton-Lease": `canary=${lease.number}` } };
    await owner.call("POST", "/once/canary", {}, under);
    await owner.call("PUT", "/once/canary", { result: "canary" }, under);
    for (const one of [agent, reader]) {
      const held = await one.tryCall("POST", "/leases/canary", TTL);
      expect([held.status, held.body.code]).toEqual([409, "lease_held"]);
      expect(held.body).not.toHaveProperty("holder");
      expect(held.text).not.toContain("par_1");
      await one.call("POST", one === agent ? "/leases/a" : "/leases/b", TTL);
      const seen = (await eventsOf(one)).filter(({ type }) => /^(lease|once)\./.test(type));
      expect(seen.map(({ type }) => type)).toEqual(["lease.taken"]);
      expect(JSON.stringify(seen)).not.toContain("canary");
    }
  });

  // Shows NA-4, NA-14.
  it("do not let it start or end effects, whose results belong to the session", async () => {
    const { owner, agent } = await createPayout();
    const { agent: appender } = await narrow(owner, ["append"], { events: { append: ["log.*"] } });
    for (const one of [agent, appender]) {
      const name = one === agent ? "a" : "b";
      const { lease } = (await one.call("POST", `/leases/${name}`, TTL)).body;
      const under = { headers: { "Baton-Lease": `${name}=${lease.number}` } };
      const started = await one.tryCall("POST", "/once/pay", {}, under);
      const ended = await one.tryCall("PUT", "/once/pay", { result: 1 }, under);
      for (const refused of [started, ended]) {
        expect(reasonOf(refused)).toEqual([
          403,
          "scope_denied",
          expect.stringContaining("narrowed by ask, show or events"),
        ]);
      }
    }
  });
});

describe("what a narrowed agent hands off", () => {
  const refusals: readonly (readonly [string, readonly string[], Terms, Terms])[] = [
    ["ask: amount", ["fill", "handoff"], PAYS, { ask: ["amount"] }],
    ["ask: iban", ["fill", "handoff"], PAYS, { ask: ["iban"] }],
    ["show: decision", ["fill", "handoff"], PAYS, { show: ["decision"] }],
    [
      "events.append: chat.chunk",
      ["append", "handoff"],
      CHAT,
      { events: { append: ["chat.chunk"] } },
    ],
    ["events.append: chat.*", ["append", "handoff"], CHAT, { events: { append: ["chat.*"] } }],
    ["events.read: agent.*", ["append", "handoff"], CHAT, { events: { read: ["agent.*"] } }],
    ["show: iban", ["append", "handoff"], CHAT, { show: ["iban"] }],
    ["events.read: agent.note", ["fill", "handoff"], PAYS, { events: { read: ["agent.note"] } }],
  ];

  // Shows NA-13.
  it.each(refusals)("is refused if it is wider (%s)", async (name, scopes, has, wanted) => {
    const { agent } = await narrow(await createOwner(), scopes, has);
    const body = { to: "agent", scopes: ["view"], ...wanted };
    const refused = await agent.tryCall("POST", "/handoffs", body);
    expect(reasonOf(refused)).toEqual([
      403,
      "scope_denied",
      `A handoff can name only fields and types of events within your own ask, show and events. These are outside: ${name}.`,
    ]);
  });

  // Shows NA-13.
  it("inherits what it does not name, through every generation", async () => {
    const { owner, agent } = await createPayout();
    const { agent: second } = await narrow(agent, ["fill", "handoff"], {});
    const { agent: third, handoff } = await narrow(second, ["fill"], { ask: ["paidAt"] });
    expect((await second.session()).participants[0]).toMatchObject(PAYS);
    expect(handoff).toMatchObject({ ask: ["paidAt"], show: [] });
    expect((await third.session()).fields).toEqual({});
    expect((await third.tryCall("PATCH", "", { fields: { amount: 1 } })).status).toBe(403);
    await third.call("PATCH", "", { fields: { paidAt: "today" } });
    expect((await owner.session()).fields.paidAt).toBe("today");
    const { page } = await createChat();
    const { agent: reader } = await narrow(page, ["append"], { events: { read: ["chat.chunk"] } });
    expect((await reader.tryCall("POST", "/events", appending("chat.chunk"))).status).toBe(403);
    await reader.call("POST", "/events", appending("chat.request"));
    expect(await typesOf(reader)).toEqual([]);
  });

  // Shows NA-13.
  it("is a link that asks and shows no more, before and after it is opened", async () => {
    const { agent } = await createPayout();
    const wide = { to: "human", scopes: ["fill"], ask: ["amount"] };
    expect((await agent.tryCall("POST", "/handoffs", wide)).status).toBe(403);
    const titled = { to: "human", scopes: ["fill"], showTitle: true };
    expect(reasonOf(await agent.tryCall("POST", "/handoffs", titled))).toEqual([
      403,
      "scope_denied",
      expect.stringContaining("showTitle"),
    ]);
    for (const named of [{}, { show: ["iban"] }, { ask: ["paidAt"] }]) {
      const body = { to: "human", scopes: ["fill", "handoff"], ...named };
      const { code } = (await agent.call("POST", "/handoffs", body)).body.handoff;
      const opener = person();
      const page = await opener.open(code);
      expect([page.status, page.html.includes("canary")], page.html).toEqual([200, false]);
      expect(page.html).toContain("f/paidAt");
      const saved = await opener.press(code, page.html, "save", {
        "f/paidAt": "today",
        "f/amount": "99",
      });
      expect([saved.status, saved.html.includes("canary")]).toEqual([200, false]);
      await agent.call("POST", "/resume", {});
    }
    expect((await agent.session()).fields.paidAt).toBe("today");
  });

  // Shows NA-3.
  it("shows it the answer to its own link, and no other link", async () => {
    const { owner, agent } = await createPayout();
    await owner.call("POST", "/handoffs", { to: "human", scopes: ["view"], note: "canary-note" });
    const body = { to: "human", scopes: ["fill"], ask: ["paidAt"], note: "When?" };
    const { code } = (await agent.call("POST", "/handoffs", body)).body.handoff;
    const opener = person();
    const page = await opener.open(code);
    await opener.press(code, page.html, "submit", { "f/paidAt": "today" });
    const types = (await eventsOf(agent)).map(({ type }) => type);
    expect(types).toContain("handoff.answered");
    expect(types.filter((type) => type === "handoff.link_issued")).toHaveLength(1);
    expect(JSON.stringify(await eventsOf(agent))).not.toContain("canary");
    const { handoffs } = (await agent.call("GET", "/handoffs")).body;
    expect(handoffs.map(({ id }: { id: string }) => id)).toEqual(["hnd_4"]);
    expect((await agent.call("POST", "/handoffs/hnd_4/reissue", {})).text).not.toContain("canary");
    expect((await agent.tryCall("DELETE", "/handoffs/hnd_3")).status).toBe(403);
    expect((await agent.call("DELETE", "/handoffs/hnd_4")).text).not.toContain("canary");
  });
});

/** What a link asks and shows: rights below /h, and the events that report the answer. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { createLinkedSession, person, typesOf } from "../support/links";
import { formOf } from "../support/person";
import { client, inside, stubOf } from "../support/worker";
import { runDurableObjectAlarm } from "cloudflare:test";

const SCHEMA = {
  type: "object",
  properties: {
    decision: { type: "string", title: "Decision" },
    amount: { type: "integer", title: "Amount" },
    secret: { type: "string", title: "Secret" },
    scan: { format: "file", title: "Scan" },
  },
  required: ["decision"],
};
const FIELDS = { amount: 7, secret: "canary-value" };

const payloads = async (session: Parameters<typeof typesOf>[0], token: string, type: string) => {
  const log = await client.on(session, "GET", `/events?after=0&type=${type}`, { token });
  return log.body.events.map((event: { payload: unknown }) => event.payload);
};

afterEach(() => {
  vi.useRealTimers();
});

const linkWithTerms = (more = {}) =>
  createLinkedSession(
    {
      ask: ["decision"],
      show: ["amount"],
      question: "Shall we pay?",
      submitLabel: "Decide",
      ...more,
    },
    { schema: SCHEMA, fields: FIELDS, nextStep: { description: "canary-step" } },
  );

describe("a link that names its fields", () => {
  // Shows D-14.
  it("shows the fields in ask and show, and nothing else in any byte", async () => {
    const { session, code, token } = await linkWithTerms();
    await client.on(session, "POST", "/events", {
      token,
      body: { events: [{ type: "agent.note", payload: { text: "canary-event" } }] },
    });
    const linkHolder = person();
    const page = await linkHolder.open(code);
    expect(page.html).toContain("Shall we pay?");
    expect(page.html).toContain("Decide");
    expect(Object.keys(formOf(page.html))).toContain("f/decision");
    expect(Object.keys(formOf(page.html))).not.toContain("f/amount");
    const live = await linkHolder.go("GET", `/h/${code}`);
    for (const { html } of [page, live]) expect(html).not.toContain("canary");
    expect(page.html).not.toContain("Secret");
  });

  // Shows D-14.
  it("writes the fields in ask, whatever else a form contains", async () => {
    const { session, code, token } = await linkWithTerms();
    const linkHolder = person();
    const page = await linkHolder.open(code);
    const sent = await linkHolder.press(code, page.html, "submit", {
      "f/decision": "yes",
      "f/amount": "9",
      "f/secret": "mine",
    });
    expect(sent.status, sent.html).toBe(200);
    const { fields, state } = (await client.on(session, "GET", "", { token })).body.session;
    expect([fields, state]).toEqual([{ decision: "yes", ...FIELDS }, "submitted"]);
  });

  // Shows D-14.
  it("refuses a file for a field that it does not ask for, and a download of one that it does not show", async () => {
    const { session, code, token } = await linkWithTerms();
    const announced = await client.on(session, "POST", "/uploads", {
      token,
      body: { field: "scan", name: "a.txt", type: "text/plain", size: 1 },
    });
    const put = await client.on(session, "PUT", "/uploads/upl_1", {
      token: announced.body.resumeToken,
      body: "x",
      headers: { "Content-Type": "text/plain", "Content-Length": "1" },
    });
    expect(put.status, put.text).toBe(200);
    const done = await client.on(session, "POST", "/uploads/upl_1/confirm", {
      token: announced.body.resumeToken,
      body: {},
    });
    expect(done.status, done.text).toBe(200);
    const linkHolder = person();
    await linkHolder.open(code);
    const hidden = await linkHolder.go("GET", `/h/${code}/files/upl_1`);
    expect(hidden.status).toBe(404);
    const sent = await linkHolder.go("POST", `/h/${code}/files?field=scan&name=b.txt`, undefined, {
      "Content-Type": "text/plain",
      "Content-Length": "0",
    });
    expect(sent.status).toBe(422);
  });

  it("has texts that are bounded, and that an agent cannot have", async () => {
    const session = await client.create();
    const handedOff = await client.on(session, "POST", "/handoffs", {
      token: session.token,
      body: { to: "agent", scopes: ["fill"], ask: ["a"], question: "Why?" },
    });
    expect(handedOff.status).toBe(400);
  });

  it("is listed with its terms", async () => {
    const { session, token } = await linkWithTerms({ showTitle: true });
    const list = await client.on(session, "GET", "/handoffs", { token });
    expect(list.body.handoffs[0]).toMatchObject({
      ask: ["decision"],
      show: ["amount"],
      question: "Shall we pay?",
      submitLabel: "Decide",
      showTitle: true,
      answeredAt: null,
      declinedAt: null,
    });
  });
});

describe("a request for input", () => {
  // Shows D-15, D-17.
  it("applies to a link that names no fields, and its answer does not submit the session", async () => {
    const session = await client.create({ schema: SCHEMA, fields: { ...FIELDS, decision: "no" } });
    const requested = await client.on(session, "POST", "/request-input", {
      token: session.token,
      body: { ask: ["decision"], question: "Really?", submitLabel: "Say it" },
    });
    expect(requested.status, requested.text).toBe(200);
    const handedOff = await client.on(session, "POST", "/handoffs", {
      token: requested.body.resumeToken,
      body: { to: "human", scopes: ["fill"] },
    });
    const linkHolder = person();
    const { code } = handedOff.body.handoff;
    const page = await linkHolder.open(code);
    expect(page.html).toContain("Really?");
    expect(page.html).toContain("Say it");
    expect(page.html).not.toContain("canary");
    const sent = await linkHolder.press(code, page.html, "submit", { "f/decision": "yes" });
    expect(sent.status, sent.html).toBe(200);
    const token = handedOff.body.resumeToken as string;
    const after = (await client.on(session, "GET", "", { token })).body.session;
    expect([after.state, after.fields.decision]).toEqual(["in_progress", "yes"]);
    expect(await payloads(session, token, "handoff.answered")).toEqual([
      { handoffId: "hnd_2", participant: "par_2", answer: "saved" },
    ]);
  });

  // Shows D-15.
  it("accepts fields as the older name of ask", async () => {
    const session = await client.create({ schema: SCHEMA, fields: FIELDS });
    const requested = await client.on(session, "POST", "/request-input", {
      token: session.token,
      body: { fields: ["decision"] },
    });
    const handedOff = await client.on(session, "POST", "/handoffs", {
      token: requested.body.resumeToken,
      body: { to: "human", scopes: ["fill"] },
    });
    const page = await person().open(handedOff.body.handoff.code);
    expect(page.html).not.toContain("canary");
  });

  // Shows D-15.
  it("never widens a link that names its own", async () => {
    const { session, code, token } = await createLinkedSession(
      { ask: ["decision"] },
      { schema: SCHEMA, fields: FIELDS },
    );
    await client.on(session, "POST", "/request-input", {
      token,
      body: { ask: ["decision"], show: ["secret"] },
    });
    const page = await person().open(code);
    expect(page.html).not.toContain("canary");
  });
});

describe("without a schema and without `ask`", () => {
  // Shows D-16.
  it("the answer is the field called answer, and existing fields are only shown", async () => {
    const { session, code, token } = await createLinkedSession(
      {},
      { fields: { source: "a page" } },
    );
    const linkHolder = person();
    const page = await linkHolder.open(code);
    expect(page.html).toContain("a page");
    expect(Object.keys(formOf(page.html))).not.toContain("f/source");
    const sent = await linkHolder.press(code, page.html, "submit", { "f/answer": "Blue" });
    expect(sent.status, sent.html).toBe(200);
    const { fields } = (await client.on(session, "GET", "", { token })).body.session;
    expect(fields).toEqual({ source: "a page", answer: "Blue" });
  });
});

describe("the log reports", () => {
  // Shows D-18.
  it("the answer, with how it was given", async () => {
    const { session, code, token } = await createLinkedSession({}, {});
    const linkHolder = person();
    const page = await linkHolder.open(code);
    await linkHolder.press(code, page.html, "submit", { "f/answer": "Blue" });
    expect(await payloads(session, token, "handoff.answered")).toEqual([
      { handoffId: "hnd_2", participant: "par_2", answer: "submitted" },
    ]);
    const list = await client.on(session, "GET", "/handoffs", { token });
    expect(list.body.handoffs[0].answeredAt).toMatch(/Z$/);
  });

  // Shows D-19.
  it("a decline with its reason, after which the link writes nothing", async () => {
    const { session, code, token } = await createLinkedSession();
    const linkHolder = person();
    const page = await linkHolder.open(code);
    const declined = await linkHolder.press(code, page.html, "decline", { declining: "Ask Bo" });
    expect(declined.status, declined.html).toBe(200);
    expect(await payloads(session, token, "handoff.declined")).toEqual([
      { handoffId: "hnd_2", participant: "par_2", reason: "Ask Bo" },
    ]);
    const { state } = (await client.on(session, "GET", "", { token })).body.session;
    expect(state).toBe("awaiting_input");
    const late = await linkHolder.press(code, page.html, "save", { "f/city": "Oslo" });
    expect(late.status).toBe(403);
    expect((await person().go("GET", `/h/${code}`)).status).toBe(410);
  });

  // Shows D-20.
  it("an unanswered link once it has expired, and whether it was opened", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { session, token } = await createLinkedSession({ ttlMs: 60_000 });
    vi.setSystemTime(Date.now() + 60_001);
    const stub = stubOf(session);
    await runDurableObjectAlarm(stub);
    await inside(session, () => undefined);
    expect(await payloads(session, token, "handoff.expired")).toMatchObject([
      { handoffId: "hnd_2", participant: "par_2", opened: false },
    ]);
    await inside(session, (object) => object.alarm());
    expect(await payloads(session, token, "handoff.expired")).toHaveLength(1);
  });
});

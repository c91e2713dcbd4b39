import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { EventStream } from "../support/live/event-stream";
import { agentName, Jobs } from "../support/jobs";
import { mcp } from "../support/mcp-worker";
import { randomKey, type Answer, type CreatedSession } from "../support/client";
import { client, rowsWrittenBy } from "../support/worker";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };

const hex = (digits: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(digits / 2)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

interface SentTrace {
  readonly trace: { readonly traceId: string; readonly parentId: string };
  readonly headers: { readonly traceparent: string };
}

function newTrace(): SentTrace {
  const trace = { traceId: hex(32), parentId: hex(16) };
  return { trace, headers: { traceparent: `00-${trace.traceId}-${trace.parentId}-01` } };
}

const eventsOf = async (
  session: CreatedSession,
  token = session.token,
): Promise<Answer["body"][]> =>
  (await client.on(session, "GET", "/events?after=0&limit=1000", { token })).body.events;

const KEYS = ["seq", "type", "at", "actor", "participant", "state", "version", "payload"];

async function follow({ id, token }: CreatedSession): Promise<EventStream> {
  const headers = { Accept: "text/event-stream", Authorization: `Bearer ${token}` };
  const url = `http://baton.test/sessions/${id}/events?after=2`;
  const stream = new EventStream(await worker.default.fetch(new Request(url, { headers })));
  expect((await stream.next())?.event).toBe("replay.done");
  return stream;
}

describe("a traceparent", () => {
  // Shows TL-1.
  it("is stored in every event that its request wrote, and in no other", async () => {
    const [created, set, appended, handedOff] = [newTrace(), newTrace(), newTrace(), newTrace()];
    const session = await client.create({}, { headers: created.headers });
    const { token } = session;
    const first = await client.on(session, "PATCH", "", {
      token,
      body: { fields: { a: "}\n{" } },
      headers: set.headers,
    });
    const events = [{ type: "a.b", payload: { text: "}\n" } }, { type: "a.c" }];
    const next = first.body.resumeToken as string;
    const call = { token: next, body: { events }, headers: appended.headers };
    await client.on(session, "POST", "/events", call);
    const plain = { token: next, body: { fields: { b: 2 } } };
    const second = await client.on(session, "PATCH", "", plain);
    const handoff = { to: "agent", scopes: ["fill"] };
    const third = await client.on(session, "POST", "/handoffs", {
      token: second.body.resumeToken,
      body: handoff,
      headers: handedOff.headers,
    });

    const log = await eventsOf(session, third.body.resumeToken);

    expect(log.map(({ type, trace }) => [type, trace])).toEqual([
      ["session.created", created.trace],
      ["token.issued", created.trace],
      ["fields.updated", set.trace],
      ["a.b", appended.trace],
      ["a.c", appended.trace],
      ["fields.updated", undefined],
      ["handoff.created", handedOff.trace],
      ["token.issued", handedOff.trace],
    ]);
    expect(log[3].payload).toEqual({ text: "}\n" });
    expect(log.filter((event) => "trace" in event)).toHaveLength(7);
  });

  // Shows TL-1.
  it("is the last member of the event wherever events are read", async () => {
    const { trace, headers } = newTrace();
    const session = await client.create({});
    const { token } = session;
    const stream = await follow(session);
    const body = { events: [{ type: "a.b" }] };
    await client.on(session, "POST", "/events", { token, body, headers });
    const read = (path: string, Accept = "application/json") =>
      client.on(session, "GET", path, { token, headers: { Accept } });

    const line = (await read("/events?after=2", "application/x-ndjson")).text;
    const audited = (await read("/audit?type=a.b")).body.events[0];
    const announced = (await stream.next())?.data ?? "";
    const resume = { token, body: { lastEventSeq: 2 } };
    const resumed = (await client.on(session, "POST", "/resume", resume)).body.events[0];
    await stream.cancel();

    for (const event of [JSON.parse(line), audited, JSON.parse(announced), resumed]) {
      expect(Object.keys(event)).toEqual([...KEYS, "trace"]);
      expect(event.trace).toEqual(trace);
    }
  });

  it("is shown with the missed events of a conflict", async () => {
    const { trace, headers } = newTrace();
    const session = await client.create({});
    const { token } = session;
    const body = { to: "agent", scopes: ["fill"] };
    const handedOff = await client.on(session, "POST", "/handoffs", { token, body });
    const { resumeToken, participantToken } = handedOff.body;
    const set = { token: resumeToken, body: { fields: { a: 1 } }, headers };
    await client.on(session, "PATCH", "", set);

    const late = { token: participantToken, body: { fields: { a: 2 } } };
    const refused = await client.on(session, "PATCH", "", late);

    expect(refused.body.code).toBe("version_conflict");
    expect(refused.body.missed.at(-1).trace).toEqual(trace);
  });

  it.each([
    ["another length", `00-${hex(30)}-${hex(16)}-01`],
    ["upper case", `00-${hex(32).replace(/^./, "A")}-${hex(16)}-01`],
    ["no trace id", `00-${"0".repeat(32)}-${hex(16)}-01`],
    ["no parent id", `00-${hex(32)}-${"0".repeat(16)}-01`],
    ["the forbidden version", `ff-${hex(32)}-${hex(16)}-01`],
    ["more than this version has", `00-${hex(32)}-${hex(16)}-01-x`],
    ["something else", `"},"trace":{`],
    // Shows TL-1.
  ])("that is malformed (%s) is ignored, not refused", async (_, traceparent) => {
    const { id, token } = await client.create({}, { headers: { traceparent } });
    const [event] = await eventsOf({ id, token } as CreatedSession);
    expect(Object.keys(event)).toEqual(KEYS);
  });

  it("of a later version is read as far as this version defines it", async () => {
    const [traceId, parentId] = [hex(32), hex(16)];
    const headers = { traceparent: `01-${traceId}-${parentId}-03-more` };
    const session = await client.create({}, { headers });
    expect((await eventsOf(session))[0].trace).toEqual({ traceId, parentId });
  });

  // Shows TL-1.
  it("is not part of a request's identity: a retry has a span of its own", async () => {
    const [one, two] = [newTrace(), newTrace()];
    const session = await client.create({});
    const { token } = session;
    const set = { token, key: randomKey(), body: { fields: { a: 1 } } };
    const append = { token, key: randomKey(), body: { events: [{ type: "a.b" }] } };
    const job = { token, key: randomKey(), body: { agent: agentName(), input: null } };
    for (const [path, method, call] of [
      ["/events", "POST", append],
      ["/jobs", "POST", job],
      ["", "PATCH", set],
    ] as const) {
      const first = await client.on(session, method, path, { ...call, headers: one.headers });
      const repeated = await client.on(session, method, path, { ...call, headers: two.headers });
      expect(repeated.status, repeated.text).toBe(first.status);
      expect(repeated.headers.get("Idempotent-Replayed")).toBe("true");
    }
  });

  it("costs no extra row", async () => {
    const session = await client.create({});
    const { token } = session;
    const { headers } = newTrace();
    const body = { events: [{ type: "a.b" }, { type: "a.c" }] };
    const rows = await rowsWrittenBy(session, () =>
      client.on(session, "POST", "/events", { token, body, headers }),
    );
    expect(rows).toBe(1);
  });

  // Shows TL-1.
  it("of a job is passed to its executor, which then has one of its own", async () => {
    const jobs = new Jobs(client);
    const [submitted, claimed, done] = [newTrace(), newTrace(), newTrace()];
    const agent = agentName();
    const session = await client.create({});
    await jobs.submit(session, { agent, input: 1 }, { headers: submitted.headers });
    const { body } = await jobs.claim(agent, {}, { headers: claimed.headers });
    await jobs.report(body, "result", { result: 2 }, { headers: done.headers });

    const log = await jobs.log({ session });

    expect(body.job.traceId).toBe(submitted.trace.traceId);
    expect(log.map((event: Answer["body"]) => [event.type, event.trace])).toEqual([
      ["job.submitted", submitted.trace],
      ["job.started", claimed.trace],
      ["job.result", done.trace],
      ["job.ended", done.trace],
    ]);
  });

  // Shows TL-1.
  it("of a stop and of an MCP call is stored too, and the message's takes precedence over the header's", async () => {
    const [stopped, message, header] = [newTrace(), newTrace(), newTrace()];
    const session = await client.create({});
    const { token } = session;
    const stop = { token, body: { reason: "crash", attempt: 1 }, headers: stopped.headers };
    expect((await client.on(session, "POST", "/stops", stop)).status).toBe(200);
    const call = (type: string, meta: object) => ({
      jsonrpc: "2.0",
      id: type,
      method: "tools/call",
      params: {
        name: "append_events",
        arguments: { resume_token: token, events: [{ type, payload: {} }] },
        _meta: meta,
      },
    });
    await mcp.post(JSON.stringify(call("a.meta", message.headers)), header.headers);
    await mcp.post(JSON.stringify(call("a.header", {})), header.headers);

    const log = await eventsOf(session);

    const traceOf = (type: string) => log.find((event) => event.type === type)?.trace;
    expect(traceOf("stop.reported")).toEqual(stopped.trace);
    expect(traceOf("a.meta")).toEqual(message.trace);
    expect(traceOf("a.header")).toEqual(header.trace);
  });

  it("of each message in one MCP request is its own", async () => {
    const sent = [newTrace(), newTrace()];
    const session = await client.create({});
    const calls = sent.map(({ headers }, index) => ({
      jsonrpc: "2.0",
      id: index,
      method: "tools/call",
      params: {
        name: "append_events",
        arguments: {
          resume_token: session.token,
          events: [{ type: `a.n${index}`, payload: {} }],
        },
        _meta: headers,
      },
    }));
    await mcp.post(JSON.stringify(calls));

    const log = await eventsOf(session);

    for (const [index, { trace }] of sent.entries()) {
      expect(log.find(({ type }) => type === `a.n${index}`)?.trace).toEqual(trace);
    }
  });
});

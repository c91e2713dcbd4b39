/** Log lines, data points and Server-Timing, read from what one run captured. */
import { env } from "cloudflare:workers";
import { createExecutionContext, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi, type Mock } from "vitest";
import handler from "../../src/index";
import type { Env, LogLevel } from "../../src/env";
import { Client, randomKey, type CreatedSession } from "../support/client";
import { ArcpClient, type ArcpSocket } from "../support/arcp";
import { agentName, Jobs } from "../support/jobs";
import { RawMcp } from "../support/mcp";
import { keyEntry, newKey, ownersText } from "../support/owners";
import { Person } from "../support/person";
import { client, rewrite, stubOf } from "../support/worker";

const bindings = env as unknown as Env & { METRICS: AnalyticsEngineDataset };

let printed: { readonly level: "log" | "error"; readonly text: string }[] = [];
let written: Mock<AnalyticsEngineDataset["writeDataPoint"]>;
beforeEach(() => {
  printed = [];
  for (const level of ["log", "error"] as const) {
    vi.spyOn(console, level).mockImplementation((text: string) => {
      // No test here has an endpoint: this line is a retry of another test file.
      if (!text.includes('"message":"delivery"')) printed.push({ level, text });
    });
  }
  // The platform's own binding, as Miniflare has it; the test only observes it.
  written = vi.spyOn(bindings.METRICS, "writeDataPoint");
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The same Worker under another level of logging. */
const sendAt =
  (LOG: LogLevel | undefined, more: Partial<Env> = {}) =>
  (request: Request) => {
    const { LOG: _, ...bound } = bindings;
    const others = { ...bound, ...more };
    const changed = LOG === undefined ? others : { ...others, LOG };
    return Promise.resolve(
      handler.fetch(
        request as Parameters<typeof handler.fetch>[0],
        changed as Env,
        createExecutionContext(),
      ),
    );
  };
const logged = new Client(sendAt("requests"));

const linesOf = (message: string): Record<string, unknown>[] =>
  printed
    .map(({ text }) => JSON.parse(text) as Record<string, unknown>)
    .filter((line) => line["message"] === message);

/** Members without a fixed value are checked by type and left out. */
function lastLine(): Record<string, unknown> {
  const { time, durationMs, objectMs, requestId, ...rest } = linesOf("request").at(-1) ?? {};
  expect(Date.parse(String(time))).toBeGreaterThan(0);
  expect(typeof durationMs).toBe("number");
  expect(["number", "undefined"]).toContain(typeof objectMs);
  expect(requestId).toMatch(/^[\w=-]+$/);
  return rest;
}

const toolCall = (id: number, resume_token: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "get_session", arguments: { resume_token } },
});

const breakInside = (session: Pick<CreatedSession, "id">): Promise<void> =>
  rewrite(session, (sql) => sql.exec("UPDATE session SET fields = 'broken by the test'"));

describe("a line of the log", () => {
  it("states what a request was and how it ended", async () => {
    const session = await logged.create({ title: "Secret plan" });
    const { id: sessionId, token } = session;
    const about = { message: "request", sessionId };
    expect(lastLine()).toEqual({
      ...about,
      method: "POST",
      route: "/sessions",
      status: 201,
      outcome: "ok",
    });

    const set = { token, key: randomKey(), body: { fields: { a: "value" } } };
    const headers = { "X-Request-Id": "mine-1" };
    await logged.on(session, "PATCH", "", { ...set, headers });
    expect(linesOf("request").at(-1)).toMatchObject({ requestId: "mine-1" });
    const write = { ...about, method: "PATCH", route: "/sessions/{ref}" };
    expect(lastLine()).toEqual({ ...write, status: 200, outcome: "ok" });
    await logged.on(session, "PATCH", "", set);
    expect(lastLine()).toEqual({ ...write, status: 200, outcome: "replayed" });
    await logged.on(session, "PATCH", "", { ...set, key: randomKey() });
    const code = "token_superseded";
    expect(lastLine()).toEqual({ ...write, status: 409, code, outcome: "conflict" });

    await logged.on(session, "GET", "", { token: `${token}x` });
    expect(lastLine()).toEqual({
      message: "request",
      method: "GET",
      route: "/sessions/{ref}",
      status: 403,
      code: "token_invalid",
      outcome: "refused",
    });
    expect(printed.map(({ level }) => level)).not.toContain("error");
  });

  it("names the owner and the name of the key, and never the key itself", async () => {
    const key = newKey();
    const OWNERS = ownersText({ acme: [key] });
    const owned = new Client(sendAt("requests", { OWNERS }));
    const named = { owner: "acme", key: keyEntry(key).name };
    const headers = { Authorization: `Bearer ${key}` };
    const { body } = await owned.call("POST", "/sessions", { headers, body: {} });
    expect(lastLine()).toMatchObject({ route: "/sessions", status: 201, ...named });
    await owned.call("GET", "/sessions", { headers });
    expect(lastLine()).toMatchObject({ route: "/sessions", status: 200, ...named });
    await owned.call("GET", `/sessions/${body.session.id}`, { headers });
    expect(lastLine()).toMatchObject({ sessionId: body.session.id, ...named });
    expect(written.mock.lastCall?.[0]?.blobs?.[9]).toBe("acme");
    await owned.call("GET", "/sessions", { headers: { Authorization: `Bearer ${newKey()}` } });
    expect(lastLine()).not.toHaveProperty("owner");
    expect(printed.map(({ text }) => text).join()).not.toContain(key);
  });

  it("names by default the key that created a session, and the session", async () => {
    const key = newKey();
    const OWNERS = ownersText({ acme: [key] });
    const owned = new Client(sendAt(undefined, { OWNERS }));
    const headers = { Authorization: `Bearer ${key}`, "CF-Connecting-IP": "8.8.8.8" };
    const paths = ["/sessions", "/submissions", "/sessions/open"];
    for (const path of paths) {
      const body = path === "/sessions/open" ? { externalId: "oak", create: true } : {};
      const { id: sessionId } = (await owned.call("POST", path, { headers, body })).body.session;
      const named = { owner: "acme", key: keyEntry(key).name, address: "8.8.8.8" };
      expect(lastLine()).toMatchObject({ sessionId, status: 201, ...named });
    }
    expect(printed).toHaveLength(paths.length);
    expect(printed.map(({ text }) => text).join()).not.toContain(key);
  });

  // Shows TL-3.
  it("names the route and never the path, and only the session for a token in the path", async () => {
    const { id: sessionId, token } = await client.create({});
    const paths = [
      [`/submissions/${token}/events?after=0`, "/sessions/{ref}/events", 200],
      [`/sessions/${token}/nothing`, "unmatched", 404],
      [`/sessions/${token}/`, "unmatched", 404],
      [`//sessions/${token}`, "unmatched", 404],
      [`/h/${token}`, "/h/{code}", 404],
      ["/healthz", "/healthz", 200],
      ["/", "/", 200],
    ] as const;
    for (const [path, route, status] of paths) {
      await logged.call("GET", path);
      expect(lastLine()).toMatchObject({ route, status });
    }
    expect(linesOf("request").map((line) => line["sessionId"])).toEqual([
      sessionId,
      ...Array.from({ length: paths.length - 1 }, () => undefined),
    ]);
    expect(printed.some(({ text }) => text.includes(token.slice(-20)))).toBe(false);
  });

  // Shows M-4.
  it("does not accept a token or a key as a request id", async () => {
    const session = await client.create({});
    const key = randomKey();
    for (const requestId of [session.token, key, "a b", "x".repeat(256)]) {
      const headers = { "X-Request-Id": requestId };
      const answer = await logged.call("POST", "/sessions", { key, headers, body: {} });
      expect(answer.headers.get("X-Request-Id")).toMatch(/^[\da-f-]{36}$/);
    }
    const text = JSON.stringify(printed);
    expect(text).not.toContain(key);
    expect(text).not.toContain(session.token);
  });

  it("uses the platform's id for a request without an id", async () => {
    const answer = await logged.call("GET", "/healthz", { headers: { "cf-ray": "8a1b-FRA" } });
    expect(answer.headers.get("X-Request-Id")).toBe("8a1b-FRA");
    expect(linesOf("request")).toMatchObject([{ requestId: "8a1b-FRA" }]);
  });

  it("is written for each MCP call, with its tool, its session and its problem", async () => {
    const mcp = new RawMcp(sendAt("requests"), "http://localhost:8787");
    const { id: sessionId, token } = await client.create({});
    const headers = { "X-Request-Id": "mine-2" };
    await mcp.post(JSON.stringify([toolCall(1, token), toolCall(2, "no token")]), headers);

    const about = { requestId: "mine-2", route: "/mcp", operation: "get_session" };
    const [good, bad] = linesOf("operation").toSorted((a) => (a["outcome"] === "ok" ? -1 : 1));
    expect(good).toMatchObject({ ...about, sessionId, outcome: "ok" });
    expect(bad).toMatchObject({ ...about, code: "token_invalid", outcome: "refused" });
    expect(bad).not.toHaveProperty("sessionId");
    expect(lastLine()).toMatchObject({ route: "/mcp", status: 200 });
    expect(JSON.stringify(printed)).not.toContain(token);
  });

  it("is written by default for changes by a key over MCP, and for an unknown key", async () => {
    const key = newKey();
    const send = sendAt(undefined, { OWNERS: ownersText({ acme: [key] }) });
    const mcp = new RawMcp(send, "http://localhost:8787");
    const call = (name: string, args: object, bearer = key) => {
      const params = { name, arguments: args };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      return mcp.post(body, { Authorization: `Bearer ${bearer}` });
    };
    await call("list_sessions", {});
    expect(printed).toEqual([]);

    const named = { owner: "acme", key: keyEntry(key).name, address: null };
    await call("create_session", {});
    await call("open_session", { external_id: "oak", create: true });
    await call("list_sessions", {}, newKey());
    const [created, opened, refused, ...more] = linesOf("operation");
    const sessionId = expect.stringMatching(/^ses_/);
    expect(created).toMatchObject({ operation: "create_session", sessionId, ...named });
    expect(opened).toMatchObject({ operation: "open_session", outcome: "ok", ...named });
    expect(refused).toMatchObject({ operation: "list_sessions", code: "token_invalid" });
    expect(refused?.["refusedKey"]).toMatch(/^[0-9a-f]{12}$/);
    expect(more).toEqual([]);
    expect(JSON.stringify(printed)).not.toContain(key);
  });

  it("names by default the key that creates a session over ARCP, and reports an unknown key", async () => {
    const key = newKey();
    const OWNERS = ownersText({ acme: [key] });
    const greet = async (log: LogLevel | undefined, bearer: string) => {
      const headers = { Upgrade: "websocket" };
      const request = new Request("http://baton.test/arcp", { headers });
      const { webSocket } = await sendAt(log, { OWNERS })(request);
      webSocket?.accept();
      const arcp = new ArcpClient(webSocket as unknown as ArcpSocket);
      arcp.send("session.hello", { auth: { scheme: "bearer", token: bearer } });
      await expect.poll(() => linesOf("operation")).not.toEqual([]);
      webSocket?.close();
      return linesOf("operation");
    };
    const about = { route: "/arcp", operation: "session.hello" };
    const named = { owner: "acme", key: keyEntry(key).name, address: null };
    for (const level of ["requests", undefined] as const) {
      const sessionId = expect.stringMatching(/^ses_/);
      expect(await greet(level, key)).toMatchObject([{ ...about, sessionId, ...named }]);
      printed = [];
    }
    const [refused] = await greet(undefined, newKey());
    expect(refused).toMatchObject({ ...about, code: "token_invalid", address: null });
    expect(refused?.["refusedKey"]).toMatch(/^[0-9a-f]{12}$/);
  });

  it("is written for each ARCP message, by names that the server knows", async () => {
    const headers = { Upgrade: "websocket", "X-Request-Id": "mine-3" };
    const request = new Request("http://baton.test/arcp", { headers });
    const { webSocket } = await sendAt("requests")(request);
    webSocket?.accept();
    const arcp = new ArcpClient(webSocket as unknown as ArcpSocket);
    await arcp.hello({ bearer: "the bearer" });
    arcp.send(`made.up.${arcp.resumeToken.slice(0, 20)}`);
    await arcp.next();
    arcp.send("session.close", {});
    await arcp.closed;
    await expect.poll(() => linesOf("operation")).toHaveLength(3);

    const about = { requestId: "mine-3", route: "/arcp", sessionId: arcp.sessionId };
    expect(linesOf("operation")).toMatchObject([
      { ...about, operation: "session.hello", outcome: "ok" },
      { ...about, operation: "unknown", code: "invalid_request", outcome: "refused" },
      { ...about, operation: "session.close", outcome: "ok" },
    ]);
    expect(lastLine()).toMatchObject({ route: "/arcp", status: 101 });
    expect(JSON.stringify(printed)).not.toMatch(/rtok_|made\.up|the bearer/);
  });

  // Shows TL-3.
  it("names the session of a person's page, not its code or cookie", async () => {
    const session = await client.create({});
    const { token } = session;
    const body = { to: "human", scopes: ["fill"] };
    const handedOff = await client.on(session, "POST", "/handoffs", { token, body });
    const { code } = handedOff.body.handoff;
    const person = new Person(sendAt("requests"));
    await person.open(code);

    expect(lastLine()).toMatchObject({ route: "/h/{code}", sessionId: session.id, status: 200 });
    const text = JSON.stringify(printed);
    for (const secret of [code, ...person.cookies.values()]) expect(text).not.toContain(secret);
  });
});

describe("the log", () => {
  it.each([["errors"], [undefined]] as const)(
    "at level %s contains failures: the bug with its location, and its request",
    async (level) => {
      const session = await client.create({});
      await new Client(sendAt(level)).on(session, "GET", "", { token: session.token });
      await new Client(sendAt(level)).call("GET", "/nowhere");
      expect(printed).toEqual([]);

      await breakInside(session);
      const path = `/sessions/${session.token}`;
      const answer = await new Client(sendAt(level)).call("GET", path);

      const requestId = answer.headers.get("X-Request-Id");
      const about = { requestId, sessionId: session.id, method: "GET" };
      expect(printed.map(({ level: at }) => at)).toEqual(["error", "error"]);
      expect(linesOf("unhandled")).toEqual([
        { message: "unhandled", ...about, error: "SyntaxError", stack: expect.any(String) },
      ]);
      expect(linesOf("request")).toMatchObject([
        { ...about, route: "/sessions/{ref}", status: 500, code: "internal", outcome: "failed" },
      ]);
      expect(JSON.stringify(printed)).not.toMatch(/broken|rtok_/);
    },
  );

  it("at level off is empty, whatever happens", async () => {
    const session = await client.create({});
    await breakInside(session);
    const silent = new Client(sendAt("off"));
    expect((await silent.on(session, "GET", "", { token: session.token })).status).toBe(500);
    const mcp = new RawMcp(sendAt("off"), "http://localhost:8787");
    expect((await mcp.call("get_session", { resume_token: session.token })).facts.code).toBe(
      "internal",
    );
    expect(printed).toEqual([]);
  });

  it("of a failing alarm names the session and the location, and not the content", async () => {
    const session = await client.create({});
    await breakInside(session);
    await runDurableObjectAlarm(stubOf(session));
    expect(linesOf("alarm failed")).toEqual([
      {
        message: "alarm failed",
        sessionId: session.id,
        error: "SyntaxError",
        stack: expect.stringContaining("at "),
      },
    ]);
    expect(JSON.stringify(printed)).not.toContain("broken");
  });
});

describe("Server-Timing", () => {
  const timing = /^total;dur=(\d+), object;dur=(\d+)$/;

  // Shows TL-2.
  it("contains the total and the object's share, and only the total if no object was called", async () => {
    const session = await client.create({});
    const read = await client.on(session, "GET", "", { token: session.token });
    const [, total, object] = timing.exec(read.headers.get("Server-Timing") ?? "") ?? [];
    expect(Number(object)).toBeLessThanOrEqual(Number(total));
    const page = await client.call("GET", "/");
    expect(page.headers.get("Server-Timing")).toMatch(/^total;dur=\d+$/);
  });

  // Shows TL-2.
  it("is absent on a refusal, so that wrong tokens cannot be distinguished", async () => {
    const session = await client.create({});
    const wrong = `${session.token.slice(0, -4)}AAAA`;
    for (const token of ["none", wrong]) {
      const refused = await client.on(session, "GET", "", { token });
      expect(refused.status).toBe(403);
      expect(refused.headers.has("Server-Timing")).toBe(false);
    }
  });
});

interface Point {
  readonly name: string | undefined;
  readonly route: string | undefined;
  readonly method: string | undefined;
  readonly outcome: string | undefined;
  readonly code: string | undefined;
  readonly sessionId: string | undefined;
  readonly participant: string | undefined;
  readonly kind: string | undefined;
  readonly operation: string | undefined;
  readonly ms: number | undefined;
  readonly status: number | undefined;
}

const points = (): readonly Point[] =>
  written.mock.calls.map(([{ indexes = [], blobs = [], doubles = [] } = {}]) => {
    const [name, route, method, outcome, code, sessionId, participant, kind, operation] =
      blobs as string[];
    expect(indexes).toEqual([name]);
    const [ms, , status] = doubles;
    const about = { name, route, operation, method, outcome, code, status, ms };
    return { ...about, sessionId, participant, kind };
  });

const namesOf = ({ id }: Pick<CreatedSession, "id">): readonly (string | undefined)[] =>
  points()
    .filter(({ name, sessionId }) => name?.includes(".") === true && sessionId === id)
    .map(({ name }) => name);

describe("a data point", () => {
  it("is written for every request, with its route, outcome, code and time", async () => {
    const session = await client.create({});
    const { id: sessionId, token } = session;
    const set = { token, key: randomKey(), body: { fields: { a: 1 } } };
    await client.on(session, "PATCH", "", set);
    await client.on(session, "PATCH", "", set);
    await client.on(session, "PATCH", "", { ...set, key: randomKey() });
    const resume = { key: randomKey(), body: { onInvalid: "fresh" } };
    await client.call("POST", "/sessions/rtok_none/resume", resume);

    const requests = points().filter(({ name }) => name === "request");

    const about = { method: "PATCH", route: "/sessions/{ref}", sessionId };
    expect(requests).toMatchObject([
      { method: "POST", route: "/sessions", outcome: "ok", status: 201, sessionId },
      { ...about, outcome: "ok", status: 200 },
      { ...about, outcome: "replayed", status: 200 },
      { ...about, outcome: "conflict", code: "token_superseded", status: 409 },
      { method: "POST", route: "/sessions/{ref}/resume", outcome: "fresh", status: 201 },
    ]);
  });

  it("is written once for each event in a session, whichever face it came by", async () => {
    const session = await client.create({});
    const resume = { token: session.token, key: randomKey(), body: {} };
    const resumed = await client.on(session, "POST", "/resume", resume);
    await client.on(session, "POST", "/resume", resume);
    const mcp = new RawMcp(sendAt("off"), "http://localhost:8787");
    const { facts } = await mcp.call("resume_session", {
      resume_token: resumed.body.resumeToken,
    });
    const set = { token: facts.resume_token, body: { fields: { a: 1 } } };
    expect((await client.on(session, "PATCH", "", set)).status).toBe(200);

    expect(namesOf(session)).toEqual(["session.created", "session.resumed", "session.resumed"]);
    expect(points().filter(({ name }) => name === "operation")).toMatchObject([
      { route: "/mcp", operation: "resume_session", outcome: "ok", sessionId: session.id },
    ]);
  });

  // Shows TL-3.
  it("follows a handoff from its creation to its opening and its answer", async () => {
    const session = await client.create({ schema: { properties: { a: { type: "string" } } } });
    const { token } = session;
    const body = { to: "human", scopes: ["fill"] };
    const handedOff = await client.on(session, "POST", "/handoffs", { token, body });
    const person = new Person((request) => sendAt("off")(request));
    const { code } = handedOff.body.handoff;
    const { html } = await person.open(code, "Ada");
    await person.press(code, html, "save", { "f/a": "something private" });

    const steps = points().filter(({ name }) => name?.startsWith("handoff.") === true);
    const about = { sessionId: session.id, participant: "par_2" };
    expect(steps).toMatchObject([
      { ...about, name: "handoff.made", kind: "agent" },
      { ...about, name: "handoff.opened", kind: "human" },
      { ...about, name: "handoff.completed", kind: "human" },
    ]);
    const text = JSON.stringify(written.mock.calls);
    for (const secret of [code, token, "private", "Ada"]) expect(text).not.toContain(secret);
  });

  it("states how late an expiry was recorded, and a purge done", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const session = await client.create({ ttlMs: 1_000 });
    vi.setSystemTime(Date.now() + 1_250);
    await runDurableObjectAlarm(stubOf(session));
    vi.setSystemTime(Date.now() + 30 * 86_400_000);
    await runDurableObjectAlarm(stubOf(session));

    const late = points().filter(
      ({ name, sessionId }) =>
        sessionId === session.id && (name === "session.expired" || name === "session.purged"),
    );
    expect(late.map(({ name, ms }) => [name, ms])).toEqual([
      ["session.expired", 250],
      ["session.purged", 250],
    ]);
  });

  it("follows a job to its end, and counts no event in between", async () => {
    const jobs = new Jobs(client);
    const agent = agentName();
    const session = await client.create({});
    await jobs.submit(session, { agent, input: "private" });
    const claim = await jobs.claimOrThrow(agent);
    await jobs.report(claim, "events", { events: [{ kind: "log", body: "private" }] });
    await jobs.report(claim, "error", { code: "PRIVATE", message: "private", retryable: false });

    expect(namesOf(session)).toEqual([
      "session.created",
      "job.submitted",
      "job.started",
      "job.failed",
    ]);
    expect(JSON.stringify(written.mock.calls)).not.toMatch(/private/i);
  });

  it("is not written for requests that the session refused", async () => {
    const session = await client.create({});
    const { token } = session;
    await client.on(session, "POST", "/resume", { token, ifMatch: 99, body: {} });
    await client.on(session, "POST", "/finalize", { token, body: {} });
    expect(namesOf(session)).toEqual(["session.created"]);
  });
});

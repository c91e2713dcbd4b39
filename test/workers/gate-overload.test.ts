/** An overloaded object: every route reports it, and when to retry. */
import { beforeAll, describe, expect, it } from "vitest";
import { sendFrom } from "../support/caller";
import { Client, randomKey } from "../support/client";
import { OBJECTS, overloadOf } from "../support/gate/overload";
import { PAGE_ACCESS_PATHS, openLink, type OpenedLink } from "../support/gate/page-access-paths";
import { apiRouteIds } from "../support/gate/routes";
import type { ObservedResponse } from "../support/gate/marker";
import { createFixture, type GateFixture } from "../support/gate/fixture";
import {
  connectArcp,
  HTTP_ACCESS_PATHS,
  MCP_ACCESS_PATHS,
  mcpOf,
  sendRaw,
  SOCKET_ACCESS_PATHS,
} from "../support/gate/access-paths";
import { resumeOf, type ArcpClient } from "../support/arcp";
import { agentName } from "../support/jobs";
import { newKey, ownersText } from "../support/owners";
import { Person } from "../support/person";
import { client } from "../support/worker";
import { isWhole } from "../support/scale";

const overload = overloadOf(OBJECTS);
const send = sendFrom({}, overload.changes);
const BASE = "http://localhost:8787";

/** On faces that have a status it is 503 with the header, on the others the code with the wait. */
function expectOverloaded({ status, code, text, body }: ObservedResponse): void {
  if (status !== null) {
    expect(status, text).toBe(503);
    expect(text).toMatch(/^retry-after: \d+$/m);
  }
  if (code !== null || status === null) expect(code, text).toBe("overloaded");
  if (body !== undefined) expect(body).toMatchObject({ retryable: true });
  if (body !== undefined) expect(body.retryAfterMs).toBeGreaterThan(0);
}

const post = (path: string, body: object, bearer?: string): Promise<ObservedResponse> =>
  sendRaw(
    send,
    new Request(`${BASE}${path}`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "Idempotency-Key": randomKey(),
        ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify(body),
    }),
  );

const key = newKey();
const sendOwned = sendFrom({}, { ...overload.changes, OWNERS: ownersText({ acme: [key] }) });

const byKey = (
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: object,
): Promise<ObservedResponse> =>
  sendRaw(
    sendOwned,
    new Request(`${BASE}${path}`, {
      method,
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );

/** Well-formed, and nobody's token. */
const OWN_ENDPOINT = `end_${"A".repeat(43)}`;

/** Routes that have no session in their path, or need no token of it. */
const WITHOUT_SESSION: Readonly<
  Record<string, (gateFixture: GateFixture) => Promise<ObservedResponse>>
> = {
  createSession: () => post("/sessions", {}),
  claimJob: () => post(`/agents/${agentName()}/claim`, {}),
  reportJobEvents: ({ jobToken }) =>
    post("/jobs/events", { events: [{ kind: "log", body: {} }] }, jobToken),
  reportJobHeartbeat: ({ jobToken }) => post("/jobs/heartbeat", {}, jobToken),
  reportJobResult: ({ jobToken }) => post("/jobs/result", { result: 1 }, jobToken),
  reportJobError: ({ jobToken }) => post("/jobs/error", { code: "x" }, jobToken),
  listSessions: () => byKey("GET", "/sessions"),
  followSessions: () => byKey("GET", "/sessions/changes?after=0"),
  openNamedSession: () => byKey("POST", "/sessions/open", { externalId: randomKey(), create: {} }),
  addOwnerEndpoint: () =>
    byKey("POST", "/endpoints", { url: "https://example.com/", notices: ["job.ended"] }),
  listOwnerEndpoints: () => byKey("GET", "/endpoints"),
  getOwnerEndpoint: () => byKey("GET", `/endpoints/${OWN_ENDPOINT}`),
  changeOwnerEndpoint: () =>
    byKey("PATCH", `/endpoints/${OWN_ENDPOINT}`, { notices: ["job.ended"] }),
  removeOwnerEndpoint: () => byKey("DELETE", `/endpoints/${OWN_ENDPOINT}`),
  rotateOwnerEndpoint: () => byKey("POST", `/endpoints/${OWN_ENDPOINT}/rotate`),
  listOwnerDeliveries: () => byKey("GET", `/endpoints/${OWN_ENDPOINT}/deliveries`),
  replayOwnerDeliveries: () =>
    byKey("POST", `/endpoints/${OWN_ENDPOINT}/replay`, { since: "2026-01-01T00:00:00Z" }),
  listTemplates: () => byKey("GET", "/templates"),
  getTemplate: () => byKey("GET", "/templates/intake"),
  putTemplate: () => byKey("PUT", "/templates/intake", {}),
  retireTemplate: () => byKey("DELETE", "/templates/intake"),
  openSession: ({ id }) => byKey("POST", `/sessions/${id}/open`, { scopes: ["view"] }),
};

let fixture: GateFixture;
let pageView: OpenedLink;
beforeAll(async () => {
  fixture = await createFixture("revoked");
  pageView = await openLink("revoked", false);
});

it("every API route is tested here", () => {
  const tried = new Set([
    ...HTTP_ACCESS_PATHS.map(({ covers }) => covers),
    ...Object.keys(WITHOUT_SESSION),
  ]);
  expect(apiRouteIds().filter((id) => !tried.has(id))).toEqual([]);
});

describe("while objects are overloaded", () => {
  const accessPaths = [...HTTP_ACCESS_PATHS, ...SOCKET_ACCESS_PATHS, ...MCP_ACCESS_PATHS];
  it.each(accessPaths)("$name reports it", async ({ request }) => {
    overload.start();
    expectOverloaded(await request({ send, token: fixture.subject.token }, fixture));
  });

  it.each(Object.entries(WITHOUT_SESSION))("%s reports it", async (_, sendRequest) => {
    overload.start();
    expectOverloaded(await sendRequest(fixture));
  });

  it("create_session over MCP reports it", async () => {
    overload.start();
    const params = { name: "create_session", arguments: {} };
    const { message } = await mcpOf(send).request("tools/call", params);
    expect(JSON.parse(message.result.content[1].text)).toMatchObject({ code: "overloaded" });
  });
});

const linkHolder = (): Person => {
  const person = new Person(send, BASE);
  for (const [name, value] of pageView.person.cookies) person.cookies.set(name, value);
  return person;
};

describe("a page", () => {
  it.each(PAGE_ACCESS_PATHS)(
    "($name) reports it while objects are overloaded",
    async ({ request }) => {
      overload.start();
      expectOverloaded(await request({ ...pageView, person: linkHolder() }));
    },
  );

  it("(live) reports it while objects are overloaded", async () => {
    overload.start();
    const request = new Request(`${BASE}/h/${pageView.code}/live`, {
      headers: { Cookie: [...pageView.person.cookies].map((one) => one.join("=")).join("; ") },
    });
    expectOverloaded(await sendRaw(send, request));
  });

  it.each([["HANDOFFS"], ["MISSES"], ["SESSION"]] as const)(
    "(the link itself) reports it while %s is overloaded, on preview and on open",
    async (name) => {
      const one = overloadOf([name]);
      const sendOne = sendFrom({}, one.changes);
      const owner = await client.create();
      const body = { to: "human", scopes: ["fill"] };
      const handedOff = await client.on(owner, "POST", "/handoffs", { token: owner.token, body });
      const { code } = handedOff.body.handoff as { code: string };
      const person = new Person(sendOne, BASE);
      const landing = await person.go("GET", `/h/${code}`);
      const nonce = /name="nonce" value="([^"]*)"/.exec(landing.html)?.[1] ?? "";
      one.start();
      const preview = await person.go("GET", `/h/${code}`);
      const opened = await person.go("POST", `/h/${code}`, { nonce, name: "" });
      for (const { status, headers } of [preview, opened]) {
        expect([status, headers.get("Retry-After")]).toEqual([503, expect.stringMatching(/^\d+$/)]);
      }
      one.end();
      expect((await person.open(code)).status).toBe(200);
    },
  );
});

const isClean = ({ status, code, text }: ObservedResponse): void => {
  if (status === 503) expect(text).toMatch(/^retry-after: \d+$/m);
  else expect(status ?? 0, text).toBeLessThan(500);
  expect(code, text).not.toBe("internal");
};

/** The first calls succeed; whatever the outcome, it is not an internal error. */
describe.each(isWhole ? [1, 2, 3, 4] : [1, 3])(
  "when objects are overloaded from call %i on",
  (calls) => {
    it("no route answers with an internal error", async () => {
      const fresh = await createFixture("revoked");
      const person = await openLink("revoked", false);
      const accessPaths = HTTP_ACCESS_PATHS.filter(
        ({ covers }) => covers !== "purge" && covers !== "readEvents",
      );
      for (const { request } of accessPaths) {
        overload.start(calls);
        isClean(await request({ send, token: fresh.subject.token }, fresh));
        overload.end();
      }
      for (const { request } of PAGE_ACCESS_PATHS) {
        const holder = new Person(send, BASE);
        for (const [name, value] of person.person.cookies) holder.cookies.set(name, value);
        overload.start(calls);
        isClean(await request({ ...person, person: holder }));
        overload.end();
      }
    });

    it("neither a file upload nor a claim ends in an internal error", async () => {
      const owner = await client.create();
      const announced = await client.on(owner, "POST", "/uploads", {
        token: owner.token,
        body: { name: "a.txt", type: "text/plain", size: 1 },
      });
      const token = announced.body.resumeToken as string;
      const agent = agentName();
      await client.on(owner, "POST", "/jobs", { token, body: { agent } });
      overload.start(calls);
      const put = await new Client(send).on(owner, "PUT", "/uploads/upl_1", {
        token,
        body: "x",
        headers: { "Content-Type": "text/plain", "Content-Length": "1" },
      });
      overload.start(calls);
      const claimed = await new Client(send).call("POST", `/agents/${agent}/claim`, { body: {} });
      overload.end();
      for (const { status, headers, text } of [put, claimed]) {
        if (status !== 503) expect(status, text).toBeLessThan(300);
        else expect(headers.get("Retry-After")).toMatch(/^\d+$/);
      }
    });
  },
);

const overloaded = (arcp: ArcpClient, requestId?: string) =>
  arcp.next().then((frame) => {
    expect(frame).toMatchObject({
      type: "session.error",
      session_id: expect.any(String),
      payload: { code: "INTERNAL_ERROR", retryable: true },
    });
    expect(frame.payload.details?.retryAfterMs, JSON.stringify(frame)).toBeGreaterThan(0);
    if (requestId !== undefined) expect(frame.payload.details.request_id).toBe(requestId);
  });

describe("over ARCP", () => {
  it.each([
    ["a hello", {}],
    ["a resume", { isResume: true }],
  ])("%s gets it as its error", async (_, { isResume = false }: { isResume?: boolean }) => {
    const session = await client.create();
    const arcp = await connectArcp(send);
    overload.start();
    arcp.send("session.hello", {
      client: { name: "test", version: "1" },
      auth: { scheme: "bearer", token: "alice" },
      ...(isResume ? resumeOf(session.token, 0) : {}),
    });
    await overloaded(arcp);
    overload.end();
  });

  it.each([
    ["job.submit", { agent: "nobody" }],
    ["session.list_jobs", {}],
    ["job.cancel", {}],
    ["job.subscribe", {}],
    ["job.unsubscribe", {}],
    ["session.bye", {}],
  ])(
    "%s gets it as its error, and is answered once the overload has ended",
    async (type, payload) => {
      overload.end();
      const arcp = await connectArcp(send);
      await arcp.hello();
      const jobId = await arcp.submit({ agent: agentName() });
      overload.start();
      const id = arcp.send(type, payload, { job_id: jobId });
      await overloaded(arcp, id);
      overload.end();
      arcp.send("session.list_jobs");
      expect((await arcp.until("session.jobs")).payload.jobs).toHaveLength(1);
      arcp.drop();
    },
  );
});

/**
 * One owner learns nothing about another owner's resources. Every request for a session, an endpoint or
 * a template of another owner gets exactly the response for one that never existed, while the resource
 * is open and after it has expired. A purged session no longer has an owner: its id is reported as gone
 * to everybody.
 */
import { afterEach, describe, expect, it, vi } from "vitest";
import { endpointIdFromHex } from "../../src/domain/notices/endpoint";
import { sendFrom } from "../support/caller";
import { signIn } from "../support/console";
import { advanceTime } from "../support/gate/fixture";
import { RawMcp } from "../support/mcp";
import { MCP_EVENTS_ON, SECRET } from "../support/mcp-events";
import { createOwner, type TestOwner } from "../support/test-owner";
import { newPath } from "../support/worker-endpoints";

afterEach(() => {
  vi.useRealTimers();
});

interface ResourceNames {
  readonly session: string;
  readonly name: string;
  readonly endpoint: string;
  readonly template: string;
}

/** What another owner receives, without the names it sent itself. */
type ForeignRequest = (otherOwner: TestOwner, named: ResourceNames) => Promise<readonly unknown[]>;

const HEADERS = ["retry-after", "www-authenticate", "etag", "baton-head", "location", "allow"];

const http =
  (
    method: string,
    path: (named: ResourceNames) => string,
    body?: (named: ResourceNames) => object,
  ): ForeignRequest =>
  async (otherOwner, named) => {
    const { status, headers, text } = await otherOwner.call(method, path(named), {
      token: otherOwner.key,
      ...(body === undefined ? {} : { body: body(named) }),
    });
    return [status, text, ...HEADERS.map((mark) => headers.get(mark))];
  };

const on = (method: string, rest: string, body?: object): ForeignRequest =>
  http(method, ({ session }) => `/sessions/${session}${rest}`, body && (() => body));
const at = (method: string, rest: string, body?: object): ForeignRequest =>
  http(method, ({ endpoint }) => `/endpoints/${endpoint}${rest}`, body && (() => body));

const mcpOf = ({ key, settings }: TestOwner): RawMcp =>
  new RawMcp(
    sendFrom({ Authorization: `Bearer ${key}` }, { ...settings, ...MCP_EVENTS_ON }),
    "http://localhost:8787",
  );
const tool =
  (name: string, args: (named: ResourceNames) => object): ForeignRequest =>
  async (otherOwner, named) => {
    const { isError, text, facts } = await mcpOf(otherOwner).call(name, args(named));
    return [isError, text, facts];
  };
const method =
  (name: string, params: (named: ResourceNames) => object): ForeignRequest =>
  async (otherOwner, named) => [(await mcpOf(otherOwner).request(name, params(named))).message];

const page =
  (rest: string): ForeignRequest =>
  async (otherOwner, { session }) => {
    const { person } = await signIn(otherOwner.settings, otherOwner.key);
    const { status, html } = await person.go("GET", `/console/sessions/${session}${rest}`);
    return [status, html];
  };
const form =
  (rest: string): ForeignRequest =>
  async (otherOwner, { session }) => {
    const consoleUser = await signIn(otherOwner.settings, otherOwner.key);
    const { status, html } = await consoleUser.post(`/console/sessions/${session}${rest}`, {
      confirm: "yes",
    });
    return [status, html];
  };

const SESSION_REQUESTS: Readonly<Record<string, ForeignRequest>> = {
  read: on("GET", ""),
  "its log": on("GET", "/events"),
  "its audit": on("GET", "/audit"),
  "its export": on("GET", "/export"),
  "its receipt": on("GET", "/receipt"),
  "its jobs": on("GET", "/jobs"),
  "one job": on("GET", "/jobs/job_1"),
  "its lineage": on("GET", "/lineage"),
  open: on("POST", "/open", {}),
  pause: on("POST", "/pause", {}),
  extend: on("POST", "/extend", { ttlMs: 3_600_000 }),
  cancel: on("POST", "/cancel", {}),
  revoke: on("POST", "/revoke", { participant: "par_1" }),
  labels: on("PATCH", "", { labels: { a: "b" } }),
  purge: on("DELETE", ""),
  "its endpoints": on("GET", "/endpoints"),
  "a list by its name": http("GET", ({ name }) => `/sessions?externalId=${name}`),
  "a search for its name": http("GET", ({ name }) => `/sessions?q=${name}`),
  "a list by its label": http("GET", ({ name }) => `/sessions?label=team:${name}`),
  "the feed": http("GET", () => "/sessions/changes"),
  "open by its name": http(
    "POST",
    () => "/sessions/open",
    ({ name }) => ({ externalId: name }),
  ),
  "the tool open_session": tool("open_session", ({ session }) => ({ session_id: session })),
  "the tool open_session by name": tool("open_session", ({ name }) => ({ external_id: name })),
  "the tool list_sessions": tool("list_sessions", ({ name }) => ({ q: name })),
  "events/poll": method("events/poll", ({ session }) => ({
    name: "session.created",
    arguments: { session_id: session },
    cursor: null,
  })),
  "events/subscribe": method("events/subscribe", ({ session }) => ({
    name: "session.created",
    arguments: { session_id: session },
    delivery: { mode: "webhook", url: `https://receiver.test${newPath()}`, secret: SECRET },
  })),
  "its page of the console": page(""),
  "its export from the console": page("/export"),
  "the console's question": page("/cancel"),
  "the console's purge": form("/purge"),
  "the console's open": form("/open"),
};

const RESOURCE_REQUESTS: Readonly<Record<string, ForeignRequest>> = {
  "an endpoint": at("GET", ""),
  "a change of an endpoint": at("PATCH", "", { format: "slack" }),
  "a rotation": at("POST", "/rotate"),
  deliveries: at("GET", "/deliveries"),
  "a replay": at("POST", "/replay", { since: "2026-11-16T09:00:00Z" }),
  "a removal": at("DELETE", ""),
  "a template": http("GET", ({ template }) => `/templates/${template}`),
  "a template's removal": http("DELETE", ({ template }) => `/templates/${template}`),
  "a create from a template": http(
    "POST",
    () => "/sessions",
    ({ template }) => ({ template }),
  ),
};

const lettersOf = (length: number): string =>
  Array.from({ length }, () => "abcdefghijklmnop"[Math.floor(Math.random() * 16)]).join("");

async function createResources(
  owner: TestOwner,
): Promise<ResourceNames & { readonly token: string }> {
  const name = lettersOf(12);
  const template = lettersOf(12);
  const created = await owner.create({ title: name, externalId: name, labels: { team: name } });
  await expect.poll(() => owner.row(created.id)).toBeDefined();
  const body = { url: `https://receiver.test${newPath()}`, notices: ["session.created"] };
  const { endpoint } = (await owner.call("POST", "/endpoints", { body })).body;
  await owner.call("PUT", `/templates/${template}`, { body: { title: "Theirs" } });
  return { session: created.id, name, endpoint: endpoint.id, template, token: created.token };
}

/** Names of the same form as those of existing resources, for resources that never existed. */
const unknownNames = (): ResourceNames => ({
  session: `ses_${btoa(lettersOf(32)).replace(/=+$/, "")}`,
  name: lettersOf(12),
  endpoint: endpointIdFromHex([...lettersOf(64)].map((one) => one.charCodeAt(0) % 10).join("")),
  template: lettersOf(12),
});

/** Leaves out names, and what is new in every page. */
function normalize(response: readonly unknown[], named: ResourceNames): string {
  const text = Object.values(named).reduce(
    (all, one) => all.replaceAll(one, "<given>"),
    JSON.stringify(response),
  );
  return text.replace(/(name=\\"(?:form|nonce)\\" value=\\")[^"\\]*/g, "$1");
}

async function compare(requests: typeof SESSION_REQUESTS, theirs: ResourceNames): Promise<void> {
  const otherOwner = createOwner();
  for (const [label, request] of Object.entries(requests)) {
    const none = unknownNames();
    const [foreign, unknown] = [await request(otherOwner, theirs), await request(otherOwner, none)];
    expect([label, normalize(foreign, theirs)]).toEqual([label, normalize(unknown, none)]);
  }
}

describe("another owner gets the same response as for a resource that never existed", () => {
  // Shows OW-6.
  it("for an open session, and the session stays unchanged", async () => {
    const owner = createOwner();
    const theirs = await createResources(owner);
    const read = async () =>
      (await owner.call("GET", `/sessions/${theirs.session}`, { token: owner.key })).text;
    const before = await read();

    await compare(SESSION_REQUESTS, theirs);

    expect(await read()).toBe(before);
  });

  // Shows OW-6.
  it("for a purged session, except that its id is reported as gone to everybody", async () => {
    const owner = createOwner();
    const theirs = await createResources(owner);
    await owner.call("DELETE", `/sessions/${theirs.session}`, { token: owner.key });
    const otherOwner = createOwner();

    for (const [label, request] of Object.entries(SESSION_REQUESTS)) {
      const none = unknownNames();
      const foreign = normalize(await request(otherOwner, theirs), theirs);
      if (/"gone"|^\[410,/.test(foreign)) {
        const own = normalize(await request(owner, theirs), theirs);
        expect([label, foreign]).toEqual([label, own]);
      } else
        expect([label, foreign]).toEqual([label, normalize(await request(otherOwner, none), none)]);
    }
  });

  // Shows OW-6.
  it("for an expired session", async () => {
    const owner = createOwner();
    const theirs = await createResources(owner);
    advanceTime(8 * 24 * 60 * 60 * 1000);

    await compare(SESSION_REQUESTS, theirs);
  });

  // Shows OW-6, NO-11, OW-14.
  it("for an endpoint and for a template", async () => {
    const owner = createOwner();
    const theirs = await createResources(owner);

    await compare(RESOURCE_REQUESTS, theirs);

    expect((await owner.call("GET", `/endpoints/${theirs.endpoint}`)).status).toBe(200);
    expect((await owner.call("GET", `/templates/${theirs.template}`)).status).toBe(200);
  });

  it("but sees its own resources, so the requests are able to fail", async () => {
    const owner = createOwner();
    const own = await createResources(owner);
    const same: string[] = [];
    for (const [label, request] of Object.entries(SESSION_REQUESTS)) {
      if (/purge|cancel|revoke|feed|pause|open$|^labels$/.test(label)) continue;
      const none = unknownNames();
      const ownResponse = normalize(await request(owner, own), own);
      if (ownResponse === normalize(await request(owner, none), none)) same.push(label);
    }
    expect(same).toEqual([]);
  });
});

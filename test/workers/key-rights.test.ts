/** Which right of an owner's key allows what, on every face: a table of rights and operations. */
import { afterAll, describe, expect, it } from "vitest";
import { sendFrom } from "../support/caller";
import { ArcpClient, type Frame } from "../support/arcp";
import { Client, type Send } from "../support/client";
import { RawMcp } from "../support/mcp";
import { hiddenIn, Person } from "../support/person";
import { keyEntry, newKey } from "../support/owners";

const RIGHTS = ["create", "read", "open", "manage"] as const;
type Right = (typeof RIGHTS)[number];

const BASE = "http://localhost:8787";
/** Each of the sixteen sets of rights has a key; all are of one owner. */
const SETS = Array.from({ length: 16 }, (_, bits) =>
  RIGHTS.filter((_right, at) => bits & (1 << at)),
);
const KEYS = new Map(SETS.map((rights) => [rights.join(), newKey()]));
const OWNER = `owner-${crypto.randomUUID().slice(0, 8)}`;
// A key without any right cannot be listed, so an unlisted key stands in for it.
const entries = SETS.filter(({ length }) => length > 0).map((rights) =>
  keyEntry(KEYS.get(rights.join()) ?? "", { rights }),
);
const SETTINGS = { OWNERS: JSON.stringify([{ name: OWNER, keys: entries }]), MCP_EVENTS: "on" };
const ALL = KEYS.get(RIGHTS.join()) ?? "";

const sending = (key: string): Send => sendFrom({ Authorization: `Bearer ${key}` }, SETTINGS);
const plain = sendFrom({}, SETTINGS);
const owner = new Client(sending(ALL));

const connections: ArcpClient[] = [];
async function connect(key: string): Promise<{ client: ArcpClient; first: Frame }> {
  const upgrade = new Request(`${BASE}/arcp`, { headers: { Upgrade: "websocket" } });
  const { webSocket } = await plain(upgrade);
  if (webSocket === null || webSocket === undefined) throw new Error("no socket was opened");
  const client = new ArcpClient(webSocket as never);
  webSocket.accept();
  connections.push(client);
  return { client, first: await client.hello({ bearer: key }) };
}

afterAll(() => connections.forEach((line) => line.drop()));

interface OtherSession {
  readonly id: string;
  readonly jobId: string;
  readonly externalId: string;
}

/** A session of the same owner, created by another key, with a job. */
let otherSession: Promise<OtherSession> | null = null;
const createOtherSession = (): Promise<OtherSession> =>
  (otherSession ??= (async () => {
    const { client } = await connect(ALL);
    const jobId = await client.submit({ agent: "somebody", input: { a: 1 } });
    const externalId = `claim-${crypto.randomUUID()}`;
    const created = await owner.call("POST", "/sessions", { body: { externalId } });
    expect(created.status, created.text).toBe(201);
    return { id: client.sessionId, jobId, externalId };
  })());

/** Whether it was allowed: anything but a refusal for a missing right counts. */
type Attempt = (key: string, at: OtherSession) => Promise<boolean>;

const REFUSED = new Set([401, 403]);
const http =
  (
    method: string,
    path: (at: OtherSession) => string,
    body?: (at: OtherSession) => object,
  ): Attempt =>
  async (key, at) => {
    const options = body === undefined ? {} : { body: body(at) };
    const { status } = await new Client(sending(key)).call(method, path(at), options);
    return !REFUSED.has(status);
  };

const MCP_REFUSED = new Set(["scope_denied", "token_invalid", "credential_missing"]);
const tool =
  (name: string, args: (at: OtherSession) => object): Attempt =>
  async (key, at) => {
    const answer = await new RawMcp(sending(key), BASE).call(name, args(at));
    return !(answer.isError && MCP_REFUSED.has(answer.facts.code));
  };

const rpc =
  (method: string, params: object): Attempt =>
  async (key) => {
    const { text } = await new RawMcp(sending(key), BASE).request(method, params);
    return ![...MCP_REFUSED].some((code) => text.includes(code));
  };

/** From a session that a key with the right `create` has created: the key's own rights are added. */
const arcp =
  (type: string): Attempt =>
  async (key, { jobId }) => {
    const { client, first } = await connect(key);
    if (first.type !== "session.welcome") return false;
    client.send(type, { job_id: jobId, history: true });
    const answer = await client.next();
    if (answer.type === type.replace("subscribe", "subscribed")) return true;
    expect(answer.payload.code).toBe("PERMISSION_DENIED");
    return false;
  };

const inConsole =
  (path: (at: OtherSession) => string): Attempt =>
  async (key, at) => {
    const person = new Person(plain);
    const nonce = hiddenIn((await person.go("GET", "/console")).html, "nonce");
    await person.go("POST", "/console/sign-in", { nonce, to: "/console", key });
    const { status, html } = await person.go("GET", path(at));
    return !REFUSED.has(status) && !html.includes('name="key"');
  };

const has =
  (...required: readonly Right[]) =>
  (rights: readonly Right[]): boolean =>
    required.every((right) => rights.includes(right));
/** The right `manage` includes reading. */
const sees = (rights: readonly Right[]): boolean =>
  rights.includes("read") || rights.includes("manage");

const of =
  (path: string) =>
  ({ id }: OtherSession) =>
    `/sessions/${id}${path}`;
const at = (path: string) => () => path;

const TABLE: readonly (readonly [string, (rights: readonly Right[]) => boolean, Attempt])[] = [
  ["HTTP: create", has("create"), http("POST", at("/sessions"), () => ({}))],
  ["HTTP: list", has("read"), http("GET", at("/sessions"))],
  ["HTTP: changes", has("read"), http("GET", at("/sessions/changes?after=0"))],
  ["HTTP: open by id", has("open"), http("POST", of("/open"), () => ({ scopes: ["view"] }))],
  [
    "HTTP: open by name",
    has("open"),
    http("POST", at("/sessions/open"), ({ externalId }) => ({ externalId })),
  ],
  [
    "HTTP: open by a name that is not there yet",
    has("open", "create"),
    http("POST", at("/sessions/open"), () => ({ externalId: crypto.randomUUID(), create: {} })),
  ],
  ["HTTP: get", sees, http("GET", of(""))],
  ["HTTP: events", sees, http("GET", of("/events"))],
  ["HTTP: audit", sees, http("GET", of("/audit"))],
  ["HTTP: jobs", sees, http("GET", of("/jobs"))],
  ["HTTP: a job", sees, http("GET", ({ id, jobId }) => `/sessions/${id}/jobs/${jobId}`)],
  ["HTTP: lineage", sees, http("GET", of("/lineage"))],
  ["HTTP: pause", has("manage"), http("POST", of("/pause"), () => ({}))],
  ["HTTP: unpause", has("manage"), http("POST", of("/unpause"), () => ({}))],
  ["HTTP: labels", has("manage"), http("PATCH", of(""), () => ({ labels: { a: "b" } }))],
  ["HTTP: templates", has("read"), http("GET", at("/templates"))],
  ["HTTP: put a template", has("manage"), http("PUT", at("/templates/a"), () => ({}))],
  ["HTTP: endpoints", has("manage"), http("GET", at("/endpoints"))],
  ["HTTP: claim a job", has("open"), http("POST", at("/agents/nobody-asks/claim"), () => ({}))],
  ["MCP: create_session", has("create"), tool("create_session", () => ({}))],
  ["MCP: list_sessions", has("read"), tool("list_sessions", () => ({}))],
  ["MCP: open_session", has("open"), tool("open_session", ({ id }) => ({ session_id: id }))],
  [
    "MCP: open_session of a new name",
    has("open", "create"),
    tool("open_session", () => ({ external_id: crypto.randomUUID(), create: true })),
  ],
  [
    "MCP Events: subscribe",
    has("manage"),
    rpc("events/subscribe", {
      name: "session.submitted",
      arguments: {},
      delivery: { mode: "none", url: "https://example.com/", secret: "whsec_x" },
    }),
  ],
  [
    "ARCP: create",
    has("create"),
    async (key) => (await connect(key)).first.type === "session.welcome",
  ],
  [
    "ARCP: job.subscribe to a job of another session",
    (rights) => has("create")(rights) && sees(rights),
    arcp("job.subscribe"),
  ],
  ["Console: the list", has("read"), inConsole(at("/console"))],
  ["Console: a session", sees, inConsole(({ id }) => `/console/sessions/${id}`)],
];

describe("a key of an owner", () => {
  it.each(TABLE)("%s", async (_, isAllowed, attempt) => {
    const session = await createOtherSession();
    const wrong: string[] = [];
    for (const rights of SETS) {
      const isIn = await attempt(KEYS.get(rights.join()) ?? "", session);
      if (isIn !== isAllowed(rights))
        wrong.push(`${rights.join()}: ${isIn ? "allowed" : "refused"}`);
    }
    expect(wrong).toEqual([]);
  });
});

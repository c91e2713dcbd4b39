/** A route that is in no table fails here: add it to one, or name it below with a reason. */
import { afterEach, expect, it, vi } from "vitest";
import { KEYED, REPLAYS } from "../support/gate/replays";
import { apiRouteIds, mcpNames, otherPaths, pageRoutes } from "../support/gate/routes";
import { createMarker, expectNoContent } from "../support/gate/marker";
import { PAGE_ACCESS_PATHS } from "../support/gate/page-access-paths";
import { advanceTime } from "../support/gate/fixture";
import {
  HTTP_ACCESS_PATHS,
  MCP_ACCESS_PATHS,
  SOCKET_ACCESS_PATHS,
} from "../support/gate/access-paths";
import { TestAgent } from "../support/test-agent";
import { agentName, Jobs } from "../support/jobs";
import { client } from "../support/worker";
import { API_ROUTES, type ApiRouteId } from "../../src/protocol/api-routes";

afterEach(() => {
  vi.useRealTimers();
});

const OWNERS = "needs an owner's key; tested in owner-list.test.ts and owner-open.test.ts";
const TEMPLATES = "an owner's resource without content of a session; tested in templates.test.ts";
const ENDPOINTS =
  "an owner's resource without content of a session; tested in owner-endpoints.test.ts";
const CONSOLE = "needs the console's cookie; tested in console-gate.test.ts";
const MCP_OWNERS = "needs an owner's key; tested in mcp-owners.test.ts";
const EXECUTORS = "needs the agent's key or its job token; tested below";
/** Routes that carry no content of a session or are tested in other files, each with the reason. */
const TESTED_ELSEWHERE: Readonly<Record<string, string>> = {
  createSession: "takes no token; its replay is tested in gate-creation.test.ts",
  listSessions: OWNERS,
  followSessions: OWNERS,
  openSession: OWNERS,
  openNamedSession: OWNERS,
  listTemplates: TEMPLATES,
  getTemplate: TEMPLATES,
  putTemplate: TEMPLATES,
  retireTemplate: TEMPLATES,
  addOwnerEndpoint: ENDPOINTS,
  listOwnerEndpoints: ENDPOINTS,
  getOwnerEndpoint: ENDPOINTS,
  changeOwnerEndpoint: ENDPOINTS,
  removeOwnerEndpoint: ENDPOINTS,
  rotateOwnerEndpoint: ENDPOINTS,
  listOwnerDeliveries: ENDPOINTS,
  replayOwnerDeliveries: ENDPOINTS,
  claimJob: EXECUTORS,
  reportJobEvents: EXECUTORS,
  reportJobHeartbeat: EXECUTORS,
  reportJobResult: EXECUTORS,
  reportJobError: EXECUTORS,
  "mcp list_sessions": MCP_OWNERS,
  "mcp open_session": MCP_OWNERS,
  "mcp create_session": "takes no token; its replay is tested in gate-creation.test.ts",
  "/healthz": "reports only that the Worker answers",
  "/.well-known/baton-keys.json": "contains public keys only",
  "/metrics": "returns counts only, and needs METRICS_TOKEN",
  "/arcp": "each message has its own authorization; tested in gate-live.test.ts",
  "/mcp": "each tool is in the table by its name",
  "/openapi.json": "is the same for everybody",
  "/docs": "is the same for everybody",
  "/docs/:page": "is the same for everybody",
  "GET /console": CONSOLE,
  "GET /console/live": CONSOLE,
  "GET /console/enter/:code": CONSOLE,
  "POST /console/enter/:code": CONSOLE,
  "POST /console/sign-in": CONSOLE,
  "POST /console/sign-out": CONSOLE,
  "GET /console/sessions/:id": CONSOLE,
  "GET /console/sessions/:id/live": CONSOLE,
  "GET /console/sessions/:id/export": CONSOLE,
  "GET /console/sessions/:id/:action": CONSOLE,
  "POST /console/sessions/:id/:action": CONSOLE,
  "GET /": "is the same for everybody",
  "GET /assets/:file": "is the same for everybody",
  "GET /h": "is the same for everybody",
  "GET /h/offline": "is the same for everybody",
  "GET /h/:code/qr.svg": "draws the code in its own path",
  "GET /h/:code/live": "sends numbers only; tested in gate-page.test.ts",
  "POST /h/:code": "redeems a code for a cookie and shows nothing itself",
};

const covered = new Set<string>([
  ...[...HTTP_ACCESS_PATHS, ...SOCKET_ACCESS_PATHS, ...MCP_ACCESS_PATHS, ...PAGE_ACCESS_PATHS].map(
    ({ covers }) => covers,
  ),
  "/sessions/:ref/socket",
]);

const missingOf = (names: readonly string[]): readonly string[] =>
  names.filter((name) => !covered.has(name) && TESTED_ELSEWHERE[name] === undefined);

it("every API route is in the table of content, or has a reason not to be", () => {
  expect(missingOf(apiRouteIds())).toEqual([]);
});

it("every other path and every route of the pages is in the table, or has a reason not to be", () => {
  expect(missingOf([...otherPaths(), ...pageRoutes()])).toEqual([]);
});

it("every tool and prompt over MCP is in the table, or has a reason not to be", async () => {
  expect(missingOf(await mcpNames())).toEqual([]);
});

it("no reason is given for a route that does not exist or is in the table anyway", async () => {
  const names = [...apiRouteIds(), ...otherPaths(), ...pageRoutes(), ...(await mcpNames())];
  const all = new Set(names);
  const stale = Object.keys(TESTED_ELSEWHERE).filter((name) => !all.has(name) || covered.has(name));
  expect(stale).toEqual([]);
});

/** The route spends its token, so its response can be replayed. */
const isReplayed = (id: ApiRouteId): boolean => {
  const { headers = [] } = API_ROUTES[id] as { headers?: readonly string[] };
  return headers.includes("Idempotency-Key") && !id.startsWith("report");
};

it("every API route that takes a key is in the table of replays", () => {
  const tried = new Set<string>([...REPLAYS, ...KEYED].map(({ covers }) => covers));
  // Tested in gate-creation.test.ts; a repeated DELETE is 410, which is not a replay; and a replay of
  // startOnce, which needs a lease, shows only the key that the caller sent (once.test.ts).
  for (const id of ["createSession", "submitJob", "purge", "startOnce"]) tried.add(id);
  const missing = (apiRouteIds() as readonly ApiRouteId[]).filter(
    (id) => isReplayed(id) && !tried.has(id),
  );
  expect(missing).toEqual([]);
});

it("an executor gets nothing of a session that has expired", async () => {
  const marker = createMarker();
  const jobs = new Jobs(client);
  const [waiting, running] = [agentName(), agentName()];
  const owner = await TestAgent.create(client, { ttlMs: 60_000 });
  const input = `${marker}-input`;
  await owner.call("POST", "/jobs", { agent: waiting, input });
  await owner.call("POST", "/jobs", { agent: running, input });
  const claim = await jobs.claimOrThrow(running);
  advanceTime(120_000);
  const claimed = await jobs.claim(waiting);
  expect([claimed.status, claimed.text]).toEqual([204, ""]);
  for (const what of ["events", "heartbeat", "result", "error"] as const) {
    const body = {
      events: { events: [{ kind: "log", body: {} }] },
      heartbeat: {},
      result: { result: 1 },
      error: { code: "x" },
    }[what];
    const reported = await jobs.report(claim, what, body);
    expectNoContent(reported, marker);
    expect([reported.status, reported.body.code], what).toEqual([410, "expired"]);
  }
});

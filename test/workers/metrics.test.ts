/** /metrics as Prometheus reads it, and the API description, which is built only once. */
import { env } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import handler from "../../src/index";
import type { Env } from "../../src/env";
import { Client, randomKey } from "../support/client";
import { callerFrom } from "../support/caller";
import { TestAgent } from "../support/test-agent";
import { MCP_EVENTS_ON } from "../support/mcp-events";
import { createOwner } from "../support/test-owner";
import { client } from "../support/worker";
import {
  addEndpoint,
  newPath,
  delayRetries,
  type AddedEndpoint,
} from "../support/worker-endpoints";

const METRICS_TOKEN = "the-token-of-the-operator";
const clientWithMetrics = new Client(async (request) =>
  handler.fetch(
    request as Parameters<typeof handler.fetch>[0],
    { ...(env as unknown as Env), METRICS_TOKEN },
    createExecutionContext(),
  ),
);
const scrape = async (): Promise<ReadonlyMap<string, number>> => {
  const { status, text } = await clientWithMetrics.call("GET", "/metrics", {
    token: METRICS_TOKEN,
  });
  expect(status).toBe(200);
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
};

/** By how much each counter grew. */
async function growth(act: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await scrape();
  await act();
  const after = await scrape();
  const grown = [...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, by]) => by !== 0));
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("/metrics", () => {
  it("is 404 unless a token for it is set, and requires exactly that token", async () => {
    expect((await client.call("GET", "/metrics", { token: METRICS_TOKEN })).status).toBe(404);
    const without = await clientWithMetrics.call("GET", "/metrics");
    expect([without.status, without.body.code]).toEqual([401, "credential_missing"]);
    expect(without.body.detail).toContain("METRICS_TOKEN");
    const wrong = await clientWithMetrics.call("GET", "/metrics", { token: `${METRICS_TOKEN}x` });
    expect([wrong.status, wrong.body.code]).toEqual([403, "token_invalid"]);
    expect(wrong.body.detail).toContain("METRICS_TOKEN");
    const right = await clientWithMetrics.call("GET", "/metrics", { token: METRICS_TOKEN });
    expect(right.headers.get("Content-Type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(right.headers.get("Cache-Control")).toBe("no-store");
    for (const line of right.text.trim().split("\n")) {
      expect(line).toMatch(
        /^(# (HELP|TYPE) baton_\w+ .+|baton_\w+(\{(\w+="[^"]*",?)+\})? [\d.e+-]+)$/,
      );
    }
  });

  it("counts requests, replays, conflicts, resumes and sessions by state", async () => {
    // The counters belong to the process, so a late alarm of another test file may add to them.
    await expect
      .poll(() =>
        growth(async () => {
          const session = await clientWithMetrics.create();
          const { token } = session;
          const set = { token, key: randomKey(), body: { fields: { a: 1 } } };
          const { resumeToken } = (await clientWithMetrics.on(session, "PATCH", "", set)).body;
          await clientWithMetrics.on(session, "PATCH", "", set);
          await clientWithMetrics.on(session, "PATCH", "", { ...set, key: randomKey() });
          const body = { auto: true };
          await clientWithMetrics.on(session, "POST", "/resume", { token: resumeToken, body });
        }),
      )
      .toMatchObject({
        'baton_requests_total{method="POST",route="/sessions",status="201"}': 1,
        'baton_requests_total{method="PATCH",route="/sessions/{ref}",status="200"}': 2,
        'baton_requests_total{method="PATCH",route="/sessions/{ref}",status="409"}': 1,
        'baton_replays_total{route="/sessions/{ref}"}': 1,
        'baton_conflicts_total{code="token_superseded"}': 1,
        'baton_resume_requests_total{result="ok"}': 1,
        'baton_resumes_total{by="automation",reason="none"}': 1,
        // NOTICED_AFTER_SECONDS of commit-counters.ts: an automatic resume saves that long.
        baton_saved_estimate_seconds_total: 600,
        'baton_sessions_entered_total{state="draft"}': 1,
        'baton_sessions_left_total{state="draft"}': 1,
        'baton_sessions_entered_total{state="in_progress"}': 1,
      });
  });

  it("counts only the first resume after a stop under the reason of the stop", async () => {
    // The counters belong to the process, so a late alarm of another test file may add to them.
    await expect
      .poll(() =>
        growth(async () => {
          const session = await clientWithMetrics.create();
          const stop = { reason: "rate_limit", attempt: 1, retryAfterMs: 30_000 };
          await clientWithMetrics.on(session, "POST", "/stops", {
            token: session.token,
            body: stop,
          });
          const resume = (token: string, body: object) =>
            clientWithMetrics.on(session, "POST", "/resume", { token, body });
          const first = await resume(session.token, { auto: true });
          await resume(first.body.resumeToken, {});
        }),
      )
      .toMatchObject({
        'baton_resumes_total{by="automation",reason="rate_limit"}': 1,
        'baton_resumes_total{by="request",reason="none"}': 1,
      });
  });

  it("shows how many sessions the owners have in each state", async () => {
    const ada = createOwner();
    const bob = createOwner();
    const OWNERS = JSON.stringify(
      [ada, bob].flatMap(({ settings }) => JSON.parse(settings.OWNERS) as unknown[]),
    );
    const operator = callerFrom(null, { OWNERS, METRICS_TOKEN });
    const states = async (): Promise<readonly string[]> => {
      const { text } = await operator.call("GET", "/metrics", { token: METRICS_TOKEN });
      return text.split("\n").filter((line) => /^baton_sessions\{.* [1-9]/.test(line));
    };
    expect(await states()).toEqual([]);
    const session = await ada.create();
    await bob.create();
    await expect.poll(states).toEqual(['baton_sessions{state="draft"} 2']);
    await ada.client.on(session, "POST", "/cancel", { token: session.token, body: {} });
    await expect
      .poll(states)
      .toEqual(['baton_sessions{state="draft"} 1', 'baton_sessions{state="cancelled"} 1']);
  });

  it("shows for each owner how many sessions wait, for what and how long, and the use of its quota", async () => {
    const owner = createOwner();
    const [entry] = JSON.parse(owner.settings.OWNERS) as [object];
    const OWNERS = JSON.stringify([{ ...entry, quotas: { openSessions: 9 } }]);
    const operator = callerFrom(null, { OWNERS, METRICS_TOKEN });
    const gauges = async (): Promise<Record<string, number>> => {
      const { text } = await operator.call("GET", "/metrics", { token: METRICS_TOKEN });
      const lines = text.split("\n").filter((line) => line.includes(`{owner="${owner.name}"`));
      return Object.fromEntries(
        lines.map((line) => line.split(" ")).map(([a, b]) => [a, Number(b)]),
      );
    };
    const series = (name: string, labels = "") => `${name}{owner="${owner.name}"${labels}}`;
    expect(await gauges()).toEqual({
      [series("baton_open_sessions")]: 0,
      [series("baton_open_sessions_quota")]: 9,
    });
    vi.useFakeTimers({ toFake: ["Date"] });
    const ended = await owner.create();
    await owner.client.on(ended, "POST", "/cancel", { token: ended.token, body: {} });
    await owner.create();
    vi.setSystemTime(Date.now() + 90_000);
    await owner.create();
    await expect.poll(gauges).toEqual({
      [series("baton_open_sessions")]: 2,
      [series("baton_open_sessions_quota")]: 9,
      [series("baton_waiting", ',for="agent"')]: 2,
      [series("baton_waiting_longest_seconds", ',for="agent"')]: 90,
    });
  });

  it("shows how many endpoints the owners have, by status", async () => {
    const owner = createOwner();
    const settings = { ...owner.settings, ...MCP_EVENTS_ON };
    const operator = callerFrom(null, { ...settings, METRICS_TOKEN });
    const endpoints = async (): Promise<readonly string[]> => {
      const { text } = await operator.call("GET", "/metrics", { token: METRICS_TOKEN });
      return text.split("\n").filter((line) => line.startsWith("baton_endpoints{"));
    };
    const none = ['baton_endpoints{status="suspended"} 0', 'baton_endpoints{status="ended"} 0'];
    expect(await endpoints()).toEqual(['baton_endpoints{status="active"} 0', ...none]);
    const body = { url: `https://receiver.test${newPath()}`, notices: ["session.submitted"] };
    const keyed = callerFrom(null, settings, { "Baton-Key": owner.key });
    expect((await keyed.call("POST", "/endpoints", { body })).status).toBe(201);
    expect(await endpoints()).toEqual(['baton_endpoints{status="active"} 1', ...none]);
  });

  it("counts stops, waits, forks and handoffs", async () => {
    let grown: Record<string, number> = {};
    // The counters belong to the process, so a late alarm of another test file may add to them.
    await expect
      .poll(async () => {
        grown = await growth(async () => {
          const session = await clientWithMetrics.create();
          const { token } = session;
          const stop = { reason: "rate_limit", attempt: 1, retryAfterMs: 30_000 };
          await clientWithMetrics.on(session, "POST", "/stops", { token, body: stop });
          const link = { to: "human", scopes: ["fill"] };
          const handedOff = await clientWithMetrics.on(session, "POST", "/handoffs", {
            token,
            body: link,
          });
          const fork = { token: handedOff.body.resumeToken, body: { reason: "context_exhausted" } };
          expect((await clientWithMetrics.on(session, "POST", "/fork", fork)).status).toBe(201);
        });
        return grown;
      })
      .toMatchObject({
        'baton_waits_total{reason="rate_limit"}': 1,
        'baton_handoffs_total{to="human"}': 1,
        baton_forks_total: 1,
      });
    expect(grown).not.toHaveProperty(['baton_handoffs_total{to="agent"}']);
    expect(grown['baton_waits_seconds_total{reason="rate_limit"}']).toBeGreaterThanOrEqual(27);
    expect(Object.keys(grown).join()).toContain('baton_stops_total{reason="rate_limit",strategy=');
  });

  it("counts attempts to post to endpoints by outcome, and endpoints that a 410 ended", async () => {
    const counted = {
      'baton_deliveries_total{outcome="delivered"}': 1,
      'baton_deliveries_total{outcome="failed"}': 1,
      'baton_deliveries_total{outcome="given_up"}': 1,
      'baton_endpoints_changed_total{status="ended"}': 1,
    };
    // The counters belong to the process, so a late delivery of another test file may add to them.
    await expect
      .poll(() =>
        growth(async () => {
          const agent = await TestAgent.create(clientWithMetrics);
          const created: AddedEndpoint[] = [];
          for (const status of [204, 500, 410])
            created.push(await addEndpoint(agent, newPath(status)));
          for (const { endpoint } of created) await delayRetries(endpoint.id);
          await agent.call("POST", "/submit", {});
          const attempts = ({ endpoint }: AddedEndpoint) =>
            agent
              .call("GET", `/endpoints/${endpoint.id}/deliveries`)
              .then(({ body }) => body.deliveries[0]?.attempts.length);
          for (const one of created) await expect.poll(() => attempts(one)).toBe(1);
        }),
      )
      .toMatchObject(counted);
  });
});

const isDocument = ([value]: readonly unknown[]): boolean =>
  typeof value === "object" && value !== null && "openapi" in value;

describe("the description of the API", () => {
  it("is built once and not for each request", async () => {
    const stringify = vi.spyOn(JSON, "stringify");
    const paths = ["/openapi.json", "/docs", "/openapi.json", "/docs"];
    const [first, , third] = await Promise.all(paths.map((path) => client.call("GET", path)));
    expect(first?.body.openapi).toMatch(/^3\.1/);
    expect(third?.text).toBe(first?.text);
    expect(stringify.mock.calls.filter(isDocument).length).toBeLessThanOrEqual(1);
  });
});

import { createConfig, lintFromString } from "@redocly/openapi-core";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { randomKey, type Answer } from "../support/client.ts";
import { DescribedApi, type DescribedCall } from "../support/described-api.ts";
import { startServer, temporaryFolder, type Server } from "../support/server.ts";

/** Needs a fault inside, an overloaded object, or a thousand listeners: shown elsewhere, not here. */
const NOT_DRIVEN = new Set(["500", "503", "429"]);

/** A body that each operation accepts as it stands, whatever the session. */
const BODIES: Readonly<Record<string, unknown>> = {
  setFields: { fields: { a: 1 } },
  extend: { ttlMs: 60_000 },
  appendEvents: { events: [{ type: "test.happened", payload: {} }] },
  createHandoff: { to: "agent", scopes: ["view"] },
  revoke: { others: true },
  reportStop: { reason: "user_exit", attempt: 1 },
  pinCheckpoint: { pinned: true },
  trim: { checkpoint: "chk_1" },
};
/** What stands in a path beside the session. */
const PATH = { handoffId: "hnd_2", checkpointId: "chk_1" };
const SCHEMA = {
  type: "object",
  properties: { a: { type: "number" } },
  required: ["a"],
};

const data = temporaryFolder();
let server: Server;
let text: string;
let api: DescribedApi;
beforeAll(async () => {
  server = await startServer(data.path);
  ({ text } = await server.client.call("GET", "/openapi.json"));
  api = new DescribedApi(server.client, JSON.parse(text));
});
afterAll(async () => {
  await server.stop();
  data[Symbol.dispose]();
});

/** One participant's hand on a session: every accepted write moves it on to the next token. */
class Hand {
  readonly id: string;
  token: string;

  constructor(id: string, token: string) {
    this.id = id;
    this.token = token;
  }

  static async begin(body: unknown = {}): Promise<Hand> {
    const answer = await api.call("createSession", { body });
    return new Hand(answer.body.session.id, answer.body.resumeToken);
  }

  async does(operation: string, expected: number, call: DescribedCall = {}): Promise<Answer> {
    const path = { ref: this.id, ...call.path };
    const answer = await api.call(operation, { token: this.token, ...call, path });
    expect([operation, answer.status], answer.text).toEqual([operation, expected]);
    if (answer.body?.resumeToken !== undefined) this.token = answer.body.resumeToken;
    return answer;
  }

  async handsOff(...scopes: readonly string[]): Promise<Hand & { readonly handoff: string }> {
    const { body } = await this.does("createHandoff", 201, { body: { to: "agent", scopes } });
    return Object.assign(new Hand(this.id, body.participantToken), { handoff: body.handoff.id });
  }
}

const others = () => api.operations.filter(({ operationId }) => operationId !== "createSession");
const bodyOf = (operation: string) =>
  operation in BODIES ? { body: BODIES[operation] } : undefined;

async function lint(source: string): Promise<readonly string[]> {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
  return problems.filter(({ severity }) => severity === "error").map(({ message }) => message);
}

describe("/openapi.json", () => {
  it("passes the linter", async () => {
    expect(await lint(text)).toEqual([]);
  });

  it("would not pass it with a reference that leads nowhere", async () => {
    const broken = text.replace("#/components/schemas/Session", "#/components/schemas/Nobody");
    expect(broken).not.toBe(text);
    expect(await lint(broken)).not.toEqual([]);
  });
});

describe("real answers", () => {
  it("would be told from ones that do not fit", async () => {
    const answer = await server.client.call("POST", "/sessions", { body: {} });
    const operation = api.operation("createSession");
    const faultsWith = (change: Partial<Answer>) =>
      api.faultsOf(operation, { ...answer, ...change });
    expect(faultsWith({})).toEqual([]);
    expect(faultsWith({ status: 202 })).not.toEqual([]);
    expect(faultsWith({ body: { ...answer.body, more: 1 } })).not.toEqual([]);
    const session = { ...answer.body.session, version: "1" };
    expect(faultsWith({ body: { ...answer.body, session } })).not.toEqual([]);
    expect(faultsWith({ headers: new Headers({ "Content-Type": "text/html" }) })).not.toEqual([]);
    const untold = new Headers([...answer.headers, ["Baton-Head", "1"]]);
    expect(faultsWith({ headers: untold })).toEqual(["the header Baton-Head is not described"]);
    const withoutPlace = new Headers(answer.headers);
    withoutPlace.delete("Location");
    expect(faultsWith({ headers: withoutPlace })).toEqual(["the header Location is missing"]);
  });

  it("fit while a session is made, filled and reviewed", async () => {
    const owner = await Hand.begin({
      title: "Described",
      actor: { id: "maker", name: "Maker" },
      schema: SCHEMA,
      review: { required: true, approvals: 1 },
      nextStep: { description: "Fill it", stepsCompleted: [1], body: "# Next" },
    });
    const reviewer = await owner.handsOff("review");
    await owner.does("validate", 200, { body: { fields: { a: "x" } } });
    await owner.does("submit", 422);
    await owner.does("setFields", 422, { body: { fields: { a: "x" } } });
    await owner.does("requestInput", 200, { body: { note: "a is needed", fields: ["a"] } });
    await owner.does("setFields", 200, { body: { fields: { a: 1 }, confidence: 0.5 } });
    await owner.does("submit", 200);
    const version = async () => {
      const { body } = await reviewer.does("getSession", 200);
      return { ifMatch: body.session.version as number };
    };
    const changes = { comment: "Not yet", fields: { a: "Higher" } };
    await reviewer.does("requestChanges", 409, { body: changes });
    await reviewer.does("requestChanges", 200, { body: changes, ...(await version()) });
    await owner.does("submit", 409);
    await owner.does("resume", 200, { body: { lastEventSeq: 1, actor: { id: "maker-2" } } });
    await owner.does("submit", 200);
    await reviewer.does("approve", 200, { body: { comment: "Good" }, ...(await version()) });
    await owner.does("resume", 200);
    await owner.does("finalize", 200, { body: { reason: "Done" } });
    await owner.does("getSession", 200);
    await owner.does("cancel", 409);
  });

  it("fit while a session is read", async () => {
    const owner = await Hand.begin();
    await owner.does("setFields", 200, {
      body: { fields: { a: [1, { b: null }] }, title: "Read" },
    });
    await owner.does("appendEvents", 201, bodyOf("appendEvents"));
    const { headers } = await owner.does("getSession", 200);
    const etag = headers.get("ETag") ?? "";
    await owner.does("getSession", 304, { headers: { "If-None-Match": etag } });
    await owner.does("resumable", 200, { query: "?lastEventSeq=1&auto=true" });
    for (const operation of ["readEvents", "audit"]) {
      await owner.does(operation, 200, { query: "?limit=2" });
      const lines = { headers: { Accept: "application/x-ndjson" } };
      await owner.does(operation, 200, { ...lines, query: "?type=token.*,session.*" });
      await owner.does(operation, 400, { query: "?limit=none" });
    }
    await owner.does("readEvents", 400, { query: "?after=1000000" });
    await owner.does("cancel", 200);
    const live = { Accept: "text/event-stream" };
    const stream = await owner.does("readEvents", 200, { query: "?after=0", headers: live });
    const last = /^id: (\d+)$/gm;
    const seen = [...stream.text.matchAll(last)].map(([, id]) => Number(id)).at(-1);
    const again = { ...live, "Last-Event-ID": String(seen) };
    await owner.does("readEvents", 204, { headers: again });
  });

  it("fit while rights are handed on, taken back, and the session is ended", async () => {
    const owner = await Hand.begin();
    const agent = await owner.handsOff("own", "review");
    await owner.does("listHandoffs", 200);
    await owner.does("revokeHandoff", 404, { path: { handoffId: "hnd_99" } });
    await owner.does("revokeHandoff", 200, { path: { handoffId: agent.handoff } });
    await owner.does("revoke", 404, { body: { participant: "par_99" } });
    await owner.does("revoke", 200, { body: { others: true } });
    await owner.does("pause", 200, { body: { reason: "Lunch" } });
    await owner.does("resume", 409, { body: { auto: true } });
    await owner.does("unpause", 200);
    await owner.does("extend", 200, bodyOf("extend"));
    await owner.does("purge", 204);
    const reviewed = await Hand.begin({ review: {} });
    const reviewer = await reviewed.handsOff("review");
    await reviewed.does("submit", 200);
    await reviewer.does("resume", 200);
    await reviewer.does("reject", 200, { body: { reason: "No" } });
  });

  it("fit while a session stops, keeps copies, is restored, trimmed and forked", async () => {
    const owner = await Hand.begin({ fields: { a: 1 }, policy: { keepCheckpoints: 3 } });
    const key = randomKey();
    const report = {
      reason: "rate_limit",
      attempt: 1,
      retryAfterMs: 60_000,
      usage: { tokens: 1 },
      exitCode: 1,
      evidence: "429",
      confidence: 0.9,
    };
    for (const reason of ["rate_limit", "context_exhausted", "completed"]) {
      await owner.does("reportStop", 200, { body: { ...report, reason } });
    }
    await owner.does("reportStop", 200, { key, body: report });
    await owner.does("reportStop", 200, { key, body: report });
    await owner.does("reportStop", 422, { key, body: { ...report, attempt: 2 } });
    await owner.does("appendEvents", 201, bodyOf("appendEvents"));
    await owner.does("takeCheckpoint", 201, { body: { name: "one", pinned: true } });
    await owner.does("takeCheckpoint", 201);
    await owner.does("listCheckpoints", 200);
    await owner.does("getCheckpoint", 200, { path: PATH });
    await owner.does("setFields", 200, { body: { fields: { a: 2 } } });
    const restored = await owner.does("restoreCheckpoint", 200, { path: PATH });
    expect(restored.body.session.fields).toEqual({ a: 1 });
    await owner.does("pinCheckpoint", 200, { path: PATH, body: { pinned: false } });
    await owner.does("trim", 200, bodyOf("trim"));
    await owner.does("readEvents", 409, { query: "?after=0" });
    await owner.does("resume", 409, { body: { lastEventSeq: 0 } });
    await owner.does("resumable", 200, { query: "?lastEventSeq=0" });
    await owner.does("audit", 200);
    await owner.does("deleteCheckpoint", 400, { path: PATH });
    await owner.does("deleteCheckpoint", 200, { path: { checkpointId: "chk_2" } });
    const none = { path: { checkpointId: "chk_99" } };
    for (const operation of ["getCheckpoint", "deleteCheckpoint", "restoreCheckpoint"]) {
      await owner.does(operation, 404, none);
    }
    await owner.does("pinCheckpoint", 404, { ...none, body: { pinned: true } });
    await owner.does("trim", 404, { body: { checkpoint: "chk_99" } });
    await owner.does("fork", 404, { body: { from: "chk_99" } });
    const forked = await owner.does("fork", 201, {
      body: { from: "chk_1", reason: "context_exhausted", template: "Go on at {step}." },
    });
    const child = new Hand(forked.body.child.id, forked.body.childToken);
    await child.does("lineage", 200);
    await owner.does("lineage", 200);
    await owner.does("fork", 201, { body: { finalizeParent: true } });
    await owner.does("takeCheckpoint", 409);
    await owner.does("fork", 400, { body: { finalizeParent: true } });
  });

  it("fit where a key was used before, and where a resume begins fresh", async () => {
    const key = randomKey();
    const begun = ["One", "One", "Two"].map((title) => ({ key, body: { title } }));
    for (const call of begun) await api.call("createSession", call);
    const patched = await Hand.begin();
    const { token } = patched;
    const patch = { token, key, ...bodyOf("setFields") };
    await patched.does("setFields", 200, patch);
    const again = await patched.does("setFields", 200, patch);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    const owner = await Hand.begin();
    await owner.does("appendEvents", 201, { key, ...bodyOf("appendEvents") });
    await owner.does("appendEvents", 422, { key, body: { events: [{ type: "test.other" }] } });
    const fresh = { token: "rtok_none", body: { onInvalid: "fresh" } };
    await new Hand(owner.id, "").does("resume", 201, fresh);
    await new Hand(owner.id, "").does("resume", 422, { ...fresh, key });
  });

  it("fit where beginning fails", async () => {
    for (const [expected, call] of [
      [400, { body: { titel: "One" } }],
      [400, { body: {}, key: "short" }],
      [413, { body: { title: "x".repeat(1_100_000) } }],
      [415, { body: "{}", headers: { "Content-Type": "text/plain" } }],
      [422, { body: { schema: SCHEMA, fields: { a: "x" } } }],
    ] as const) {
      expect((await api.call("createSession", call)).status).toBe(expected);
    }
  });

  it("fit for tokens that are missing, wrong, spent, narrow, expired or of what is gone", async () => {
    const gone = await Hand.begin();
    await gone.does("purge", 204);
    const brief = await Hand.begin({ ttlMs: 1_000 });
    const owner = await Hand.begin();
    await owner.does("takeCheckpoint", 201);
    const spent = owner.token;
    await owner.does("resume", 200);
    await sleep(1_000);
    for (const { operationId: operation } of others()) {
      const call = { path: PATH, ...bodyOf(operation) };
      const path = { ...call.path, ref: owner.id };
      expect((await api.call(operation, { ...call, path })).status).toBe(401);
      await owner.does(operation, 403, { ...call, token: "rtok_none" });
      await owner.does(operation, 409, { ...call, token: spent });
      await owner.does(operation, 400, { ...call, path: { ...path, ref: spent } });
      await gone.does(operation, 410, call);
      await brief.does(operation, 410, call);
      const viewer = await owner.handsOff("view");
      const { status } = await api.call(operation, { ...call, token: viewer.token, path });
      expect([200, 403]).toContain(status);
    }
  });

  it("fit for conditions that do not hold and bodies that are none", async () => {
    const maker = await Hand.begin();
    const owner = await maker.handsOff("own", "review");
    for (const { operationId: operation, parameters, requestBody } of others()) {
      const call = { path: PATH, ...bodyOf(operation) };
      if (parameters?.some(({ name }) => name === "If-Match")) {
        await owner.does(operation, 412, { ...call, ifMatch: 999 });
        await owner.does(operation, 400, { ...call, ifMatch: "*" });
      }
      if (requestBody !== undefined) {
        const plain = { "Content-Type": "text/plain" };
        await owner.does(operation, 400, { ...call, body: "{" });
        await owner.does(operation, 413, { ...call, body: { title: "x".repeat(1_100_000) } });
        await owner.does(operation, 415, { ...call, body: "{}", headers: plain });
      }
    }
  });

  it("were seen for every operation and every status that it describes", () => {
    const described = api.operations.flatMap(({ operationId, responses }) =>
      Object.keys(responses)
        .filter((status) => !NOT_DRIVEN.has(status))
        .map((status) => `${operationId} ${status}`),
    );
    expect(described.filter((pair) => !api.seen.has(pair))).toEqual([]);
  });
});

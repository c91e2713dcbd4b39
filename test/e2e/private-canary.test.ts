/**
 * Searches for private values of an owner's session everywhere the session is described: the log in
 * all its formats, copies, the list, notices, exports, receipts, pages, tools, metrics and the
 * server's own output. After erasing and purging it also searches every byte of the data folder and
 * of a backup.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyExport } from "../../src/verify/index.ts";
import { randomKey } from "../support/client.ts";
import { TestAgent } from "../support/test-agent.ts";
import { RawMcp } from "../support/mcp.ts";
import { newKey, ownersText } from "../support/owners.ts";
import { Receiver } from "../support/receiver.ts";
import { filesUnder, ROOT, startServer, temporaryFolder, type Server } from "../support/server.ts";

const run = promisify(execFile);
const folder = temporaryFolder();
const data = join(folder.path, "data");
const key = newKey();
const METRICS_TOKEN = "metrics-".padEnd(40, "x");
/** A marker in every private value, and in nothing else. */
const mark = `canary${randomKey()}`;

const PRIVATE = { type: "string", pattern: "canary", "x-baton": { private: true } };
const SCHEMA = {
  type: "object",
  properties: { name: { type: "string" }, erased: PRIVATE, kept: PRIVATE },
};
const NOTICES = [
  "session.created",
  "session.awaiting_input",
  "session.submitted",
  "session.needs_review",
  "session.approved",
  "session.finalized",
  "handoff.created",
];

let server: Server;
let receiver: Receiver;
let owner: TestAgent;
let child: TestAgent;
let viewer: string;
/** The answers to writes, refusals included. */
const answerTexts: string[] = [];

beforeAll(async () => {
  receiver = await Receiver.start();
  server = await startServer(data, undefined, {
    LOG: "requests",
    METRICS_TOKEN,
    OWNERS: ownersText({ acme: [key] }),
    WEBHOOK_ALLOW: receiver.host,
  });
  const byKey = { "Baton-Key": key };
  const endpoint = { url: receiver.url("/owner"), notices: NOTICES };
  await server.client.call("POST", "/endpoints", { body: endpoint, headers: byKey });
  const created = await server.client.call("POST", "/sessions", {
    headers: byKey,
    body: {
      title: "A claim",
      schema: SCHEMA,
      fields: { erased: `${mark} first`, kept: `${mark} of the beginning` },
      review: { required: true, approvals: 1 },
    },
  });
  answerTexts.push(created.text);
  owner = new TestAgent(server.client, {
    id: created.body.session.id,
    token: created.body.resumeToken,
  });
  await useSession(owner);
});
afterAll(async () => {
  await server.stop();
  await receiver.close();
  folder[Symbol.dispose]();
});

/**
 * All that can happen to private values: they are set, replaced, refused, copied, restored, forked,
 * submitted.
 */
async function useSession(agent: TestAgent): Promise<void> {
  const call = async (...request: Parameters<TestAgent["tryCall"]>) => {
    const answer = await agent.call(...request);
    answerTexts.push(answer.text);
    return answer;
  };
  await call("POST", "/endpoints", { url: receiver.url("/session"), notices: NOTICES });
  await call("PATCH", "", { fields: { erased: `${mark} second`, name: "Ada" } });
  const wrong = { fields: { kept: 4711, name: `${mark}`.length } };
  answerTexts.push((await agent.tryCall("PATCH", "", wrong)).text);
  await call("POST", "/checkpoints", { name: "before" });
  await call("PATCH", "", { fields: { erased: `${mark} third` } });
  await call("POST", "/checkpoints/chk_1/restore", {});
  await call("PATCH", "", { fields: { erased: `${mark} fourth`, kept: `${mark} kept` } });
  const forked = await call("POST", "/fork", { reason: "a second look" });
  child = new TestAgent(server.client, { id: forked.body.child.id, token: forked.body.childToken });
  const [viewing, reviewer] = [
    await call("POST", "/handoffs", { to: "agent", scopes: ["view"] }),
    await call("POST", "/handoffs", { to: "agent", scopes: ["review"] }),
  ];
  viewer = viewing.body.participantToken;
  await call("POST", "/validate", { fields: { erased: `${mark} tried` } });
  await call("POST", "/request-input", { ask: ["erased"] });
  await call("POST", "/submit", {});
  const conflicted = await server.client.on(agent, "PATCH", "", {
    token: agent.token,
    ifMatch: 1,
    body: { fields: { erased: `${mark} late` } },
  });
  answerTexts.push(conflicted.text);
  const second = new TestAgent(server.client, {
    id: agent.id,
    token: reviewer.body.participantToken,
  });
  await second.call("POST", "/resume", {});
  answerTexts.push((await second.call("POST", "/approve", {})).text);
  const { head } = await agent.session();
  await agent.call("POST", "/resume", { lastEventSeq: head });
  await call("POST", "/finalize", {});
}

const READS = [
  "",
  "/events?after=0",
  "/audit?limit=1000",
  "/checkpoints",
  "/checkpoints/chk_1",
  "/export",
  "/export?files=true",
  "/receipt",
  "/lineage",
  "/handoffs",
  "/endpoints",
];

const readEverything = async (agent: TestAgent): Promise<Record<string, string>> => {
  const texts: Record<string, string> = {};
  for (const path of READS) {
    const { status, text } = await agent.tryCall("GET", path);
    if (status === 200) texts[`${agent === child ? "child" : ""}${path}`] = text;
  }
  for (const [accept, path] of [
    ["application/x-ndjson", "/events?after=0"],
    ["text/html", "/receipt"],
  ] as const) {
    const headers = { Accept: accept };
    texts[accept] = (await agent.call("GET", path, undefined, { headers })).text;
  }
  return texts;
};

const namesWithMark = (texts: Readonly<Record<string, string>>): readonly string[] =>
  Object.keys(texts).filter((name) => texts[name]?.includes(mark));

const filesWith = (folderPath: string): readonly string[] =>
  filesUnder(folderPath).filter((path) => readFileSync(path).includes(mark));

const readKeys = async () =>
  (await server.client.call("GET", "/.well-known/baton-keys.json")).body.keys;

describe("a private value", () => {
  // Shows PV-1.
  it("is in no answer, log, copy, export, receipt or answer of a related session", async () => {
    // The value exists; without it the search would prove nothing.
    expect((await owner.call("GET", "/private/kept")).body.private.value).toBe(`${mark} kept`);
    const texts = { ...(await readEverything(owner)), ...(await readEverything(child)) };
    expect(Object.keys(texts).length).toBeGreaterThan(16);
    expect(namesWithMark({ ...texts, answered: answerTexts.join("\n") })).toEqual([]);
  });

  // Shows PV-1.
  it("is not in the owner's list, its changes, metrics or notices", async () => {
    const asKey = async (path: string): Promise<string> => {
      const { status, text } = await server.client.call("GET", path, {
        headers: { "Baton-Key": key },
      });
      expect(status, path).toBe(200);
      return text;
    };
    const { text: metrics } = await server.client.call("GET", "/metrics", {
      headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
    });
    const listed = await asKey("/sessions");
    expect(listed).toContain(owner.id);
    // Both endpoints have received the end of the session.
    const hasEnd = (path: string): boolean =>
      receiver.arrived.some((one) => one.path === path && one.body.type === "session.finalized");
    await expect.poll(() => hasEnd("/owner") && hasEnd("/session")).toBe(true);
    const texts = {
      listed,
      metrics,
      changes: await asKey("/sessions/changes?after=0"),
      notices: receiver.arrived.map(({ text }) => text).join("\n"),
    };
    expect(namesWithMark(texts)).toEqual([]);
  });

  // Shows PV-1.
  it("is returned by tools only to participants with the right to read it", async () => {
    const mcp = new RawMcp((request) => fetch(request), server.url);
    const args = { resume_token: viewer, session_id: owner.id };
    const refused = await mcp.call("read_private", { ...args, field: "kept" });
    expect(refused.isError).toBe(true);
    const shown = [
      await mcp.call("get_session", args),
      await mcp.call("read_events", { ...args, after: 0 }),
    ];
    expect(shown.map(({ isError }) => isError)).toEqual([false, false]);
    const texts = [refused, ...shown].map((answer) => JSON.stringify(answer)).join("\n");
    expect(namesWithMark({ texts })).toEqual([]);
    const revealed = await mcp.call("read_private", {
      resume_token: owner.token,
      session_id: owner.id,
      field: "kept",
    });
    expect(JSON.stringify(revealed)).toContain(`${mark} kept`);
  });

  // Shows PV-1.
  it("is not in the server's output, with a line for every request", () => {
    const { stdout, stderr } = server.script;
    expect(`${stdout}${stderr}`).toContain("/sessions/{ref}");
    expect(namesWithMark({ stdout, stderr })).toEqual([]);
  });

  // Shows PV-6.
  it("is in no byte of data folder or backup once it is erased and its session purged", async () => {
    expect(filesWith(data).length).toBeGreaterThan(0);
    await owner.call("DELETE", "/private/erased");
    const erased = Buffer.from((await owner.call("GET", "/export")).text);
    expect(await verifyExport([erased], await readKeys())).toMatchObject({ whole: true });
    expect((await owner.tryCall("GET", "/private/erased")).status).toBe(404);
    const { certificate } = (await owner.call("DELETE", "")).body;
    expect(JSON.stringify(certificate)).not.toContain(mark);
    const backup = join(folder.path, "backup");
    await run(process.execPath, [
      join(ROOT, "scripts/backup.ts"),
      "backup",
      backup,
      "--data",
      data,
    ]);
    expect(filesWith(backup)).toEqual([]);
    // The write-ahead log is removed when the object is evicted.
    await expect.poll(() => filesWith(data)).toEqual([]);
    const whole = Buffer.from((await child.call("GET", "/export")).text);
    expect(await verifyExport([whole], await readKeys())).toMatchObject({ whole: true });
  });
});

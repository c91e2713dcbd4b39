/**
 * Private values of a session of an owner, looked for in every place that tells of the session: the log in
 * all its forms, copies, the list, notices, exports, receipts, pages, tools, metrics and the server's own
 * output; and after erasing and purging in every byte of the data folder and of a backup.
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
/** In every private value, and in nothing else. */
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
/** What writes answered, refusals among them. */
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
  const ring = { url: receiver.url("/owner"), notices: NOTICES };
  await server.client.call("POST", "/endpoints", { body: ring, headers: byKey });
  const begun = await server.client.call("POST", "/sessions", {
    headers: byKey,
    body: {
      title: "A claim",
      schema: SCHEMA,
      fields: { erased: `${mark} first`, kept: `${mark} of the beginning` },
      review: { required: true, approvals: 1 },
    },
  });
  answerTexts.push(begun.text);
  owner = new TestAgent(server.client, {
    id: begun.body.session.id,
    token: begun.body.resumeToken,
  });
  await useSession(owner);
});
afterAll(async () => {
  await server.stop();
  await receiver.close();
  folder[Symbol.dispose]();
});

/** All that can happen to private values: set, replaced, refused, copied, restored, forked, submitted. */
async function useSession(hand: TestAgent): Promise<void> {
  const does = async (...request: Parameters<TestAgent["tryCall"]>) => {
    const answer = await hand.call(...request);
    answerTexts.push(answer.text);
    return answer;
  };
  await does("POST", "/endpoints", { url: receiver.url("/session"), notices: NOTICES });
  await does("PATCH", "", { fields: { erased: `${mark} second`, name: "Ada" } });
  const wrong = { fields: { kept: 4711, name: `${mark}`.length } };
  answerTexts.push((await hand.tryCall("PATCH", "", wrong)).text);
  await does("POST", "/checkpoints", { name: "before" });
  await does("PATCH", "", { fields: { erased: `${mark} third` } });
  await does("POST", "/checkpoints/chk_1/restore", {});
  await does("PATCH", "", { fields: { erased: `${mark} fourth`, kept: `${mark} kept` } });
  const forked = await does("POST", "/fork", { reason: "a second look" });
  child = new TestAgent(server.client, { id: forked.body.child.id, token: forked.body.childToken });
  const [looker, reviewer] = [
    await does("POST", "/handoffs", { to: "agent", scopes: ["view"] }),
    await does("POST", "/handoffs", { to: "agent", scopes: ["review"] }),
  ];
  viewer = looker.body.participantToken;
  await does("POST", "/validate", { fields: { erased: `${mark} tried` } });
  await does("POST", "/request-input", { ask: ["erased"] });
  await does("POST", "/submit", {});
  const conflicted = await server.client.on(hand, "PATCH", "", {
    token: hand.token,
    ifMatch: 1,
    body: { fields: { erased: `${mark} late` } },
  });
  answerTexts.push(conflicted.text);
  const second = new TestAgent(server.client, {
    id: hand.id,
    token: reviewer.body.participantToken,
  });
  await second.call("POST", "/resume", {});
  answerTexts.push((await second.call("POST", "/approve", {})).text);
  const { head } = await hand.session();
  await hand.call("POST", "/resume", { lastEventSeq: head });
  await does("POST", "/finalize", {});
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

const readEverything = async (hand: TestAgent): Promise<Record<string, string>> => {
  const places: Record<string, string> = {};
  for (const path of READS) {
    const { status, text } = await hand.tryCall("GET", path);
    if (status === 200) places[`${hand === child ? "child" : ""}${path}`] = text;
  }
  for (const [accept, path] of [
    ["application/x-ndjson", "/events?after=0"],
    ["text/html", "/receipt"],
  ] as const) {
    const headers = { Accept: accept };
    places[accept] = (await hand.call("GET", path, undefined, { headers })).text;
  }
  return places;
};

const namesWithMark = (places: Readonly<Record<string, string>>): readonly string[] =>
  Object.keys(places).filter((name) => places[name]?.includes(mark));

const filesWith = (where: string): readonly string[] =>
  filesUnder(where).filter((path) => readFileSync(path).includes(mark));

const readKeys = async () =>
  (await server.client.call("GET", "/.well-known/baton-keys.json")).body.keys;

describe("a private value", () => {
  // Shows PV-1.
  it("is in no answer, log, copy, export, receipt or answer of a relative", async () => {
    // It is there, or all of this would find nothing in nothing.
    expect((await owner.call("GET", "/private/kept")).body.private.value).toBe(`${mark} kept`);
    const places = { ...(await readEverything(owner)), ...(await readEverything(child)) };
    expect(Object.keys(places).length).toBeGreaterThan(16);
    expect(namesWithMark({ ...places, answered: answerTexts.join("\n") })).toEqual([]);
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
    // Both endpoints have heard of the end.
    const heard = (path: string): boolean =>
      receiver.arrived.some((one) => one.path === path && one.body.type === "session.finalized");
    await expect.poll(() => heard("/owner") && heard("/session")).toBe(true);
    const places = {
      listed,
      metrics,
      changes: await asKey("/sessions/changes?after=0"),
      notices: receiver.arrived.map(({ text }) => text).join("\n"),
    };
    expect(namesWithMark(places)).toEqual([]);
  });

  // Shows PV-1.
  it("is given by tools only to those who may read it", async () => {
    const mcp = new RawMcp((request) => fetch(request), server.url);
    const asked = { resume_token: viewer, session_id: owner.id };
    const refused = await mcp.call("read_private", { ...asked, field: "kept" });
    expect(refused.isError).toBe(true);
    const shown = [
      await mcp.call("get_session", asked),
      await mcp.call("read_events", { ...asked, after: 0 }),
    ];
    expect(shown.map(({ isError }) => isError)).toEqual([false, false]);
    const texts = [refused, ...shown].map((answer) => JSON.stringify(answer)).join("\n");
    expect(namesWithMark({ texts })).toEqual([]);
    const given = await mcp.call("read_private", {
      resume_token: owner.token,
      session_id: owner.id,
      field: "kept",
    });
    expect(JSON.stringify(given)).toContain(`${mark} kept`);
  });

  // Shows PV-1.
  it("is not in what the server prints, with a line for every request", () => {
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
    // The write-ahead log goes when the object sleeps.
    await expect.poll(() => filesWith(data)).toEqual([]);
    const whole = Buffer.from((await child.call("GET", "/export")).text);
    expect(await verifyExport([whole], await readKeys())).toMatchObject({ whole: true });
  });
});

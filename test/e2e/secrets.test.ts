import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, randomKey, type Answer, type CallOptions } from "../support/client.ts";
import {
  isLeakedIn,
  issuedTokens,
  leakingAnswers,
  leakingFiles,
  needlesFor,
  recordingSend,
  type RecordedAnswer,
} from "../support/secret-scan.ts";
import { filesUnder, startServer, temporaryFolder, type Server } from "../support/server.ts";

const ROUNDS = 3;
/** Texts that clients write: the log must not repeat them. */
const CLIENT_TEXT = `written-${randomBytes(12).toString("hex")}`;

const data = temporaryFolder();
const answers: RecordedAnswer[] = [];
const keys: string[] = [];
let server: Server;
let client: Client;
beforeAll(async () => {
  server = await startServer(data.path, undefined, { LOG: "requests" });
  client = new Client(recordingSend(answers), server.url);
  for (let round = 0; round < ROUNDS; round++) await useSession(round);
});
afterAll(async () => {
  await server.stop();
  data[Symbol.dispose]();
});

function newKey(): string {
  const key = randomKey();
  keys.push(key);
  return key;
}

function expectStatus(answer: Answer, status: number): Answer {
  expect(answer.status, answer.text).toBe(status);
  return answer;
}

/** A session from creation to end, with everything that issues, spends, repeats or refuses tokens. */
async function useSession(round: number): Promise<void> {
  const create = { key: newKey() };
  const session = await client.create({ title: `Round ${round}` }, create);
  await client.create({ title: `Round ${round}` }, create);
  expectStatus(
    await client.call("POST", "/sessions", { ...create, body: { title: "Other" } }),
    422,
  );
  let token = session.token;
  const send = (method: string, path: string, options: CallOptions = {}) =>
    client.on(session, method, path, { token, ...options });
  const write = async (method: string, path: string, options: CallOptions, status = 200) => {
    const sent = { token, ...options };
    const answer = expectStatus(await client.on(session, method, path, sent), status);
    if (options.key !== undefined) {
      const repeated = expectStatus(await client.on(session, method, path, sent), status);
      expect(repeated.body.resumeToken).toBe(answer.body.resumeToken);
    }
    expectStatus(await client.on(session, method, path, { ...sent, key: newKey() }), 409);
    token = answer.body.resumeToken;
    return answer;
  };

  await write("PATCH", "", { key: newKey(), body: { fields: { a: round } } });
  await write("PATCH", "", { body: { fields: { b: CLIENT_TEXT }, title: CLIENT_TEXT } });
  // Careless clients use their tokens as request keys.
  for (const name of [token, create.key]) {
    expectStatus(
      await send("GET", "", { key: create.key, headers: { "X-Request-Id": name } }),
      200,
    );
  }
  const handoff = { to: "agent", scopes: ["fill"], note: "Yours" };
  const { body: handedOff } = await write(
    "POST",
    "/handoffs",
    { key: newKey(), body: handoff },
    201,
  );
  const second = handedOff.participantToken as string;
  await write("POST", "/resume", { key: newKey(), body: { lastEventSeq: 0 } });
  await write("POST", "/pause", { key: newKey(), body: {} });
  await write("POST", "/unpause", { body: {} });
  await write("POST", "/extend", { body: { ttlMs: 60_000 } });
  expectStatus(
    await send("POST", "/events", {
      key: newKey(),
      body: { events: [{ type: CLIENT_TEXT.replace("-", ".") }] },
    }),
    201,
  );
  await useOtherFaces(session.id, second);

  await write("PATCH", "", { body: { fields: { c: 1 } } });
  const late = { token: second, body: { fields: { d: 1 } } };
  expectStatus(await send("PATCH", "", late), 409);
  expectStatus(await send("PATCH", "", { ...late, ifMatch: 1 }), 412);
  expectStatus(await send("POST", "/cancel", { token: second, body: {} }), 403);
  expectStatus(await send("GET", "", { token: session.token }), 409);
  expectStatus(await send("PATCH", "", { body: "{" }), 400);
  expectStatus(await send("PATCH", "", { body: { unknown: token } }), 400);
  const tokenPath = `/sessions/${token}`;
  expectStatus(await client.call("GET", tokenPath), 200);
  expectStatus(await client.call("PUT", tokenPath), 405);
  expectStatus(await client.call("GET", `${tokenPath}/nothing`), 404);
  expectStatus(await client.call("GET", tokenPath, { token: second }), 400);
  for (const path of ["", "/handoffs", "/events?after=0", "/audit", "/resumable"]) {
    expectStatus(await send("GET", path), 200);
  }
  await send("GET", "/events?after=0", { headers: { Accept: "application/x-ndjson" } });
  await write("POST", "/revoke", { key: newKey(), body: { others: true } });
  expectStatus(await send("GET", "", { token: second }), 403);
  await write("POST", "/submit", { key: newKey(), body: {} });
  await write("POST", "/finalize", { key: newKey(), body: {} });
  const stream = { headers: { Accept: "text/event-stream" } };
  expectStatus(await send("GET", "/events?after=0", stream), 200);

  const brief = await client.create({ ttlMs: 1_000 });
  const purged = await client.create({}, { key: newKey() });
  expectStatus(await client.on(purged, "DELETE", "", { token: purged.token }), 200);
  await sleep(1_000);
  const fresh = { body: { onInvalid: "fresh" }, key: newKey() };
  for (const ended of [brief, purged]) {
    expectStatus(await client.on(ended, "GET", "", { token: ended.token }), 410);
    expectStatus(await client.call("POST", `/sessions/${ended.token}/resume`, fresh), 201);
  }
}

/** A tool call, a page by its code and a socket: their answers contain secrets too. */
async function useOtherFaces(id: string, token: string): Promise<void> {
  const headers = { Accept: "application/json, text/event-stream" };
  const call = { name: "get_session", arguments: { session_id: id, resume_token: token } };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: call };
  // Its answers carry the token in a member of their own, so they are not searched.
  expectStatus(await server.client.call("POST", "/mcp", { body, headers }), 200);
  expectStatus(await client.call("GET", `/h/${token}`), 404);
  expectStatus(await client.call("GET", `/h/${token}/live`), 404);
  expectStatus(await client.call("GET", `/sessions/${token}/socket`), 426);
}

const secrets = (): readonly string[] => [...issuedTokens(answers), ...keys];

/** Has the format of a token, but was never issued. */
const plantedToken = (): string => `rtok_${randomBytes(66).toString("base64url")}`;

describe("the scan", () => {
  it("has many secrets to search for, and all files and output of each run", async () => {
    expect(issuedTokens(answers).length).toBeGreaterThan(15 * ROUNDS);
    expect(keys.length).toBeGreaterThan(15 * ROUNDS);
    expect(filesUnder(data.path).filter((path) => path.includes(".sqlite")).length).toBeGreaterThan(
      2 * ROUNDS,
    );
    expect(server.script.stdout).toMatch(/^Baton \S+ serves on /);
    const LINE = /^\{"time":"[^"]*","message":"(?:request|operation)".*\}$/gm;
    const logged = (): number => server.script.stdout.match(LINE)?.length ?? 0;
    await expect.poll(logged).toBeGreaterThanOrEqual(answers.length);
  });

  it("finds a token that was planted in a field, in the answers and in the files", async () => {
    const planted = plantedToken();
    const seen: RecordedAnswer[] = [];
    const careless = new Client(recordingSend(seen), server.url);
    await careless.create({ fields: { planted } });
    expect(leakingAnswers(seen, [])).toEqual(["POST /sessions 201"]);
    expect(leakingAnswers(seen, [planted])).toEqual(["POST /sessions 201"]);
    expect(leakingFiles(data.path, [planted])).not.toEqual([]);
    expect(leakingFiles(data.path, [plantedToken()])).toEqual([]);
  });

  it("finds every spelling of a token's secret and of a key, among other bytes", () => {
    for (const planted of [plantedToken(), randomKey()]) {
      const needles = needlesFor(planted);
      expect(needles.length).toBeGreaterThanOrEqual(5);
      for (const needle of needles) {
        const bytes = Buffer.concat([randomBytes(100), needle, randomBytes(100)]);
        expect(isLeakedIn(bytes, [randomKey(), planted])).toBe(true);
        expect(isLeakedIn(bytes, [randomKey(), plantedToken()])).toBe(false);
      }
    }
  });

  it("finds a live token in a refusal, even in the member that carries it in other answers", () => {
    const resumeToken = plantedToken();
    const leak = { request: "PATCH /", headers: [], text: JSON.stringify({ resumeToken }) };
    expect(leakingAnswers([{ ...leak, status: 200 }], [resumeToken])).toEqual([]);
    expect(leakingAnswers([{ ...leak, status: 409 }], [resumeToken])).toEqual(["PATCH / 409"]);
  });
});

describe("issued secrets and keys", () => {
  // Shows T-14.
  it("are in no answer but those meant to carry them", () => {
    expect(leakingAnswers(answers, secrets())).toEqual([]);
  });

  // Shows T-14.
  it("are in no file of the server, while it runs, after kill -9 and after it stopped", async () => {
    expect(leakingFiles(data.path, secrets())).toEqual([]);
    await server.killRuntime();
    expect(leakingFiles(data.path, secrets())).toEqual([]);
    await server.stop();
    expect(leakingFiles(data.path, secrets())).toEqual([]);
  });

  // Shows T-14, TL-3.
  it("are in nothing that the server prints", () => {
    expect(isLeakedIn(server.script.stdout + server.script.stderr, secrets())).toBe(false);
  });

  // Shows TL-3.
  it("are printed as little as the texts of clients", () => {
    const output = server.script.stdout + server.script.stderr;
    expect(output).toContain(`"route":"/sessions/{ref}"`);
    expect(output).not.toContain(CLIENT_TEXT);
    expect(output).not.toContain(CLIENT_TEXT.replace("-", "."));
  });
});

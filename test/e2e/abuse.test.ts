/** Limits and keys on the server that `npm start` runs, over real connections. */
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Baton, WireError } from "../../src/client/index.ts";
import { FileTokenStore } from "../../src/client-node/index.ts";
import { codeFromBytes } from "../../src/domain/links/link-code.ts";
import { cliFor } from "../support/cli.ts";
import { type Answer, type CallOptions } from "../support/client.ts";
import { newKey, ownersText } from "../support/owners.ts";
import { readIfThere } from "../support/secret-scan.ts";
import { filesUnder, startServer, temporaryFolder, type Server } from "../support/server.ts";

const folder = temporaryFolder();
const KEY = newKey();
const OWNERS = ownersText({ tests: [KEY] });

/** A low limit, so that a counted caller reaches it soon. */
const LIMIT = 8;
const names = ["create", "wrongToken", "wrongCode", "resume"];
const RATE_LIMITS = JSON.stringify(
  Object.fromEntries(names.map((name) => [name, { limit: LIMIT }])),
);

let open: Server;
let keyed: Server;
let proxied: Server;
const TRUSTED_PROXY = JSON.stringify({ from: ["127.0.0.1", "::1"], header: "X-Forwarded-For" });
beforeAll(async () => {
  [open, proxied, keyed] = await Promise.all([
    startServer(join(folder.path, "open"), undefined, { RATE_LIMITS }),
    startServer(join(folder.path, "proxied"), undefined, { RATE_LIMITS, TRUSTED_PROXY }),
    startServer(join(folder.path, "keyed"), undefined, { OWNERS }),
  ]);
});
afterAll(async () => {
  await Promise.all([open.stop(), proxied.stop(), keyed.stop()]);
  folder[Symbol.dispose]();
});

/** Without the write-ahead log and the shared memory, which disappear when an object is evicted. */
const databasesUnder = (path: string): readonly string[] =>
  filesUnder(path).filter((file) => file.endsWith(".sqlite"));

const inParallel = async (
  count: number,
  act: () => Promise<Answer>,
): Promise<ReadonlySet<number>> => {
  const statuses = new Set<number>();
  const one = async (): Promise<void> => {
    for (let n = 0; n < count / 8; n += 1) statuses.add((await act()).status);
  };
  await Promise.all(Array.from({ length: 8 }, one));
  return statuses;
};

describe("local development", () => {
  // Shows I-5.
  it("is not limited: many sessions, wrong tokens and resumes from this machine", async () => {
    const { client } = open;
    const session = await client.create();
    const wrong: CallOptions = { token: `${session.token.slice(0, -4)}AAAA` };
    expect(await inParallel(80, () => client.call("POST", "/sessions", { body: {} }))).toEqual(
      new Set([201]),
    );
    expect(await inParallel(80, () => client.on(session, "GET", "", wrong))).toEqual(
      new Set([403]),
    );
    let { token } = session;
    for (let n = 0; n < 40; n += 1) {
      const answer = await client.on(session, "POST", "/resume", { token, body: {} });
      expect(answer.status).toBe(200);
      token = answer.body.resumeToken;
    }
  });
});

/**
 * Twice the limit and one, because counters restart with each minute; fewer if the limit is reached
 * earlier.
 */
async function presentWrongTokens(
  server: Server,
  headersOf: (n: number) => Readonly<Record<string, string>>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (let n = 0; n <= 2 * LIMIT && answers.at(-1)?.status !== 429; n += 1) {
    const headers = { Origin: "https://example.com", ...headersOf(n) };
    answers.push(await server.client.call("GET", "/sessions/rtok_none", { headers }));
  }
  return answers;
}

describe("a caller named by a trusted proxy", () => {
  // Shows I-1.
  it("reaches the limit and learns how long to wait", async () => {
    const headers = { "X-Forwarded-For": `8.8.${process.pid % 256}.8` };
    const answers = await presentWrongTokens(proxied, () => headers);
    const last = answers.at(-1);
    expect(answers.length).toBeGreaterThan(LIMIT);
    expect([last?.status, last?.body.code]).toEqual([429, "rate_limited"]);
    expect(last?.headers.get("RateLimit-Policy")).toBe('"wrongToken";q=8;w=60');
    expect(last?.headers.get("Retry-After")).toMatch(/^[1-9]\d?$/);
    expect(last?.headers.get("Access-Control-Expose-Headers")).toContain("RateLimit");
  });

  it("cannot choose another address by its own header", async () => {
    const answers = await presentWrongTokens(proxied, (n) => ({
      "X-Forwarded-For": `9.9.9.${n}, 8.7.${process.pid % 256}.8, 127.0.0.1`,
      "CF-Connecting-IP": `9.9.8.${n}`,
      Forwarded: `for=9.9.7.${n}`,
      "X-Real-IP": `9.9.6.${n}`,
    }));
    expect(answers.at(-1)?.status).toBe(429);
  });

  it("shares one address with others if the proxy names no caller, and locks none of them out", async () => {
    const answers = await presentWrongTokens(proxied, () => ({}));
    expect(answers.at(-1)?.status).toBe(403);
  });
});

describe("a caller without a trusted proxy", () => {
  it("is identified by its socket, whatever its headers contain", async () => {
    const claimed = `8.6.${process.pid % 256}.8`;
    const answers = await presentWrongTokens(open, () => ({
      "CF-Connecting-IP": claimed,
      "X-Forwarded-For": claimed,
      Forwarded: `for=${claimed}`,
    }));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]));
    const bound = await open.client.call("POST", "/sessions", {
      headers: { "CF-Connecting-IP": claimed },
      body: { bind: { network: true } },
    });
    expect(bound.status, bound.text).toBe(201);
    const { session, resumeToken: token } = bound.body;
    const home = await open.client.on(session, "GET", "", { token });
    expect(home.status).toBe(200);
  });

  it("enters wrong codes without locking out others, and leaves no storage behind", async () => {
    const session = await open.client.create({});
    const handoff = await open.client.on(session, "POST", "/handoffs", {
      token: session.token,
      body: { to: "human", scopes: ["fill"] },
    });
    const before = databasesUnder(join(folder.path, "open")).length;
    for (let n = 0; n < 20; n += 1) {
      const headers = { "CF-Connecting-IP": `8.5.4.${n}` };
      const wrong = await open.client.call("GET", "/h/0000-0000-00000", { headers });
      expect(wrong.status).toBe(404);
    }
    const right = await open.client.call("GET", `/h/${handoff.body.handoff.code}`);
    expect(right.status).toBe(200);
    // The one shard of the directory that was read.
    expect(databasesUnder(join(folder.path, "open")).length - before).toBeLessThanOrEqual(1);
  });
});

describe("invented names and networks", () => {
  const path = join(folder.path, "proxied");
  const CODE = codeFromBytes(new Uint8Array(8));
  /** Each round uses other names, from other networks. */
  const sendRound = async (round: number, length: number): Promise<number> => {
    await Promise.all(
      Array.from({ length }, async (_, n) => {
        const headers = { "X-Forwarded-For": `9.${round}.${n}.1` };
        const { client } = proxied;
        const claim = await client.call("POST", `/agents/made-up-${round}-${n}/claim`, {
          headers,
          body: {},
        });
        expect(claim.status, claim.text).toBe(204);
        expect((await client.call("GET", `/h/${CODE}`, { headers })).status).toBe(404);
      }),
    );
    return databasesUnder(path).length;
  };

  it("leave no file behind: their queues and counters are in existing objects", async () => {
    const before = databasesUnder(path).length;
    const first = await sendRound(1, 128);
    // At most sixteen queues and sixteen counters, and one shard of links.
    expect(first - before).toBeLessThanOrEqual(16 + 16 + 1);
    expect(await sendRound(2, 64)).toBe(first);
  });
});

describe("a server that lists owners", () => {
  it("lets the SDK create a session with a key, and the token store never saves the key", async () => {
    const path = join(folder.path, "store");
    const store = new FileTokenStore(path);
    const refused = await Baton.connect(keyed.url)
      .create()
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(WireError);
    expect((refused as WireError).problem).toMatchObject({ status: 401 });
    const baton = Baton.connect(keyed.url, { store, key: KEY });
    const session = await baton.create({ title: "Keyed" }, { as: "work" });
    expect(session.state?.title).toBe("Keyed");
    const fresh = await baton.resume(`rtok_${"A".repeat(88)}`, { onInvalid: "fresh" });
    expect(fresh.resumed?.outcome).toBe("fresh");
    const stored = filesUnder(path).map((file) => readFileSync(file, "utf8"));
    expect(stored.length).toBeGreaterThan(0);
    expect(stored.join("\n")).not.toContain(KEY);
  });

  it("lets the command line create a session with a key from its environment", async () => {
    const cli = cliFor(keyed.url, mkdtempSync(join(folder.path, "home-")));
    const without = await cli.run(["create", "--title", "No key"]);
    expect(without.code).not.toBe(0);
    expect(without.stderr).toMatch(/key/);
    const env = { BATON_KEY: KEY };
    const created = await cli.run(["create", "--title", "With a key"], { env });
    expect([created.code, created.stderr]).toEqual([0, ""]);
  });

  it("stores no key in its data and prints none", () => {
    const files = filesUnder(join(folder.path, "keyed"));
    const holding = files.filter((file) => readIfThere(file).includes(KEY));
    expect(files.length).toBeGreaterThan(0);
    expect(holding).toEqual([]);
    expect(keyed.script.stdout + keyed.script.stderr).not.toContain(KEY);
  });
});

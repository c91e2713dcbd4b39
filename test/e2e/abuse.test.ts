/** Limits and keys on the server that `npm start` runs, over real connections. */
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Baton, WireError } from "../../src/client/index.ts";
import { FileTokenStore } from "../../src/client-node/index.ts";
import { cliFor } from "../support/cli.ts";
import { type Answer, type CallOptions } from "../support/client.ts";
import { newKey, ownersText } from "../support/owners.ts";
import { filesUnder, startServer, temporaryFolder, type Server } from "../support/server.ts";

const folder = temporaryFolder();
const KEY = newKey();
const OWNERS = ownersText({ tests: [KEY] });

/** Few, so that whoever is counted would soon notice. */
const LIMIT = 8;
const names = ["create", "wrongToken", "wrongCode", "resume"];
const RATE_LIMITS = JSON.stringify(
  Object.fromEntries(names.map((name) => [name, { limit: LIMIT }])),
);

let open: Server;
let keyed: Server;
beforeAll(async () => {
  [open, keyed] = await Promise.all([
    startServer(join(folder.path, "open"), undefined, { RATE_LIMITS }),
    startServer(join(folder.path, "keyed"), undefined, { OWNERS }),
  ]);
});
afterAll(async () => {
  await Promise.all([open.stop(), keyed.stop()]);
  folder[Symbol.dispose]();
});

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
  it("is not hindered: many sessions, wrong tokens and resumes from this machine", async () => {
    const { client } = open;
    const session = await client.begin();
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

describe("a caller from the internet", () => {
  it("reaches the limit and is told how long to wait", async () => {
    const headers = {
      "CF-Connecting-IP": `8.8.${process.pid % 256}.8`,
      Origin: "https://example.com",
    };
    const answers: Answer[] = [];
    // Twice the limit and one: local counters begin anew with each minute.
    for (let n = 0; n <= 2 * LIMIT && answers.at(-1)?.status !== 429; n += 1) {
      answers.push(await open.client.call("GET", "/sessions/rtok_none", { headers }));
    }
    const last = answers.at(-1);
    expect(answers.length).toBeGreaterThan(LIMIT);
    expect([last?.status, last?.body.code]).toEqual([429, "rate_limited"]);
    expect(last?.headers.get("RateLimit-Policy")).toBe('"wrongToken";q=8;w=60');
    expect(last?.headers.get("Retry-After")).toMatch(/^[1-9]\d?$/);
    expect(last?.headers.get("Access-Control-Expose-Headers")).toContain("RateLimit");
  });
});

describe("a server that lists owners", () => {
  it("lets the SDK begin with one, and never with the token store's help", async () => {
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
    const kept = filesUnder(path).map((file) => readFileSync(file, "utf8"));
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.join("\n")).not.toContain(KEY);
  });

  it("lets the command line begin with one from its environment", async () => {
    const cli = cliFor(keyed.url, mkdtempSync(join(folder.path, "home-")));
    const without = await cli.run(["create", "--title", "No key"]);
    expect(without.code).not.toBe(0);
    expect(without.stderr).toMatch(/key/);
    const env = { BATON_KEY: KEY };
    const created = await cli.run(["create", "--title", "With a key"], { env });
    expect([created.code, created.stderr]).toEqual([0, ""]);
  });

  it("keeps no key in its data and says none in its output", () => {
    const files = filesUnder(join(folder.path, "keyed"));
    const holding = files.filter((file) => readFileSync(file).includes(KEY));
    expect(files.length).toBeGreaterThan(0);
    expect(holding).toEqual([]);
    expect(keyed.script.stdout + keyed.script.stderr).not.toContain(KEY);
  });
});

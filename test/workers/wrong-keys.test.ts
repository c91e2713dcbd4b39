/** Wrong keys of owners from one network: counted, refused past the limit, logged, and without effect on right ones. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../src/env";
import { inOneWindow, publicAddress, sendFrom } from "../support/caller";
import { Client, type Answer, type CreatedSession } from "../support/client";
import { entryFor } from "../support/console";
import { greetArcp } from "../support/greet-arcp";
import { RawMcp } from "../support/mcp";
import { createOwner, type TestOwner } from "../support/test-owner";
import { newKey } from "../support/owners";
import { hiddenIn, Person } from "../support/person";

/** As in vitest.config.ts. */
const LIMIT = 4;
const FEW = {
  LIMIT_WRONG_TOKEN: (env as unknown as Readonly<Record<string, RateLimit>>)["FEW_WRONG_TOKEN"],
  LOG: "errors",
} as Partial<Env>;

let printed: string[] = [];
beforeEach(() => {
  printed = [];
  vi.spyOn(console, "log").mockImplementation((text: string) => {
    printed.push(text);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const linesFrom = (address: string): readonly Record<string, unknown>[] =>
  printed
    .map((text) => JSON.parse(text) as Record<string, unknown>)
    .filter((line) => line["address"] === address);

/** One network that sends keys to the Worker of this owner. */
class Network {
  readonly address = publicAddress();
  readonly #settings: Partial<Env>;

  constructor(owner: TestOwner, more: Partial<Env> = {}) {
    this.#settings = { ...FEW, ...owner.settings, AGENTS: '[{"name":"writer"}]', ...more };
  }

  send(key?: string) {
    const bearer = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    return sendFrom({ "CF-Connecting-IP": this.address, ...bearer }, this.#settings);
  }

  call(key: string, method: string, path: string, body?: object): Promise<Answer> {
    return new Client(this.send(key)).call(method, path, body === undefined ? {} : { body });
  }

  person(): Person {
    return new Person(sendFrom({}, this.#settings), undefined, this.address);
  }

  /** Exceeds the limit: every unknown key gets 429 from here on. */
  async exceedLimit(): Promise<void> {
    for (let n = 0; n < LIMIT; n += 1) {
      expect((await this.call(newKey(), "GET", "/sessions")).status).toBe(403);
    }
    expect((await this.call(newKey(), "GET", "/sessions")).status).toBe(429);
  }
}

async function signIn(network: Network, key: string): Promise<number> {
  const person = network.person();
  const nonce = hiddenIn((await person.go("GET", "/console")).html, "nonce");
  return (await person.go("POST", "/console/sign-in", { nonce, to: "/console", key })).status;
}

type KeyUse = (network: Network, key: string, session: CreatedSession) => Promise<unknown>;

/** Every route that checks a key of an owner: the result of a right key, and of a wrong one past the limit. */
const KEY_USES: readonly (readonly [string, KeyUse, unknown, unknown])[] = [
  ["a list", async (net, key) => (await net.call(key, "GET", "/sessions")).status, 200, 429],
  ["a create", async (net, key) => (await net.call(key, "POST", "/sessions", {})).status, 201, 429],
  [
    "an operation on a session",
    async (net, key, { id }) => (await net.call(key, "GET", `/sessions/${id}`)).status,
    200,
    429,
  ],
  [
    "a claim",
    async (net, key) => (await net.call(key, "POST", "/agents/writer/claim", { waitMs: 0 })).status,
    204,
    429,
  ],
  [
    "MCP",
    async (net, key) =>
      (await new RawMcp(net.send(key), "http://localhost:8787").call("list_sessions", {})).facts
        .code,
    undefined,
    "rate_limited",
  ],
  [
    "ARCP",
    async (net, key) => {
      const auth = { scheme: "bearer", token: key };
      return (await greetArcp(net.send(), { auth })).type;
    },
    "session.welcome",
    "session.error",
  ],
  ["signing in to the console", signIn, 200, 429],
];

describe("past the limit of wrong keys", () => {
  // Shows I-2.
  it.each(KEY_USES)(
    "%s passes with a right key, and is refused with a wrong one",
    async (...keyUse) => {
      const [, go, right, wrong] = keyUse;
      const owner = createOwner();
      const session = await owner.create();
      await inOneWindow(async () => {
        const network = new Network(owner);
        await network.exceedLimit();
        expect(await go(network, newKey(), session)).toBe(wrong);
        expect(await go(network, owner.key, session)).toBe(right);
        expect(await go(network, newKey(), session)).toBe(wrong);
      });
    },
  );

  it("the link that opens the console once still opens it", async () => {
    const owner = createOwner();
    const code = crypto.randomUUID();
    const entry = entryFor(code, owner.key, new Date(Date.now() + 60_000));
    await inOneWindow(async () => {
      const network = new Network(owner, entry);
      const preview = async (linkCode: string) =>
        (await network.person().go("GET", `/console/enter/${linkCode}`)).status;
      for (let n = 0; n < LIMIT; n += 1) expect(await preview(`${code}x`)).not.toBe(429);
      expect(await preview(`${code}x`)).toBe(429);
      expect(await preview(code)).toBe(200);
    });
  });
});

/** There a value without a key's prefix may be the key of an agent. */
const CLAIM = [["POST", "/agents/writer/claim", { waitMs: 0 }]] as const;

describe("the log by default", () => {
  it("has a line for every refused key, also past the limit", async () => {
    const owner = createOwner();
    await inOneWindow(async () => {
      const network = new Network(owner);
      await network.exceedLimit();
      await network.call(newKey(), "GET", "/sessions");
      const lines = linesFrom(network.address);
      expect(lines.map(({ status }) => status)).toEqual([...Array(LIMIT).fill(403), 429, 429]);
      lines.forEach(({ refusedKey }) => expect(refusedKey).toMatch(/^[0-9a-f]{12}$/));
    });
  });

  it.each([
    ["cut off", (key: string) => key.slice(0, -3)],
    ["too long", (key: string) => `${key}abc`],
    ["of another kind", () => "correct-horse-battery-staple"],
  ])("reports a key that is %s as malformed, without its content", async (_, spoil) => {
    const owner = createOwner();
    const network = new Network(owner);
    const spoiled = spoil(owner.key);
    const requests = [
      ["GET", "/sessions", undefined],
      ["POST", "/sessions", {}],
      ...(spoiled.startsWith("bkey_") ? CLAIM : []),
    ] as const;
    for (const [method, path, body] of requests) {
      expect((await network.call(spoiled, method, path, body)).status).toBe(403);
    }
    const lines = linesFrom(network.address);
    expect(lines).toMatchObject(requests.map(([method]) => ({ method, refusedKey: "malformed" })));
    expect(printed.join()).not.toContain(spoiled);
  });
});

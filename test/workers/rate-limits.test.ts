/** Rate limits, tested with one set of small limits. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../src/env";
import { greetArcp } from "../support/greet-arcp";
import { RawMcp } from "../support/mcp";
import { callMethod, BASE, MCP_EVENTS_ON, SECRET } from "../support/mcp-events";
import { createOwner } from "../support/test-owner";
import type { Answer, Client } from "../support/client";
import { callerFrom, inOneWindow, publicAddress, sendFrom } from "../support/caller";
import { Person } from "../support/person";
import { objectCount, rowsWrittenBy } from "../support/worker";
import { arrivedAt, newPath } from "../support/worker-endpoints";

/** As in vitest.config.ts, instead of those of wrangler.toml. */
const LIMITS = { create: 4, wrongToken: 4, wrongCode: 12, resume: 4, challenge: 4 } as const;
const counters = env as unknown as Readonly<Record<string, RateLimit>>;
const FEW = {
  LIMIT_CREATE: counters["FEW_CREATE"],
  LIMIT_WRONG_TOKEN: counters["FEW_WRONG_TOKEN"],
  LIMIT_WRONG_CODE: counters["FEW_WRONG_CODE"],
  LIMIT_RESUME: counters["FEW_RESUME"],
  LIMIT_CHALLENGE: counters["FEW_CHALLENGE"],
  RATE_LIMITS: Object.fromEntries(Object.entries(LIMITS).map(([name, limit]) => [name, { limit }])),
} as Partial<Env>;
const from = (address: string | null): Client => callerFrom(address, FEW);
const EXEMPT = [null, "127.0.0.1", "::1", "::ffff:127.0.0.1", "192.168.1.7", "10.0.0.1", "fd00::1"];

afterEach(() => {
  vi.useRealTimers();
});

async function repeat<T>(count: number, act: (n: number) => Promise<T>): Promise<readonly T[]> {
  const results: T[] = [];
  for (let n = 0; n < count; n += 1) results.push(await act(n));
  return results;
}

const statuses = (answers: readonly { readonly status: number }[]): readonly number[] =>
  answers.map(({ status }) => status);

const create = (client: Client): Promise<Answer> => client.call("POST", "/sessions", { body: {} });

/** The same token with another secret: anybody who saw a session's id can build it. */
const withOtherSecret = (token: string): string => `${token.slice(0, -32)}${"A".repeat(32)}`;
/** Shaped like a token, of an object that never existed. */
const withOtherObject = (token: string): string => `rtok_${"B".repeat(43)}${token.slice(48)}`;

function expectLimited(answer: Answer, name: keyof typeof LIMITS): void {
  expect(answer.status).toBe(429);
  expect(answer.body).toMatchObject({ code: "rate_limited", retryable: true });
  expect(answer.body).not.toHaveProperty("sessionId");
  const seconds = Number(answer.headers.get("Retry-After"));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(answer.body.retryAfterMs).toBeLessThanOrEqual(60_000);
  expect(answer.headers.get("RateLimit-Policy")).toBe(`"${name}";q=${LIMITS[name]};w=60`);
  expect(answer.headers.get("RateLimit")).toBe(`"${name}";r=0;t=${seconds}`);
}

describe("sessions created from one network", () => {
  // Shows I-1.
  it("are refused past the limit, and nothing is created", async () => {
    const [answers, before, after] = await inOneWindow(async () => {
      const client = from(publicAddress());
      const created = await repeat(LIMITS.create, () => create(client));
      const count = await objectCount();
      return [[...created, await create(client)], count, await objectCount()] as const;
    });
    expect(new Set(statuses(answers.slice(0, -1)))).toEqual(new Set([201]));
    expectLimited(answers.at(-1) as Answer, "create");
    expect(after).toBe(before);
  });

  // Shows I-1.
  it("include forks and resumes that create a session, and nothing of other networks", async () => {
    await inOneWindow(async () => {
      const address = publicAddress();
      const client = from(address);
      const session = await client.create();
      await repeat(LIMITS.create - 1, () => create(client));
      const token = session.token;
      expectLimited(await client.on(session, "POST", "/fork", { token, body: {} }), "create");
      const fresh = { token: "rtok_none", body: { onInvalid: "fresh" } };
      expectLimited(await client.on(session, "POST", "/resume", fresh), "create");
      expect((await client.on(session, "GET", "", { token })).status).toBe(200);
      expect((await create(from(publicAddress()))).status).toBe(201);
    });
  });

  // Shows I-1.
  it("are one network for all addresses of an IPv6 /64", async () => {
    await inOneWindow(async () => {
      const part = Math.floor(Math.random() * 0xffff).toString(16);
      const client = (rest: string) => from(`2a00:${part}:1:${rest}`);
      await repeat(LIMITS.create, (n) => create(client(`2::${n.toString(16)}`)));
      expect((await create(client("2:ffff::1"))).status).toBe(429);
      expect((await create(client("3::1"))).status).toBe(201);
    });
  });
});

describe("wrong tokens from one network", () => {
  // Shows I-2.
  it("are refused identically past the limit, whatever is wrong with them", async () => {
    await inOneWindow(async () => {
      const session = await from(publicAddress()).create();
      const client = from(publicAddress());
      const read = (token: string) => client.call("GET", `/sessions/${token}`);
      const kinds = [withOtherSecret, withOtherObject, () => "rtok_none"];
      const answers = await repeat(LIMITS.wrongToken, (n) =>
        read(kinds[n % kinds.length]?.(session.token) ?? ""),
      );
      expect(new Set(statuses(answers))).toEqual(new Set([403]));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      for (const kind of kinds) {
        const overLimit = await repeat(2, () => read(kind(session.token)));
        overLimit.forEach((answer) => expectLimited(answer, "wrongToken"));
      }
      const jobs = { token: "jtok_none", body: {} };
      expectLimited(await client.call("POST", "/jobs/heartbeat", jobs), "wrongToken");
    });
  });

  // Shows I-2.
  it("then block that session for that network, right tokens too, so that responses do not distinguish them", async () => {
    await inOneWindow(async () => {
      const session = await from(publicAddress()).create();
      const client = from(publicAddress());
      const other = await client.create();
      const read = (token: string) => client.call("GET", `/sessions/${token}`);
      await repeat(LIMITS.wrongToken, () => read("rtok_none"));
      expect((await read(session.token)).status).toBe(200);
      const wrong = await read(withOtherSecret(session.token));
      const right = await read(session.token);
      [wrong, right].forEach((answer) => expectLimited(answer, "wrongToken"));
      expect(right.body.detail).toBe(wrong.body.detail);
      expect((await read(other.token)).status).toBe(200);
      expect((await from(publicAddress()).call("GET", `/sessions/${session.token}`)).status).toBe(
        200,
      );
    });
  });

  // Shows I-2.
  it("are forgotten after the period", async () => {
    const session = await from(publicAddress()).create();
    const client = from(publicAddress());
    const read = () => client.call("GET", `/sessions/${session.token}`);
    const wrong = () => client.call("GET", `/sessions/${withOtherSecret(session.token)}`);
    await inOneWindow(async () => {
      await repeat(LIMITS.wrongToken + 1, wrong);
      expect((await read()).status).toBe(429);
    });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    expect((await read()).status).toBe(200);
  });

  // Shows I-2.
  it("over MCP are reported as a tool error with the time to wait", async () => {
    await inOneWindow(async () => {
      const send = sendFrom({ "CF-Connecting-IP": publicAddress() }, FEW);
      const mcp = new RawMcp(send, "http://localhost:8787");
      const answers = await repeat(LIMITS.wrongToken + 1, () =>
        mcp.call("get_session", { resume_token: "rtok_none" }),
      );
      const codes = answers.map(({ facts }) => facts.code as string);
      expect(codes).toEqual([
        ...Array<string>(LIMITS.wrongToken).fill("token_invalid"),
        "rate_limited",
      ]);
      expect(answers.at(-1)?.facts).toMatchObject({ retryable: true, retryAfterMs: 60_000 });
    });
  });

  // Shows I-2.
  it("over ARCP end the connection with a retryable error", async () => {
    await inOneWindow(async () => {
      const send = sendFrom({ "CF-Connecting-IP": publicAddress() }, FEW);
      const errors = await repeat(LIMITS.wrongToken + 1, async () => {
        const resume = { resume_token: "rtok_none", last_event_seq: 0 };
        const { payload } = await greetArcp(send, { resume });
        return payload["code"];
      });
      expect(new Set(errors.slice(0, -1))).toEqual(new Set(["RESUME_WINDOW_EXPIRED"]));
      expect(errors.at(-1)).toBe("INTERNAL_ERROR");
    });
  });

  it("include a link's wrong cookies, and the page then asks to wait", async () => {
    await inOneWindow(async () => {
      const maker = from(publicAddress());
      const { id, token } = await maker.create();
      const body = { to: "human", scopes: ["fill"] };
      const handedOff = await maker.on({ id }, "POST", "/handoffs", { token, body });
      const { code } = handedOff.body.handoff;
      const owner = new Person(sendFrom({}, FEW), undefined, publicAddress());
      await owner.open(code);
      const thief = new Person(sendFrom({}, FEW), undefined, publicAddress());
      for (const [name, value] of owner.cookies) {
        thief.cookies.set(name, `${value.slice(0, -32)}${"A".repeat(32)}`);
      }
      const seen = await repeat(LIMITS.wrongToken + 2, () => thief.go("GET", `/h/${code}`));
      expect(statuses(seen)).toEqual([410, 410, 410, 410, 429, 429]);
      expect(seen.at(-1)?.headers.get("RateLimit-Policy")).toContain("wrongToken");
      expect((await owner.go("GET", `/h/${code}`)).status).toBe(200);
    });
  });

  it("are counted when they come in a socket's hello", async () => {
    await inOneWindow(async () => {
      const send = sendFrom({ "CF-Connecting-IP": publicAddress() }, FEW);
      const { id, token } = await from(publicAddress()).create();
      const codes = await repeat(LIMITS.wrongToken + 1, async () => {
        const url = `http://baton.test/sessions/${id}/socket`;
        const { webSocket } = await send(new Request(url, { headers: { Upgrade: "websocket" } }));
        const answer = new Promise<string>((resolve) => {
          webSocket?.addEventListener("message", ({ data }) => resolve(String(data)), {
            once: true,
          });
        });
        webSocket?.accept();
        webSocket?.send(JSON.stringify({ type: "hello", token: withOtherSecret(token) }));
        return JSON.parse(await answer).problem.code as string;
      });
      expect(codes.at(0)).toBe("token_invalid");
      expect(codes.at(-1)).toBe("rate_limited");
    });
  });

  it("are counted by the numbers in wrangler.toml if nothing else is set", async () => {
    const client = await inOneWindow(async () => {
      const one = callerFrom(publicAddress());
      const read = () => one.call("GET", "/sessions/rtok_none");
      const answers = await repeat(60, read);
      expect(new Set(statuses(answers))).toEqual(new Set([403]));
      const overLimit = await read();
      expect(overLimit.status).toBe(429);
      expect(overLimit.headers.get("RateLimit-Policy")).toBe('"wrongToken";q=60;w=60');
      return one;
    });
    expect((await client.call("GET", "/healthz")).status).toBe(200);
  });
});

describe("wrong codes from one network", () => {
  // Shows I-3.
  it("are limited exactly by their counter, and past the limit at the edge without it", async () => {
    const answers = await inOneWindow(async () => {
      const person = new Person(sendFrom({}, FEW), "http://localhost:8787", publicAddress());
      return repeat(LIMITS.wrongCode + 2, () => person.go("GET", "/h/0000-0000-00000"));
    });
    expect(answers[0]?.status).toBe(404);
    const exact = answers[10];
    expect(exact?.status).toBe(429);
    expect(exact?.headers.get("RateLimit")).toBeNull();
    for (const last of answers.slice(-2)) {
      expect(last.status).toBe(429);
      expect(last.headers.get("RateLimit-Policy")).toBe(`"wrongCode";q=12;w=60`);
      expect(last.headers.get("Retry-After")).toMatch(/^\d+$/);
    }
  });
});

describe("resumes of one session from one network", () => {
  // Shows I-4.
  it("are refused past the limit before they reach it, and others go on", async () => {
    await inOneWindow(async () => {
      const client = from(publicAddress());
      const session = await client.create();
      const idle = await client.create();
      let { token } = session;
      const resume = async (): Promise<Answer> => {
        const answer = await client.on(session, "POST", "/resume", { token, body: {} });
        token = answer.body.resumeToken ?? token;
        return answer;
      };
      const answers = await repeat(LIMITS.resume + 1, resume);
      expect(new Set(statuses(answers))).toEqual(new Set([200]));
      const rows = await rowsWrittenBy(session, async () =>
        expectLimited(await resume(), "resume"),
      );
      expect(rows).toBe(0);
      const idleResume = { token: idle.token, body: {} };
      expect((await client.on(idle, "POST", "/resume", idleResume)).status).toBe(200);
      expect((await client.on(session, "GET", "", { token })).status).toBe(200);
      const otherNetwork = from(publicAddress());
      expect((await otherNetwork.on(session, "POST", "/resume", { token, body: {} })).status).toBe(
        200,
      );
    });
  });
});

const subscribeTo = (mcp: RawMcp, path: string) =>
  callMethod(mcp, "events/subscribe", {
    name: "session.submitted",
    arguments: {},
    delivery: { mode: "webhook", url: `https://receiver.test${path}`, secret: SECRET },
  });

describe("URLs that do not echo a challenge", () => {
  // Shows I-4.
  it("are not challenged past the limit, and neither is a working one, for this owner and network", async () => {
    const owner = createOwner();
    const address = publicAddress();
    const mcpFrom = (from: string): RawMcp =>
      new RawMcp(
        sendFrom(
          { "CF-Connecting-IP": from, Authorization: `Bearer ${owner.key}` },
          { ...FEW, ...owner.settings, ...MCP_EVENTS_ON },
        ),
        BASE,
      );
    await inOneWindow(async () => {
      const mcp = mcpFrom(address);
      const paths = Array.from(
        { length: LIMITS.challenge + 1 },
        () => `/404/${crypto.randomUUID()}`,
      );
      const codes: unknown[] = [];
      for (const path of paths) codes.push((await subscribeTo(mcp, path)).data.code ?? "unwilling");
      expect(codes).toEqual([...paths.slice(1).map(() => "unwilling"), "rate_limited"]);
      const [next, willing] = [`/404/${crypto.randomUUID()}`, newPath()];
      for (const path of [next, willing]) {
        expect((await subscribeTo(mcp, path)).data.code).toBe("rate_limited");
        expect(await arrivedAt(path)).toEqual([]);
      }
      expect((await subscribeTo(mcpFrom(publicAddress()), willing)).id).toMatch(/^sub_/);
    });
  });
});

describe("callers that are not counted", () => {
  // Shows I-5.
  it.each(EXEMPT)("(%s) create, fail and resume without limits", async (address) => {
    const client = from(address);
    let { id, token } = await client.create();
    const created = await repeat(LIMITS.create, () => create(client));
    const wrong = await repeat(LIMITS.wrongToken + 5, () =>
      client.call("GET", `/sessions/${withOtherSecret(token)}`),
    );
    const resumed = await repeat(LIMITS.resume + 5, async () => {
      const answer = await client.on({ id }, "POST", "/resume", { token, body: {} });
      token = answer.body.resumeToken;
      return answer;
    });
    expect(new Set(statuses([...created, ...wrong, ...resumed]))).toEqual(new Set([201, 403, 200]));
  });

  // Shows I-5.
  it("are all callers if the deployment binds no counter", async () => {
    const none = {
      LIMIT_CREATE: undefined,
      LIMIT_WRONG_TOKEN: undefined,
      LIMIT_WRONG_CODE: undefined,
      LIMIT_RESUME: undefined,
      LIMIT_CHALLENGE: undefined,
    } as never;
    const client = callerFrom(publicAddress(), none);
    const answers = await repeat(LIMITS.create + 5, () => create(client));
    expect(new Set(statuses(answers))).toEqual(new Set([201]));
  });

  // Shows I-5.
  it("are those for which the counter is not reachable", async () => {
    const broken = { limit: () => Promise.reject(new Error("not today")) };
    const client = callerFrom(publicAddress(), { LIMIT_CREATE: broken });
    expect((await create(client)).status).toBe(201);
  });
});

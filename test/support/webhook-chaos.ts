/**
 * Webhooks while everything breaks: a receiver that is down, slow, wrong, silent or gone, and a runtime
 * that is killed. Endpoints of sessions and of their owner hear of the same notices. Afterwards the log
 * says what should have arrived, the lists of deliveries what was given up, and the receiver what came.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { judge, until, type Judged, type Listened } from "./chaos-judge.ts";
import type { Answer } from "./client.ts";
import { randomKey } from "./client.ts";
import { TestAgent } from "./test-agent.ts";
import { newKey, ownersText } from "./owners.ts";
import { Receiver, type Behaviour } from "./receiver.ts";
import { seeded } from "./seeded.ts";
import { startServer, type Server } from "./server-process.ts";

export interface ChaosOptions {
  readonly data: string;
  readonly seed: number;
  readonly kills: number;
  readonly sessions: number;
  readonly rounds: number;
  readonly say?: (line: string) => void;
}

export interface ChaosReport extends Judged {
  readonly kills: number;
  readonly requests: number;
}

const NOTICES = [
  "session.awaiting_input",
  "session.submitted",
  "session.cancelled",
  "stop.reported",
];
const BAD: readonly Behaviour[] = [
  { status: 500 },
  { status: 429, headers: { "Retry-After": "1" } },
  { status: 301, headers: { Location: "http://127.0.0.1:9/" } },
  "nothing",
  "slow",
  "cut",
];
/** Few attempts, so that some are given up while the run lasts. */
const DELAYS_MS = "0,300,300,300";
const GONE = "/gone";

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { data, seed, kills, sessions, rounds, say = () => {} } = options;
  const random = seeded(seed);
  const receiver = await Receiver.start();
  let isBad = true;
  receiver.behaves = ({ path }) => {
    if (path === GONE) return { status: 410 };
    if (isBad && random() < 0.4) return BAD[Math.floor(random() * BAD.length)] ?? { status: 500 };
    return random() < 0.1 ? "half" : { status: 204 };
  };
  const key = newKey();
  const server = await startServer(data, undefined, {
    OWNERS: ownersText({ acme: [key] }),
    WEBHOOK_ALLOW: receiver.host,
    WEBHOOK_DELAYS_MS: DELAYS_MS,
    WEBHOOK_TIMEOUT_MS: "1000",
  });
  const byKey = (method: string, path: string, body?: unknown): Promise<Answer> =>
    surely(() =>
      server.client.call(method, path, {
        headers: { "Baton-Key": key },
        ...(body === undefined ? {} : { body }),
      }),
    );
  try {
    const register = async (path: string) =>
      (await byKey("POST", "/endpoints", { url: receiver.url(path), notices: NOTICES })).body;
    const [owners, gone] = [await register("/owner"), await register(GONE)];
    const { keys } = (await byKey("GET", "/.well-known/baton-keys.json")).body;
    const hands: TestAgent[] = [];
    const listened: Listened[] = [];
    for (let n = 0; n < sessions; n += 1) {
      const { body } = await byKey("POST", "/sessions", {});
      const hand = new TestAgent(server.client, { id: body.session.id, token: body.resumeToken });
      const path = `/${hand.id}`;
      const made = await hand.call("POST", "/endpoints", {
        url: receiver.url(path),
        notices: NOTICES,
      });
      const { id } = made.body.endpoint;
      hands.push(hand);
      listened.push({
        path,
        hands: [hand],
        secret: made.body.secret,
        call: (method, rest, body_) => does(hand, method, `/endpoints/${id}${rest}`, body_),
      });
    }
    listened.push({
      path: "/owner",
      hands,
      secret: owners.secret,
      call: (method, rest, body) => byKey(method, `/endpoints/${owners.endpoint.id}${rest}`, body),
    });
    const killing = killAll(server, receiver, kills, random, say);
    for (let round = 0; round < rounds; round += 1) {
      for (const hand of hands)
        await does(hand, "POST", "/stops", { reason: "user_exit", attempt: 1 });
      await sleep(50);
    }
    // For the rest of the run both secrets sign.
    await byKey("POST", `/endpoints/${owners.endpoint.id}/rotate`, {});
    for (const hand of hands) {
      for (const path of ["/request-input", "/submit", "/cancel"])
        await does(hand, "POST", path, {});
    }
    await killing;
    isBad = false;
    const judged = await judge(listened, NOTICES, receiver, keys, say);
    // What a kill cut off is reported again after a few seconds.
    const { body } = await until(
      () => byKey("GET", `/endpoints/${gone.endpoint.id}`),
      (answer) => answer.body.endpoint.status === "ended",
    );
    const problems = [
      ...judged.problems,
      ...(body.endpoint.status === "ended" ? [] : ["410 did not end its endpoint"]),
    ];
    return { ...judged, problems, kills, requests: receiver.arrived.length };
  } finally {
    await server.stop();
    await receiver.close();
  }
}

/** With one key until it is answered: the runtime may be gone when it is sent, or before it answers. */
function does(hand: TestAgent, method: string, path: string, body?: unknown): Promise<Answer> {
  const key = randomKey();
  const options = method === "GET" ? {} : { key };
  return surely(() => hand.tryCall(method, path, body, options));
}

async function surely(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask().catch(() => null);
    if (answer !== null && answer.status < 300) return answer;
    if (answer !== null && answer.status < 500) {
      throw new Error(`answered ${answer.status}: ${answer.text}`);
    }
    await sleep(50);
  }
}

async function killAll(
  server: Server,
  receiver: Receiver,
  kills: number,
  random: () => number,
  say: (line: string) => void,
): Promise<void> {
  for (let n = 1; n <= kills; n += 1) {
    await sleep(100 + random() * 400);
    if (random() < 0.3) {
      await receiver.close();
      await sleep(200);
      await receiver.listen();
    }
    await server.killRuntime();
    say(`kill ${n} of ${kills}`);
  }
}

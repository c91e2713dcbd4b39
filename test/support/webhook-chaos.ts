/**
 * Webhooks while everything breaks: a receiver that is down, slow, wrong or silent, and a runtime that
 * is killed. Afterwards the log says what should have arrived, and the receiver what did.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Hand } from "./hand.ts";
import { Receiver, type Arrived, type Behaviour } from "./receiver.ts";
import { startServer, type Server } from "./server-process.ts";
import { randomKey } from "./client.ts";
import { seeded } from "./seeded.ts";

export interface ChaosOptions {
  readonly data: string;
  readonly seed: number;
  readonly kills: number;
  readonly sessions: number;
  readonly rounds: number;
  readonly say?: (line: string) => void;
}

export interface ChaosReport {
  readonly wanted: number;
  readonly requests: number;
  readonly kills: number;
  /** What broke a promise, in words; empty where all held. */
  readonly problems: readonly string[];
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
  "cut",
];

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { data, seed, kills, sessions, rounds, say = () => {} } = options;
  const random = seeded(seed);
  const receiver = await Receiver.start();
  let isBad = true;
  receiver.behaves = () => {
    if (isBad && random() < 0.4) return BAD[Math.floor(random() * BAD.length)] ?? { status: 500 };
    return random() < 0.1 ? "half" : { status: 204 };
  };
  const server = await startServer(data, undefined, {
    WEBHOOK_ALLOW: receiver.host,
    // So many attempts that none is given up while the run lasts.
    WEBHOOK_DELAYS_MS: `0,${Array.from({ length: 60 }, () => 400).join(",")}`,
    WEBHOOK_TIMEOUT_MS: "1000",
  });
  try {
    const hands: Hand[] = [];
    for (let n = 0; n < sessions; n += 1) {
      const hand = await Hand.begin(server.client);
      await hand.does("POST", "/endpoints", { url: receiver.url(`/${hand.id}`), notices: NOTICES });
      hands.push(hand);
    }
    const killing = killAll(server, receiver, kills, random, say);
    for (let round = 0; round < rounds; round += 1) {
      for (const hand of hands)
        await surely(hand, "POST", "/stops", { reason: "user_exit", attempt: 1 });
      await sleep(50);
    }
    for (const hand of hands) {
      await surely(hand, "POST", "/request-input", {});
      await surely(hand, "POST", "/submit", {});
      await surely(hand, "POST", "/cancel", {});
    }
    await killing;
    isBad = false;
    return await judge(hands, receiver, kills, say);
  } finally {
    await server.stop();
    await receiver.close();
  }
}

/** With one key until it is answered: the runtime may be gone when it is sent, or before it answers. */
async function surely(hand: Hand, method: string, path: string, body: unknown): Promise<void> {
  const key = randomKey();
  for (;;) {
    try {
      const answer = await hand.tries(method, path, body, { key });
      if (answer.status < 300) return;
      if (answer.status < 500) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    } catch (error) {
      if (error instanceof Error && error.message.includes(" answered ")) throw error;
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

async function judge(
  hands: readonly Hand[],
  receiver: Receiver,
  kills: number,
  say: (line: string) => void,
): Promise<ChaosReport> {
  const wanted = new Map<string, readonly string[]>();
  for (const hand of hands) {
    const events = (await hand.events()).filter(({ type }) => NOTICES.includes(type));
    wanted.set(
      hand.id,
      events.map(({ seq }) => `${hand.id}:${seq}`),
    );
  }
  const all = [...wanted.values()].flat();
  const got = () => new Set(receiver.arrived.filter(isTaken).map(idOf));
  const patience = Date.now() + 120_000;
  while (all.some((id) => !got().has(id)) && Date.now() < patience) await sleep(200);
  say(`${all.length} notices wanted, ${receiver.arrived.length} requests came`);
  const arrived = got();
  const problems = [
    ...all.filter((id) => !arrived.has(id)).map((id) => `${id} never arrived`),
    ...[...new Set(receiver.arrived.map(idOf))]
      .filter((id) => !all.includes(id))
      .map((id) => `${id} was invented`),
  ];
  for (const [session, ids] of wanted) {
    const firsts = [...new Set(receiver.arrived.map(idOf))].filter((id) => ids.includes(id));
    const expected = ids.filter((id) => firsts.includes(id));
    if (firsts.join() !== expected.join()) {
      problems.push(`first attempts of ${session} came as ${firsts.join()}`);
    }
  }
  return { wanted: all.length, requests: receiver.arrived.length, kills, problems };
}

const idOf = ({ headers }: Arrived): string => String(headers["webhook-id"]);
const isTaken = ({ answered }: Arrived): boolean => answered === "204" || answered === "half";

/**
 * Holds what a receiver got against what the logs say: every wanted notice once or more, under one id,
 * none invented, first attempts in order; what was given up is listed, and arrives on replay.
 */
import type { JsonWebKey } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "./client.ts";
import type { TestAgent } from "./test-agent.ts";
import type { Arrived, Receiver } from "./receiver.ts";
import { verifiesV1, verifiesV1a } from "./verify-webhook.ts";

/** One endpoint: where it listens, to whom, and how it is asked. */
export interface Listened {
  readonly path: string;
  readonly hands: readonly TestAgent[];
  readonly secret: string;
  call(method: string, rest: string, body?: unknown): Promise<Answer>;
}

export interface Judged {
  readonly wanted: number;
  /** Given up at first; all of them arrived on replay. */
  readonly givenUp: number;
  /** What broke a promise, in words; empty where all held. */
  readonly problems: readonly string[];
}

interface Delivery {
  readonly id: string;
  readonly webhookId: string;
  readonly seq: number;
  readonly status: string;
  readonly attempts: readonly { readonly at: string }[];
}

/** What has to hold of every request, whichever attempt it is. */
const isVerified = (secret: string, keys: readonly JsonWebKey[], one: Arrived): boolean =>
  verifiesV1(secret, one).every(Boolean) && verifiesV1a(keys, one);

const PATIENCE_MS = 120_000;
const idOf = ({ headers }: Arrived): string => String(headers["webhook-id"]);
const isTaken = ({ answered }: Arrived): boolean => answered === "204" || answered === "half";

export async function judge(
  endpoints: readonly Listened[],
  notices: readonly string[],
  receiver: Receiver,
  keys: readonly JsonWebKey[],
  say: (line: string) => void,
): Promise<Judged> {
  const judged: Judged[] = [];
  for (const endpoint of endpoints) {
    const one = await judgeOne(endpoint, notices, receiver, keys);
    say(`${endpoint.path}: ${one.wanted} wanted, ${one.givenUp} given up`);
    judged.push(one);
  }
  return {
    wanted: judged.reduce((sum, { wanted }) => sum + wanted, 0),
    givenUp: judged.reduce((sum, { givenUp }) => sum + givenUp, 0),
    problems: judged.flatMap(({ problems }) => problems),
  };
}

async function judgeOne(
  endpoint: Listened,
  notices: readonly string[],
  receiver: Receiver,
  keys: readonly JsonWebKey[],
): Promise<Judged> {
  const { path, hands, secret } = endpoint;
  const arrived = (): readonly Arrived[] => receiver.arrived.filter((one) => one.path === path);
  const wanted: string[] = [];
  for (const hand of hands) {
    const events = (await hand.events()).filter(({ type }) => notices.includes(type));
    wanted.push(...events.map(({ seq }) => `${hand.id}:${seq}`));
  }
  const settled = await until(
    () => listOf(endpoint),
    (all) => wanted.length <= all.length && all.every(({ status }) => status !== "pending"),
  );
  const lost = settled.filter(({ status }) => status === "given_up");
  const problems = [
    ...wanted
      .filter((id) => !settled.some(({ webhookId }) => webhookId === id))
      .map((id) => `${path}: ${id} is not listed`),
    ...settled
      .filter(({ status, webhookId }) => status === "delivered" && !took(arrived(), webhookId))
      .map(({ webhookId }) => `${path}: ${webhookId} is called delivered and never arrived`),
    ...disorder(settled, hands).map((id) => `${path}: first attempts of ${id} are out of order`),
  ];
  for (const { id } of lost) await endpoint.call("POST", "/replay", { delivery: id });
  await until(
    async () => lost.filter(({ webhookId }) => !took(arrived(), webhookId)),
    (missing) => missing.length === 0,
  );
  const came = new Set(arrived().map(idOf));
  return {
    wanted: wanted.length,
    givenUp: lost.length,
    problems: [
      ...problems,
      ...wanted
        .filter((id) => !took(arrived(), id))
        .map((id) => `${path}: ${id} never arrived, not even on replay`),
      ...arrived()
        .filter((one) => !isVerified(secret, keys, one))
        .map((one) => `${path}: ${idOf(one)} is not signed as it has to be`),
      ...[...came].filter((id) => !wanted.includes(id)).map((id) => `${path}: ${id} was invented`),
    ],
  };
}

const took = (arrived: readonly Arrived[], id: string): boolean =>
  arrived.some((one) => idOf(one) === id && isTaken(one));

/** The sessions whose later notice was tried before an earlier one, as the deliveries tell. */
const disorder = (
  deliveries: readonly Delivery[],
  hands: readonly TestAgent[],
): readonly string[] =>
  hands.flatMap(({ id }) => {
    const firsts = deliveries
      .filter(({ webhookId }) => webhookId.startsWith(`${id}:`))
      .toSorted((a, b) => a.seq - b.seq)
      .map(({ attempts }) => Date.parse(attempts[0]?.at ?? ""));
    return firsts.every((at, index) => index === 0 || at >= (firsts[index - 1] ?? 0)) ? [] : [id];
  });

async function listOf(endpoint: Listened): Promise<readonly Delivery[]> {
  const all: Delivery[] = [];
  for (let cursor = ""; ; ) {
    const { body } = await endpoint.call("GET", `/deliveries?limit=100${cursor}`);
    all.push(...body.deliveries);
    if (body.nextCursor === null || body.nextCursor === undefined) return all;
    cursor = `&cursor=${body.nextCursor}`;
  }
}

/** The last answer, also where patience ran out: what is wrong with it is said by who asked. */
export async function until<T>(
  ask: () => Promise<T>,
  isEnough: (answer: T) => boolean,
): Promise<T> {
  const patience = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (isEnough(answer) || Date.now() > patience) return answer;
    await sleep(200);
  }
}

/** A job from submit to result: an ARCP client that follows it, and an executor that reports over HTTP. */
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../live/random.ts";
import { ArcpLine } from "./arcp-line.ts";
import { checkJobStream } from "./checker/job-stream.ts";
import { checkLog } from "./checker/log.ts";
import { foldAll } from "./checker/plain-fold.ts";
import { readDump } from "./dump.ts";
import { objectIdOf } from "./requests.ts";
import { send, type Fate, type Heard } from "./send.ts";
import type { World } from "./world.ts";

const LIFE_MS = 60_000;
/** A claim whose answer was lost keeps the job for as long as its lease: then nobody ever reports on it. */
const CLAIM_MS = 10_000;
/** The most the server allows: more than the clock jumps, so that no executor is lost by one. */
const LEASE_MS = 600_000;

interface Executed {
  readonly acknowledged: string[];
  readonly unknown: string[];
}

export async function liveArcp(world: World, slot: number, seed: number): Promise<void> {
  const random = new Random(seed);
  const { figures, server } = world;
  const deadline = Date.now() + LIFE_MS;
  const agent = `torture-${seed.toString(36)}`;
  const line = new ArcpLine(world.streamUrl, `bearer-${agent}`, random.fork());
  await line.connect(deadline);
  if (line.sessionId === "") return;
  world.objects[slot] = objectIdOf(line.sessionId);
  const executing = execute(world, agent, random.fork(), deadline).then((executed) => {
    if (!executed.isClaimed) line.giveUp();
    return executed;
  });
  const isAccepted = await line.submit({ agent, idempotency_key: `${agent}-key` }, deadline);
  if (isAccepted) await line.takeAll(deadline);
  const executed = await executing;
  const { commits, stored } = readDump(await server.dump(objectIdOf(line.sessionId)));
  const { states, problems } = foldAll(commits);
  figures.found(line.sessionId, [
    ...checkLog({ commits, stored }, states),
    ...problems.map((what) => ({ rule: "fold is the state", what })),
    ...checkJobStream({ ...executed, taken: line.taken, commits }),
    ...(line.ending === null && executed.isClaimed
      ? [{ rule: "readers are not left behind", what: `ARCP stands at ${line.taken.length}` }]
      : []),
  ]);
  figures.count("checked", "ARCP sessions");
  figures.count("checked", "commits", commits.length);
  figures.count("checked", "events", stored?.head ?? 0);
  figures.count("readers", "ARCP");
  figures.count("readers", "ARCP: connections", line.connections);
  figures.count("readers", "ARCP: events", line.taken.length);
  world.objects[slot] = null;
}

/** Claims the job, reports in batches, each until it is answered or given up, and ends it. */
async function execute(
  world: World,
  agent: string,
  random: Random,
  deadline: number,
): Promise<Executed & { readonly isClaimed: boolean }> {
  const done: Executed = { acknowledged: [], unknown: [] };
  const token = await claim(world, agent);
  if (token === null) return { ...done, isClaimed: false };
  const batches = random.between(15, 60);
  for (let batch = 0; batch < batches && Date.now() < deadline; batch++) {
    const marks = Array.from({ length: random.between(1, 8) }, (_, n) => `${agent}b${batch}n${n}`);
    const events = marks.map((message) => ({ kind: "log", body: { level: "info", message } }));
    const fate = random.chance(0.2) ? random.pick<Fate>(["lost", "cut", "unheard"]) : "whole";
    const isInsistent = random.chance(0.9);
    const key = `${agent}b${batch}-key`;
    const heard = await report(
      world,
      "events",
      { events },
      token,
      key,
      fate,
      isInsistent,
      deadline,
    );
    (heard === null ? done.unknown : done.acknowledged).push(...marks);
    await sleep(random.pick([0, 5, 30]));
  }
  await report(world, "result", { result: 1 }, token, `${agent}-end`, "whole", true, deadline);
  return { ...done, isClaimed: true };
}

async function claim(world: World, agent: string): Promise<string | null> {
  for (const began = Date.now(); Date.now() - began < CLAIM_MS; ) {
    const body = { waitMs: 2_000, leaseMs: LEASE_MS };
    const heard = await post(world, `/agents/${agent}/claim`, body, {}, "whole");
    if (heard?.status === 200) return (JSON.parse(heard.text) as { jobToken: string }).jobToken;
    await sleep(50);
  }
  return null;
}

/** Null where it was given up without a certain answer. */
async function report(
  world: World,
  what: string,
  body: object,
  token: string,
  key: string,
  first: Fate,
  isInsistent: boolean,
  deadline: number,
): Promise<Heard | null> {
  const headers = { authorization: `Bearer ${token}`, "idempotency-key": key };
  for (let fate = first; ; fate = "whole") {
    const heard = await post(world, `/jobs/${what}`, body, headers, fate);
    world.figures.count("operations", "executor");
    if (heard !== null && heard.status < 500) {
      world.figures.count("outcomes", heard.status === 200 ? "ok" : `executor ${heard.status}`);
      return heard.status === 200 ? heard : null;
    }
    if (!isInsistent || Date.now() > deadline) {
      world.figures.count("outcomes", "unknown");
      return null;
    }
    await sleep(50);
  }
}

const post = (
  { server }: World,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>>,
  fate: Fate,
): Promise<Heard | null> =>
  send(
    server.url,
    {
      method: "POST",
      path,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    },
    fate,
  );

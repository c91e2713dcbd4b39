/** A job from submit to result: an ARCP client follows it, and an executor reports over HTTP. */
import { Random } from "../../live/random.ts";
import type { History } from "../history.ts";
import type { Fate } from "../plan.ts";
import { Recorder } from "../recorder.ts";
import { sleep } from "../sleep.ts";
import { ArcpLine } from "./arcp-line.ts";
import type { FaultyWorld } from "./faulty-world.ts";
import { objectIdOf } from "./wire.ts";

const LIFE_MS = 60_000;
/** A claim whose answer was lost keeps the job for as long as its lease: then no executor ever reports on it. */
const CLAIM_MS = 10_000;
/** The most that the server allows: more than the clock jumps, so that no executor is lost by a jump. */
const LEASE_MS = 600_000;

/** Null if no connection was made in time. */
export async function runJob(
  world: FaultyWorld,
  seed: number,
  onCreated: (sessionId: string) => void,
): Promise<History | null> {
  const random = new Random(seed);
  const deadline = Date.now() + LIFE_MS;
  const agent = `model-${seed.toString(36)}`;
  const line = new ArcpLine(world.streamUrl, `bearer-${agent}`, random.fork());
  await line.connect(deadline);
  if (line.sessionId === "") return null;
  onCreated(line.sessionId);
  const executing = execute(world, agent, random.fork(), deadline).then((done) => {
    if (!done.isClaimed) line.giveUp();
    return done;
  });
  const isAccepted = await line.submit({ agent, idempotency_key: `${agent}-key` }, deadline);
  if (isAccepted) await line.receiveAll(deadline);
  const { isClaimed, acknowledged, unknown } = await executing;
  const { received, ending, connections } = line;
  const recorder = new Recorder(world.driver);
  // A claimed job has an end, and its client receives it.
  const target = ending === null && isClaimed ? Number.POSITIVE_INFINITY : 0;
  recorder.streams.push({ id: "ARCP", after: 0, events: [], target, connections });
  const stored = await world.stored(objectIdOf(line.sessionId));
  return recorder.history(line.sessionId, { ...stored, job: { acknowledged, unknown, received } });
}

/** Claims the job, reports in batches, each until it is answered or given up, and ends it. */
async function execute(world: FaultyWorld, agent: string, random: Random, deadline: number) {
  const acknowledged: string[] = [];
  const unknown: string[] = [];
  const token = await claim(world, agent);
  const job: Job = { world, deadline, token: token ?? "" };
  const batches = token === null ? 0 : random.between(15, 60);
  for (let batch = 0; batch < batches && Date.now() < deadline; batch++) {
    const name = `${agent}b${batch}`;
    const marks = Array.from({ length: random.between(1, 8) }, (_, n) => `${name}n${n}`);
    const events = marks.map((message) => ({ kind: "log", body: { level: "info", message } }));
    const fate = random.chance(0.2)
      ? random.pick<Fate>(["request lost", "cut off", "answer lost"])
      : "whole";
    const isStored = await report(job, "events", { events }, name, fate, random.chance(0.9));
    (isStored ? acknowledged : unknown).push(...marks);
    await sleep(random.pick([0, 5, 30]));
  }
  if (token !== null) await report(job, "result", { result: 1 }, `${agent}-end`, "whole", true);
  return { isClaimed: token !== null, acknowledged, unknown };
}

interface Job {
  readonly world: FaultyWorld;
  readonly deadline: number;
  readonly token: string;
}

/** The token of the job; null if none could be claimed. */
async function claim(world: FaultyWorld, agent: string): Promise<string | null> {
  for (const started = Date.now(); Date.now() - started < CLAIM_MS; await sleep(50)) {
    const body = { waitMs: 2_000, leaseMs: LEASE_MS };
    const response = await post(world, `/agents/${agent}/claim`, body, {}, "whole");
    if (response?.status === 200)
      return (JSON.parse(response.text) as { jobToken: string }).jobToken;
  }
  return null;
}

/** False if it was refused, or given up without a certain answer. */
async function report(
  { world, deadline, token }: Job,
  what: string,
  body: object,
  key: string,
  first: Fate,
  retries: boolean,
): Promise<boolean> {
  const { figures } = world;
  const headers = { authorization: `Bearer ${token}`, "idempotency-key": `${key}-key` };
  for (let fate = first; ; fate = "whole") {
    const response = await post(world, `/jobs/${what}`, body, headers, fate);
    figures.count("operations", "executor");
    if (response !== null && response.status < 500) {
      figures.count("answers", response.status === 200 ? "ok" : `executor ${response.status}`);
      return response.status === 200;
    }
    if (!retries || Date.now() > deadline) {
      figures.count("answers", "unknown");
      return false;
    }
    await sleep(50);
  }
}

const post = (world: FaultyWorld, path: string, body: object, headers: object, fate: Fate) =>
  world.exchange(
    {
      method: "POST",
      path,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    },
    fate,
  );

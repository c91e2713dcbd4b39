/** A job from submit to result: an ARCP client follows it, and an executor reports over HTTP. */
import { Random } from "../../live/random.ts";
import type { History } from "../history.ts";
import type { Fate } from "../plan.ts";
import { Recorder } from "../recorder.ts";
import { sleep } from "../sleep.ts";
import { ArcpLine } from "./arcp-line.ts";
import type { FaultyWorld } from "./faulty-world.ts";
import { objectIdOf, type HttpResponse } from "./wire.ts";

const LIFE_MS = 60_000;
/** A claim whose answer was lost keeps the job for as long as its lease: then nobody ever reports on it. */
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
  const executor = new Executor(world, agent, random.fork(), deadline);
  const executing = executor.run().then((isClaimed) => {
    if (!isClaimed) line.giveUp();
    return isClaimed;
  });
  const isAccepted = await line.submit({ agent, idempotency_key: `${agent}-key` }, deadline);
  if (isAccepted) await line.receiveAll(deadline);
  const isClaimed = await executing;
  const { acknowledged, unknown } = executor;
  const { received, ending, connections } = line;
  const recorder = new Recorder(world.driver);
  // A claimed job has an end, and its client receives it.
  const target = ending === null && isClaimed ? Number.POSITIVE_INFINITY : 0;
  recorder.streams.push({ id: "ARCP", after: 0, events: [], target, connections });
  const stored = await world.stored(objectIdOf(line.sessionId));
  return recorder.history(line.sessionId, { ...stored, job: { acknowledged, unknown, received } });
}

/** Claims the job, reports in batches, each until it is answered or given up, and ends it. */
class Executor {
  readonly acknowledged: string[] = [];
  readonly unknown: string[] = [];
  readonly #world: FaultyWorld;
  readonly #agent: string;
  readonly #random: Random;
  readonly #deadline: number;
  #token = "";

  constructor(world: FaultyWorld, agent: string, random: Random, deadline: number) {
    this.#world = world;
    this.#agent = agent;
    this.#random = random;
    this.#deadline = deadline;
  }

  /** False if no job could be claimed. */
  async run(): Promise<boolean> {
    const random = this.#random;
    if (!(await this.#claim())) return false;
    const batches = random.between(15, 60);
    for (let batch = 0; batch < batches && Date.now() < this.#deadline; batch++) {
      const name = `${this.#agent}b${batch}`;
      const marks = Array.from({ length: random.between(1, 8) }, (_, n) => `${name}n${n}`);
      const events = marks.map((message) => ({ kind: "log", body: { level: "info", message } }));
      const fate = random.chance(0.2)
        ? random.pick<Fate>(["request lost", "cut off", "answer lost"])
        : "whole";
      const isKept = await this.#report("events", { events }, name, fate, random.chance(0.9));
      (isKept ? this.acknowledged : this.unknown).push(...marks);
      await sleep(random.pick([0, 5, 30]));
    }
    await this.#report("result", { result: 1 }, `${this.#agent}-end`, "whole", true);
    return true;
  }

  async #claim(): Promise<boolean> {
    for (const started = Date.now(); Date.now() - started < CLAIM_MS; ) {
      const body = { waitMs: 2_000, leaseMs: LEASE_MS };
      const response = await this.#post(`/agents/${this.#agent}/claim`, body, {}, "whole");
      if (response?.status === 200) {
        this.#token = (JSON.parse(response.text) as { jobToken: string }).jobToken;
        return true;
      }
      await sleep(50);
    }
    return false;
  }

  /** False if it was refused, or given up without a certain answer. */
  async #report(
    what: string,
    body: object,
    key: string,
    first: Fate,
    retries: boolean,
  ): Promise<boolean> {
    const { figures } = this.#world;
    const headers = { authorization: `Bearer ${this.#token}`, "idempotency-key": `${key}-key` };
    for (let fate = first; ; fate = "whole") {
      const response = await this.#post(`/jobs/${what}`, body, headers, fate);
      figures.count("operations", "executor");
      if (response !== null && response.status < 500) {
        figures.count("answers", response.status === 200 ? "ok" : `executor ${response.status}`);
        return response.status === 200;
      }
      if (!retries || Date.now() > this.#deadline) {
        figures.count("answers", "unknown");
        return false;
      }
      await sleep(50);
    }
  }

  #post(
    path: string,
    body: object,
    headers: Readonly<Record<string, string>>,
    fate: Fate,
  ): Promise<HttpResponse | null> {
    const all = { "content-type": "application/json", ...headers };
    const request = { method: "POST", path, headers: all, body: JSON.stringify(body) };
    return this.#world.exchange(request, fate);
  }
}

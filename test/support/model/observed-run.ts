/** Sessions with observers around them, and the laws about what these saw. */
import type { History } from "./history.ts";
import { check, checkRun } from "./laws.ts";
import type { Violation } from "./laws/law.ts";
import { FaultyWorld, type FaultyWorldOptions } from "./network/faulty-world.ts";
import { objectIdOf } from "./network/wire.ts";
import { createSteadyObservers } from "./observe/all.ts";
import type { Observations, Observer } from "./observer.ts";
import type { Plan } from "./plan.ts";
import { runPlan, type RunOptions } from "./run.ts";
import { sleep } from "./sleep.ts";

const RETRY_MS = 200;
/** Steady observers delay nothing. */
const STEADY_PATIENCE_MS = 2_000;

export async function startObserved(
  options: Pick<FaultyWorldOptions, "seed" | "bug">,
  observers: readonly Observer[],
): Promise<FaultyWorld> {
  const world = await FaultyWorld.start({
    ...options,
    vars: Object.assign({}, ...observers.map(({ vars = {} }) => vars)) as Record<string, string>,
    createHeaders: () => Object.assign({}, ...observers.map((one) => one.createHeaders?.())),
    createBody: () => Object.assign({}, ...observers.map((one) => one.createBody?.())),
  });
  const observed = {
    seed: options.seed,
    url: world.server.url,
    streamUrl: world.streamUrl,
    dataFolder: world.disk.folder,
    outages: world.outages,
    clockSetBack: world.clock.setBack,
    stored: (sessionId: string) => world.stored(objectIdOf(sessionId)),
  };
  try {
    for (const observer of observers) await observer.start(observed);
  } catch (error) {
    await world.stop();
    throw error;
  }
  return world;
}

export async function runObserved(
  { driver }: FaultyWorld,
  observers: readonly Observer[],
  plan: Plan,
  options: RunOptions,
): Promise<History | null> {
  let token = "";
  const history = await runPlan(driver, plan, {
    ...options,
    firstRequests: observers.flatMap((one) => one.firstRequests?.() ?? []),
    onEnded: (newest) => {
      token = newest;
      options.onEnded?.(newest);
    },
  });
  if (history === null) return null;
  for (const one of observers) await one.sessionEnded?.({ id: history.id, token, history });
  return history;
}

/** What a violation says names the session that it is about, or a child of it; some are about none. */
export const isAbout =
  ({ id, children }: History) =>
  ({ what }: Violation): boolean =>
    [id, ...children.map((child) => child.id)].some((one) => what.includes(one));

/**
 * Deliveries and lists are promised for later, so the laws are checked again while fewer and fewer
 * violations are left. One look at everything can take longer than the patience.
 */
export async function observedViolations(
  world: FaultyWorld,
  observers: readonly Observer[],
  run: {
    readonly sessions: readonly History[];
    readonly patienceMs: number;
    /** By default every violation counts. */
    readonly counts?: (violation: Violation) => boolean;
  },
): Promise<readonly Violation[]> {
  const { sessions, patienceMs, counts = () => true } = run;
  let fewest = Infinity;
  for (let deadline = 0; ; await sleep(RETRY_MS)) {
    for (const observer of observers) await observer.observe?.();
    const observations = observers.reduce<Observations>((all, one) => one.contribute(all), {});
    const violations = checkRun({ sessions, observations }).filter(counts);
    if (violations.length < fewest) {
      fewest = violations.length;
      deadline = Date.now() + patienceMs;
    }
    if (violations.length === 0 || Date.now() >= deadline) return violations;
    await world.runAlarms();
  }
}

/** One plan after another on a server of their own, with steady observers or with none. */
export class PlanServer {
  readonly #world: FaultyWorld;
  readonly #observers: readonly Observer[];
  readonly #seed: number;
  readonly #histories: History[] = [];
  #runs = 0;

  private constructor(world: FaultyWorld, observers: readonly Observer[], seed: number) {
    this.#world = world;
    this.#observers = observers;
    this.#seed = seed;
  }

  static async start(
    options: Pick<FaultyWorldOptions, "seed" | "bug">,
    isObserved: boolean,
  ): Promise<PlanServer> {
    const observers = isObserved ? await createSteadyObservers() : [];
    return new PlanServer(await startObserved(options, observers), observers, options.seed);
  }

  /** The violations are those of this session and around it, whatever ran before. */
  async run(
    plan: Plan,
  ): Promise<{ readonly history: History | null; readonly violations: readonly Violation[] }> {
    this.#runs += 1;
    const tag = `s${this.#seed}x${this.#runs}`;
    // The last look has set the clock ahead.
    await this.#world.strike("", { kind: "fault", fault: "clock", atMs: 0, amount: 0 });
    const history = await runObserved(this.#world, this.#observers, plan, { tag });
    if (history === null) return { history, violations: [] };
    this.#histories.push(history);
    const around = await observedViolations(this.#world, this.#observers, {
      sessions: this.#histories,
      patienceMs: STEADY_PATIENCE_MS,
      counts: isAbout(history),
    });
    return { history, violations: [...check(history), ...around] };
  }

  async stop(): Promise<void> {
    for (const observer of this.#observers) await observer.stop?.();
    await this.#world.stop();
  }
}

/** A run with faults: sessions side by side, a job, a schedule of faults, and every law at the end of each. */
import { Random } from "../live/random.ts";
import { drawLongPlan } from "./draw-long.ts";
import type { Figures } from "./figures.ts";
import type { History } from "./history.ts";
import { check } from "./laws.ts";
import type { Violation } from "./laws/law.ts";
import { scheduleFaults, type ScheduledFault } from "./network/faults.ts";
import type { FaultyWorld } from "./network/faulty-world.ts";
import { runJob } from "./network/job-run.ts";
import type { Observer } from "./observer.ts";
import type { FaultName, FaultStep, Plan } from "./plan.ts";
import { isAbout, observedViolations, runObserved, startObserved } from "./observed-run.ts";
import { sleep } from "./sleep.ts";

export interface FaultyRunOptions {
  readonly seed: number;
  readonly durationMs: number;
  readonly kills: number;
  /** Sessions side by side; one more is a job over ARCP. */
  readonly slots?: number;
  /** Mean time between faults other than kills. */
  readonly gapMs?: number;
  /** The faults that strike, besides kills; by default all. */
  readonly faults?: readonly FaultName[] | undefined;
  readonly bug?: string | undefined;
  readonly observers?: readonly Observer[];
  /** How long what observers wait for may take once the faults are over. */
  readonly observeMs?: number;
  readonly onProgress?: (figures: Figures, elapsedMs: number) => void;
  /** Stops as soon as this law is broken. */
  readonly stopsAtViolation?: string;
}

export interface FaultyRunReport {
  readonly figures: Figures;
  readonly elapsedMs: number;
  readonly disk: string;
  /** Different processes that were the runtime: one more than kills. */
  readonly runtimes: number;
  readonly failing: FailingPlan | null;
}

/** The plan of the first session that broke a law, or around which one was broken, with the faults during it. */
export interface FailingPlan {
  readonly plan: Plan;
  readonly law: string;
}

const SLOTS = 4;
const GAP_MS = 350;
const PROGRESS_MS = 1_000;
/** On a slow machine a restart takes long: what has piled up meanwhile must not delay the next kill. */
const LATE_MS = 2_000;
const TRIES = 20;
const RETRY_MS = 200;
/** How long what is promised for later may take once the faults are over. */
const OBSERVE_MS = 60_000;

export async function runWithFaults(options: FaultyRunOptions): Promise<FaultyRunReport> {
  const { seed, observers = [], bug } = options;
  const world = await startObserved({ seed, bug }, observers);
  try {
    return await new FaultyRun(world, options).run();
  } finally {
    await world.stop();
  }
}

const lifeOf = ({ plan }: FailingPlan): number => plan.settings.ttlMs;

class FaultyRun {
  readonly #world: FaultyWorld;
  readonly #options: FaultyRunOptions;
  readonly #started = Date.now();
  /** The session that lives in each slot now. */
  readonly #sessions: (string | null)[];
  readonly #struck: { readonly at: number; readonly fault: ScheduledFault }[] = [];
  readonly #histories: History[] = [];
  /** Of each session, with the faults that struck it. */
  readonly #plans = new Map<string, Plan>();
  #failing: FailingPlan | null = null;

  constructor(world: FaultyWorld, options: FaultyRunOptions) {
    this.#world = world;
    this.#options = options;
    this.#sessions = Array.from({ length: (options.slots ?? SLOTS) + 1 }, () => null);
  }

  async run(): Promise<FaultyRunReport> {
    const { seed, durationMs, kills, gapMs = GAP_MS, faults, onProgress } = this.#options;
    const { figures, server, disk } = this.#world;
    const random = new Random(seed);
    const slots = this.#sessions.length;
    const scheduled = scheduleFaults(random.fork(), durationMs, kills, slots, gapMs, faults);
    const timer = setInterval(() => onProgress?.(figures, Date.now() - this.#started), PROGRESS_MS);
    try {
      const seeds = this.#sessions.map(() => random.fork());
      const striking = this.#strikeAll(scheduled).then(async () => {
        const end = this.#started + durationMs;
        while (Date.now() < end && !this.#world.isOver()) await sleep(RETRY_MS);
        this.#world.end();
      });
      await Promise.all([striking, ...seeds.map((own, slot) => this.#fill(slot, own))]);
      await this.#checkRun(this.#options.observers ?? []);
    } finally {
      clearInterval(timer);
    }
    return {
      figures,
      elapsedMs: Date.now() - this.#started,
      disk: disk.kind,
      runtimes: server.pids.size,
      failing: this.#failing,
    };
  }

  /** One session after another, until the run is over. */
  async #fill(slot: number, random: Random): Promise<void> {
    const { observers = [] } = this.#options;
    const isJobSlot = slot === this.#sessions.length - 1;
    // A session that expires is among the first, so that a short run has one too.
    for (let isShort = slot === 0; !this.#world.isOver(); isShort = false) {
      const seed = random.between(0, 2 ** 31);
      const onCreated = (id: string): void => {
        this.#sessions[slot] = id;
      };
      const started = Date.now();
      const plan = isJobSlot ? null : drawLongPlan(new Random(seed), isShort);
      const history = await (plan === null
        ? runJob(this.#world, seed, onCreated)
        : runObserved(this.#world, observers, plan, {
            tag: `s${seed.toString(36)}`,
            onCreated: ({ id }) => onCreated(id),
            onEnded: () => {
              this.#sessions[slot] = null;
            },
          }));
      this.#sessions[slot] = null;
      if (history !== null) this.#judge(history, plan, slot, started);
    }
  }

  #judge(history: History, plan: Plan | null, slot: number, started: number): void {
    const { figures } = this.#world;
    const violations = check(history);
    figures.record(history, violations);
    this.#histories.push(history);
    if (plan !== null) {
      const steps = [...plan.steps, ...this.#faultsIn(slot, started)];
      this.#plans.set(history.id, { ...plan, steps });
    }
    const broken = this.#expectedIn(violations);
    const failing = this.#plans.get(history.id);
    if (broken === undefined) return;
    if (failing !== undefined) this.#failing ??= { plan: failing, law: broken.law };
    if (this.#options.stopsAtViolation !== undefined) this.#world.end();
  }

  #expectedIn(violations: readonly Violation[]): Violation | undefined {
    const { stopsAtViolation: law } = this.#options;
    return violations.find((one) => law === undefined || one.law === law);
  }

  /** The faults that struck a session, as steps of its own plan. */
  #faultsIn(slot: number, started: number): readonly FaultStep[] {
    const isShared = new Set(["kill", "stall", "clock", "disk full", "cut sockets"]);
    return this.#struck
      .filter(
        ({ at, fault }) => at >= started && (fault.slot === slot || isShared.has(fault.fault)),
      )
      .map(({ at, fault: { kind, fault, amount } }) => ({
        kind,
        fault,
        amount,
        atMs: at - started,
      }));
  }

  async #checkRun(observers: readonly Observer[]): Promise<void> {
    const { observeMs = OBSERVE_MS } = this.#options;
    const violations = await observedViolations(this.#world, observers, {
      sessions: this.#histories,
      patienceMs: observeMs,
    });
    this.#world.figures.found("the run", violations);
    const failing = this.#histories.flatMap((history): readonly FailingPlan[] => {
      const broken = this.#expectedIn(violations.filter(isAbout(history)));
      const plan = this.#plans.get(history.id);
      if (broken === undefined || plan === undefined) return [];
      return [{ plan: { ...plan, isObserved: true }, law: broken.law }];
    });
    // One that does not expire meanwhile shows it again most surely.
    this.#failing ??= failing.toSorted((one, other) => lifeOf(other) - lifeOf(one))[0] ?? null;
    for (const observer of observers) {
      await observer.stop?.();
      for (const [what, count] of Object.entries(observer.figures?.() ?? {})) {
        this.#world.figures.count("observed", what, count);
      }
    }
  }

  async #strikeAll(scheduled: readonly ScheduledFault[]): Promise<void> {
    for (const fault of scheduled) {
      const wait = this.#started + fault.atMs - Date.now();
      if (wait > 0) await sleep(wait);
      if (this.#world.isOver()) return;
      if (!fault.isNeeded && wait < -LATE_MS) continue;
      for (let tries = fault.isNeeded ? TRIES : 1; tries > 0; tries--) {
        const session = this.#sessions[fault.slot] ?? "";
        const isDone = await this.#world.strike(session, fault);
        if (isDone) this.#struck.push({ at: Date.now(), fault });
        if (isDone || tries === 1) break;
        await sleep(RETRY_MS);
      }
    }
  }
}

/** The sizes of a run: a full measurement, the regression check, or a trial that every part works. */
interface Plan {
  readonly rounds: number;
  readonly roundMs: number;
}

interface Sizes extends Plan {
  /** The number of starts of both servers. */
  readonly starts: number;
  readonly study: Plan;
  /** Events of the logs in the memory study. */
  readonly memory: readonly number[];
  readonly listeners: readonly number[];
  readonly announced: number;
  readonly growth: { readonly events: number; readonly sizes: readonly number[] };
  readonly many: { readonly sessions: number; readonly stretch: number; readonly limitMs: number };
  readonly restarts: number;
  /** Calls per batch in the allocations study. */
  readonly calls: number;
  /** Events of the longest replayed log. */
  readonly longest: number;
}

export const FULL: Sizes = {
  rounds: 6,
  starts: 3,
  roundMs: 800,
  study: { rounds: 4, roundMs: 700 },
  memory: [100, 10_000, 300_000],
  listeners: [1, 100, 1_000],
  announced: 30,
  growth: { events: 200_000, sizes: [20, 200, 1_000] },
  many: { sessions: 10_000, stretch: 1_000, limitMs: 240_000 },
  restarts: 3,
  calls: 200,
  longest: 200_000,
};

export const QUICK: Sizes = { ...FULL, rounds: 4, starts: 2, roundMs: 600 };

export const TRIAL: Sizes = {
  rounds: 1,
  starts: 1,
  roundMs: 50,
  study: { rounds: 1, roundMs: 50 },
  memory: [100],
  listeners: [1, 20],
  announced: 3,
  growth: { events: 1_000, sizes: [4, 8] },
  many: { sessions: 40, stretch: 20, limitMs: 60_000 },
  restarts: 1,
  calls: 5,
  longest: 10_000,
};

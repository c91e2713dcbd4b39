import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { play, type Tally } from "./interleaving/game";
import { HandlerDriver } from "./interleaving/handler-driver";
import { chainProblem } from "./interleaving/history";
import { OPERATIONS_PLAYED, planOf } from "./interleaving/plan";
import { drawn, scaled } from "../support/scale";

const REPLAYS = [
  "setFields again",
  "handoff again",
  "resume again",
  "append again",
  "reportStop again",
  "restore again",
  "fork again",
];
const REFUSALS = [
  "version_conflict",
  "precondition_failed",
  "token_superseded",
  "token_invalid",
  "scope_denied",
  "illegal_transition",
  "paused",
  "expired",
  "gone",
  "not_found",
  "replay_gap",
];

describe("the checker of histories", () => {
  it("passes a chain", () => {
    const moves = [
      { by: 1, base: 1, made: 3 },
      { by: 2, base: 3, made: 4 },
    ];
    expect(chainProblem(1, moves)).toBeNull();
  });

  it.each([
    [
      "two writes on one base",
      [
        [1, 3],
        [1, 4],
      ],
    ],
    [
      "a write on what never was",
      [
        [1, 3],
        [2, 4],
      ],
    ],
    ["a write on the future", [[5, 6]]],
    ["a write that makes no new version", [[1, 1]]],
    [
      "a write left out",
      [
        [1, 3],
        [4, 5],
      ],
    ],
  ] as const)("finds %s", (_, pairs) => {
    const moves = pairs.map(([base, made]) => ({ by: 1, base, made }));
    expect(chainProblem(1, moves)).not.toBeNull();
  });
});

describe("any interleaving of two to five participants", () => {
  // Shows V-1, V-6, V-7, E-2, Y-2.
  it("keeps versions a chain, the log dense, every write once and every refusal without a trace", async () => {
    await fc.assert(
      fc.asyncProperty(planOf(60), (plan) => play(new HandlerDriver(), plan, new Map())),
      drawn(scaled(60, 250)),
    );
  });

  it("meets every operation, every kind of refusal and every replay in such games", async () => {
    const tally: Tally = new Map();
    await fc.assert(
      fc.asyncProperty(planOf(60), (plan) => play(new HandlerDriver(), plan, tally)),
      // The same games each time: whether rare things happen in them must not be left to chance.
      { numRuns: 250, seed: 20261 },
    );
    const expected = [...OPERATIONS_PLAYED, "expiry", "resume.due", ...REPLAYS, ...REFUSALS];
    expect(expected.filter((what) => !tally.has(what))).toEqual([]);
  });
});

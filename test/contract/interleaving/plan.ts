/** Random games: who is there, what they try, and what the network does to it. */
import * as fc from "fast-check";
import type { Scope } from "../../../src/domain/participants/scope";
import type { PlayedCommand } from "./driver";

export type PlayedOperation = PlayedCommand["operation"];

export interface Step {
  readonly who: number;
  /** Go on, send an accepted request again or almost so, use a spent token, read, let time pass. */
  readonly move: "act" | "repeat" | "alter" | "stale" | "look" | "wait";
  readonly operation: PlayedOperation;
  readonly arg: number;
  readonly keyed: boolean;
  readonly condition: "none" | "looked" | "outdated";
  readonly fate: "answered" | "request lost" | "response lost";
}

export interface Plan {
  readonly review: { readonly required: boolean; readonly approvals: number };
  /** Scopes of the participants made at the start, beside the creator. */
  readonly hands: readonly (readonly Scope[])[];
  readonly steps: readonly Step[];
}

/** Most fields are free; one is private. */
export const SCHEMA = { properties: { secret: { "x-baton": { private: true } } } };

const WEIGHTS: Readonly<Record<PlayedOperation, number>> = {
  setFields: 24,
  append: 10,
  resume: 12,
  submit: 10,
  approve: 9,
  requestChanges: 6,
  requestInput: 5,
  reject: 9,
  finalize: 3,
  cancel: 1,
  handoff: 5,
  revokeHandoff: 2,
  revoke: 1,
  extend: 4,
  pause: 6,
  setLabels: 2,
  unpause: 3,
  erasePrivate: 4,
  reportStop: 5,
  checkpoint: 10,
  pinCheckpoint: 3,
  deleteCheckpoint: 2,
  restore: 8,
  trim: 8,
  fork: 4,
  purge: 1,
};

export const OPERATIONS_PLAYED = Object.keys(WEIGHTS) as PlayedOperation[];

export const GRANTS: readonly (readonly Scope[])[] = [
  ["fill"],
  ["own"],
  ["review"],
  ["own", "review"],
  ["append", "handoff"],
  ["view"],
];

const weighted = <T extends string>(weights: Readonly<Record<T, number>>): fc.Arbitrary<T> =>
  fc.oneof(
    ...(Object.entries(weights) as [T, number][]).map(([value, weight]) => ({
      arbitrary: fc.constant(value),
      weight,
    })),
  );

const step: fc.Arbitrary<Step> = fc.record({
  who: fc.nat(4),
  move: weighted({ act: 14, repeat: 3, alter: 1, stale: 2, look: 2, wait: 1 }),
  operation: weighted(WEIGHTS),
  arg: fc.nat(59),
  keyed: fc.boolean(),
  condition: weighted({ none: 6, looked: 4, outdated: 1 }),
  fate: weighted({ answered: 7, "request lost": 1, "response lost": 2 }),
});

export const planOf = (maxSteps: number): fc.Arbitrary<Plan> =>
  fc.record({
    review: fc.record({ required: fc.boolean(), approvals: fc.integer({ min: 1, max: 2 }) }),
    hands: fc.array(fc.constantFrom(...GRANTS), { minLength: 1, maxLength: 4 }),
    steps: fc.array(step, { minLength: maxSteps / 2, maxLength: maxSteps, size: "max" }),
  });

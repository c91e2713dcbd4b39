/** Moves of a game between the model and the rules, as fast-check generates and shrinks them. */
import * as fc from "fast-check";
import { expect } from "vitest";
import type { Scope } from "../../../../src/domain/participants/scope";
import { scopeFor, type Model } from "./model";
import type { PureSession } from "./pure-session";
import type { Asked, Request } from "./request";

export type Tally = Map<string, number>;
type Move = fc.Command<Model, PureSession>;

/** Compared as text first: nearly always they agree, and that is much faster to see. */
const agree = (model: Model, real: PureSession): void => {
  const [its, rules] = [model.standing(), real.standing()];
  if (JSON.stringify(its) !== JSON.stringify(rules)) expect(rules).toEqual(its);
};

interface Draw {
  readonly who: number;
  readonly asked: Asked;
  readonly age: number;
  readonly condition: "none" | "now" | "stale";
  readonly key: string | null;
}

/** A request by somebody, with its newest token or an older or a false one. */
class Ask implements Move {
  readonly #draw: Draw;
  readonly #tally: Tally;

  constructor(draw: Draw, tally: Tally) {
    this.#draw = draw;
    this.#tally = tally;
  }

  check = (): boolean => true;

  run(model: Model, real: PureSession): void {
    const { who, asked, age, condition, key } = this.#draw;
    const number = whoOf(model, who, asked.operation);
    const newest = (model.players.get(number)?.tokens ?? 1) - 1;
    const request: Request = {
      who: number,
      token: Math.max(0, newest - age),
      asked,
      key,
      ifMatch: condition === "none" ? null : model.version - (condition === "stale" ? 1 : 0),
    };
    const expected = model.ask(request);
    expect(real.ask(request, model.now), this.toString()).toBe(expected);
    const what = expected === "ok" ? asked.operation : expected;
    this.#tally.set(what, (this.#tally.get(what) ?? 0) + 1);
    // The same again at once: a write is replayed if it has a key, and otherwise judged anew.
    if (expected === "ok" && age === 0) {
      const again = model.ask(request);
      expect(real.ask(request, model.now), `${this.toString()} again`).toBe(again);
      this.#tally.set(`again: ${again}`, (this.#tally.get(`again: ${again}`) ?? 0) + 1);
    }
    agree(model, real);
  }

  toString = (): string => JSON.stringify(this.#draw);
}

/** What few may do is mostly tried by those who may, or no game would ever see it. */
function whoOf({ players }: Model, who: number, operation: string): number {
  const able = [...players].filter(([, { scopes }]) => scopes.has(scopeFor(operation)));
  const numbers = who % 3 === 0 || able.length === 0 ? [...players] : able;
  return numbers[who % numbers.length]?.[0] ?? 1;
}

class Wait implements Move {
  readonly #ms: number;
  readonly #isAlarm: boolean;
  readonly #tally: Tally;

  constructor(ms: number, isAlarm: boolean, tally: Tally) {
    this.#ms = ms;
    this.#isAlarm = isAlarm;
    this.#tally = tally;
  }

  check = (): boolean => true;

  run(model: Model, real: PureSession): void {
    model.now += this.#ms;
    if (this.#isAlarm) {
      model.alarm();
      real.alarm(model.now);
    }
    if (model.standing().state === "expired") this.#tally.set("expiry", 1);
    agree(model, real);
  }

  toString = (): string => `${this.#isAlarm ? "alarm after" : "wait"} ${this.#ms}`;
}

const SCOPES: readonly Scope[] = ["view", "append", "fill", "review", "handoff", "own"];
const plain = (...operations: readonly string[]): fc.Arbitrary<Asked> =>
  fc.constantFrom(...operations).map((operation) => ({ operation }) as Asked);

const asked: fc.Arbitrary<Asked> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      operation: fc.constant("setFields" as const),
      fields: fc.dictionary(
        fc.constantFrom("a", "b", "c"),
        fc.oneof({ weight: 12, arbitrary: fc.string({ maxLength: 3 }) }, fc.constantFrom(null, 7)),
        { minKeys: 1 },
      ),
      title: fc.option(fc.string({ maxLength: 3 }), { nil: undefined, freq: 1 }),
    }),
  },
  { weight: 5, arbitrary: plain("submit") },
  { weight: 6, arbitrary: plain("approve", "approve", "requestChanges") },
  { weight: 3, arbitrary: plain("requestInput", "pause", "unpause") },
  { weight: 2, arbitrary: plain("reject", "finalize", "finalize", "cancel") },
  {
    weight: 4,
    arbitrary: fc.boolean().map((auto) => ({ operation: "resume", auto }) as const),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      operation: fc.constant("handoff" as const),
      to: fc.constant("agent" as const),
      scopes: fc.uniqueArray(fc.constantFrom(...SCOPES), { minLength: 1, maxLength: 2 }),
      ttlMs: fc.option(fc.integer({ min: 1_000, max: 60_000 }), { nil: undefined, freq: 1 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .oneof(fc.integer({ min: 1, max: 6 }), fc.constant("others" as const))
      .map((target) => ({ operation: "revoke", target }) as const),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1_000, max: 100_000 })
      .map((ttlMs) => ({ operation: "extend", ttlMs }) as const),
  },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: 3 }).map((count) => ({
      operation: "append" as const,
      events: Array.from({ length: count }, () => ({ type: "agent.note", payload: {} })),
    })),
  },
);

const draw: fc.Arbitrary<Draw> = fc.record({
  who: fc.nat(11),
  asked,
  age: fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, fc.constantFrom(1, 2, -1)),
  condition: fc.constantFrom("none", "now", "now", "stale", "now"),
  key: fc.option(fc.constantFrom("k1", "k2"), { nil: null }),
});

export const movesOf = (tally: Tally, maxCommands: number): fc.Arbitrary<Iterable<Move>> =>
  fc.commands(
    [
      draw.map((one) => new Ask(one, tally)),
      draw.map((one) => new Ask(one, tally)),
      draw.map((one) => new Ask(one, tally)),
      draw.map((one) => new Ask(one, tally)),
      fc
        .tuple(fc.oneof(fc.nat(3_000), fc.nat(3_000), fc.nat(200_000)), fc.boolean())
        .map(([ms, isAlarm]) => new Wait(ms, isAlarm, tally)),
    ],
    { maxCommands, size: "max" },
  );

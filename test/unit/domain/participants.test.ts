import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withDescendants } from "../../../src/domain/participants/participant";

/** A family: each made by one before it. */
const family = fc.array(fc.nat(), { minLength: 1, maxLength: 12 }).map((makers) =>
  makers.map((maker, index) => ({
    number: index + 1,
    madeBy: index === 0 ? null : 1 + (maker % index),
  })),
);

describe("those who fall with a participant", () => {
  it("are it and everyone whose line of makers leads to it, in any order of rows", () => {
    fc.assert(
      fc.property(family, fc.nat(), (all, pick) => {
        const root = 1 + (pick % all.length);
        const ancestry = (number: number): readonly number[] => {
          const maker = all[number - 1]?.madeBy ?? null;
          return maker === null ? [number] : [number, ...ancestry(maker)];
        };
        const expected = all
          .map(({ number }) => number)
          .filter((number) => ancestry(number).includes(root));
        expect(withDescendants([root], all)).toEqual(expected);
        expect(withDescendants([root], all.toReversed())).toEqual(expected);
      }),
    );
  });

  it("are everyone for the creator and none for nobody", () => {
    const all = [
      { number: 1, madeBy: null },
      { number: 2, madeBy: 1 },
      { number: 3, madeBy: 2 },
    ];
    expect(withDescendants([1], all)).toEqual([1, 2, 3]);
    expect(withDescendants([], all)).toEqual([]);
  });
});

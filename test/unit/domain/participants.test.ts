import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { removeParticipants, withDescendants } from "../../../src/domain/participants/participant";
import { participantWith } from "./sample";

/** A tree: each participant was made by one before it. */
const participantTree = fc.array(fc.nat(), { minLength: 1, maxLength: 12 }).map((makers) =>
  makers.map((maker, index) => ({
    number: index + 1,
    madeBy: index === 0 ? null : 1 + (maker % index),
  })),
);

describe("the participants that are revoked with another", () => {
  it("are the participant and its descendants, in any order of rows", () => {
    fc.assert(
      fc.property(participantTree, fc.nat(), (all, pick) => {
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

  it("are all participants for the creator, and none for an empty list", () => {
    const all = [
      { number: 1, madeBy: null },
      { number: 2, madeBy: 1 },
      { number: 3, madeBy: 2 },
    ];
    expect(withDescendants([1], all)).toEqual([1, 2, 3]);
    expect(withDescendants([], all)).toEqual([]);
  });
});

describe("what is recorded about a participant that is removed from the row", () => {
  const ada = { issuer: "https://id.example", subject: "ada" };
  const bob = { issuer: "https://id.example", subject: "bob" };
  const owner = participantWith({ filled: true });
  const maker = participantWith({ number: 2, scopes: ["fill", "handoff"] });
  const reviewer = participantWith({ number: 4, madeBy: 2, scopes: ["review"] });

  it.each([
    ["it filled", true, [2]],
    ["one that it made filled and leaves too", false, [2, 3]],
    ["one that it made filled and stays", false, [2]],
  ])("is, with the participants it made, that %s", (_, filled, removed) => {
    const filler = participantWith({ number: 3, madeBy: 2, scopes: ["fill"], filled: !filled });
    const remaining = removeParticipants(removed, [owner, { ...maker, filled }, filler, reviewer]);
    expect(remaining.at(-1)).toMatchObject({ number: 4, filled: true });
  });

  it("is nothing with those that an owner made, or if no participant filled", () => {
    const second = { ...maker, scopes: owner.scopes, filled: true };
    for (const one of [second, maker]) {
      const remaining = removeParticipants([2], [owner, one, reviewer]);
      expect(remaining.at(-1)).toMatchObject({ number: 4, filled: false });
    }
  });

  it("is who filled with it, once, with its maker or with the oldest participant", () => {
    const first = { ...owner, filledAs: [ada] };
    const opened = { ...maker, filledAs: [ada, bob] };
    expect(removeParticipants([2], [first, opened, reviewer])).toEqual([
      { ...first, filledAs: [ada, bob] },
      reviewer,
    ]);
    const filledReviewer = { ...reviewer, filledAs: [bob] };
    expect(removeParticipants([4], [first, maker, filledReviewer])).toEqual([
      first,
      { ...maker, filledAs: [bob] },
    ]);
  });
});

/** The judge of `npm run stress:owners` finds each fault that is planted, and nothing where all is well. */
import { describe, expect, it } from "vitest";
import { changeProblems, listProblems, type Truth } from "../support/owner-chaos/judge.ts";

const row = (id: string, seq: number, state = "in_progress") => ({
  id,
  seq,
  title: "T",
  state,
  labels: { b: "2", a: "1" },
  expiresAt: "2026-11-17T00:00:00.000Z",
});
const living = (id: string): Truth => ({
  id,
  session: { ...row(id, 9), labels: { a: "1", b: "2" } },
  states: ["draft", "draft", "in_progress"],
});
const gone = (id: string): Truth => ({ id, session: null, states: [] });
const told = (number: number, id: string, seq: number, state?: string) => ({
  number,
  id,
  row: row(id, seq, state),
});
const removed = (number: number, id: string) => ({ number, id, row: null });

const TRUTHS = [living("one"), gone("two")];
const FRESH = [told(1, "one", 2, "draft"), told(3, "one", 4), removed(4, "two")];
const FOLLOWED = [
  told(1, "one", 2, "draft"),
  told(2, "two", 2),
  told(3, "one", 4),
  removed(4, "two"),
];

describe("the list", () => {
  it("agrees with the sessions", () => {
    expect(listProblems(TRUTHS, [row("one", 4)])).toEqual([]);
  });

  it.each([
    ["misses one", [], "one is not listed"],
    ["shows one that is gone", [row("one", 4), row("two", 2)], "two is listed and gone"],
    ["shows one twice", [row("one", 4), row("one", 4)], "the list shows a session twice"],
    ["is behind", [row("one", 2, "draft")], "one is listed with an old state"],
  ])("that %s is found", (_, listed, problem) => {
    expect(listProblems(TRUTHS, listed)).toEqual([problem]);
  });
});

describe("the changes", () => {
  it("come once and in order, and may hold more of what was purged", () => {
    expect(changeProblems(TRUTHS, FOLLOWED, FRESH)).toEqual([]);
  });

  it.each([
    ["miss one", [FOLLOWED[0], FOLLOWED[1], FOLLOWED[3]], "change 3 of one never came"],
    ["repeat one", [FOLLOWED[0], ...FOLLOWED], "change 1 came after 1"],
    ["swap two", [FOLLOWED[2], FOLLOWED[0], FOLLOWED[1], FOLLOWED[3]], "change 1 came after 3"],
    ["invent one", [...FOLLOWED, told(5, "one", 6)], "change 5 was invented"],
    [
      "do not say that one is gone",
      FOLLOWED.slice(0, 3),
      "that two is gone was not the last told of it",
    ],
  ])("that %s are found", (_, followed, problem) => {
    const found = changeProblems(TRUTHS, followed as typeof FOLLOWED, FRESH);
    expect(found).toContain(problem);
  });

  it("that skip a state are found", () => {
    const skipped = [told(3, "one", 4), removed(4, "two")];
    const found = changeProblems(TRUTHS, skipped, skipped);
    expect(found).toEqual(["one was told as in_progress, was draft,in_progress"]);
  });
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CREATOR_SCOPES,
  expandScopes,
  SCOPES,
  ungrantable,
} from "../../../src/domain/participants/scope";

const scopes = fc.subarray([...SCOPES]);

describe("scopes", () => {
  it.each([
    ["view", ["view"]],
    ["append", ["view", "append"]],
    ["fill", ["view", "append", "fill"]],
    ["review", ["view", "review"]],
    ["handoff", ["view", "handoff"]],
    ["own", ["view", "append", "fill", "handoff", "own"]],
  ] as const)("%s implies %j", (scope, implied) => {
    expect(expandScopes([scope])).toEqual(implied);
  });

  it("expand idempotently, never to fewer, and the same in any order", () => {
    fc.assert(
      fc.property(scopes, (given) => {
        const expanded = expandScopes(given);
        expect(expanded).toEqual(expect.arrayContaining(given));
        expect(expandScopes(expanded)).toEqual(expanded);
        expect(expandScopes(given.toReversed())).toEqual(expanded);
        expect(expanded.includes("review")).toBe(given.includes("review"));
      }),
    );
  });

  it("give the creator all but review", () => {
    expect(new Set(CREATOR_SCOPES)).toEqual(new Set(SCOPES.filter((scope) => scope !== "review")));
  });

  it("are never granted beyond one's own, except review by a participant that may hand off and filled nothing", () => {
    fc.assert(
      fc.property(scopes, scopes, fc.boolean(), (has, requested, filled) => {
        const giver = expandScopes(has);
        const refused = ungrantable({ scopes: giver, filled }, requested);
        const isOwner = giver.includes("own");
        const mayLetReview = giver.includes("handoff") && (!filled || isOwner);
        const given = giver.filter((scope) => scope !== "review" || !filled || isOwner);
        const grantable = new Set<string>(mayLetReview ? [...given, "review"] : given);
        expect(refused).toEqual(expandScopes(requested).filter((one) => !grantable.has(one)));
      }),
    );
  });
});

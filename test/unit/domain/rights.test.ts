import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isOutsideBinding,
  type Binding,
  type RequestOrigin,
} from "../../../src/domain/participants/binding";
import {
  rootOf,
  removeParticipants,
  type Participant,
} from "../../../src/domain/participants/participant";
import { approvalProblem, narrowGrant } from "../../../src/domain/participants/rights";
import { expandScopes, SCOPES } from "../../../src/domain/participants/scope";
import { participantWith } from "./sample";

const scopes = fc.subarray([...SCOPES]).map(expandScopes);
const end = fc.option(fc.integer({ min: 1, max: 9 }));
const network = fc.constantFrom("198.51.100.0/24", "198.51.100.7/32", "203.0.113.0/24", "::1/64");
const binding: fc.Arbitrary<Binding> = fc.record(
  { network, principal: fc.constantFrom("ada", "bob") },
  { requiredKeys: [] },
);
const origin: fc.Arbitrary<RequestOrigin> = fc.record({
  address: fc.constantFrom("198.51.100.7", "198.51.100.8", "203.0.113.1", "::1:2", null),
  principal: fc.constantFrom("ada", "bob", null),
});

describe("a participant that another one makes", () => {
  // Shows H-2.
  it("has no scope, later end or wider binding than its maker", () => {
    fc.assert(
      fc.property(
        fc.record({ scopes, expiresAt: end, filled: fc.boolean(), bind: binding }),
        fc.record({ scopes, expiresAt: end, bind: fc.option(binding) }),
        origin,
        (has, requested, from) => {
          const maker = participantWith(has);
          const granted = narrowGrant(maker, { ...requested, handoff: { to: "agent" } });
          if (!granted.ok) return;
          const { value } = granted;
          const isOwner = maker.scopes.includes("own");
          const mayLetReview = maker.scopes.includes("handoff") && (isOwner || !maker.filled);
          for (const scope of value.scopes) {
            const isOwn = maker.scopes.includes(scope) && (scope !== "review" || !maker.filled);
            expect(isOwn || isOwner || (scope === "review" && mayLetReview), scope).toBe(true);
          }
          expect(value.expiresAt ?? Infinity).toBeLessThanOrEqual(maker.expiresAt ?? Infinity);
          expect(value.expiresAt ?? Infinity).toBeLessThanOrEqual(requested.expiresAt ?? Infinity);
          // If the maker is refused, so is whoever it makes, unless an owner named the binding.
          const named = isOwner ? requested.bind : null;
          if (isOutsideBinding({ ...maker.bind, ...named }, from)) {
            expect(isOutsideBinding(value.bind, from)).toBe(true);
          }
          if (requested.bind !== null && isOutsideBinding(requested.bind, from)) {
            expect(isOutsideBinding(value.bind, from)).toBe(true);
          }
        },
      ),
    );
  });

  // Shows H-12.
  it("is refused if its binding lies outside the maker's, unless the maker owns the session", () => {
    const bind = { network: "198.51.100.0/24", principal: "ada" };
    const by = (makerScopes: readonly (typeof SCOPES)[number][], requestedBind: Binding | null) =>
      narrowGrant(participantWith({ scopes: makerScopes, bind }), {
        scopes: ["view"],
        expiresAt: null,
        bind: requestedBind,
        handoff: { to: "agent" },
      });
    const helper = expandScopes(["handoff"]);
    for (const other of [{ network: "203.0.113.0/24" }, { principal: "bob" }]) {
      expect(by(helper, other)).toMatchObject({ ok: false, error: { why: "bound_elsewhere" } });
      expect(by(expandScopes(["own"]), other)).toMatchObject({
        ok: true,
        value: { bind: { ...bind, ...other } },
      });
    }
    for (const [requestedBind, got] of [
      [null, bind],
      [{ network: "198.51.100.7" }, { ...bind, network: "198.51.100.7" }],
      [{ network: "198.51.0.0/16" }, bind],
    ] as const) {
      expect(by(helper, requestedBind)).toMatchObject({ ok: true, value: { bind: got } });
    }
  });
});

const one = (number: number, madeBy: number | null, own: boolean, filled = false) =>
  participantWith({
    number,
    madeBy,
    scopes: expandScopes(own ? ["own"] : ["fill", "handoff"]),
    filled,
  });
const denied = (rows: readonly Participant[]) =>
  rows.filter((each) => approvalProblem(each, rows) !== null).map(({ number }) => number);

describe("a chain of makers", () => {
  const all: readonly Participant[] = [
    one(1, null, true, true),
    one(2, 1, false),
    one(3, 2, false, true),
    one(4, 2, false),
    one(5, 1, false),
  ];

  it("starts below the owner of the session", () => {
    expect(all.map((each) => rootOf(each, all))).toEqual([1, 2, 2, 2, 5]);
  });

  // Shows W-8.
  it("cannot approve what one of its members filled, even after that member was removed from the row", () => {
    expect(denied(all)).toEqual([1, 2, 3, 4]);
    expect(denied(removeParticipants([3], all))).toEqual([1, 2, 4]);
    expect(denied(removeParticipants([3, 4], all))).toEqual([1, 2]);
    expect(removeParticipants([2, 3, 4], all)).toEqual([all[0], all[4]]);
  });
});

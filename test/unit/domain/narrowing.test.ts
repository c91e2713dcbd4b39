/** What a handoff narrows a participant to, and that nothing it makes is wider. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventNarrower } from "../../../src/domain/participants/narrowed-view";
import {
  canSeeField,
  canWriteField,
  narrowingOf,
  narrowingProblem,
  narrowTerms,
} from "../../../src/domain/participants/narrowing";
import { strictSchema } from "../../../src/domain/participants/narrowed-schema";
import type { Participant } from "../../../src/domain/participants/participant";
import { expandScopes } from "../../../src/domain/participants/scope";
import { participantWith, sessionWith } from "./sample";

const FIELDS = ["a", "b", "c"];
const TYPES = ["chat.request", "chat.chunk", "chat.tool.start", "log.line", "fields.updated"];
const PATTERNS = [...TYPES, "chat.*", "chat.tool.*", "log.*", "fields.*", "session.*"];

const named = <T>(from: readonly T[]) => fc.option(fc.subarray([...from]), { nil: undefined });
const terms = fc
  .record({
    ask: named(FIELDS),
    show: named(FIELDS),
    append: named(PATTERNS),
    read: named(PATTERNS),
  })
  .map(({ append, read, ...fields }) =>
    append === undefined && read === undefined ? fields : { ...fields, events: { append, read } },
  );

const session = sessionWith({ schema: null });
const makeWith = (maker: Participant, requested: object): Participant | null => {
  const granted = narrowTerms(maker, { to: "agent", ...requested });
  if (!granted.ok) return null;
  const scopes = expandScopes(["fill", "handoff"]);
  return participantWith({
    number: 3,
    scopes,
    ...(granted.value === undefined ? {} : { terms: granted.value }),
  });
};

const lineOf = (type: string): string =>
  JSON.stringify({
    seq: 1,
    type,
    payload: type === "fields.updated" ? { changes: FIELDS.map((field) => ({ field })) } : {},
  });

/** Everything that a participant may do and see, each as one word. */
function rightsOf(one: Participant): ReadonlySet<string> {
  const narrowing = narrowingOf(session, one);
  const narrow =
    narrowing === null ? (line: string) => line : eventNarrower(narrowing, one.number, []);
  const appends = (type: string) =>
    narrowingProblem(session, one, { operation: "append", appendedTypes: type }) === null;
  return new Set([
    ...FIELDS.filter((field) => canWriteField(narrowing, field)).map((field) => `write ${field}`),
    ...FIELDS.filter((field) => canSeeField(narrowing, field)).map((field) => `see ${field}`),
    ...TYPES.filter(appends).map((type) => `append ${type}`),
    ...TYPES.filter((type) => narrow(lineOf(type)) !== null).map((type) => `read ${type}`),
  ]);
}

describe("a participant that a narrowed one makes", () => {
  // Shows NA-13.
  it("has no field and no type of event that its maker does not have", () => {
    fc.assert(
      fc.property(terms, terms, terms, (first, second, third) => {
        const root = participantWith({ scopes: expandScopes(["own"]) });
        let maker = makeWith(root, first);
        for (const requested of [second, third]) {
          const made = maker === null ? null : makeWith(maker, requested);
          if (maker === null || made === null) return;
          const has = rightsOf(maker);
          for (const right of rightsOf(made)) expect(has).toContain(right);
          maker = made;
        }
      }),
      { numRuns: 2_000 },
    );
  });

  // Shows NA-13.
  it("has the same if nothing is named", () => {
    fc.assert(
      fc.property(terms, (first) => {
        const maker = makeWith(participantWith({ scopes: expandScopes(["own"]) }), first);
        const made = maker === null ? null : makeWith(maker, {});
        if (maker !== null && made !== null) expect(rightsOf(made)).toEqual(rightsOf(maker));
      }),
    );
  });
});

describe("the schema that a narrowed agent sees", () => {
  it("has its fields and the definitions they use, and nothing that leads elsewhere", () => {
    const schema = {
      description: "canary",
      properties: {
        a: { $ref: "#/$defs/list" },
        b: { description: "canary" },
        c: { $ref: "#/properties/b" },
      },
      $defs: {
        list: { type: "array", items: { $ref: "#/$defs/a~1b%20c" } },
        "a/b c": { type: "string" },
        other: { description: "canary" },
      },
      anyOf: [{ description: "canary" }],
    };
    expect(strictSchema(schema, ["a", "c"])).toEqual({
      type: "object",
      properties: { a: { $ref: "#/$defs/list" }, c: {} },
      $defs: { list: schema.$defs.list, "a/b c": { type: "string" } },
    });
    expect(strictSchema(null, ["a"])).toBeNull();
  });
});

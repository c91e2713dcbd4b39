import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apply, fold } from "../../../src/domain/log/apply";
import { numberEvents } from "../../../src/domain/log/commit";
import {
  encodeEvents,
  matchesTypes,
  seqInLine,
  splitEvents,
  typeInLine,
} from "../../../src/domain/log/event-line";
import type { NewEvent } from "../../../src/domain/log/event";
import { createCommit, NOW } from "./sample";

const ACTOR = { kind: "agent", id: 'quotes "and" \n lines' } as const;

const fieldName = fc.constantFrom("a", "b", "constructor", "näme");
const value = fc.oneof(fc.integer(), fc.string(), fc.constant([{ deep: true }]));
const fact: fc.Arbitrary<NewEvent> = fc.oneof(
  fc
    .dictionary(fieldName, fc.option(value, { nil: undefined }), {
      minKeys: 1,
      noNullPrototype: true,
    })
    .map((fields) => ({
      type: "fields.updated",
      payload: {
        changes: Object.entries(fields).map(([field, to]) =>
          to === undefined ? { field } : { field, to },
        ),
      },
      movesVersion: true as const,
      state: "in_progress" as const,
    })),
  fc.string().map((title) => ({
    type: "session.updated",
    payload: { title },
    movesVersion: true as const,
    state: "in_progress" as const,
  })),
  fc.constantFrom("session.paused", "session.unpaused").map((type) => ({ type, payload: {} })),
  fc.record({
    type: fc.constantFrom("agent.note", "a.b.c"),
    payload: fc.constantFrom({}, { type: "session.cancelled", text: '"type":"x.y"\n' }),
  }),
);
const commits = fc.array(fc.array(fact, { minLength: 1, maxLength: 4 }), { maxLength: 12 });

/** Numbers the facts, one commit at a time. */
function applyBatches(batches: readonly (readonly NewEvent[])[]) {
  const first = createCommit();
  const log = [...first.events];
  let { session } = first;
  for (const batch of batches) {
    const commit = numberEvents(
      session,
      log.length,
      batch,
      { actor: ACTOR, number: 1 },
      NOW + log.length,
    );
    expect([commit.first, commit.last]).toEqual([log.length + 1, log.length + batch.length]);
    log.push(...commit.events);
    ({ session } = commit);
  }
  return { log, session };
}

describe("numbering", () => {
  it("leaves no gap and no duplicate, and its session equals the fold of the log", () => {
    fc.assert(
      fc.property(commits, (batches) => {
        const { log, session } = applyBatches(batches);
        expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
        expect(fold(log)).toEqual(session);
      }),
    );
  });

  it("sets the version to the seq of the last event that changed something", () => {
    fc.assert(
      fc.property(commits, (batches) => {
        const moves = [
          ...createCommit().events.map(({ version, seq }) => version === seq),
          ...batches.flat().map((fact) => fact.movesVersion === true),
        ];
        const { log, session } = applyBatches(batches);
        expect(session.version).toBe(moves.lastIndexOf(true) + 1);
        expect(log.map(({ version, seq }) => version === seq)).toEqual(moves);
      }),
    );
  });

  it("refuses an empty commit", () => {
    expect(() =>
      numberEvents(createCommit().session, 2, [], { actor: ACTOR, number: 1 }, NOW),
    ).toThrow("at least one");
  });
});

describe("the fold", () => {
  it("can be cut anywhere: a prefix and then the rest gives the whole", () => {
    fc.assert(
      fc.property(commits, fc.nat(), (batches, at) => {
        const { log, session } = applyBatches(batches);
        const cut = 1 + (at % log.length);
        expect(log.slice(cut).reduce(apply, fold(log.slice(0, cut)))).toEqual(session);
      }),
    );
  });

  it("ignores events of clients, whatever they contain", () => {
    const { session } = createCommit();
    const [event] = numberEvents(
      session,
      2,
      [{ type: "own.paused", payload: {} }],
      { actor: ACTOR, number: 1 },
      NOW,
    ).events;
    if (event === undefined) throw new Error("one event was numbered");
    expect(apply(session, event)).toEqual(session);
  });

  it("needs a log from its first event on", () => {
    expect(() => fold([])).toThrow("session.created");
    expect(() => fold(createCommit().events.slice(1))).toThrow("session.created");
  });

  it("records who set a field, when and with what confidence, and removes this with the field", () => {
    const { session } = createCommit({ fields: { a: 1, b: 2 }, confidence: { a: 0.25 } });
    expect(session.fieldMeta["a"]).toEqual({
      actor: { kind: "agent", id: "agent" },
      at: new Date(NOW).toISOString(),
      confidence: 0.25,
    });
    expect(session.fieldMeta["b"]).not.toHaveProperty("confidence");
    const removal: NewEvent = {
      type: "fields.updated",
      payload: { changes: [{ field: "a", from: 1 }] },
      movesVersion: true,
      state: "in_progress",
    };
    const after = numberEvents(session, 3, [removal], { actor: ACTOR, number: 1 }, NOW).session;
    expect(after.fields).toEqual({ b: 2 });
    expect(Object.keys(after.fieldMeta)).toEqual(["b"]);
  });
});

describe("events as lines", () => {
  it("give their seq and type without being parsed, whatever the payload contains", () => {
    fc.assert(
      fc.property(commits, (batches) => {
        const { log } = applyBatches(batches);
        const lines = splitEvents(encodeEvents(log));
        expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(log)));
        expect(lines.map(seqInLine)).toEqual(log.map(({ seq }) => seq));
        expect(lines.map(typeInLine)).toEqual(log.map(({ type }) => type));
      }),
    );
  });

  it("match exact types and whole namespaces, and every type if none is given", () => {
    const [line = ""] = splitEvents(
      encodeEvents(applyBatches([[{ type: "a.b.c", payload: {} }]]).log),
    ).slice(-1);
    for (const types of [[], ["a.b.c"], ["a.*"], ["a.b.*"], ["x.y", "a.*"]]) {
      expect(matchesTypes(line, types), types.join()).toBe(true);
    }
    for (const types of [["a"], ["a.b"], ["*"], ["aa.*"], ["a.b.c.*"]]) {
      expect(matchesTypes(line, types), types.join()).toBe(false);
    }
  });
});

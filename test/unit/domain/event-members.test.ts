import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeEvents } from "../../../src/domain/log/event-line";
import type { LogEvent } from "../../../src/domain/log/event";
import { projectionOf, EVENT_MEMBERS } from "../../../src/domain/log/event-members";
import { withTrace } from "../../../src/domain/log/trace";

const TRACE = { traceId: "a".repeat(32), parentId: "b".repeat(16) };
/** Texts that look like the delimiters of members. */
const tricky = fc.oneof(
  fc.string(),
  fc.constantFrom('","state":"', '},"state":"x', ',"payload":{}', ',"type":"', "\n", "\\"),
);
const payload = fc.dictionary(
  tricky,
  fc.oneof(
    fc.jsonValue(),
    tricky,
    fc.constant({ trace: TRACE }),
    fc.constant(TRACE),
    fc.constant({ state: "x", version: 1, payload: {} }),
  ),
);
const event = fc.record({
  seq: fc.nat(),
  type: fc.constantFrom("agent.note", "session.created"),
  at: fc.constant("2026-01-01T00:00:00.000Z"),
  actor: fc.record(
    { kind: fc.constantFrom("agent", "human"), id: tricky, name: tricky },
    { requiredKeys: ["kind", "id"] },
  ),
  participant: fc.constantFrom("par_12", null),
  state: fc.constant("draft"),
  version: fc.nat(),
  payload,
}) as unknown as fc.Arbitrary<LogEvent>;

describe("members of events", () => {
  // Shows E-13.
  it("are cut out of the text as parsing would select them, whatever an event contains", () => {
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 1, maxLength: 4 }),
        fc.option(fc.constant(TRACE)),
        fc.subarray([...EVENT_MEMBERS]),
        (events, trace, members) => {
          const lines = withTrace(encodeEvents(events), trace);
          const cut = (projectionOf(members)?.(lines) ?? "").split("\n");
          const picked = lines.split("\n").map((line) => {
            const whole = JSON.parse(line) as Record<string, unknown>;
            const selected = EVENT_MEMBERS.filter(
              (name) => (name === "seq" || members.includes(name)) && name in whole,
            );
            return JSON.stringify(Object.fromEntries(selected.map((name) => [name, whole[name]])));
          });
          // Parsed again, because an object lists integer keys first.
          expect(cut.map((line) => JSON.parse(line))).toEqual(
            picked.map((line) => JSON.parse(line)),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it("are all returned if none are named", () => {
    expect(projectionOf(undefined)).toBeNull();
  });
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeEvents } from "../../src/domain/log/event-line";
import type { LogEvent } from "../../src/domain/log/event";
import type { JsonObject } from "../../src/domain/json";
import { frameEvents } from "../../src/http/live-events";

const payload = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue(), {
  noNullPrototype: true,
});
const event = fc
  .record({
    seq: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.maxSafeNat()),
    type: fc.oneof(fc.constantFrom("a.b", "session.created"), fc.constant(`a.${"x".repeat(126)}`)),
    payload,
  })
  .map(
    ({ seq, type, payload }): LogEvent => ({
      seq,
      type,
      at: "2026-01-01T00:00:00.000Z",
      actor: { kind: "agent", id: "a" },
      participant: "par_1",
      state: "draft",
      version: 1,
      payload: payload as JsonObject,
    }),
  );

describe("a page of events as server-sent events", () => {
  it("contains the number, type and line of each, whatever their content", () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 30 }), (events) => {
        const lines = encodeEvents(events);
        const expected = lines
          .split("\n")
          .map((line, index) => {
            const { seq, type } = events[index] as LogEvent;
            return `id: ${seq}\nevent: ${type}\ndata: ${line}\n\n`;
          })
          .join("");
        expect([...frameEvents([lines])].join("")).toBe(expected);
      }),
    );
  });
});

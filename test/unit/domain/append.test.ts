import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeBatch, numberBatch } from "../../../src/domain/log/append";
import { SERVER_NAMESPACES } from "../../../src/domain/log/event";
import { numberEvents } from "../../../src/domain/log/commit";
import { encodeEvents } from "../../../src/domain/log/event-line";
import type { JsonObject } from "../../../src/domain/json";
import type { Session } from "../../../src/domain/session/session";

const payload = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue(), {
  noNullPrototype: true,
});
const event = fc.record({
  type: fc
    .stringMatching(/^[a-z][a-z_-]{0,9}\.[A-Za-z0-9_-]{1,9}$/)
    .filter(
      (type) =>
        !/^(session|fields|review|upload|handoff|token|job|checkpoint|stop|resume|replay)\./.test(
          type,
        ),
    ),
  payload,
});

describe("appended events", () => {
  it("have the same text in the log as events that were numbered one by one", () => {
    const session = { state: "in_progress", version: 7, automation: {} } as Session;
    const actor = { kind: "agent", id: 'a "quoted" one', name: "Ünï\n" } as const;
    const now = Date.UTC(2026, 0, 2);
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 1, maxLength: 20 }),
        fc.nat(),
        fc.option(fc.nat()),
        (events, head, number) => {
          const given = events as { type: string; payload: JsonObject }[];
          const batch = encodeBatch(given);
          expect(batch.problem).toBeNull();
          const at = new Date(now).toISOString();
          expect(numberBatch(batch, session, head, { actor, number }, at)).toBe(
            encodeEvents(numberEvents(session, head, given, { actor, number }, now).events),
          );
        },
      ),
    );
  });

  it("are all refused if one is wrong, with the index of the first", () => {
    const good = { type: "a.b", payload: {} };
    const refused = (type: string) => encodeBatch([good, { type, payload: {} }, good]);
    expect(refused("job.x")).toMatchObject({
      count: 0,
      payloads: "",
      problem: { code: "invalid_request", at: "events[1].type" },
    });
    expect(refused("nodot").problem).toMatchObject({ at: "events[1].type" });
  });

  // Shows E-4.
  it("are refused in every namespace of the server, in upper and lower case", () => {
    const reserved =
      "session fields review upload handoff token job checkpoint stop resume owner endpoint notice wait proof private lease once message replay";
    expect([...SERVER_NAMESPACES]).toEqual(reserved.split(" "));
    for (const name of SERVER_NAMESPACES) {
      for (const type of [`${name}.x`, `${name.toUpperCase()}.x.y`]) {
        expect(encodeBatch([{ type, payload: {} }]).problem, type).toMatchObject({
          code: "invalid_request",
        });
      }
      expect(encodeBatch([{ type: `${name}s.x`, payload: {} }]).problem, name).toBeNull();
    }
  });
});

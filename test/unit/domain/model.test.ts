import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS } from "../../../src/domain/settings";
import { movesOf, type Tally } from "./model/commands";
import { Model } from "./model/model";
import { PureSession } from "./model/pure-session";

/** BATON_MODEL_RUNS=20000 plays longer. */
const RUNS = Number(process.env["BATON_MODEL_RUNS"] ?? 400);
const START = Date.UTC(2030, 0, 1);
const MOVES = 60;
const SCHEMA = { type: "object", properties: { a: { type: "string" } } };

const options = fc.record({
  needed: fc.integer({ min: 0, max: 2 }),
  isRequired: fc.boolean(),
  ttlMs: fc.integer({ min: 1_000, max: 400_000 }),
});

const play = (tally: Tally) =>
  fc.property(options, movesOf(tally, MOVES), ({ needed, isRequired, ttlMs }, moves) => {
    const { retentionMs } = DEFAULT_SETTINGS;
    const required = isRequired ? "a" : null;
    const values = { b: { type: "string" }, c: { type: "string" } };
    const schema = {
      ...SCHEMA,
      properties: { ...SCHEMA.properties, ...values },
      required: isRequired ? ["a"] : [],
    };
    const review = needed === 0 ? {} : { review: { required: true, approvals: needed } };
    const real = new PureSession({ schema, ttlMs, ...review }, START);
    const model = new Model({ needed, required, ttlMs, retentionMs }, START);
    fc.modelRun(() => ({ model, real }), moves);
    expect(real.log.map(({ seq }) => seq)).toEqual(real.log.map((_, index) => index + 1));
    expect(real.folded()).toEqual(real.session);
  });

const EXPECTED = `
  setFields, requestInput, submit, approve, reject, requestChanges
  finalize, cancel, pause, unpause, extend, resume
  handoff, revoke, append, again: replay, again: token_superseded, again: ok
  expiry, token_invalid, expired, token_superseded, scope_denied, paused
  precondition_failed, version_conflict, illegal_transition, missing_fields, invalid_fields, not_found
  invalid_request`
  .split(/[,\n]/)
  .map((word) => word.trim())
  .filter((word) => word !== "");

describe("the rules, against a simple model of them", () => {
  it("say the same to every request and come to the same state", () => {
    fc.assert(play(new Map()), { numRuns: RUNS });
  }, 600_000);

  it("are asked everything, and refuse for every reason, in such games", () => {
    const tally: Tally = new Map();
    // The same games each time: whether rare things happen in them must not be left to chance.
    fc.assert(play(tally), { numRuns: 300, seed: 20262 });
    const missing = EXPECTED.filter((what) => !tally.has(what));
    expect(missing).toEqual([]);
  }, 600_000);
});

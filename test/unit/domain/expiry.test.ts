import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  dueTask,
  isExpired,
  isParticipantExpired,
  isPurgeable,
  nextDueAt,
  purgeAt,
} from "../../../src/domain/session/expiry";
import { STATES, type State } from "../../../src/domain/session/state";
import { sessionWith } from "./sample";

const ENDED: ReadonlySet<State> = new Set(["finalized", "rejected", "cancelled"]);
const RETENTION_MS = 100;
const EXPIRES_AT = 1_000;

const times = (state: State) =>
  sessionWith({
    state,
    expiresAt: EXPIRES_AT,
    endedAt: ENDED.has(state) ? 500 : null,
    retentionMs: RETENTION_MS,
  });

describe.each(STATES)("a session that is %s", (state) => {
  const session = times(state);
  const hasEnded = ENDED.has(state);

  it(`${hasEnded ? "never expires" : "expires exactly when its time is up"}`, () => {
    // A recorded expiry is permanent, even if a clock is behind.
    expect(isExpired(session, EXPIRES_AT - 1)).toBe(state === "expired");
    expect(isExpired(session, EXPIRES_AT)).toBe(!hasEnded);
    expect(isExpired(session, Number.MAX_SAFE_INTEGER)).toBe(!hasEnded);
  });

  it("is purged after its end plus retention", () => {
    const end = hasEnded ? 500 : EXPIRES_AT;
    expect(purgeAt(session)).toBe(end + RETENTION_MS);
    expect(isPurgeable(session, end + RETENTION_MS - 1)).toBe(false);
    expect(isPurgeable(session, end + RETENTION_MS)).toBe(true);
  });

  it("has a task due at the time of its next alarm, and none before", () => {
    const due = nextDueAt(session);
    expect(dueTask(session, due - 1)).toBeNull();
    expect(dueTask(session, due)).not.toBeNull();
  });

  it("has at most one task due at any time, and purging comes last", () => {
    fc.assert(
      fc.property(fc.nat(2_000), (now) => {
        const due = dueTask(session, now);
        if (isPurgeable(session, now)) expect(due).toBe("purge");
        else {
          const isUnrecorded = isExpired(session, now) && state !== "expired";
          expect(due).toBe(isUnrecorded ? "record_expiry" : null);
        }
      }),
    );
  });
});

describe("a participant", () => {
  it("expires exactly when its time is up, or never", () => {
    expect(isParticipantExpired({ expiresAt: 10 }, 9)).toBe(false);
    expect(isParticipantExpired({ expiresAt: 10 }, 10)).toBe(true);
    expect(isParticipantExpired({ expiresAt: null }, Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});

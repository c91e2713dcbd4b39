/** How connections end after a refusal: the code says which side is at fault. */
import { describe, expect, it } from "vitest";
import { closingCode as arcpClosingCode, payloadOf } from "../../src/arcp/errors";
import type { Failure } from "../../src/domain/failure";
import { closingCode } from "../../src/http/socket";

const TRIMMED = { floor: 5, checkpoint: 1 } as never;
const NOT_CONFIGURED: Failure = { code: "not_configured", setting: "OWNERS", detail: "not JSON" };
const QUOTA: Failure = { code: "quota_exceeded", quota: "sessions", used: 2, allowed: 2 };

describe("a refused socket", () => {
  it.each<[Failure, number]>([
    [{ code: "invalid_request", detail: "" }, 4400],
    [{ code: "too_large", what: "a message", limit: 1 }, 4400],
    [{ code: "scope_denied", needed: "view", why: "token_lacks" }, 4403],
    [QUOTA, 4403],
    [{ code: "token_superseded" }, 4409],
    [{ code: "gone" }, 4411],
    [{ code: "replay_gap", trimmed: TRIMMED }, 4422],
    [{ code: "illegal_transition", from: "finalized", operation: "live", allowed: [] }, 4422],
    [NOT_CONFIGURED, 1011],
    [{ code: "busy", retryAfterMs: 1 }, 1012],
    [{ code: "overloaded", retryAfterMs: 1 }, 1012],
  ])("closes for %j with %i", (failure, code) => {
    expect(closingCode(failure)).toBe(code);
  });
});

describe("a refusal in ARCP", () => {
  it.each<[Failure, string, boolean, number]>([
    [NOT_CONFIGURED, "INTERNAL_ERROR", true, 1012],
    [QUOTA, "PERMISSION_DENIED", false, 4403],
    [{ code: "invalid_request", detail: "" }, "INVALID_REQUEST", false, 4400],
  ])("for %j is the error %s", (failure, code, retryable, closing) => {
    const payload = payloadOf(failure);
    expect(payload).toMatchObject({ code, retryable });
    expect(arcpClosingCode(payload)).toBe(closing);
  });
});

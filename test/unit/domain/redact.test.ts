/** What looks like a secret is left out; ids and words stay. */
import { describe, expect, it } from "vitest";
import { codeFromBytes } from "../../../src/domain/links/link-code";
import { redact, redactValue } from "../../../src/domain/redact";

const BODY = "AbCdEf0123456789_-AbCdEf0123456789_-AbCdEf01";

describe("a redacted text", () => {
  it.each(["rtok_", "jtok_", "bkey_", "hck_", "whsec_"])("leaves out what follows %s", (prefix) => {
    expect(redact(`"${prefix}${BODY}" is no name`)).toBe(`"${prefix}…" is no name`);
  });

  it("leaves out links' codes and JSON Web Tokens", () => {
    const code = codeFromBytes(new Uint8Array([1, 35, 69, 103, 137, 171, 205, 239]));
    expect(redact(`there is no ${code}.`)).toBe("there is no ….");
    expect(redact(code.replaceAll("-", "").toLowerCase())).toBe("…");
    expect(redact(`eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln`)).toBe("eyJ…");
  });

  it.each([
    "Send `Authorization: Bearer rtok_…`, or put the token in place of the session id.",
    "ses_MuCplyf_Nn5ocuZeH6vVv8GgkL7NQmBv_M-uCVZwoSA",
    "job_Y34tV8Y9uTsBAZ5DUAjU9yElnT2v2w5G8xvJ7lW6OrEAAAAB",
    "550e8400-e29b-41d4-a716-446655440000",
    "international considerations of authorization",
    "2026-01-31T12:00:00Z",
    "1234567890123",
  ])("keeps %s unchanged", (text) => {
    expect(redact(text)).toBe(text);
  });

  it("is redacted in all parts of a value, including names", () => {
    const value = { at: `rtok_${BODY}`, list: [{ [`bkey_${BODY}`]: 1 }], number: 2, none: null };
    expect(redactValue(value)).toEqual({
      at: "rtok_…",
      list: [{ "bkey_…": 1 }],
      number: 2,
      none: null,
    });
  });
});

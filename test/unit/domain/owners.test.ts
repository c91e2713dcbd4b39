import { describe, expect, it } from "vitest";
import { isKey, parseOwners } from "../../../src/domain/owners/owners.ts";

const HASH = "a".repeat(64);
const key = (more: object = {}) => ({ name: "ci", keyHash: HASH, rights: ["create"], ...more });
const owner = (more: object = {}) => ({ name: "acme", keys: [key()], ...more });
const read = (...owners: readonly unknown[]) => parseOwners(JSON.stringify(owners));

describe("the setting OWNERS", () => {
  it("is read with rights, expiry times and quotas", () => {
    const keys = [
      key({ keyHash: HASH.toUpperCase(), expiresAt: "2027-01-01T00:00:00Z" }),
      key({ name: "later", keyHash: "b".repeat(64), rights: [] }),
    ];
    expect(read(owner({ keys, quotas: { openSessions: 5 } }))).toEqual({
      ok: true,
      value: [
        {
          name: "acme",
          keys: [
            { name: "ci", keyHash: HASH, rights: ["create"], expiresAt: Date.UTC(2027, 0, 1) },
            { name: "later", keyHash: "b".repeat(64), rights: [], expiresAt: null },
          ],
          quotas: { openSessions: 5, createsPerMinute: null },
        },
      ],
    });
    expect(parseOwners("[]")).toEqual({ ok: true, value: [] });
  });

  it.each([
    ["{", "OWNERS is not valid JSON."],
    ["{}", "OWNERS must be a JSON list of owners."],
  ])("(%s) that is not a list is refused", (text, sentence) => {
    expect(parseOwners(text)).toEqual({ ok: false, error: sentence });
  });

  it.each([
    ["no object", "acme", "OWNERS[0] must be an object"],
    ["no name", owner({ name: "" }), "OWNERS[0].name"],
    ["a name with a space", owner({ name: "a b" }), "OWNERS[0].name"],
    ["a name of 65 characters", owner({ name: "a".repeat(65) }), "OWNERS[0].name"],
    ["no keys", owner({ keys: undefined }), "OWNERS[0].keys must be"],
    ["a key without a name", owner({ keys: [key({ name: 1 })] }), "OWNERS[0].keys[0].name"],
    ["a short hash", owner({ keys: [key({ keyHash: "00" })] }), "OWNERS[0].keys[0].keyHash"],
    ["no rights", owner({ keys: [key({ rights: undefined })] }), "OWNERS[0].keys[0].rights"],
    ["a wrong right", owner({ keys: [key({ rights: ["own"] })] }), "OWNERS[0].keys[0].rights"],
    ["a wrong end", owner({ keys: [key({ expiresAt: "soon" })] }), "OWNERS[0].keys[0].expiresAt"],
    ["a misspelled member", owner({ keys: [key({ expires: 1 })] }), "OWNERS[0].keys[0] may have"],
    ["a wrong quota", owner({ quotas: { openSessions: -1 } }), "OWNERS[0].quotas.openSessions"],
    ["a misspelled quota", owner({ quotas: { sessions: 1 } }), "OWNERS[0].quotas may have"],
    ["two keys of a name", owner({ keys: [key(), key()] }), "OWNERS[0].keys[1].name"],
  ])("with %s is refused with the path", (_, entry, path) => {
    const result = read(entry);
    expect(result.ok ? "" : result.error).toContain(path);
    expect(JSON.stringify(result)).not.toContain(HASH);
  });

  it("accepts names of up to 64 characters", () => {
    expect(read(owner({ name: "a".repeat(64) })).ok).toBe(true);
  });

  it("refuses a repeated owner or key", () => {
    expect(read(owner(), owner({ keys: [] }))).toMatchObject({ ok: false });
    expect(read(owner(), owner({ name: "other" }))).toMatchObject({ ok: false });
  });
});

it("a key is bkey_ and 43 characters", () => {
  expect(isKey(`bkey_${"a".repeat(43)}`)).toBe(true);
  for (const text of [`bkey_${"a".repeat(42)}`, `bkey_${"a".repeat(44)}`, "a".repeat(48)]) {
    expect(isKey(text)).toBe(false);
  }
});

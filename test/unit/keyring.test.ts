import { createPublicKey, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  generateKey,
  keyringOf,
  openUnder,
  parseKeys,
  publicKeys,
  sealUnder,
  signWith,
  type Keyring,
} from "../../src/gateway/keyring";

const KEY = generateKey("one");
const parsed = (...keys: readonly object[]) => parseKeys("SIGNING_KEYS", JSON.stringify(keys));
const bytesOf = (text: string) => new TextEncoder().encode(text);

function parsedKeyring(...keys: readonly object[]): Keyring {
  const keyring = parsed(...keys);
  if (!keyring.ok) throw new Error(keyring.error);
  return keyring.value;
}

/** Verifies as a receiver does, with the published half of the named key. */
async function isSignedBy(
  keyring: Keyring,
  keyId: string,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const found = (await publicKeys(keyring)).find(({ kid }) => kid === keyId);
  if (found === undefined) return false;
  const jwk: JsonWebKey = { ...found };
  const key = await crypto.subtle.importKey("jwk", jwk, "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, new Uint8Array(signature), new Uint8Array(message));
}

describe("a list of keys", () => {
  it.each([
    ["is not JSON", "{", "is not valid JSON"],
    ["is no list", "{}", "must be a list of keys"],
    ["is empty", "[]", "must be a list of keys"],
    ["holds null", "[null]", "entry 1 needs an id"],
    ["has no id", JSON.stringify([{ key: KEY.key }]), "entry 1 needs an id"],
    ["has an id with a space", JSON.stringify([{ ...KEY, id: "a b" }]), "entry 1 needs an id"],
    ["has an id of 65", JSON.stringify([{ ...KEY, id: "a".repeat(65) }]), "entry 1 needs an id"],
    ["names an id twice", JSON.stringify([KEY, KEY]), "names the id one twice"],
    ["has a short key", JSON.stringify([{ id: "a", key: "AAAA" }]), "key a is not 32 bytes"],
    ["has padding", JSON.stringify([{ id: "a", key: `${KEY.key}=` }]), "key a is not 32 bytes"],
    ["has no key", JSON.stringify([{ id: "a" }]), "key a is not 32 bytes"],
    [
      "has 17 keys",
      JSON.stringify(Array.from({ length: 17 }, (_, n) => generateKey(`${n}`))),
      "has more than 16 keys",
    ],
  ])("that %s is refused with a message that says what to write", (_what, text, expected) => {
    const keyring = parseKeys("SEALING_KEYS", text);
    expect(keyring).toEqual({
      ok: false,
      error: expect.stringContaining(`SEALING_KEYS ${expected}`),
    });
    expect(keyring.ok ? "" : keyring.error).toContain('[{"id": "2026-11"');
    expect(keyring.ok ? "" : keyring.error).not.toContain(KEY.key);
  });

  it("may hold 16 keys with ids of 64 characters", () => {
    const keys = Array.from({ length: 16 }, (_, n) => generateKey(`${n}`.padEnd(64, "x")));
    expect(parsed(...keys)).toMatchObject({ ok: true, value: { length: 16 } });
  });

  it("that is missing or wrong is reported as not configured, with the setting's name", () => {
    expect(keyringOf({}, "SEALING_KEYS")).toEqual({
      ok: false,
      error: {
        code: "not_configured",
        setting: "SEALING_KEYS",
        detail: "SEALING_KEYS is not set.",
      },
    });
    expect(keyringOf({ SIGNING_KEYS: "[" }, "SIGNING_KEYS")).toMatchObject({
      ok: false,
      error: {
        code: "not_configured",
        detail: expect.stringContaining("not valid JSON") as string,
      },
    });
    expect(keyringOf({ SIGNING_KEYS: JSON.stringify([KEY]) }, "SIGNING_KEYS").ok).toBe(true);
  });
});

describe("sealed data", () => {
  it("opens with the key that sealed it, wherever that key is in the list", async () => {
    const sealed = await sealUnder(parsedKeyring(KEY), "url:end_1", bytesOf("https://a.example"));
    const rotated = parsedKeyring(generateKey("two"), KEY);
    expect(await openUnder(rotated, "url:end_1", sealed)).toEqual(bytesOf("https://a.example"));
    expect(await sealUnder(rotated, "url:end_1", bytesOf("a"))).toMatchObject({ 1: 3 });
  });

  it("opens neither for another purpose, nor altered, nor after its key was removed", async () => {
    const keyring = parsedKeyring(KEY);
    const sealed = await sealUnder(keyring, "url:end_1", bytesOf("a"));
    expect(await openUnder(keyring, "url:end_2", sealed)).toBeNull();
    expect(await openUnder(parsedKeyring(generateKey("two")), "url:end_1", sealed)).toBeNull();
    expect(await openUnder(parsedKeyring(generateKey("one")), "url:end_1", sealed)).toBeNull();
    for (const at of sealed.keys()) {
      const altered = sealed.with(at, (sealed[at] ?? 0) ^ 1);
      expect(await openUnder(keyring, "url:end_1", altered), `byte ${at}`).toBeNull();
      expect(await openUnder(keyring, "url:end_1", sealed.slice(0, at))).toBeNull();
    }
  });
});

describe("signed data", () => {
  it("can be verified with the public key, as a JWK", async () => {
    const keyring = parsedKeyring(KEY, generateKey("older"));
    const { keyId, signature } = await signWith(keyring, bytesOf("a head"));
    const keys = await publicKeys(keyring);
    expect(keyId).toBe("one");
    expect(keys.map(({ kid }) => kid)).toEqual(["one", "older"]);
    expect(JSON.stringify(keys)).not.toContain(KEY.key);
    expect(keys[0]).toEqual({
      kty: "OKP",
      crv: "Ed25519",
      alg: "EdDSA",
      use: "sig",
      kid: "one",
      x: expect.stringMatching(/^[\w-]{43}$/) as string,
    });
    const key = createPublicKey({ key: { ...keys[0] }, format: "jwk" });
    expect(verify(null, bytesOf("a head"), key, signature)).toBe(true);
    expect(verify(null, bytesOf("A head"), key, signature)).toBe(false);
  });

  it("is verified by its own keyring, only under the right key's id", async () => {
    const keyring = parsedKeyring(KEY, generateKey("older"));
    const message = bytesOf("a head");
    const { signature } = await signWith(keyring, message);
    expect(await isSignedBy(keyring, "one", message, signature)).toBe(true);
    expect(await isSignedBy(keyring, "older", message, signature)).toBe(false);
    expect(await isSignedBy(keyring, "other", message, signature)).toBe(false);
    expect(await isSignedBy(keyring, "one", bytesOf("another"), signature)).toBe(false);
  });
});

/**
 * Both schemes of Standard Webhooks against signatures that others have published. No release of the
 * packages `standardwebhooks` and `svix` knows `v1a`, so its reference is the signature in the
 * specification: the tests of the Svix server make it from the key, id, time and body below. `v1` is
 * the example of the tests of `standardwebhooks`.
 */
import { afterEach, expect, it, vi } from "vitest";
import { postSigned } from "../../src/gateway/signed-post";
import { verifiesV1a } from "../support/verify-webhook";

const ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const SECONDS = 1_614_265_330;
const BODY = '{"test": 2432232314}';
const SECRET = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const V1 = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
/** The seed, then the public key. */
const PAIR = Buffer.from(
  "6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==",
  "base64",
);
const V1A =
  "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==";
const PUBLISHED = {
  "webhook-id": ID,
  "webhook-timestamp": String(SECONDS),
  "webhook-signature": `${V1} ${V1A}`,
};
const JWK = { kty: "OKP", crv: "Ed25519", x: PAIR.subarray(32).toString("base64url") };

afterEach(() => {
  vi.useRealTimers();
});

// Shows NO-4.
it("a delivery has the signatures that others publish for the same key, id, time and body", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: SECONDS * 1000 });
  const sent: Headers[] = [];
  const env = {
    SIGNING_KEYS: JSON.stringify([{ id: "one", key: PAIR.subarray(0, 32).toString("base64url") }]),
    WEBHOOK_ALLOW: "receiver.test",
    PRIVATE_NETWORK: {
      fetch: async (_: string, { headers }: { headers: HeadersInit }) => {
        sent.push(new Headers(headers));
        return new Response(null, { status: 204 });
      },
    },
  };
  const message = { id: ID, headers: {}, body: BODY };
  const secret = Buffer.from(SECRET, "base64");
  const url = new URL("http://receiver.test/");

  const status = await postSigned(env as never, url, [secret], message, async (one) => one.status);

  expect(status).toBe(204);
  const named = Object.keys(PUBLISHED).map((name) => [name, sent[0]?.get(name)]);
  expect(Object.fromEntries(named)).toEqual(PUBLISHED);
});

it("the verifier of our tests accepts the published `v1a`, and no other body or key", () => {
  const published = { headers: PUBLISHED, text: BODY };
  const other = { ...JWK, x: "A".repeat(43) };

  expect(verifiesV1a([JWK], published)).toBe(true);
  expect(verifiesV1a([JWK], { ...published, text: `${BODY} ` })).toBe(false);
  expect(verifiesV1a([other], published)).toBe(false);
});

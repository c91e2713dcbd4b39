/**
 * A delivery as its receivers verify it. `v1` by two packages that others wrote. Neither of them knows
 * `v1a`, so that is verified with node:crypto as Standard Webhooks writes it, against the public keys
 * that the server publishes.
 */
import { createPublicKey, verify, type JsonWebKey } from "node:crypto";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import type { Arrived } from "./receiver.ts";

type Delivered = Pick<Arrived, "headers" | "text">;

const isTaken = (check: () => unknown): boolean => {
  try {
    check();
    return true;
  } catch {
    return false;
  }
};

/** By standardwebhooks and by svix, in this order. */
export const verifiesV1 = (secret: string, { text, headers }: Delivered): readonly boolean[] =>
  [new StandardWebhook(secret), new SvixWebhook(secret)].map((verifier) =>
    isTaken(() => verifier.verify(text, headers as Record<string, string>)),
  );

/** Is there a signature of one of these keys, as /.well-known/baton-keys.json has them? */
export function verifiesV1a(keys: readonly JsonWebKey[], { text, headers }: Delivered): boolean {
  const signed = Buffer.from(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`);
  const found = String(headers["webhook-signature"]).matchAll(/(?:^| )v1a,(\S+)/g);
  return [...found].some(([, signature = ""]) =>
    keys.some((key) => {
      const publicKey = createPublicKey({ key, format: "jwk" });
      return verify(null, signed, publicKey, Buffer.from(signature, "base64"));
    }),
  );
}

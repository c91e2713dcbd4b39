/**
 * Verifies a delivery as receivers do: `v1` with two third-party packages. Neither supports `v1a`, so it
 * is verified with node:crypto as Standard Webhooks specifies, against the public keys that the server
 * publishes.
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

/** The results of standardwebhooks and svix, in this order. */
export const verifiesV1 = (secret: string, { text, headers }: Delivered): readonly boolean[] =>
  [new StandardWebhook(secret), new SvixWebhook(secret)].map((verifier) =>
    isTaken(() => verifier.verify(text, headers as Record<string, string>)),
  );

/** True if one of these keys of /.well-known/baton-keys.json signed the delivery. */
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

/**
 * A self-signed TLS certificate for tests. Node can create keys but no certificates, and openssl may
 * be missing. It encodes in DER the few parts of X.509 (RFC 5280) that a client checks.
 */
import { createHash, generateKeyPairSync, sign } from "node:crypto";

export interface Certificate {
  /** PEM. */
  readonly key: string;
  readonly cert: string;
}

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));
const time = (at: Date): Buffer =>
  der(0x17, Buffer.from(`${at.toISOString().replaceAll(/[-:T]/g, "").slice(2, 14)}Z`));

const ECDSA_WITH_SHA256 = sequence(oid("2a8648ce3d040302"));
const COMMON_NAME = oid("550403");
const SUBJECT_ALT_NAME = oid("551d11");
const BASIC_CONSTRAINTS = oid("551d13");
const TRUE = der(0x01, Buffer.from([0xff]));
const DAY_MS = 24 * 3_600_000;

/** Covers `localhost`, 127.0.0.1 and the given names. Valid for one day. */
export function makeCertificate(names: readonly string[] = []): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  const name = sequence(
    der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from("a test of Baton")))),
  );
  const alternatives = sequence(
    ...["localhost", ...names].map((dns) => der(0x82, Buffer.from(dns))),
    der(0x87, Buffer.from([127, 0, 0, 1])),
  );
  const serial = createHash("sha256").update(spki).digest().subarray(0, 8);
  const now = Date.now();
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1]), serial),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(new Date(now - DAY_MS)), time(new Date(now + DAY_MS))),
    name,
    spki,
    der(
      0xa3,
      sequence(
        sequence(BASIC_CONSTRAINTS, TRUE, der(0x04, sequence(TRUE))),
        sequence(SUBJECT_ALT_NAME, der(0x04, alternatives)),
      ),
    ),
  );
  const signature = sign("sha256", body, privateKey);
  const whole = sequence(body, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString("base64").replaceAll(/.{64}/g, "$&\n").trimEnd();
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

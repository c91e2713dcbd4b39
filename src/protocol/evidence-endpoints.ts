/** Routes of what somebody outside can keep and check. */
import * as z from "zod";
import { done, reads, resumeToken, writes, type Endpoint } from "./endpoint";
import { wholeNumber } from "./request-parts";
import { anyJson, seq, shownSchema, timestamp } from "./session";
import { named } from "./shapes";

const hash = z.string().describe("SHA-256 in hex");

const proofSchema = named("Proof", {
  sessionId: z.string(),
  seq: seq.describe("The last event that the chain covers"),
  chain: hash,
  at: timestamp.describe("When it was signed"),
  keyId: z.string(),
  signature: z.string().describe("base64url of Ed25519 over the RFC 8785 JSON of the others"),
});

const provenAnswer = named("ProvenAnswer", {
  session: shownSchema,
  resumeToken,
  proof: proofSchema.describe("If the server has signing keys").optional(),
});

/** A write that people are held to later. */
export const proven = (...given: Parameters<typeof writes>) =>
  ({ ...writes(...given), answers: done("Done", provenAnswer) }) as const;

export const certificateSchema = proofSchema
  .extend({
    files: z.array(hash).describe("Of the files that were removed with it"),
    blobs: z.array(hash).describe("Of the large content that was removed with it"),
    purged: z.literal(true),
    keyId: z.string().describe("If the server has signing keys").optional(),
    signature: z.string().describe("As in a proof, if the server has signing keys").optional(),
  })
  .meta({ id: "Certificate" });

const receiptSchema = z
  .record(z.string(), anyJson)
  .describe("A signed document; docs/evidence.md names its members")
  .meta({ id: "Receipt" });

export const evidenceEndpoints = {
  exportSession: {
    ...reads("The whole log with its chain and a signed head, as lines", "Evidence"),
    path: "/sessions/{ref}/export",
    query: z.object({
      files: z
        .enum(["true", "false"])
        .describe("With `true`, also the document as a receipt, every file and all large content")
        .optional(),
    }),
    answers: { 200: { description: "One JSON document per line", onlyLines: true } },
  },
  getProof: {
    ...reads("A signed head of the log", "Evidence"),
    path: "/sessions/{ref}/proof",
    query: z.object({ seq: wholeNumber.describe("Default: the head").optional() }),
    answers: done("The proof", named("ProofAnswer", { proof: proofSchema })),
    failures: ["not_configured"],
  },
  getReceipt: {
    ...reads(
      "A signed receipt: who filled in what and who approved it; as HTML a page to print",
      "Evidence",
    ),
    path: "/sessions/{ref}/receipt",
    answers: {
      200: {
        description: "The receipt",
        schema: named("ReceiptAnswer", { receipt: receiptSchema }),
        page: true,
      },
    },
    failures: ["not_configured"],
  },
} as const satisfies Record<string, Endpoint>;

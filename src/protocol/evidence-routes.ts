/** Routes of exports, proofs and receipts: evidence that can be checked without this server. */
import * as z from "zod";
import { okResponse, readRoute, resumeToken, writeRoute, type ApiRoute } from "./api-route";
import { wholeNumber } from "./request-parts";
import { anyJson, seq, visibleSessionSchema, timestamp } from "./session-schemas";
import { namedSchema } from "./named-schemas";

const hash = z.string().describe("SHA-256 in hex");

const proofSchema = namedSchema("Proof", {
  sessionId: z.string(),
  seq: seq.describe("The last event that the chain covers"),
  chain: hash,
  at: timestamp.describe("When it was signed"),
  keyId: z.string(),
  signature: z.string().describe("base64url of Ed25519 over the RFC 8785 JSON of the others"),
});

const provenAnswer = namedSchema("ProvenAnswer", {
  session: visibleSessionSchema,
  resumeToken,
  proof: proofSchema.describe("Present if the server has signing keys").optional(),
});

/** A write whose response includes a proof, because it may be disputed later. */
export const provenWriteRoute = (...args: Parameters<typeof writeRoute>) =>
  ({ ...writeRoute(...args), responses: okResponse("Done", provenAnswer) }) as const;

export const certificateSchema = proofSchema
  .extend({
    files: z.array(hash).describe("The hashes of the files that were removed with the session"),
    blobs: z
      .array(hash)
      .describe("The hashes of the large content that was removed with the session"),
    purged: z.literal(true),
    keyId: z.string().describe("Present if the server has signing keys").optional(),
    signature: z
      .string()
      .describe("The signature, as in a proof; present if the server has signing keys")
      .optional(),
  })
  .meta({ id: "Certificate" });

const receiptSchema = z
  .record(z.string(), anyJson)
  .describe("A signed document; docs/evidence.md names its members")
  .meta({ id: "Receipt" });

export const evidenceRoutes = {
  exportSession: {
    ...readRoute("The whole log with its chain and a signed head, as lines", "Evidence"),
    path: "/sessions/{ref}/export",
    query: z.object({
      files: z
        .enum(["true", "false"])
        .describe("With `true`, also the document as a receipt, every file and all large content")
        .optional(),
    }),
    responses: { 200: { description: "One JSON document per line", onlyLines: true } },
  },
  getProof: {
    ...readRoute("A signed head of the log", "Evidence"),
    path: "/sessions/{ref}/proof",
    query: z.object({ seq: wholeNumber.describe("Default: the head").optional() }),
    responses: okResponse("The proof", namedSchema("ProofAnswer", { proof: proofSchema })),
    failures: ["not_configured"],
  },
  getReceipt: {
    ...readRoute(
      "A signed receipt: who filled in what and who approved it; as HTML a page to print",
      "Evidence",
    ),
    path: "/sessions/{ref}/receipt",
    responses: {
      200: {
        description: "The receipt",
        schema: namedSchema("ReceiptAnswer", { receipt: receiptSchema }),
        page: true,
      },
    },
    failures: ["not_configured"],
  },
} as const satisfies Record<string, ApiRoute>;

/** Messages that clients send over the WebSocket `baton.v1`. */
import * as z from "zod";
import { parseLeaseRef } from "../domain/leases/lease";
import { LIMITS } from "../domain/limits";
import { appendBody } from "./log-requests";

export const SUBPROTOCOL = "baton.v1";
/** A connection that sends no hello within this time is closed. */
export const HELLO_MS = 10_000;

const id = z.string().min(1).max(LIMITS.idempotencyKeyLength);

/** The same as the header Baton-Lease. */
const lease = z.string().transform((text, { addIssue }) => {
  const parsed = parseLeaseRef(text, "lease");
  if (parsed.ok) return parsed.value;
  addIssue("must be the name and the number of a lease, as in worker=42");
  return z.NEVER;
});

export const clientMessage = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("hello"),
    token: z.string().optional(),
    after: z.int().min(0).optional(),
    types: z
      .union([z.array(z.string()), z.string().transform((list) => list.split(","))])
      .pipe(z.array(z.string().max(LIMITS.eventTypeLength)).max(LIMITS.typeFilters))
      .optional(),
    /** Also resume: this spends the token and fences off older connections. The welcome has the next token. */
    resume: z.boolean().optional(),
    /** With resume: its Idempotency-Key. */
    id: id.optional(),
    lease: lease.optional(),
  }),
  appendBody.extend({ type: z.literal("append"), id, lease: lease.optional() }).strict(),
  z.strictObject({ type: z.literal("ack"), seq: z.int().min(0) }),
  z.object({ type: z.literal("ping") }),
]);

export type ClientMessage = z.output<typeof clientMessage>;

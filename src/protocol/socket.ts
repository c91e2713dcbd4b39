/** Messages of the WebSocket `baton.v1`, as clients send them. */
import * as z from "zod";
import { LIMITS } from "../domain/limits";
import { appendBody } from "./log-requests";

export const SUBPROTOCOL = "baton.v1";
/** A connection that has not said who it is by then is closed. */
export const HELLO_MS = 10_000;

const id = z.string().min(1).max(LIMITS.idempotencyKeyLength);

export const clientMessage = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("hello"),
    token: z.string().optional(),
    after: z.int().min(0).optional(),
    types: z
      .union([z.array(z.string()), z.string().transform((list) => list.split(","))])
      .pipe(z.array(z.string().max(LIMITS.eventTypeLength)).max(LIMITS.typeFilters))
      .optional(),
    /** Also resume: spend the token, fence off older connections, and get the next in the welcome. */
    resume: z.boolean().optional(),
    /** With resume: its Idempotency-Key. */
    id: id.optional(),
  }),
  appendBody.extend({ type: z.literal("append"), id }).strict(),
  z.strictObject({ type: z.literal("ack"), seq: z.int().min(0) }),
  z.object({ type: z.literal("ping") }),
]);

export type ClientMessage = z.output<typeof clientMessage>;

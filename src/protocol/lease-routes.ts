/** Routes of leases and of effects that happen once. */
import * as z from "zod";
import { LIMITS } from "../domain/limits";
import { createdResponse, okResponse, type ApiRoute } from "./api-route";
import { bodySchema, namedSchema } from "./named-schemas";
import { duration } from "./request-parts";
import { anyJson, seq, timestamp } from "./session-schemas";

const leaseBody = bodySchema("TakeLease", {
  ttlMs: duration.max(LIMITS.leaseMs).describe("How long it is held, unless it is renewed"),
  number: seq.min(1).describe("To renew your lease: its number").optional(),
});

const startBody = bodySchema("StartOnce", {
  retry: z.boolean().describe("Start again what was started and has no end").optional(),
});

const endBody = bodySchema("EndOnce", { result: anyJson });

const leaseAnswer = namedSchema("LeaseAnswer", {
  lease: namedSchema("Lease", {
    name: z.string(),
    number: seq.describe("The seq of its `lease.taken`; a later lease has a larger one"),
    expiresAt: timestamp,
  }),
});

const onceAnswer = namedSchema("OnceAnswer", {
  once: namedSchema("Once", {
    key: z.string(),
    status: z
      .enum(["started", "done", "unknown"])
      .describe("`unknown`: the lease that started it is lost, so it may have happened"),
    result: anyJson.describe("If it is done").optional(),
  }),
});

export const leaseRoutes = {
  takeLease: {
    method: "post",
    path: "/sessions/{ref}/leases/{name}",
    summary: "Take a lease, or renew yours by its number; spends no token",
    tag: "Leases",
    body: leaseBody,
    headers: ["Idempotency-Key"],
    responses: createdResponse("Taken or renewed", leaseAnswer),
    failures: ["illegal_transition", "idempotency_mismatch", "lease_held"],
  },
  releaseLease: {
    method: "delete",
    path: "/sessions/{ref}/leases/{name}",
    summary: "Release the lease that Baton-Lease names; spends no token",
    tag: "Leases",
    responses: { 204: { description: "Released" } },
    failures: ["illegal_transition"],
  },
  startOnce: {
    method: "post",
    path: "/sessions/{ref}/once/{key}",
    summary: "Start an effect that happens once, under the lease that Baton-Lease names",
    tag: "Leases",
    body: startBody,
    headers: ["Idempotency-Key"],
    responses: {
      ...okResponse("It was started before", onceAnswer),
      ...createdResponse("Started: the effect is yours", onceAnswer),
    },
    failures: ["illegal_transition", "idempotency_mismatch", "busy"],
  },
  endOnce: {
    method: "put",
    path: "/sessions/{ref}/once/{key}",
    summary: "Record the result of an effect; the first one stays",
    tag: "Leases",
    body: endBody,
    responses: okResponse("Done", onceAnswer),
    failures: ["illegal_transition", "not_found"],
  },
} as const satisfies Record<string, ApiRoute>;

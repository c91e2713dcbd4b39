/** Schemas of jobs and of the requests of their executors. */
import * as z from "zod";
import { CLOSE_POLICIES, JOB_STATUSES } from "../domain/jobs/job";
import { LIMITS } from "../domain/limits";
import { text } from "./request-parts";
import { anyJson, timestamp } from "./session-schemas";
import { bodySchema, namedSchema } from "./named-schemas";

const identifier = z.string().min(1).max(LIMITS.jobIdentifierLength);
const agent = z
  .string()
  .min(1)
  .max(2 * LIMITS.agentNameLength + 1);
const leaseMs = z.int().min(LIMITS.jobLeaseMinMs).max(LIMITS.jobLeaseMs);

const jobError = z.object({ code: z.string(), message: z.string(), retryable: z.boolean() });

const jobSchema = namedSchema("Job", {
  id: z.string().describe("`job_`, the object's id and a number"),
  agent: z.string(),
  status: z.enum(JOB_STATUSES),
  createdBy: z.string().describe("The participant that submitted it"),
  createdAt: timestamp,
  startedAt: timestamp.nullable(),
  endedAt: timestamp.nullable(),
  attempts: z.int().describe("How many executors have started it"),
  maxRuntimeMs: z.int().nullable(),
  closePolicy: z.enum(CLOSE_POLICIES),
  leaseExpiresAt: timestamp
    .nullable()
    .describe("When the executor loses the job, unless it reports before"),
  lastEventSeq: z.int().describe("Number of its last event, counted over all jobs of the session"),
  lease: z
    .record(z.string(), anyJson)
    .nullable()
    .describe("The lease that the ARCP client requested"),
  leaseUntil: timestamp.nullable().describe("When that requested lease ends"),
  traceId: z.string().nullable(),
  result: anyJson.optional(),
  resultId: z.string().describe("Id of a result that was sent as result_chunk events").optional(),
  resultSize: z.int().optional(),
  summary: z.string().optional(),
  error: jobError.optional(),
});

export const submitJobBody = bodySchema("SubmitJob", {
  agent: agent.describe("A name, or name@version"),
  input: anyJson.default(null),
  maxRuntimeMs: z.int().min(1).max(LIMITS.jobRuntimeMs).optional(),
  closePolicy: z
    .enum(CLOSE_POLICIES)
    .describe("What happens to the job when the ARCP client sends session.bye; default keep")
    .optional(),
});

export const cancelJobBody = bodySchema("CancelJob", { reason: text.optional() });

const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, { error: "must be a whole number" })
  .transform(Number)
  .pipe(z.int().min(0).max(999_999_999));

export const jobsQuery = z.object({
  status: z
    .string()
    .transform((list) => list.split(",").filter((status) => status !== ""))
    .pipe(z.array(z.enum(JOB_STATUSES)))
    .describe("Comma-separated")
    .optional(),
  agent: agent.optional(),
  limit: wholeNumber.pipe(z.int().min(1).max(LIMITS.pageEvents)).optional(),
  cursor: wholeNumber.describe("nextCursor of the previous page").optional(),
});

export const claimBody = bodySchema("Claim", {
  waitMs: z
    .int()
    .min(0)
    .max(LIMITS.waitMs)
    .describe("If there is no job yet, wait this long")
    .optional(),
  leaseMs: leaseMs.describe("How long the executor holds the job without a report").optional(),
});

export const jobEventsBody = bodySchema("JobEvents", {
  events: z
    .array(z.strictObject({ kind: identifier, body: z.record(z.string(), anyJson).default({}) }))
    .min(1)
    .max(LIMITS.eventsPerAppend),
});

export const heartbeatBody = bodySchema("JobHeartbeat", {});

export const resultBody = z
  .strictObject({
    result: anyJson.optional(),
    resultId: identifier.describe("Id of a result that was sent as result_chunk events").optional(),
    resultSize: z.int().min(0).optional(),
    summary: text.optional(),
  })
  .refine(({ result, resultId }) => result === undefined || resultId === undefined, {
    error: "give either result or resultId",
  })
  .meta({ id: "JobResult" });

export const errorBody = bodySchema("JobError", {
  code: identifier,
  message: text.default(""),
  retryable: z.boolean().default(false),
});

export const jobResponse = namedSchema("JobAnswer", { job: jobSchema });
export const jobList = namedSchema("Jobs", {
  jobs: z.array(jobSchema),
  nextCursor: z.int().nullable(),
});
export const jobWithInput = namedSchema("JobContent", { job: jobSchema, input: anyJson });
export const claimResponse = namedSchema("Claimed", {
  job: jobSchema,
  input: anyJson,
  jobToken: z.string().describe("`jtok_…`: the right to report on this job"),
  leaseMs: z.int(),
});
export const reportResponse = namedSchema("Reported", {
  cancelRequested: z.boolean().describe("If true, stop working: further reports are not stored"),
  leaseExpiresAt: timestamp.describe("Send the next report or heartbeat before this time"),
});

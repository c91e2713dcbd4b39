/** Parameters of the methods of MCP Events, with the same limits as on every face. */
import * as z from "zod";
import { NOTICE_TYPES, type NoticeType } from "../../domain/notices/catalogue";
import { LIMITS } from "../../domain/limits";
import { labels } from "../../protocol/request-parts";

/** The handlers check the name, so that an unknown one gets the draft's own error. */
const name = z.string().max(100);
const cursor = z
  .string()
  .regex(/^\d{1,15}$/, "cursor must be one that this server gave")
  .nullish();
const maxAgeMs = z.int().min(0).nullish();
const sessionId = z.string().max(100);
const url = z.string().max(LIMITS.webhookUrlLength);

/** Clients may send more, such as `_meta`. Unknown members are ignored. */
const commonParams = { name, cursor, maxAgeMs };

const readArguments = z
  .strictObject({ session_id: sessionId.optional(), resume_token: z.string().optional() })
  .prefault({});

export const pollParams = z.looseObject({
  ...commonParams,
  arguments: readArguments,
  maxEvents: z.int().min(1).max(LIMITS.pageEvents).nullish(),
  timeoutMs: z.int().min(0).nullish(),
});

export const streamParams = z.looseObject({ ...commonParams, arguments: readArguments });

const subscribedArguments = z
  .strictObject({ session_id: sessionId.optional(), labels: labels.optional() })
  .prefault({});

export const subscribeParams = z.looseObject({
  ...commonParams,
  arguments: subscribedArguments,
  delivery: z.looseObject({ mode: z.string(), url, secret: z.string().max(100) }),
  ttlMs: z.int().min(1).nullish(),
});

export const unsubscribeParams = z.looseObject({
  name,
  arguments: subscribedArguments,
  delivery: z.looseObject({ url }),
});

export const isEventName = (text: string): text is NoticeType =>
  (NOTICE_TYPES as readonly string[]).includes(text);

/** Bodies and queries for webhook endpoints and their deliveries. */
import * as z from "zod";
import { NOTICE_TYPES, type NoticeType } from "../domain/notices/catalogue";
import { FORMATS } from "../domain/notices/formats";
import { LIMITS } from "../domain/limits";
import { labels, nextCursor, pageLimit } from "./request-parts";
import { bodySchema } from "./named-schemas";

export const noticeType = z
  .enum(NOTICE_TYPES as [NoticeType, ...NoticeType[]])
  .meta({ id: "NoticeType" });
const notices = z
  .array(noticeType)
  .min(1)
  .max(NOTICE_TYPES.length)
  .describe("Which notices to send");
const url = z
  .string()
  .max(LIMITS.webhookUrlLength)
  .describe("An https address. It is stored encrypted; later responses show only its origin");
const format = z
  .enum(FORMATS)
  .describe("standard: Standard Webhooks; or a message for Slack, Discord or ntfy");

const onlyLabels = labels.describe("Only notices of sessions that have all of these labels");

export const addEndpointBody = bodySchema("AddEndpoint", {
  url,
  notices,
  format: format.optional(),
  labels: onlyLabels.optional(),
  secret: z
    .string()
    .max(100)
    .regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/)
    .describe("Signs deliveries; by default the server creates one and shows it once")
    .optional(),
});

export const changeEndpointBody = z
  .strictObject({
    url: url.optional(),
    notices: notices.optional(),
    format: format.optional(),
    labels: onlyLabels.optional(),
    status: z.literal("active").describe("`active` ends a suspension").optional(),
  })
  .refine((body) => Object.keys(body).length > 0, { error: "name what to change" })
  .meta({ id: "ChangeEndpoint", minProperties: 1 });

export const replayBody = z
  .strictObject({
    since: z.iso
      .datetime({ offset: true })
      .describe("Sends all notices since this time again")
      .optional(),
    delivery: z
      .string()
      .regex(/^dlv_[1-9]\d{0,14}$/)
      .describe("Sends this delivery again")
      .optional(),
  })
  .refine(({ since, delivery }) => (since === undefined) !== (delivery === undefined), {
    error: "give either since or delivery",
  })
  .meta({ id: "ReplayDeliveries" });

export const deliveriesQuery = z.object({
  limit: pageLimit(LIMITS.deliveriesPage).optional(),
  cursor: nextCursor.optional(),
});

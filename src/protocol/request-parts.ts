/** Parts that the bodies and queries of several routes share. */
import * as z from "zod";
import { LIMITS } from "../domain/limits";
import { TEMPLATE_REF_PATTERN } from "../domain/owners/template";
import { isPrefix } from "../domain/participants/network";
import { anyJson } from "./session-schemas";
import { bodySchema } from "./named-schemas";

/**
 * The form of a network, for readers of the API description: an IPv4 or IPv6 address, with or without
 * a prefix length. isPrefix decides what is accepted; it also reads an IPv4 address inside an IPv6 one.
 */
const OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const IPV4 = `${OCTET}(\\.${OCTET}){3}(/([1-9]|[12][0-9]|3[0-2]))?`;

const GROUP = "[0-9A-Fa-f]{1,4}";
const GROUPS = 8;
const groups = (min: number, max: number): string => `${GROUP}(:${GROUP}){${min},${max}}`;

/** `::` replaces one group or more, so the groups before it limit the groups after it. */
const shortened = Array.from({ length: GROUPS }, (_, before) => {
  const head = before === 0 ? "" : groups(before - 1, before - 1);
  const after = GROUPS - 1 - before;
  return `${head}::${after === 0 ? "" : `(${groups(0, after - 1)})?`}`;
});
const IPV6 = `(${[groups(GROUPS - 1, GROUPS - 1), ...shortened].join("|")})(/([1-9]|[1-9][0-9]|1[01][0-9]|12[0-8]))?`;

export const NETWORK_PATTERN = `^(${IPV4}|${IPV6})$`;

export const duration = z.int().min(1);

export const text = z.string().max(LIMITS.textLength);

export const title = z.string().max(LIMITS.titleLength).nullable();

export const fieldName = z.string().min(1).max(LIMITS.fieldNameLength);

export const fields = z
  .record(fieldName, anyJson)
  .describe("Field names and their values; null removes a field");

const fieldNames = z.array(fieldName).max(LIMITS.fields);

/** What a link asks a person for, and what it shows. */
export const terms = {
  ask: fieldNames
    .describe(
      "Fields that the person is asked for: the link can write these and no others. Without a schema and without `ask`, the answer is in the field `answer`",
    )
    .optional(),
  show: fieldNames
    .describe(
      "Fields that the person sees and cannot change. With `ask` or `show` the person sees no other field",
    )
    .optional(),
  question: text.describe("The question at the top of the page").optional(),
  submitLabel: z
    .string()
    .min(1)
    .max(LIMITS.submitLabelLength)
    .describe("The text on the submit button")
    .optional(),
} as const;

export const fraction = z.number().min(0).max(1);

export const confidence = z
  .union([fraction, z.record(fieldName, fraction)])
  .describe("From 0 to 1: one number for all given fields, or one per field");

/** The kind cannot be chosen: every caller of this interface is an agent. */
export const actorClaim = bodySchema("ActorClaim", {
  kind: z.literal("agent", { error: 'kind can only be "agent": people join by a link' }).optional(),
  id: z.string().min(1).max(LIMITS.actorIdLength),
  name: z.string().min(1).max(LIMITS.actorIdLength).optional(),
});

export const bind = z
  .strictObject({
    network: z
      .union([
        z.literal(true),
        z
          .string()
          .refine(isPrefix, { error: "must be a network such as 203.0.113.0/24" })
          .meta({ pattern: NETWORK_PATTERN }),
      ])
      .describe("true: the network of this request; or a prefix such as 203.0.113.0/24")
      .optional(),
    principal: z
      .union([z.literal(true), z.string().min(1).max(LIMITS.principalLength)])
      .describe("true: the principal of this request; or a name, as the proxy writes it")
      .optional(),
  })
  .refine(({ network, principal }) => network !== undefined || principal !== undefined, {
    error: "give network, principal or both",
  })
  .describe("What the token is bound to")
  .meta({ id: "Bind" });

export const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, { error: "must be a whole number" })
  .transform(Number)
  .pipe(z.int().min(0).max(999_999_999_999_999));

export const pageLimit = (max: number) =>
  wholeNumber.pipe(z.int().min(1).max(max)).describe(`At most ${max}`);

export const waitMs = wholeNumber
  .pipe(z.int().min(0).max(LIMITS.waitMs))
  .describe("If there is nothing yet, wait this long");

export const nextCursor = wholeNumber.describe("nextCursor of the previous page");

export const time = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], { error: "must be an ISO 8601 time" })
  .transform((value) => Date.parse(value));

export const commaList = <Member extends z.ZodType<unknown, string>>(member: Member, max: number) =>
  z
    .string()
    .transform((list) => list.split(",").filter((one) => one !== ""))
    .pipe(z.array(member).max(max));

const LABEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]*$/;

export const labels = z
  .record(
    z.string().max(LIMITS.labelNameLength).regex(LABEL_NAME),
    z.string().max(LIMITS.labelValueLength),
  )
  .refine((labels) => Object.keys(labels).length <= LIMITS.labels, {
    message: `at most ${LIMITS.labels} labels`,
  })
  .meta({ maxProperties: LIMITS.labels })
  .describe("Names with values, to find sessions by");

export const template = z
  .string()
  .max(LIMITS.templateRefLength)
  .regex(new RegExp(TEMPLATE_REF_PATTERN), { error: "must be a name, or name@version" })
  .describe(
    "A template of the owner: its newest version, or `name@3`. Other members of the request override it",
  );

export const externalId = z
  .string()
  .min(1)
  .max(LIMITS.externalIdLength)
  .describe("The owner's own id for the session; at most one session has it");

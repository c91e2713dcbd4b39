/**
 * Additions to the JSON Schema that zod generates for OpenAPI: schemas of headers, rules between the
 * members of a body, and a simple form of nullable types. This file only describes. The zod schemas
 * and the rules decide what is accepted.
 */
import { AGENT_ONLY_MEMBERS, LINK_ONLY_MEMBERS } from "./handoff-requests";
import { LEASE_REF_PATTERN } from "../domain/leases/lease";
import { LIMITS } from "../domain/limits";
import type { REQUEST_HEADERS } from "./media-types";
import { NETWORK_PATTERN } from "./request-parts";

type Doc = Record<string, unknown>;

const IDEMPOTENCY_KEY = {
  type: "string",
  minLength: 1,
  maxLength: LIMITS.idempotencyKeyLength,
  pattern: "^[!-~]+$",
};

const HEADER_SCHEMAS: Readonly<Record<keyof typeof REQUEST_HEADERS, Doc>> = {
  "Idempotency-Key": IDEMPOTENCY_KEY,
  "If-Match": { type: "string", pattern: '^["][0-9]{1,15}(\\.[0-9]{1,15})?["]$' },
  "Last-Event-ID": { type: "string", pattern: "^[0-9]{1,15}$" },
  "If-None-Match": { type: "string" },
  "Baton-Lease": { type: "string", pattern: LEASE_REF_PATTERN },
};

/** A key that creates a session must be longer, because it is then a secret. */
export const headerSchema = (name: keyof typeof REQUEST_HEADERS, creates: boolean): Doc =>
  creates && name === "Idempotency-Key"
    ? { ...IDEMPOTENCY_KEY, minLength: LIMITS.createKeyMinLength }
    : HEADER_SCHEMAS[name];

interface BodyVariant {
  /** Members that this variant does not have. */
  readonly without?: readonly string[];
  readonly required?: readonly string[];
  /** Members that have one fixed value in it. */
  readonly fixed?: Readonly<Record<string, string>>;
  /** Members that have another schema in it. */
  readonly instead?: Readonly<Record<string, Doc>>;
}

const BIND_VARIANTS: readonly BodyVariant[] = [
  { required: ["network"] },
  { without: ["network"], required: ["principal"] },
];

/** The network where a link will be opened is not known at its creation, so `true` is not allowed. */
const NAMED_NETWORK: Doc = {
  type: "string",
  pattern: NETWORK_PATTERN,
  description: "A prefix such as 203.0.113.0/24",
};

/** Schemas that are listed a second time, for one member where they are narrower. */
export const SCHEMA_VARIANTS: Readonly<Record<string, string>> = { Bind: "LinkBind" };

/** Bodies in which one member depends on another. A valid body matches exactly one variant. */
const BODY_VARIANTS: Readonly<Record<string, readonly BodyVariant[]>> = {
  SetFields: [
    { required: ["fields"] },
    { without: ["fields"], required: ["title"] },
    { without: ["fields", "title"], required: ["nextStep"] },
  ],
  Revoke: [
    { without: ["others"], required: ["participant"] },
    { without: ["participant"], required: ["others"] },
  ],
  CreateHandoff: [
    { fixed: { to: "agent" }, without: [...LINK_ONLY_MEMBERS] },
    {
      fixed: { to: "human" },
      without: [...AGENT_ONLY_MEMBERS],
      instead: { bind: { $ref: "#/components/schemas/LinkBind" } },
    },
  ],
  Bind: BIND_VARIANTS,
  LinkBind: BIND_VARIANTS.map((one) => ({ ...one, instead: { network: NAMED_NETWORK } })),
  ReplayDeliveries: [
    { without: ["delivery"], required: ["since"] },
    { without: ["since"], required: ["delivery"] },
  ],
  JobResult: [{ without: ["resultId"] }, { without: ["result"], required: ["resultId"] }],
};

interface ObjectDoc extends Doc {
  readonly properties?: Readonly<Record<string, Doc>>;
  readonly required?: readonly string[];
}

export function describeSchema(name: string, schema: Doc): Doc {
  const variants = BODY_VARIANTS[name];
  return variants === undefined
    ? schema
    : { oneOf: variants.map((variant) => narrowSchema(schema as ObjectDoc, variant)) };
}

function narrowSchema(
  { properties = {}, required = [], ...rest }: ObjectDoc,
  variant: BodyVariant,
): Doc {
  const { without = [], fixed = {}, instead = {} } = variant;
  const members = Object.entries({ ...properties, ...instead })
    .filter(([name]) => !without.includes(name))
    .map(([name, member]) => [name, name in fixed ? { ...member, enum: [fixed[name]] } : member]);
  return {
    ...rest,
    properties: Object.fromEntries(members),
    required: [...new Set([...required, ...(variant.required ?? [])])],
  };
}

/** Writes `T or null` as one schema with two types if T is simple, because not every tool reads a union. */
export function simplifyNullable(schema: Doc): Doc {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const [one, other, ...more] = anyOf as readonly Doc[];
  if (one === undefined || other?.["type"] !== "null" || more.length > 0) return schema;
  return typeof one["type"] === "string" && !("enum" in one) && !("const" in one)
    ? { ...one, ...rest, type: [one["type"], "null"] }
    : schema;
}

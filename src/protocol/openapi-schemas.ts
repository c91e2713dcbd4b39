/**
 * What the API description says beyond what zod puts into JSON Schema: the shapes of headers, rules
 * between the members of a body, and a plain spelling of what may be null. Only describes: what is
 * accepted is decided by the schemas and rules themselves.
 */
import { LINK_ONLY_MEMBERS } from "./handoff-requests";
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
};

/** Of a key that begins a session more is asked: there it is a secret. */
export const headerSchema = (name: keyof typeof REQUEST_HEADERS, begins: boolean): Doc =>
  begins && name === "Idempotency-Key"
    ? { ...IDEMPOTENCY_KEY, minLength: LIMITS.createKeyMinLength }
    : HEADER_SCHEMAS[name];

interface BodyVariant {
  /** Members that this way of asking has not. */
  readonly without?: readonly string[];
  readonly required?: readonly string[];
  /** Members that have one value in it. */
  readonly fixed?: Readonly<Record<string, string>>;
  /** Members that are something else in it. */
  readonly instead?: Readonly<Record<string, Doc>>;
}

const BIND_VARIANTS: readonly BodyVariant[] = [
  { required: ["network"] },
  { without: ["network"], required: ["principal"] },
];

/** Where a link will be opened is not known when it is made: its network can only be named. */
const NAMED_NETWORK: Doc = {
  type: "string",
  pattern: NETWORK_PATTERN,
  description: "A prefix such as 203.0.113.0/24",
};

/** Schemas described a second time, for one place where they are narrower. */
export const SCHEMA_VARIANTS: Readonly<Record<string, string>> = { Bind: "LinkBind" };

/** Bodies in which one member decides about another: each fits exactly one of these. */
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
    { fixed: { to: "human" }, instead: { bind: { $ref: "#/components/schemas/LinkBind" } } },
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

/** The named schema as it is described. */
export function describeSchema(name: string, schema: Doc): Doc {
  const choices = BODY_VARIANTS[name];
  return choices === undefined
    ? schema
    : { oneOf: choices.map((choice) => narrowSchema(schema as ObjectDoc, choice)) };
}

function narrowSchema(
  { properties = {}, required = [], ...rest }: ObjectDoc,
  choice: BodyVariant,
): Doc {
  const { without = [], fixed = {}, instead = {} } = choice;
  const kept = Object.entries({ ...properties, ...instead })
    .filter(([name]) => !without.includes(name))
    .map(([name, member]) => [name, name in fixed ? { ...member, enum: [fixed[name]] } : member]);
  return {
    ...rest,
    properties: Object.fromEntries(kept),
    required: [...new Set([...required, ...(choice.required ?? [])])],
  };
}

/** `T or null` as one schema of two types where T is plain: not every reader follows a union. */
export function simplifyNullable(schema: Doc): Doc {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const [one, other, ...more] = anyOf as readonly Doc[];
  if (one === undefined || other?.["type"] !== "null" || more.length > 0) return schema;
  return typeof one["type"] === "string" && !("enum" in one) && !("const" in one)
    ? { ...one, ...rest, type: [one["type"], "null"] }
    : schema;
}

/**
 * What the API description says beyond what zod puts into JSON Schema: the shapes of headers, rules
 * between the members of a body, and a plain spelling of what may be null. Only describes: what is
 * accepted is decided by the schemas and rules themselves.
 */
import { FOR_PEOPLE } from "./handoff-requests";
import { LIMITS } from "../domain/limits";
import type { HEADERS } from "./media";
import { NETWORK_PATTERN } from "./request-parts";

type Doc = Record<string, unknown>;

const KEY = {
  type: "string",
  minLength: 1,
  maxLength: LIMITS.idempotencyKeyLength,
  pattern: "^[!-~]+$",
};

const HEADER_SHAPES: Readonly<Record<keyof typeof HEADERS, Doc>> = {
  "Idempotency-Key": KEY,
  "If-Match": { type: "string", pattern: '^["][0-9]{1,15}(\\.[0-9]{1,15})?["]$' },
  "Last-Event-ID": { type: "string", pattern: "^[0-9]{1,15}$" },
  "If-None-Match": { type: "string" },
};

/** Of a key that begins a session more is asked: there it is a secret. */
export const headerShape = (name: keyof typeof HEADERS, begins: boolean): Doc =>
  begins && name === "Idempotency-Key"
    ? { ...KEY, minLength: LIMITS.createKeyMinLength }
    : HEADER_SHAPES[name];

interface Choice {
  /** Members that this way of asking has not. */
  readonly without?: readonly string[];
  readonly required?: readonly string[];
  /** Members that have one value in it. */
  readonly fixed?: Readonly<Record<string, string>>;
  /** Members that are something else in it. */
  readonly instead?: Readonly<Record<string, Doc>>;
}

const BIND: readonly Choice[] = [
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
export const VARIANTS: Readonly<Record<string, string>> = { Bind: "LinkBind" };

/** Bodies in which one member decides about another: each fits exactly one of these. */
const CHOICES: Readonly<Record<string, readonly Choice[]>> = {
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
    { fixed: { to: "agent" }, without: [...FOR_PEOPLE] },
    { fixed: { to: "human" }, instead: { bind: { $ref: "#/components/schemas/LinkBind" } } },
  ],
  Bind: BIND,
  LinkBind: BIND.map((one) => ({ ...one, instead: { network: NAMED_NETWORK } })),
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
export function described(name: string, schema: Doc): Doc {
  const choices = CHOICES[name];
  return choices === undefined
    ? schema
    : { oneOf: choices.map((choice) => narrowed(schema as ObjectDoc, choice)) };
}

function narrowed({ properties = {}, required = [], ...rest }: ObjectDoc, choice: Choice): Doc {
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
export function plainly(schema: Doc): Doc {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const [one, other, ...more] = anyOf as readonly Doc[];
  if (one === undefined || other?.["type"] !== "null" || more.length > 0) return schema;
  return typeof one["type"] === "string" && !("enum" in one) && !("const" in one)
    ? { ...one, ...rest, type: [one["type"], "null"] }
    : schema;
}

/** Values for a JSON Schema: valid ones, and the same with something wrong in them. */
import type { Random } from "../../live/random.ts";
import { oddValue, ODD_TEXTS, several } from "./odd-values.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

export function valueFor(schema: JsonSchema, root: JsonSchema, random: Random, depth = 0): unknown {
  const reference = schema["$ref"];
  if (typeof reference === "string") return valueFor(resolve(reference, root), root, random, depth);
  const choices = (schema["anyOf"] ?? schema["oneOf"]) as readonly JsonSchema[] | undefined;
  if (choices !== undefined) return valueFor(random.pick(choices), root, random, depth);
  if ("const" in schema) return schema["const"];
  if (Array.isArray(schema["enum"])) return random.pick(schema["enum"] as unknown[]);
  const type = Array.isArray(schema["type"]) ? random.pick(schema["type"]) : schema["type"];
  if (type === "string") return text(schema, random);
  if (type === "integer" || type === "number") return number(schema, random);
  if (type === "boolean") return random.chance(0.5);
  if (type === "null") return null;
  if (type === "array") return list(schema, root, random, depth);
  if (type === "object" || schema["properties"] !== undefined) {
    return record(schema, root, random, depth);
  }
  return random.pick<unknown>([1, "text", true, null, { a: 1 }, [1]]);
}

function resolve(reference: string, root: JsonSchema): JsonSchema {
  let at: unknown = root;
  for (const part of reference.split("/").slice(1)) at = (at as JsonSchema)[part];
  return (at ?? {}) as JsonSchema;
}

function text(schema: JsonSchema, random: Random): string {
  if (schema["format"] === "date-time") return "2026-11-16T05:00:00Z";
  const least = Number(schema["minLength"] ?? 0);
  const most = Number(schema["maxLength"] ?? 100);
  if (random.chance(0.05)) return "m".repeat(Math.min(most, 5_000));
  return random.pick(["a.b", "note", "rate_limit", "ünï", "x"]).padEnd(least, "y").slice(0, most);
}

function number(schema: JsonSchema, random: Random): number {
  const least = Number(schema["minimum"] ?? 0);
  const most = Number(schema["maximum"] ?? least + 1_000);
  return random.pick([least, Math.min(most, least + 1), Math.min(most, least + 5), most]);
}

function list(schema: JsonSchema, root: JsonSchema, random: Random, depth: number): unknown[] {
  const items = schema["items"] as JsonSchema | undefined;
  const least = Number(schema["minItems"] ?? 0);
  const count = Math.max(least, depth > 3 ? 0 : random.between(0, 3));
  return Array.from({ length: count }, () => valueFor(items ?? {}, root, random, depth + 1));
}

function record(schema: JsonSchema, root: JsonSchema, random: Random, depth: number): unknown {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  const entries = Object.entries(properties)
    .filter(([name]) => required.has(name) || (depth < 4 && random.chance(0.5)))
    .map(([name, inner]) => [name, valueFor(inner, root, random, depth + 1)] as const);
  const others = schema["additionalProperties"];
  const more =
    typeof others === "object" && others !== null
      ? several(random, 2, () => [
          random.pick(["a", "b", "c"]),
          valueFor(others as JsonSchema, root, random, depth + 1),
        ])
      : [];
  return Object.fromEntries([...entries, ...more]);
}

/** The value with something wrong somewhere in it. */
export function corrupt(value: unknown, random: Random): unknown {
  if (random.chance(0.15)) return oddValue(random);
  if (Array.isArray(value) && value.length > 0) {
    const at = random.between(0, value.length - 1);
    return value.map((one, index) => (index === at ? corrupt(one, random) : one));
  }
  if (
    typeof value === "object" &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype
  ) {
    return corruptEntries(value as Record<string, unknown>, random);
  }
  return oddValue(random);
}

function corruptEntries(value: Record<string, unknown>, random: Random): unknown {
  const entries = Object.entries(value);
  const kind = random.between(0, 4);
  if (entries.length === 0 || kind === 0) {
    return Object.fromEntries([...entries, [random.pick(ODD_TEXTS), oddValue(random)]]);
  }
  const at = random.between(0, entries.length - 1);
  if (kind === 1) return Object.fromEntries(entries.filter((_, index) => index !== at));
  return Object.fromEntries(
    entries.map(([name, one], index) => [name, index === at ? corrupt(one, random) : one]),
  );
}

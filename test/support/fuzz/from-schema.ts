/** Values by a JSON Schema, right ones and spoilt ones. */
import type { Chance } from "./chance.ts";
import { wild, WORDS } from "./wild.ts";

export type Shape = Readonly<Record<string, unknown>>;

export function sample(shape: Shape, root: Shape, chance: Chance, depth = 0): unknown {
  const reference = shape["$ref"];
  if (typeof reference === "string") return sample(resolve(reference, root), root, chance, depth);
  const choices = (shape["anyOf"] ?? shape["oneOf"]) as readonly Shape[] | undefined;
  if (choices !== undefined) return sample(chance.pick(choices), root, chance, depth);
  if ("const" in shape) return shape["const"];
  if (Array.isArray(shape["enum"])) return chance.pick(shape["enum"] as unknown[]);
  const type = Array.isArray(shape["type"]) ? chance.pick(shape["type"]) : shape["type"];
  if (type === "string") return text(shape, chance);
  if (type === "integer" || type === "number") return number(shape, chance);
  if (type === "boolean") return chance.is(0.5);
  if (type === "null") return null;
  if (type === "array") return list(shape, root, chance, depth);
  if (type === "object" || shape["properties"] !== undefined) {
    return record(shape, root, chance, depth);
  }
  return chance.pick<unknown>([1, "text", true, null, { a: 1 }, [1]]);
}

function resolve(reference: string, root: Shape): Shape {
  let at: unknown = root;
  for (const part of reference.split("/").slice(1)) at = (at as Shape)[part];
  return (at ?? {}) as Shape;
}

function text(shape: Shape, chance: Chance): string {
  if (shape["format"] === "date-time") return "2026-11-16T05:00:00Z";
  const least = Number(shape["minLength"] ?? 0);
  const most = Number(shape["maxLength"] ?? 100);
  if (chance.is(0.05)) return "m".repeat(Math.min(most, 5_000));
  return chance.pick(["a.b", "note", "rate_limit", "ünï", "x"]).padEnd(least, "y").slice(0, most);
}

function number(shape: Shape, chance: Chance): number {
  const least = Number(shape["minimum"] ?? 0);
  const most = Number(shape["maximum"] ?? least + 1_000);
  return chance.pick([least, Math.min(most, least + 1), Math.min(most, least + 5), most]);
}

function list(shape: Shape, root: Shape, chance: Chance, depth: number): unknown[] {
  const items = shape["items"] as Shape | undefined;
  const least = Number(shape["minItems"] ?? 0);
  const count = Math.max(least, depth > 3 ? 0 : chance.below(4));
  return Array.from({ length: count }, () => sample(items ?? {}, root, chance, depth + 1));
}

function record(shape: Shape, root: Shape, chance: Chance, depth: number): unknown {
  const properties = (shape["properties"] ?? {}) as Readonly<Record<string, Shape>>;
  const required = new Set((shape["required"] ?? []) as readonly string[]);
  const entries = Object.entries(properties)
    .filter(([name]) => required.has(name) || (depth < 4 && chance.is(0.5)))
    .map(([name, inner]) => [name, sample(inner, root, chance, depth + 1)] as const);
  const others = shape["additionalProperties"];
  const more =
    typeof others === "object" && others !== null
      ? chance.times(2, () => [
          chance.pick(["a", "b", "c"]),
          sample(others as Shape, root, chance, depth + 1),
        ])
      : [];
  return Object.fromEntries([...entries, ...more]);
}

/** The value with something wrong somewhere in it. */
export function spoil(value: unknown, chance: Chance): unknown {
  if (chance.is(0.15)) return wild(chance);
  if (Array.isArray(value) && value.length > 0) {
    const at = chance.below(value.length);
    return value.map((one, index) => (index === at ? spoil(one, chance) : one));
  }
  if (
    typeof value === "object" &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype
  ) {
    return spoilEntries(value as Record<string, unknown>, chance);
  }
  return wild(chance);
}

function spoilEntries(value: Record<string, unknown>, chance: Chance): unknown {
  const entries = Object.entries(value);
  const kind = chance.below(5);
  if (entries.length === 0 || kind === 0) {
    return Object.fromEntries([...entries, [chance.pick(WORDS), wild(chance)]]);
  }
  const at = chance.below(entries.length);
  if (kind === 1) return Object.fromEntries(entries.filter((_, index) => index !== at));
  return Object.fromEntries(
    entries.map(([name, one], index) => [name, index === at ? spoil(one, chance) : one]),
  );
}

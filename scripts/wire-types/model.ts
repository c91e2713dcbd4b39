/** The types of the wire, read from the OpenAPI document, before they are written in any language. */
export type WireType =
  | { readonly kind: "any" | "string" | "integer" | "number" | "boolean" | "null" }
  | { readonly kind: "literal"; readonly values: readonly (string | number | boolean)[] }
  | { readonly kind: "list" | "map"; readonly of: WireType }
  | { readonly kind: "union"; readonly of: readonly WireType[] }
  | { readonly kind: "named"; readonly name: string };

export interface Member {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly type: WireType;
}

/** An object has members. Any other named schema is an alias of its type. */
export type Declaration = { readonly name: string; readonly description: string } & (
  | { readonly members: readonly Member[] }
  | { readonly alias: WireType }
);

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly const?: string | number | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly $ref?: string;
}

export interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/** Every named schema of the document, and every nested object, as `PathValue`. */
export function declarationsOf({ components: { schemas } }: Document): readonly Declaration[] {
  const found: Declaration[] = [];
  for (const [name, schema] of Object.entries(schemas)) declare(name, schema as Schema, found);
  return found;
}

function declare(name: string, schema: Schema, found: Declaration[]): void {
  const description = schema.description ?? "";
  if (schema.properties === undefined || Array.isArray(schema.type)) {
    found.push({ name, description, alias: typeOf(name, schema, found) });
    return;
  }
  const required = new Set(schema.required);
  const members = Object.entries(schema.properties).map(([member, one]) => ({
    name: member,
    description: one.description ?? "",
    isRequired: required.has(member),
    type: typeOf(name + capital(member), one, found),
  }));
  found.push({ name, description, members });
}

function typeOf(path: string, schema: Schema, found: Declaration[]): WireType {
  const { $ref, enum: values, const: only, type } = schema;
  const choices = schema.anyOf ?? schema.oneOf;
  if ($ref !== undefined) return { kind: "named", name: $ref.split("/").at(-1) ?? "" };
  if (choices !== undefined) {
    return union(choices.map((one, at) => typeOf(`${path}${at + 1}`, one, found)));
  }
  if (Array.isArray(type)) {
    return union(type.map((one: string) => typeOf(path, { ...schema, type: one }, found)));
  }
  if (values !== undefined) return { kind: "literal", values };
  if (only !== undefined) return { kind: "literal", values: [only] };
  switch (type) {
    case "string":
    case "integer":
    case "number":
    case "boolean":
    case "null":
      return { kind: type };
    case "array":
      return { kind: "list", of: typeOf(`${path}Item`, schema.items ?? {}, found) };
    case "object":
      return objectOf(path, schema, found);
    case undefined:
      return { kind: "any" };
    default:
      throw new Error(`${path}: a schema of type ${String(type)} is not understood`);
  }
}

function objectOf(path: string, schema: Schema, found: Declaration[]): WireType {
  if (schema.properties !== undefined) {
    const name = `${path}Value`;
    declare(name, { ...schema, type: "object" }, found);
    return { kind: "named", name };
  }
  const { additionalProperties: rest } = schema;
  return {
    kind: "map",
    of: typeof rest === "object" ? typeOf(path, rest, found) : { kind: "any" },
  };
}

const union = (of: readonly WireType[]): WireType => ({ kind: "union", of });

const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

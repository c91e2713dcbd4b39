/** The fields of a session as types: declared directly, or inferred from a schema. */
import type { Json, JsonObject } from "../domain/json";

/** Fields without declared types. */
export type Fields = Readonly<Record<string, Json>>;

/** Fields as a session shows them: any declared field may still be missing. */
export type FieldsView<F extends object> = string extends keyof F
  ? F
  : { readonly [K in keyof F]?: F[K] };

/** Fields as they are set: any subset, and `null` removes a field. */
export type FieldsInput<F extends object> = { readonly [K in keyof F]?: F[K] | null };

/**
 * A schema of zod or another library that follows Standard Schema and can be converted to JSON
 * Schema.
 */
export interface StandardSchema<I = unknown> {
  /** What every library that follows Standard Schema provides. */
  readonly "~standard": {
    /** The input and output types. */
    readonly types?: { readonly input: I; readonly output: unknown } | undefined;
    /** Validates a value; `issues` is present if the value is invalid. */
    readonly validate?: (value: unknown) => ValidationResult | Promise<ValidationResult>;
    /** The schema as JSON Schema. */
    readonly jsonSchema?: {
      /** The JSON Schema of the input. */
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

interface ValidationResult {
  readonly issues?:
    | readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[]
    | undefined;
}

/**
 * A JSON Schema whose properties are the fields. Declare it `as const` so that its types are known.
 */
export type FieldsSchema = Readonly<Record<string, unknown>>;

/** The fields that a schema describes. */
export type FieldsOf<S> =
  S extends StandardSchema<infer I>
    ? I extends object
      ? I
      : Fields
    : S extends { readonly properties: infer P }
      ? { readonly [K in keyof P]: ValueOf<P[K]> }
      : Fields;

type ValueOf<S> = S extends { readonly const: infer V }
  ? V
  : S extends { readonly enum: readonly (infer V)[] }
    ? V
    : S extends { readonly type: "string" }
      ? string
      : S extends { readonly type: "number" | "integer" }
        ? number
        : S extends { readonly type: "boolean" }
          ? boolean
          : S extends { readonly type: "null" }
            ? null
            : S extends { readonly type: "array"; readonly items: infer I }
              ? readonly ValueOf<I>[]
              : S extends { readonly type: "object"; readonly properties: infer P }
                ? ObjectOf<P, S>
                : Json;

type ObjectOf<P, S> = S extends { readonly required: readonly (infer R)[] }
  ? { readonly [K in keyof P & R]: ValueOf<P[K]> } & {
      readonly [K in Exclude<keyof P, R>]?: ValueOf<P[K]>;
    }
  : { readonly [K in keyof P]?: ValueOf<P[K]> };

/** The JSON Schema to send, from a schema in either form. */
export function jsonSchemaOf(schema: FieldsSchema | StandardSchema): JsonObject {
  if (!("~standard" in schema)) return schema as JsonObject;
  const { jsonSchema } = (schema as StandardSchema)["~standard"];
  if (jsonSchema === undefined) {
    throw new TypeError(
      "This schema cannot be converted to JSON Schema. Pass a JSON Schema instead.",
    );
  }
  return jsonSchema.input({ target: "draft-2020-12" }) as JsonObject;
}

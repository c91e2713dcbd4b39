import { Validator } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import { buildOpenApi } from "../../src/protocol/openapi.ts";
import { STATUS } from "../../src/protocol/problem.ts";
import { SAMPLE_FAILURES } from "../../src/protocol/sample-failures.ts";

interface Media {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
type Content = Readonly<Record<string, Media>>;
interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

const document = buildOpenApi({
  publicUrl: "https://baton.example",
  needsKey: true,
}) as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
};
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

const mediaOf = ({ requestBody, responses }: Operation): readonly (readonly [string, Media])[] =>
  [
    ["request", requestBody?.content] as const,
    ...Object.entries(responses).map(([status, { content }]) => [status, content] as const),
  ].flatMap(([where, content]) =>
    Object.entries(content ?? {}).map(([type, media]) => [`${where} ${type}`, media] as const),
  );

const validated = ({ schema }: Media, value: unknown): readonly string[] =>
  new Validator({ ...schema, components: document.components }, "2020-12", false)
    .validate(value)
    .errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`);

describe("the API's description", () => {
  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    "has for each request and response of %s an example that fits its schema",
    (_, operation) => {
      for (const [where, media] of mediaOf(operation)) {
        const given = Object.values(media.examples ?? {}).map(({ value }) => value);
        const values = media.example === undefined ? given : [media.example];
        expect(values.length, where).toBeGreaterThan(0);
        for (const value of values) expect(validated(media, value), where).toEqual([]);
      }
    },
  );

  it("has an example for each error code", () => {
    const shown = new Set(
      operations.flatMap((operation) =>
        mediaOf(operation).flatMap(([, { examples }]) => Object.keys(examples ?? {})),
      ),
    );

    expect(Object.keys(SAMPLE_FAILURES).toSorted()).toEqual(Object.keys(STATUS).toSorted());
    expect([...shown].filter((code) => !(code in STATUS))).toEqual([]);
  });

  it("has no placeholder text in an example", () => {
    const filled = operations.flatMap((operation) =>
      mediaOf(operation)
        .filter(([, { example }]) => JSON.stringify(example ?? null).includes('"text"'))
        .map(([where]) => `${operation.operationId} ${where}`),
    );

    expect(filled).toEqual([]);
  });
});

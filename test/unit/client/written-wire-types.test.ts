import { readFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { expect, it } from "vitest";
import { declarationsOf, type Document } from "../../../scripts/wire-types/model.ts";
import { pythonOf } from "../../../scripts/wire-types/python.ts";
import { typescriptFor } from "../../../scripts/wire-types/typescript.ts";
import { buildOpenApi } from "../../../src/protocol/openapi.ts";

const ROOT = join(import.meta.dirname, "../../..");
const document = buildOpenApi({ publicUrl: "http://localhost", needsKey: false });

it("the Python client's wire types are those of the OpenAPI document (npm run wire-types)", () => {
  const written = readFileSync(join(ROOT, "clients/python/src/baton/wire.py"), "utf8");

  expect(written).toBe(pythonOf(declarationsOf(document as unknown as Document)));
});

it("the SDK's wire types are those of the OpenAPI document (npm run wire-types)", async () => {
  const read = (name: string) => readFileSync(join(ROOT, `src/client/${name}.ts`), "utf8");
  const sources = ["inputs", "outputs"].map(read);
  const declarations = declarationsOf(document as unknown as Document);
  const style = {
    ...(await resolveConfig(join(ROOT, "src/client/wire.ts"))),
    parser: "typescript",
  };

  const written = typescriptFor(sources, declarations);

  expect(read("wire")).toBe(await format(written, style));
  expect(() => typescriptFor(["type A = wire.Nothing"], declarations)).toThrow("no Nothing");
});

const other = (schema: object) => declarationsOf({ components: { schemas: { Other: schema } } });

it("a schema that changed is noticed, and one that is not understood is refused", () => {
  const members = { type: "object", properties: { from: { type: "string" }, a: {} } };

  expect(pythonOf(other(members))).toContain('TypedDict("_OtherOddOptional", {"from": "str"}');
  expect(() => other({ type: "tuple" })).toThrow("not understood");
});

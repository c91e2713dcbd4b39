/**
 * `npm run wire-types`: writes the types of the wire from the OpenAPI document, which is written from
 * the schemas that the server checks with. A test compares the written files with the document.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildWorker } from "../build-worker.ts";
import { declarationsOf, type Document } from "./model.ts";
import { pythonOf } from "./python.ts";
import { typescriptFor } from "./typescript.ts";
import { format, resolveConfig } from "prettier";

const ROOT = join(import.meta.dirname, "../..");

const bundled = await buildWorker(join(ROOT, "src/protocol/openapi.ts"));
const source = `data:text/javascript;base64,${Buffer.from(bundled).toString("base64")}`;
const { buildOpenApi } = (await import(source)) as { buildOpenApi(deployment: object): Document };

const declarations = declarationsOf(buildOpenApi({ publicUrl: "http://localhost" }));
writeFileSync(join(ROOT, "clients/python/src/baton/wire.py"), pythonOf(declarations));
const clientSources = () =>
  ["inputs", "outputs"].map((name) => readFileSync(join(ROOT, `src/client/${name}.ts`), "utf8"));
const client = join(ROOT, "src/client/wire.ts");
const style = { ...(await resolveConfig(client)), parser: "typescript" };
writeFileSync(client, await format(typescriptFor(clientSources(), declarations), style));

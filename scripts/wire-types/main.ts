/**
 * `npm run wire-types`: writes the types of the wire from the OpenAPI document, which is written from
 * the schemas that the server checks with. A test holds the written files to the document.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildWorker } from "../build-worker.ts";
import { declarationsOf, type Document } from "./model.ts";
import { pythonOf } from "./python.ts";

const ROOT = join(import.meta.dirname, "../..");

const bundled = await buildWorker(join(ROOT, "src/protocol/openapi.ts"));
const source = `data:text/javascript;base64,${Buffer.from(bundled).toString("base64")}`;
const { buildOpenApi } = (await import(source)) as { buildOpenApi(deployment: object): Document };

const declarations = declarationsOf(buildOpenApi({ publicUrl: "http://localhost" }));
writeFileSync(join(ROOT, "clients/python/src/baton/wire.py"), pythonOf(declarations));

import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { LAYERS, violations } from "./architecture-rules";

const SRC = join(import.meta.dirname, "../../src");

const sources = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(SRC, join(entry.parentPath, entry.name)).split(sep).join("/"));

describe("the dependency rules between layers", () => {
  it("cover every folder and every file under src", () => {
    const unread = sources.filter((path) => !/\.tsx?$/.test(path));
    const layers = new Set(sources.map((path) => path.split("/")[0]?.replace(/\.tsx?$/, "") ?? ""));
    expect(unread).toEqual([]);
    expect([...layers].filter((layer) => !Object.hasOwn(LAYERS, layer))).toEqual([]);
    expect([...layers]).toEqual(expect.arrayContaining(["domain", "storage", "object", "http"]));
  });

  it("hold in every file", () => {
    const found = sources.flatMap((path) =>
      violations(path, readFileSync(join(SRC, path), "utf8")),
    );
    expect(found).toEqual([]);
  });
});

describe("the checker of dependency rules", () => {
  it.each([
    ["domain/x.ts", `import { z } from "zod";`],
    ["domain/x.ts", `import type { Env } from "../env";`],
    ["domain/x.ts", `import * as workers from "cloudflare:workers";`],
    ["domain/x.ts", `export const now = () => Date.now();`],
    ["domain/x.ts", `export const now = () => Date["now"]();`],
    ["domain/x.ts", `export const now = () => new Date().toISOString();`],
    ["domain/x.ts", `export const now = () => Date();`],
    ["domain/x.ts", `export const roll = () => Math.random();`],
    ["domain/x.ts", `export const id = () => crypto.randomUUID();`],
    ["domain/x.ts", `export const get = (url: string) => fetch(url);`],
    ["domain/x.ts", `export const read = (request: Request) => request.url;`],
    ["domain/x.ts", `export type Id = DurableObjectId;`],
    ["domain/x.ts", `export const text = \`\${Date.now()}\`;`],
    ["protocol/x.ts", `import { SessionStore } from "../storage/session-store";`],
    ["protocol/x.ts", `import { Hono } from "hono";`],
    ["storage/x.ts", `import { receive } from "../object/reception";`],
    ["storage/x.ts", `export const open = (storage: DurableObjectStorage) => storage.sql;`],
    ["storage/x.ts", `import type { Problem } from "../protocol/problem";`],
    ["object/x.ts", `import { Gateway } from "../gateway/gateway";`],
    ["object/x.ts", `import { Hono } from "hono";`],
    ["object/x.ts", `import { readFile } from "node:fs/promises";`],
    ["storage/x.ts", `import { readFileSync } from "node:fs";`],
    ["domain/x.ts", `import { createHash } from "node:crypto";`],
    ["gateway/x.ts", `import { write } from "../object/write";`],
    ["gateway/x.ts", `import { type Page } from "../object/messages";`],
    ["gateway/x.ts", `import { SessionStore } from "../storage/session-store";`],
    ["gateway/x.ts", `const object = await import("../object/write");`],
    ["gateway/x.ts", `import "../http/app";`],
    ["http/x.ts", `import { tools } from "../mcp/tools";`],
    ["http/x.ts", `export * from "../ui/page";`],
    ["http/x.ts", `import type { Room } from "../object/reception";`],
    ["http/x.ts", `import { answer } from "../object/messages";`],
    ["http/x.ts", `export type Row = import("../storage/sql-port").SqlRow;`],
    ["http/x.ts", `export const pair = () => new WebSocketPair();`],
    ["arcp/x.ts", `import { Hono } from "hono";`],
    ["arcp/x.ts", `import { createApp } from "../http/app";`],
    ["mcp/x.ts", `import { page } from "../ui/page";`],
    ["ui/browser/x.ts", `import { PROBLEMS } from "../words";`],
    ["ui/browser/page/x.ts", `import type { Session } from "../../../domain/session/session";`],
    ["ui/x.ts", `import { present } from "../arcp/present";`],
    ["client/x.ts", `import { problemSchema } from "../protocol/problem";`],
    ["client/x.ts", `import { z } from "zod";`],
    ["client/x.ts", `import { readFile } from "node:fs/promises";`],
    ["cli/x.ts", `import type { Problem } from "../protocol/problem";`],
    ["cli/x.ts", `import { Gateway } from "../gateway/gateway";`],
    ["cli/x.ts", `import { OPERATIONS } from "../domain/session/operation";`],
    ["cli/x.ts", `import { STOP_REASONS } from "../domain/stops/policy";`],
    ["json-schema/x.ts", `import type { Session } from "../domain/session/session";`],
    ["json-schema/x.ts", `export const now = () => Date.now();`],
    ["object/x.ts", `import { tell } from "../observe/tell";`],
    ["client/x.ts", `import { FileTokenStore } from "../client-node/file-token-store";`],
    ["client/x.ts", `import { classifyStop } from "../cli/stop-classifier";`],
    ["object/x.ts", `export const keep = (store: Store) => store.insertCommit(record);`],
    ["storage/x.ts", `export const keep = (log: Log) => log.insertCommit(record);`],
    ["object/x.ts", `export const notify = (context: SessionContext) => context.announce(record);`],
    ["object/x.ts", `export const notify = ({ announce }: SessionContext) => announce(record);`],
    ["object/x.ts", `import { viewSession } from "../domain/session/view";`],
    ["object/x.ts", `import { readPage } from "../storage/log-page";`],
    ["gateway/x.ts", `export const call = (env: Env) => env.SESSION.get(id);`],
    ["gateway/x.ts", `export const call = ({ MISSES }: Env) => MISSES.get(id);`],
    ["ui/x.ts", `export const call = (env: Env) => env["HANDOFFS"].get(id);`],
    ["object/x.ts", `export const call = (env: Env) => env.AGENT_QUEUE.get(id);`],
    ["ui/x.ts", `export const read = (request: Request) => request.formData();`],
    ["ui/x.ts", `export const read = (name: string) => decodeURIComponent(name);`],
    ["ui/x.ts", `export const read = (text: string) => JSON.parse(text);`],
    ["mcp/x.ts", `export const read = (text: string) => JSON["parse"](text);`],
    ["env.ts", `import { Gateway } from "./gateway/gateway";`],
    ["index.ts", `import { SessionStore } from "./storage/session-store";`],
    ["helpers/x.ts", `export const nothing = 0;`],
    ["constructor/x.ts", `export const nothing = 0;`],
    ["domain/x.ts", `import { from`],
  ])("reports the violation in %s: %s", (path, source) => {
    expect(violations(path, source)).toHaveLength(1);
  });

  it.each([
    ["domain/x.ts", `export const iso = (time: number) => new Date(time).toISOString();`],
    ["domain/x.ts", `export const now = (clock: { now: number; fetch: 1 }) => clock.now;`],
    ["domain/x.ts", `// Date.now() and fetch("x")\nexport const text = "crypto.randomUUID()";`],
    ["json-schema/x.ts", `import { Validator } from "@cfworker/json-schema";`],
    ["domain/session/x.ts", `import { validate } from "../../json-schema/schema-validator";`],
    ["gateway/x.ts", `import type { Page } from "../object/messages";`],
    ["http/x.ts", `import type { Page } from "../object/messages";`],
    ["http/x.ts", `import { cors } from "hono/cors";`],
    ["object/x.ts", `import { DurableObject } from "cloudflare:workers";`],
    ["object/x.ts", `import { createHash } from "node:crypto";`],
    [
      "object/commit.ts",
      `export const save = (context: SessionContext) => context.announce(record);`,
    ],
    ["object/gate.ts", `import { viewSession } from "../domain/session/view";`],
    ["gateway/objects.ts", `export const call = (env: Env) => env.SESSION.get(id);`],
    ["http/x.ts", `export const write = (value: Json) => JSON.stringify(Date.parse(value));`],
    ["ui/browser/x.ts", `import { draft } from "./page/draft";`],
    ["ui/x.ts", `import { text } from "browser:try";`],
    ["client/x.ts", `import type { Problem } from "../protocol/problem";`],
    ["cli/x.ts", `import { Client } from "../client/client";\nimport "node:fs";`],
    ["cli/x.ts", `import { retryAfterMsOf } from "../domain/stops/stop";`],
    ["client-node/x.ts", `import { Turns } from "../client/token-store";\nimport "node:fs";`],
    ["index.ts", `export { SessionObject } from "./object/session-object";`],
  ])("accepts what is right in %s: %s", (path, source) => {
    expect(violations(path, source)).toEqual([]);
  });
});

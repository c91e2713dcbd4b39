import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PLANTED } from "../support/client-scripts/run-all.ts";
import { ClientProcesses } from "../support/client-scripts/client-process.ts";
import { runScript } from "../support/client-scripts/run-script.ts";
import { clientScripts } from "../support/client-scripts/script.ts";
import { startServer, temporaryFolder, type Server } from "../support/server.ts";

const CLIENT = join(import.meta.dirname, "../support/client-scripts/typescript-player.mjs");
const clients = new ClientProcesses([process.execPath, CLIENT]);
const scripts = clientScripts();

const folder = temporaryFolder();
let server: Server;
beforeAll(async () => {
  server = await startServer(folder.path);
});
afterAll(async () => {
  await clients[Symbol.asyncDispose]();
  await server.stop();
  folder[Symbol.dispose]();
});

it.each(scripts.map((script) => [script.title, script] as const))("%s", async (_, script) => {
  expect(await runScript(script, server.url, clients)).toEqual([]);
});

it.each(Object.entries(PLANTED))("the planted bug %s is found by %s", async (bug, file) => {
  const script = scripts.find((one) => one.file === file);
  if (script === undefined) throw new Error(`there is no ${file}`);

  expect(await runScript(script, server.url, clients, bug)).not.toEqual([]);
});

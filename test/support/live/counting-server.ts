/** A server that reports how often objects were constructed, to show that idle ones hibernate. */
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { join } from "node:path";
import { buildWorker } from "../../../scripts/build-worker.ts";
import { COMPATIBILITY_DATE } from "../../../scripts/runtime/config.ts";
import { findFreePort } from "../../../scripts/port.ts";
import { Client } from "../client.ts";

export interface CountingServer {
  readonly url: string;
  readonly client: Client;
  constructions(): Promise<number>;
  stop(): Promise<void>;
}

export async function startCountingServer(dataFolder: string): Promise<CountingServer> {
  const port = await findFreePort("127.0.0.1");
  const contents = await buildWorker(join(import.meta.dirname, "counting-worker.ts"));
  const options = convertV4MiniflareOptions({
    name: "baton",
    port,
    log: new Log(LogLevel.ERROR),
    modules: [{ type: "ESModule", path: "index.js", contents }],
    compatibilityDate: COMPATIBILITY_DATE,
    bindings: { PUBLIC_URL: `http://127.0.0.1:${port}` },
    durableObjects: { SESSION: { className: "SessionObject", useSQLite: true } },
  });
  const miniflare = new Miniflare({ ...options, resourcePersistencePath: dataFolder });
  await miniflare.ready;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    client: new Client(fetch, url),
    constructions: async () => Number(await (await fetch(`${url}/constructions`)).text()),
    stop: () => miniflare.dispose(),
  };
}

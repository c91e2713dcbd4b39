/**
 * Serves the floor on workerd alone, like Baton, or on Miniflare, as both were when the targets were set.
 * Also a program: `node floor-server.ts PORT FOLDER BUNDLE [miniflare]`. BUNDLE is the Worker as one
 * file, so that its build is not part of the start time.
 */
import { readFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { join } from "node:path";
import { COMPATIBILITY_DATE } from "../runtime/config.ts";
import { RuntimeFolder } from "../runtime/folder.ts";
import { Runtime } from "../runtime/process.ts";

export const FLOOR_ENTRY = join(import.meta.dirname, "floor-worker.ts");

interface FloorServer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startFloor(
  worker: string,
  folder: string,
  port: number,
  v8Flags: readonly string[] = [],
): Promise<FloorServer> {
  const files = new RuntimeFolder();
  const config = files.write(worker, {
    address: `127.0.0.1:${port}`,
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: [],
    classes: [{ binding: "FLOOR", className: "FloorObject", uniqueKey: "floor-FloorObject" }],
    objectFolder: folder,
    vars: [],
    style: "host",
    v8Flags,
  });
  const runtime = new Runtime(config, {});
  await runtime.start();
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await runtime.end(0);
      files.remove();
    },
  };
}

/** Miniflare adds an entry Worker that every request passes. */
async function startOnMiniflare(worker: string, folder: string, port: number): Promise<void> {
  const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = await import("miniflare");
  const converted = convertV4MiniflareOptions({
    name: "floor",
    host: "127.0.0.1",
    port,
    log: new Log(LogLevel.ERROR),
    modules: [{ type: "ESModule", path: "index.js", contents: worker }],
    compatibilityDate: COMPATIBILITY_DATE,
    durableObjects: { FLOOR: { className: "FloorObject", useSQLite: true } },
  });
  await new Miniflare({ ...converted, resourcePersistencePath: folder }).ready;
}

if (process.argv[1] === import.meta.filename) {
  const [port, folder = "", bundle = "", front] = process.argv.slice(2);
  const start = front === "miniflare" ? startOnMiniflare : startFloor;
  await start(readFileSync(bundle, "utf8"), folder, Number(port));
  flushCompileCache();
}

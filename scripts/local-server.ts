/**
 * Baton on this machine: the Worker on Miniflare, with data kept in a folder. The key that object ids
 * are authenticated with is drawn once and kept there too: with the public default anybody could
 * compute ids that wake objects.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { buildWorker } from "./build-worker.ts";

export const COMPATIBILITY_DATE = "2026-08-20";

export interface LocalServerOptions {
  readonly port: number;
  readonly host: string;
  readonly dataFolder: string;
  readonly vars?: Readonly<Record<string, string>>;
  /** Only for tests that show what the public default would allow. */
  readonly uniqueKey?: string;
}

export interface LocalServer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startLocalServer(options: LocalServerOptions): Promise<LocalServer> {
  const { port, host, dataFolder, vars = {} } = options;
  mkdirSync(dataFolder, { recursive: true });
  const uniqueKey = options.uniqueKey ?? keptKey(dataFolder);
  const address = port === 0 ? undefined : `http://localhost:${port}`;
  const converted = convertV4MiniflareOptions({
    name: "baton",
    host,
    port,
    log: new Log(LogLevel.ERROR),
    modules: [{ type: "ESModule", path: "index.js", contents: await buildWorker() }],
    compatibilityDate: COMPATIBILITY_DATE,
    durableObjects: {
      SESSION: { className: "SessionObject", useSQLite: true, unsafeUniqueKey: uniqueKey },
    },
    bindings: { ...(address === undefined ? {} : { PUBLIC_URL: address }), ...vars },
  });
  const miniflare = new Miniflare({ ...converted, resourcePersistencePath: dataFolder });
  const ready = await miniflare.ready;
  return {
    url: `http://localhost:${ready.port}`,
    stop: () => miniflare.dispose(),
  };
}

/** 0600: who can read it can compute ids that this server accepts, though never a token. */
function keptKey(dataFolder: string): string {
  const path = join(dataFolder, "unique-key");
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    const key = randomBytes(32).toString("hex");
    writeFileSync(path, `${key}\n`, { mode: 0o600, flag: "wx" });
    return key;
  }
}

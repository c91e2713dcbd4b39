/**
 * Baton on this machine: the Worker on Miniflare, with data kept in a folder. The key that object ids
 * are authenticated with is drawn once and kept there too: with the public default anybody could
 * compute ids that wake objects.
 */
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { buildWorker } from "./build-worker.ts";
import { openDataFolder } from "./data-folder.ts";
import { keptKeys } from "./key-files.ts";
import { findFreePort } from "./port.ts";
import { RuntimeProcess } from "./runtime-process.ts";
import { serveSite } from "./site/serve.ts";
import { LIMIT_BINDINGS, quotasOf, type LimitName } from "../src/gateway/rate-limits.ts";

export const COMPATIBILITY_DATE = "2026-08-20";

/** On one's own machine every name is an agent, and its executors need no key. */
const ANY_AGENT = JSON.stringify([{ name: "*" }]);

export interface LocalServerOptions {
  /** 0 means any that is free. */
  readonly port: number;
  readonly host: string;
  readonly dataFolder: string;
  readonly vars?: Readonly<Record<string, string>>;
  /** Only for tests that show what the public default would allow. */
  readonly uniqueKey?: string;
  /** Only for tests: another Worker than the one that the source makes. */
  readonly worker?: string;
  /** Only for tests that need a way into the objects: another Worker that has the same classes. */
  readonly entry?: string;
}

export interface LocalServer {
  readonly url: string;
  /** Requests under way may end for at most that long; what is open then is cut. */
  stop(drainMs?: number): Promise<void>;
}

/** Null where another server has the data folder. */
export async function startLocalServer(options: LocalServerOptions): Promise<LocalServer | null> {
  const { host, dataFolder, vars = {} } = options;
  const folder = openDataFolder(dataFolder);
  if (folder === null) return null;
  const uniqueKey = options.uniqueKey ?? folder.uniqueKey;
  // Chosen here and not by the runtime, because the Worker is told its address before it starts.
  const port = options.port === 0 ? await findFreePort(host) : options.port;
  const url = `http://localhost:${port}`;
  const worker = options.worker ?? (await buildWorker(options.entry));
  const converted = convertV4MiniflareOptions({
    name: "baton",
    host,
    port,
    log: new Log(LogLevel.ERROR),
    modules: [{ type: "ESModule", path: "index.js", contents: worker }],
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: [
      "enable_request_signal",
      ...(options.entry === undefined ? [] : ["experimental", "unsafe_module"]),
    ],
    durableObjects: {
      SESSION: { className: "SessionObject", useSQLite: true, unsafeUniqueKey: uniqueKey },
      HANDOFFS: {
        className: "HandoffDirectory",
        useSQLite: true,
        unsafeUniqueKey: `${uniqueKey}-handoffs`,
      },
      MISSES: { className: "MissCounter", useSQLite: true, unsafeUniqueKey: `${uniqueKey}-misses` },
      AGENT_QUEUE: {
        className: "AgentQueue",
        useSQLite: true,
        unsafeUniqueKey: `${uniqueKey}-agents`,
      },
    },
    serviceBindings: { DOCS: serveSite() },
    ratelimits: rateLimitsFor(vars["RATE_LIMITS"]),
    r2Buckets: { UPLOADS: "baton-uploads" },
    bindings: { PUBLIC_URL: url, AGENTS: ANY_AGENT, ...keptKeys(dataFolder, vars), ...vars },
  });
  const runtime = new RuntimeProcess();
  const miniflare = new Miniflare({ ...converted, resourcePersistencePath: dataFolder });
  await miniflare.ready;
  return {
    url,
    async stop(drainMs = 0) {
      await runtime.end(() => miniflare.dispose(), drainMs);
      folder.release();
    },
  };
}

/** The counters of the platform. Callers on this machine and in private networks are not counted. */
const rateLimitsFor = (given: string | undefined) =>
  Object.fromEntries(
    Object.entries(quotasOf(given)).map(([name, simple]) => [
      LIMIT_BINDINGS[name as LimitName],
      { namespace_id: name, simple },
    ]),
  );

/**
 * Runs Baton on this machine: the Worker on workerd, with data in a folder. The key that authenticates
 * object ids is generated once and stored there too: with the public default any caller could compute
 * ids that wake objects.
 */
import { mkdirSync } from "node:fs";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { buildWorker } from "./build-worker.ts";
import { openDataFolder } from "./data-folder.ts";
import { storedKeys } from "./key-files.ts";
import { createLocalOwner, type LocalOwner } from "./local-owner.ts";
import { findFreePort } from "./port.ts";
import { COMPATIBILITY_DATE, type ObjectClass } from "./runtime/config.ts";
import { DocsServer } from "./runtime/docs-socket.ts";
import { RuntimeFolder } from "./runtime/folder.ts";
import { Host } from "./runtime/host-status.ts";
import { NOTE } from "./runtime/note.ts";
import { Runtime } from "./runtime/process.ts";
import { LIMIT_BINDINGS, rateLimitsOf, type LimitName } from "../src/gateway/rate-limits.ts";

/** On a local machine every name is an agent, and its executors need no key. */
const ANY_AGENT = JSON.stringify([{ name: "*" }]);

/** The classes of wrangler.toml, each with its suffix for the server's key. */
const CLASSES: readonly (Omit<ObjectClass, "uniqueKey"> & { readonly suffix: string })[] = [
  { binding: "SESSION", className: "SessionObject", suffix: "" },
  { binding: "HANDOFFS", className: "HandoffDirectory", suffix: "-handoffs" },
  { binding: "MISSES", className: "MissCounter", suffix: "-misses" },
  { binding: "AGENT_QUEUE", className: "AgentQueue", suffix: "-agents" },
  { binding: "NOTICE_ENDPOINT", className: "NoticeEndpoint", suffix: "-endpoints" },
  { binding: "OWNER_DIRECTORY", className: "OwnerDirectory", suffix: "-owners" },
];

export interface LocalServerOptions {
  /** 0 selects a free port. */
  readonly port: number;
  readonly host: string;
  readonly dataFolder: string;
  readonly vars?: Readonly<Record<string, string>>;
  /** Builds the documentation in the background if it was never built. */
  readonly preparesDocs?: boolean;
  /** Whether the first request for a page under /docs may build the site. Default: true. */
  readonly buildsDocs?: boolean;
  /** Called after each phase of the start. */
  readonly onPhase?: (name: string) => void;
  /** Creates the owner `local` with a key in the data folder, if the vars list no owners. */
  readonly makesLocalOwner?: true;
  /** Only for tests that show what the public default would allow. */
  readonly uniqueKey?: string;
  /** Only for measuring: the address of workerd's inspector, which has no access control. */
  readonly inspector?: string;
  /** Only for measuring. */
  readonly v8Flags?: readonly string[];
  /** Only for tests: another Worker in place of the built one. */
  readonly worker?: string;
  /** Only for tests that need access to the objects: another entry with the same classes. */
  readonly entry?: string;
}

export interface LocalServer {
  readonly url: string;
  readonly local: LocalOwner | null;
  /** Lets open requests finish within this time, then cuts the rest. */
  stop(drainMs?: number): Promise<void>;
}

/** Null if another server uses the data folder. */
export async function startLocalServer(options: LocalServerOptions): Promise<LocalServer | null> {
  const { host: address, dataFolder, vars = {}, onPhase = () => {} } = options;
  onPhase("modules");
  const folder = await openDataFolder(dataFolder);
  if (folder === null) return null;
  const uniqueKey = options.uniqueKey ?? folder.uniqueKey;
  // Chosen here and not by the runtime, because the Worker needs its address before it starts.
  const port = options.port === 0 ? await findFreePort(address) : options.port;
  const url = `http://${addressOf(address)}:${port}`;
  const worker = options.worker ?? (await buildWorker(options.entry));
  onPhase("Worker");
  const isLocal = options.makesLocalOwner === true && vars["OWNERS"] === undefined;
  const local = isLocal ? createLocalOwner(dataFolder, Date.now()) : null;
  const settings = {
    PUBLIC_URL: url,
    AGENTS: ANY_AGENT,
    ...storedKeys(dataFolder, vars),
    ...local?.settings,
    ...vars,
  };
  const files = new RuntimeFolder();
  const docsSocket = files.in("docs.sock");
  const host = new Host(dataFolder, () => runtime.pid);
  const docs = new DocsServer(options.buildsDocs !== false, host, join(dataFolder, "cache/docs"));
  await docs.listen(docsSocket);
  const config = files.write(worker, {
    address: `${bracketed(address)}:${port}`,
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: [
      "enable_request_signal",
      ...(options.entry === undefined ? [] : ["experimental", "unsafe_module"]),
    ],
    classes: CLASSES.map(({ suffix, ...one }) => ({ ...one, uniqueKey: uniqueKey + suffix })),
    objectFolder: ensureFolder(dataFolder, "do"),
    vars: Object.keys(settings),
    counters: countersFor(vars["RATE_LIMITS"]),
    buckets: { names: { UPLOADS: "baton-uploads" }, folder: ensureFolder(dataFolder, "r2") },
    docsSocket,
    allowsPrivate: Boolean(vars["WEBHOOK_ALLOW"] || vars["OIDC"]),
    v8Flags: options.v8Flags ?? [],
  });
  const flags = options.inspector === undefined ? [] : [`--inspector-addr=${options.inspector}`];
  const note = join(dataFolder, NOTE);
  const runtime = new Runtime(config, { ...settings, TZ: "UTC" }, { flags, note });
  onPhase("configuration");
  await runtime.start();
  onPhase("runtime");
  if (options.preparesDocs === true) docs.prepare();
  return {
    url,
    local,
    async stop(drainMs = 0) {
      await runtime.end(drainMs);
      docs.close();
      files.remove();
      folder.release();
    },
  };
}

const bracketed = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

/** For the loopback and the wildcard address, the server is addressed as localhost. */
const addressOf = (host: string): string =>
  /^(?:127\.0\.0\.1|0\.0\.0\.0|::1?)$/.test(host) ? "localhost" : bracketed(host);

function ensureFolder(...parts: readonly string[]): string {
  const path = join(...parts);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

/** Callers on this machine and in private networks are not rate limited. */
const countersFor = (rateLimits: string | undefined) =>
  Object.entries(rateLimitsOf(rateLimits)).map(([name, { limit, period }]) => ({
    binding: LIMIT_BINDINGS[name as LimitName],
    limit,
    period,
  }));

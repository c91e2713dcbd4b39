/**
 * The configuration of workerd for a self-hosted server, as the text that workerd reads. The Worker
 * itself listens: there is no development entry in front of it, so headers and paths of such tools have
 * no effect. Settings are passed in the environment of the runtime, because some of them are secrets.
 */
import { NON_PUBLIC_NETWORKS } from "../../src/domain/notices/non-public-networks.ts";
import { quoted } from "./literal.ts";

export const COMPATIBILITY_DATE = "2026-08-20";

/** A class of the Worker, the name of its binding, and the key that its ids are authenticated with. */
export interface ObjectClass {
  readonly binding: string;
  readonly className: string;
  readonly uniqueKey: string;
}

interface Counter {
  readonly binding: string;
  readonly limit: number;
  /** In seconds. */
  readonly period: number;
}

export interface RuntimeConfig {
  /** `host:port`, with an IPv6 host in brackets. */
  readonly address: string;
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  readonly classes: readonly ObjectClass[];
  /** The folder of the objects. */
  readonly objectFolder: string;
  /** Names of the environment variables that are passed to the Worker. */
  readonly vars: readonly string[];
  readonly counters?: readonly Counter[];
  /** Bindings to buckets, and the folder of their files. */
  readonly buckets?: { readonly names: Readonly<Record<string, string>>; readonly folder: string };
  /** Pages for the binding DOCS and facts for HOST, served by this process on a socket in the file system. */
  readonly docsSocket?: string;
  /** The form in which the Worker gets the request's target. Default: unchanged. */
  readonly style?: "proxy" | "host";
  /** Adds the binding PRIVATE_NETWORK: access to this machine and its network. */
  readonly allowsPrivate?: boolean;
  /** Only for measuring. */
  readonly v8Flags?: readonly string[];
}

/** The files that the text refers to. They must be in the same folder. */
export const FILES = {
  worker: "worker.js",
  counter: "counter.js",
  bucket: "bucket.js",
  bucketEntry: "bucket-entry.js",
  shared: "shared.js",
  zod: "zod.js",
} as const;

const embedded = (name: string, file: string): string =>
  `(name = ${quoted(name)}, esModule = embed ${quoted(file)})`;

const list = (items: readonly string[], indent: string): string =>
  items.length === 0
    ? "[]"
    : `[\n${items.map((item) => `${indent}  ${item},\n`).join("")}${indent}]`;

export function configText(config: RuntimeConfig): string {
  const { buckets, counters = [], docsSocket, allowsPrivate = false } = config;
  const services = [
    workerService(config),
    `(name = "objects", disk = (path = ${quoted(config.objectFolder)}, writable = true))`,
    // An address from a client must never reach this machine or its network.
    `(name = "internet", network = (allow = ["public"], deny = [${NON_PUBLIC_NETWORKS.map(quoted).join(", ")}], tlsOptions = (trustBrowserCas = true)))`,
    ...(docsSocket === undefined
      ? []
      : [`(name = "docs", external = (address = ${quoted(`unix:${docsSocket}`)}, http = ()))`]),
    ...(allowsPrivate ? [PRIVATE_NETWORK] : []),
    ...(counters.length === 0 ? [] : [COUNTER_SERVICE]),
    ...(buckets === undefined ? [] : bucketServices(buckets.folder)),
  ];
  return `# Written anew at each start.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = ${list(services, "  ")},
  v8Flags = [${(config.v8Flags ?? []).map(quoted).join(", ")}],
  # In the style "host" workerd makes an address of the Host header, and fails where that is malformed.
  sockets = [(name = "http", address = ${quoted(config.address)}, http = (style = ${config.style ?? "proxy"}), service = "baton")],
  extensions = [(modules = [
    (name = "miniflare:shared", esModule = embed "${FILES.shared}"),
    (name = "miniflare:zod", esModule = embed "${FILES.zod}"),
  ])],
);
`;
}

function workerService(config: RuntimeConfig): string {
  const { classes, vars, counters = [], buckets, docsSocket, allowsPrivate = false } = config;
  const bindings = [
    ...vars.map((name) => `(name = ${quoted(name)}, fromEnvironment = ${quoted(name)})`),
    ...classes.map(
      ({ binding, className }) =>
        `(name = ${quoted(binding)}, durableObjectNamespace = ${quoted(className)})`,
    ),
    ...counters.map(
      ({ binding, limit, period }) =>
        `(name = ${quoted(binding)}, service = (name = "counter", entrypoint = "Counter", props = (json = ${quoted(JSON.stringify({ name: binding, limit, period }))})))`,
    ),
    ...Object.entries(buckets?.names ?? {}).map(
      ([binding, bucket]) =>
        `(name = ${quoted(binding)}, r2Bucket = (name = "bucket-entry", props = (json = ${quoted(JSON.stringify({ MINIFLARE_NAMESPACE: bucket }))})))`,
    ),
    ...(docsSocket === undefined
      ? []
      : [`(name = "DOCS", service = "docs")`, `(name = "HOST", service = "docs")`]),
    ...(allowsPrivate ? [`(name = "PRIVATE_NETWORK", service = "private-network")`] : []),
  ];
  const namespaces = classes.map(
    ({ className, uniqueKey }) =>
      `(className = ${quoted(className)}, uniqueKey = ${quoted(uniqueKey)}, enableSql = true)`,
  );
  return `(name = "baton", worker = (
      modules = [${embedded("index.js", FILES.worker)}],
      compatibilityDate = ${quoted(config.compatibilityDate)},
      compatibilityFlags = [${config.compatibilityFlags.map(quoted).join(", ")}],
      bindings = ${list(bindings, "      ")},
      durableObjectNamespaces = ${list(namespaces, "      ")},
      durableObjectStorage = (localDisk = "objects"),
      globalOutbound = "internet",
    ))`;
}

const PRIVATE_NETWORK = `(name = "private-network", network = (allow = ["public", "private", "local"], tlsOptions = (trustBrowserCas = true)))`;

const COUNTER_SERVICE = `(name = "counter", worker = (
      modules = [${embedded("counter.js", FILES.counter)}],
      compatibilityDate = "2026-08-20",
    ))`;

/** Miniflare's simulation of R2, with the names under which earlier releases stored their files. */
const bucketServices = (folder: string): readonly string[] => [
  `(name = "bucket-files", disk = (path = ${quoted(folder)}, writable = true))`,
  `(name = "bucket-entry", worker = (
      modules = [${embedded("object-entry.worker.js", FILES.bucketEntry)}],
      compatibilityDate = "2023-07-24",
      bindings = [(name = "MINIFLARE_OBJECT", durableObjectNamespace = (className = "R2BucketObject", serviceName = "bucket"))],
    ))`,
  `(name = "bucket", worker = (
      modules = [${embedded("bucket.worker.js", FILES.bucket)}],
      compatibilityDate = "2023-07-24",
      compatibilityFlags = ["nodejs_compat", "experimental"],
      durableObjectNamespaces = [(className = "R2BucketObject", uniqueKey = "miniflare-R2BucketObject")],
      durableObjectStorage = (localDisk = "bucket-files"),
      bindings = [(name = "MINIFLARE_BLOBS", service = "bucket-files")],
    ))`,
];

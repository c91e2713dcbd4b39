/**
 * The dependency rules between layers as data, and a checker that reads a source's syntax tree. A
 * layer is a folder of src, or a file directly in src.
 */
import { parseSync } from "vite";

interface Layer {
  /** Layers, or single files of them, that it may import. */
  readonly uses: readonly string[];
  /** Layers, or single files of them, from which it may import types only. */
  readonly usesTypesOf?: readonly string[];
  readonly packages?: readonly string[];
  readonly knowsCloudflare?: true;
  /** No clock, randomness, crypto or network: time and ids are arguments. */
  readonly isPure?: true;
}

const FACE = {
  uses: ["gateway", "protocol", "domain", "version"],
  usesTypesOf: ["object/session-rpc", "object/messages", "env"],
} as const;

export const LAYERS: Readonly<Record<string, Layer>> = {
  // Knows values and limits, nothing of sessions: domain imports it, not the other way round.
  "json-schema": {
    uses: ["domain/json", "domain/limits", "domain/decode-uri"],
    packages: ["@cfworker/json-schema"],
    isPure: true,
  },
  domain: { uses: ["json-schema"], isPure: true },
  protocol: { uses: ["domain", "version"], packages: ["zod"] },
  // The chain is part of the row that it is stored in. Short commits are hashed in JavaScript.
  storage: { uses: ["domain"], packages: ["node:crypto", "node:buffer", "@noble/hashes"] },
  // A transaction cannot wait for WebCrypto, which is asynchronous: hence node:crypto.
  // A commit is counted where it is stored: hence the two files of observe.
  object: {
    uses: ["storage", "domain", "env", "counters", "observe/data-point", "observe/commit-counters"],
    packages: ["node:crypto"],
    knowsCloudflare: true,
  },
  gateway: {
    uses: ["domain", "protocol"],
    usesTypesOf: ["object", "env"],
    packages: ["@noble/hashes"],
    knowsCloudflare: true,
  },
  http: { ...FACE, uses: [...FACE.uses, "counters", "print"], packages: ["hono", "zod"] },
  arcp: { ...FACE, packages: ["zod"] },
  mcp: { ...FACE, packages: ["hono", "zod", "@modelcontextprotocol/server"] },
  // A form is drawn from the schemas of single values.
  ui: {
    ...FACE,
    uses: [...FACE.uses, "json-schema", "print"],
    packages: ["hono", "uqr", "browser:"],
  },
  // Runs in a browser. From the server it imports only the number format, not even types.
  "ui/browser": { uses: ["ui/form/number-text"] },
  // Drawing code that two faces share.
  print: { uses: ["domain"], packages: ["hono", "uqr"] },
  // For users who have a file but no server.
  verify: { uses: ["domain"] },
  observe: { uses: ["gateway", "protocol", "domain", "counters"], usesTypesOf: ["env"] },
  client: { uses: ["domain/backoff"], usesTypesOf: ["protocol", "domain"] },
  // Each adapter is for one framework. Only LangGraph's peer package is needed at run time.
  adapters: { uses: ["client"], packages: ["@langchain/langgraph-checkpoint"] },
  "client-node": { uses: ["client"], packages: ["node:"] },
  // From domain it needs the rules that its stop classifier shares with the server, and plain helpers.
  cli: {
    uses: [
      "client",
      "client-node",
      "verify",
      "adapters",
      "domain/limits",
      "domain/result",
      "domain/stops/stop",
      "version",
    ],
    usesTypesOf: ["domain/stops/policy"],
    packages: ["node:", "uqr"],
  },
  version: { uses: [] },
  // Counters that the object writes and a page reads: the only process state outside an object.
  counters: { uses: [], usesTypesOf: ["observe/commit-counters"] },
  env: { uses: ["domain"], usesTypesOf: ["gateway/rate-limits"], knowsCloudflare: true },
  index: {
    uses: ["http", "arcp", "mcp", "ui", "observe", "object", "gateway", "env"],
    packages: ["hono"],
    knowsCloudflare: true,
  },
  "self-hosted": { uses: ["index", "gateway"], usesTypesOf: ["env"], knowsCloudflare: true },
};

/**
 * Names that only some files may use, whatever their layer may import, because there is only one way
 * to do it. A name is a property that is read or called, or an imported name.
 */
const RESERVED: readonly {
  readonly names: readonly string[];
  /** Layers that the rule applies to. Absent: all. */
  readonly in?: readonly string[];
  readonly onlyIn: readonly string[];
}[] = [
  // One commit: what is announced is what is stored.
  { names: ["insertCommit"], onlyIn: ["object/commit", "storage/commit-log"] },
  { names: ["announce"], in: ["object"], onlyIn: ["object/commit", "object/session-object"] },
  // One gate: content comes from a viewer.
  { names: ["viewSession", "readPage", "readEvidence"], in: ["object"], onlyIn: ["object/gate"] },
  // One caller: no other file gets a namespace, and so a stub. Objects have post-commit effects.
  {
    names: ["SESSION", "HANDOFFS", "MISSES", "AGENT_QUEUE", "NOTICE_ENDPOINT"],
    onlyIn: ["gateway/objects", "object/post-commit-effects", "object/endpoint-calls", "env"],
  },
  // One reader of forms: it checks the sender before it reads, and the size before it parses.
  { names: ["formData"], onlyIn: ["ui/posted-form"] },
  { names: ["OWNER_DIRECTORY"], onlyIn: ["gateway/objects", "object/notify-directory", "env"] },
];

const CLOUDFLARE_GLOBAL =
  /^(DurableObject\w*|WebSocketPair|WebSocketRequestResponsePair|ExecutionContext|Cloudflare|R2\w+|KVNamespace\w*|D1\w+|Queue|HTMLRewriter|caches|AlarmInvocationInfo|ExportedHandler\w*|SqlStorage\w*|RateLimit|AnalyticsEngine\w*)$/;

const IMPURE_GLOBALS = new Set([
  "crypto",
  "fetch",
  "performance",
  "process",
  "globalThis",
  "console",
  "navigator",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
  "scheduler",
  "Request",
  "Response",
  "Headers",
  "WebSocket",
  "ReadableStream",
  "XMLHttpRequest",
]);

interface Import {
  readonly from: string;
  readonly isType: boolean;
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Describes each rule that a source breaks. `path` is relative to src, as in "domain/session/state.ts". */
export function violations(path: string, source: string): readonly string[] {
  const name = layerOf(path);
  const layer = Object.hasOwn(LAYERS, name) ? LAYERS[name] : undefined;
  if (layer === undefined) return [`${path}: ${name} is no known layer`];
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) return [`${path}: cannot be parsed`];
  const found: string[] = [];
  walk(program as unknown as Node, (node) => {
    const imported = importOf(node);
    if (imported !== null) found.push(...importProblems(path, name, layer, imported));
    found.push(...globalProblems(node, layer));
    found.push(...reservedProblems(node, path, name));
    if (isBareDecoding(node) && !DECODERS.some((one) => path.startsWith(one))) {
      found.push("decodes what may be malformed: use tryDecodeUri");
    }
    if (FACES.has(name) && isBareParsing(node) && path !== "mcp/request-checks.ts") {
      found.push("parses JSON that others wrote: use parseJsonText");
    }
  });
  return found.map((problem) => `${path}: ${problem}`);
}

/** `decodeURIComponent` throws for malformed text. These files decode only what they wrote, or catch it. */
const DECODERS = ["domain/decode-uri.ts", "ui/browser/", "client-node/"];
const isBareDecoding = (node: Node): boolean =>
  node.type === "Identifier" && node["name"] === "decodeURIComponent";

/**
 * JSON has one parser: a face that parses by itself accepts what the others refuse. The checks of MCP
 * parse a suspect body once more, and pass nothing of it on.
 */
const FACES = new Set(["http", "arcp", "mcp", "ui"]);
const isBareParsing = (node: Node): boolean =>
  node.type === "MemberExpression" &&
  (node["object"] as Node)["name"] === "JSON" &&
  usedName(node) === "parse";

function reservedProblems(node: Node, path: string, layer: string): readonly string[] {
  const name = usedName(node);
  if (name === null) return [];
  const file = path.replace(/\.tsx?$/, "");
  return RESERVED.filter(
    (rule) =>
      rule.names.includes(name) &&
      (rule.in === undefined || rule.in.includes(layer)) &&
      !rule.onlyIn.includes(file),
  ).map((rule) => `uses ${name}, which is for ${rule.onlyIn.join(" and ")} alone`);
}

/** The name of a property that is read, destructured or called, or of an import. */
function usedName(node: Node): string | null {
  const named = (key: string): string | null => {
    const inner = node[key] as Node | undefined;
    const name = inner?.["name"] ?? inner?.["value"];
    return typeof name === "string" ? name : null;
  };
  switch (node.type) {
    case "MemberExpression":
      return named("property");
    case "ImportSpecifier":
      return named("imported");
    case "ObjectPattern": {
      const keys = new Set(
        (node["properties"] as readonly Node[]).map(
          (property) => (property["key"] as Node | undefined)?.["name"],
        ),
      );
      const found = RESERVED.flatMap(({ names }) => names).find((name) => keys.has(name));
      return found ?? null;
    }
    default:
      return null;
  }
}

const layerOf = (path: string): string =>
  path.startsWith("ui/browser/")
    ? "ui/browser"
    : (path.split("/")[0]?.replace(/\.tsx?$/, "") ?? "");

function importProblems(
  path: string,
  name: string,
  layer: Layer,
  { from, isType }: Import,
): readonly string[] {
  if (!from.startsWith(".")) return isPackageAllowed(layer, from) ? [] : [`imports ${from}`];
  const target = resolve(path, from);
  const targetLayer = layerOf(target);
  const isUsed = layer.uses.some((allowed) => allowed === targetLayer || allowed === target);
  if (targetLayer === name || isUsed) return [];
  const isTypeAllowed = layer.usesTypesOf?.some(
    (allowed) => allowed === targetLayer || allowed === target,
  );
  if (isTypeAllowed === true) return isType ? [] : [`imports more than types of ${target}`];
  return [`imports ${target}`];
}

function isPackageAllowed(layer: Layer, from: string): boolean {
  if (from.startsWith("cloudflare:")) return layer.knowsCloudflare === true;
  return (layer.packages ?? []).some(
    (allowed) =>
      from === allowed || from.startsWith(allowed.endsWith(":") ? allowed : `${allowed}/`),
  );
}

function resolve(path: string, from: string): string {
  const parts = path.split("/").slice(0, -1);
  for (const part of from.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/").replace(/\.tsx?$/, "");
}

/** Inline `{ type A }` leaves the module imported at run time, so only `import type` counts. */
function importOf(node: Node): Import | null {
  const source = node["source"] as Node | null | undefined;
  const from = typeof source?.["value"] === "string" ? source["value"] : null;
  switch (node.type) {
    case "ImportDeclaration":
      return from === null ? null : { from, isType: node["importKind"] === "type" };
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
      return from === null ? null : { from, isType: node["exportKind"] === "type" };
    case "TSImportType":
      return from === null ? null : { from, isType: true };
    case "ImportExpression":
      return { from: from ?? "something computed", isType: false };
    default:
      return null;
  }
}

function globalProblems(node: Node, layer: Layer): readonly string[] {
  const found: string[] = [];
  if (node.type === "Identifier") {
    const name = String(node["name"]);
    if (layer.knowsCloudflare !== true && CLOUDFLARE_GLOBAL.test(name)) {
      found.push(`knows ${name} of Cloudflare`);
    }
    if (layer.isPure === true && IMPURE_GLOBALS.has(name)) found.push(`uses ${name}`);
  }
  if (layer.isPure === true && isClockOrChance(node)) found.push("uses the clock or chance");
  return found;
}

function isClockOrChance(node: Node): boolean {
  const callee = node["callee"] as Node | undefined;
  const isDate = callee?.type === "Identifier" && callee["name"] === "Date";
  if (node.type === "CallExpression" && isDate) return true;
  if (node.type === "NewExpression" && isDate) return (node["arguments"] as unknown[]).length === 0;
  if (node.type !== "MemberExpression") return false;
  const object = (node["object"] as Node)["name"];
  const property = node["property"] as Node;
  const name = property["name"] ?? property["value"];
  return (object === "Date" && name === "now") || (object === "Math" && name === "random");
}

/** A property's name is not the name of a global. */
const isPropertyName = (parent: Node, key: string): boolean =>
  (key === "key" || key === "property" || key === "imported" || key === "exported") &&
  parent["computed"] !== true;

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const [key, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (!isNode(child)) continue;
      if (child.type === "Identifier" && isPropertyName(node, key)) continue;
      walk(child, visit);
    }
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** Classifies sampled stacks: each stack belongs to exactly one part, so the parts add up. */
import { SourceMap } from "node:module";

/** A JavaScript frame, by its source file. */
interface CodeLocation {
  readonly file: string;
  readonly name: string;
}

/** In this order: the first one that matches any frame of a stack. */
const NATIVE: readonly (readonly [part: string, frame: RegExp])[] = [
  [
    "garbage collection",
    /^v8::internal::.*(?:Heap::CollectGarbage|Scaveng|MarkCompact|Sweeper|Concurrent ?Mark)/,
  ],
  [
    "compiling",
    /^v8::internal::(?:Compiler|OptimizingCompile|compiler::|maglev::|baseline::|BaselineBatch|parsing::|LazyCompile)/,
  ],
  ["sync to disk", /^(?:do_fsync|fsync|fdatasync)$/],
  ["SQLite", /^sqlite3|^workerd::SqliteDatabase|^workerd::ActorSqlite::startImplicitTxn/],
];

/** By the file of the innermost JavaScript frame, including platform code that it calls. */
const JAVASCRIPT: readonly (readonly [part: string, file: RegExp])[] = [
  ["rules", /^src\/domain\//],
  ["object and storage", /^src\/(?:object|storage)\//],
  ["gateway", /^src\/gateway\//],
  ["ARCP", /^src\/arcp\//],
  ["HTTP", /^src\/(?:http|protocol|observe|index|self-hosted)/],
  ["Hono", /^hono\//],
  ["zod", /^zod\//],
  ["hashes", /^@noble\/|^node-internal:/],
  ["the floor's JavaScript", /floor-worker/],
];

/** For stacks without JavaScript, in this order. */
const RUNTIME: readonly (readonly [part: string, frame: RegExp])[] = [
  ["network", /sendmsg|sendto|__libc_write|__GI___writev|readv|__libc_read|tcp_|^sock_/],
  ["WebSocket", /WebSocket/],
  ["RPC", /JsRpc|^capnp::/],
  ["HTTP of the runtime", /^kj::.*Http/],
];

const JS_FRAME = /^(?:JS|Script):[*+^~']*(.*?) ?([^ ]+):(\d+):(\d+)$/;

export type CodeLocations = (frame: string) => CodeLocation | null;

/** Maps JavaScript frames to the source files of the Worker's bundle. */
export function codeLocationsOf(map: string): CodeLocations {
  const source = new SourceMap(JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0]);
  const known = new Map<string, CodeLocation | null>();
  const find = (frame: string): CodeLocation | null => {
    const [, name = "", file = "", line, column] = JS_FRAME.exec(frame) ?? [];
    if (line === undefined) return null;
    if (file !== "index.js") return { file, name };
    const entry = source.findEntry(Number(line) - 1, Number(column) - 1);
    const path = "originalSource" in entry ? entry.originalSource : file;
    return { file: path.replace(/^.*node_modules\//, "").replace(/^(?:\.\.\/)+/, ""), name };
  };
  return (frame) => {
    let location = known.get(frame);
    if (location === undefined) known.set(frame, (location = find(frame)));
    return location;
  };
}

/** `stack` starts with the innermost frame. */
export function partOf(stack: readonly string[], locations: CodeLocations): string {
  const native = NATIVE.find(([, frame]) => stack.some((one) => frame.test(one)));
  if (native !== undefined) return native[0];
  for (const frame of stack) {
    const location = locations(frame);
    if (location === null) continue;
    return JAVASCRIPT.find(([, file]) => file.test(location.file))?.[0] ?? "other JavaScript";
  }
  const runtime = RUNTIME.find(([, frame]) => stack.some((one) => frame.test(one)));
  return runtime?.[0] ?? "rest of the runtime";
}

/**
 * `baton start`: runs the server that is part of the package, without a clone. The runtime is not a
 * dependency, so that the SDK stays small. It is installed once, in the version that this package
 * was built with, into the user's cache.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { textOption, UsageError, type Command, type OptionValue } from "./command";

interface Versions {
  readonly workerd: string;
  readonly node: string;
}

/** The server's lock needs node:sqlite. */
const MIN_NODE_VERSION = [22, 13] as const;

export const startCommand: Command = {
  name: "start",
  summary: "run a Baton server on this machine, without a clone",
  usage: "start [--port <number>] [--data <folder>] [--host <address>]",
  example: "npx @baton-sessions/baton start --port 8787",
  options: {
    port: textOption("<number>", "default 8787; 0 means any free port"),
    data: textOption("<folder>", "the folder for the data; default .baton"),
    host: textOption("<address>", "default 127.0.0.1"),
  },
  async run({ options, note, signal }) {
    const server = fileURLToPath(new URL("./server/", import.meta.url).href);
    if (!existsSync(join(server, "serve.js"))) {
      throw new UsageError("This is not the published package. In a clone use `npm start`.");
    }
    const { workerd, node } = runtimeFor(server, note);
    const child = spawn(node, [join(server, "serve.js"), ...argumentsOf(options)], {
      // The channel closes when this process ends in any way; then the server stops too.
      stdio: ["inherit", "inherit", "inherit", "ipc"],
      env: { ...process.env, BATON_WORKERD: workerd },
    });
    // The server also receives Ctrl-C and shuts down in its own time; then this process ends.
    signal.addEventListener("abort", () => child.kill("SIGTERM"), { once: true });
    const code = await new Promise<number>((resolve) => {
      child.once("error", () => resolve(1));
      child.once("exit", (status) => resolve(status ?? 0));
    });
    return { json: { stopped: code === 0 }, text: "", exitCode: code };
  },
};

const argumentsOf = (options: Readonly<Record<string, OptionValue>>): readonly string[] =>
  ["port", "data", "host"].flatMap((name) =>
    typeof options[name] === "string" ? [`--${name}`, options[name]] : [],
  );

function runtimeFor(
  server: string,
  note: (text: string) => void,
): { readonly workerd: string; readonly node: string } {
  const versions = JSON.parse(readFileSync(join(server, "runtime.json"), "utf8")) as Versions;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isOld =
    major < MIN_NODE_VERSION[0] || (major === MIN_NODE_VERSION[0] && minor < MIN_NODE_VERSION[1]);
  const packages = [
    `workerd@${versions.workerd}`,
    ...(isOld ? [`node@${versions.node}`] : []),
  ] as const;
  const folder = cacheFolderFor(packages);
  if (!existsSync(folder)) installRuntime(folder, packages, note);
  const requireFromCache = createRequire(join(folder, "package.json"));
  const { default: workerd } = requireFromCache("workerd") as { readonly default: string };
  return { workerd, node: isOld ? join(folder, "node_modules/node/bin/node") : process.execPath };
}

function cacheFolderFor(packages: readonly string[]): string {
  const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  return join(cache, "baton", packages.join("+"));
}

/** Renamed only once it is complete, because it may be interrupted or run several times at once. */
function installRuntime(
  folder: string,
  packages: readonly string[],
  note: (text: string) => void,
): void {
  note(`Fetching the runtime (${packages.join(", ")}), once. It is kept in ${folder}.\n`);
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  try {
    const flags = ["--no-audit", "--no-fund", "--loglevel=error", "--no-save"];
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const args = ["install", "--prefix", draft, ...flags, ...packages];
    const { status } = spawnSync(npm, args, { stdio: ["ignore", "ignore", "inherit"] });
    if (status !== 0) throw new UsageError("The runtime could not be fetched; see above.");
    if (!existsSync(folder)) renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

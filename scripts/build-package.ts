/**
 * Builds the npm package in `dist`: the SDK, its Node part and the command line as ES modules that share
 * common code, and types.
 */
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageServer } from "./package-server.ts";

const ROOT = join(import.meta.dirname, "..");
const ADAPTERS = ["ai", "claude", "langgraph", "openai-agents"] as const;

/** One run for all entries: an error class that is bundled twice would be two classes. */
async function bundlePackage(outdir: string): Promise<void> {
  await build({
    entryPoints: {
      client: join(ROOT, "src/client/index.ts"),
      "client-node": join(ROOT, "src/client-node/index.ts"),
      verify: join(ROOT, "src/verify/index.ts"),
      cli: join(ROOT, "src/cli/main.ts"),
      ...Object.fromEntries(
        ADAPTERS.map((name) => [name, join(ROOT, "src/adapters", name, "index.ts")]),
      ),
    },
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    // Users install the adapters' frameworks themselves, so they are not bundled.
    external: ["node:*", "@langchain/*"],
    keepNames: true,
    logLevel: "warning",
  });
  chmodSync(join(outdir, "cli.js"), 0o755);
}

/** Types import their neighbours without an extension, which Node's resolution does not accept. */
function emitTypes(outdir: string): void {
  const { status } = spawnSync(
    join(ROOT, "node_modules/.bin/tsc"),
    ["-p", join(ROOT, "tsconfig.package.json"), "--outDir", outdir],
    { stdio: "inherit" },
  );
  if (status !== 0) throw new Error("the types could not be written");
  for (const name of readdirSync(outdir, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue;
    const file = join(outdir, name);
    const text = readFileSync(file, "utf8").replaceAll(
      /(from |import\()"(\.{1,2}\/[^"]+)"/g,
      (_, before: string, path: string) => `${before}"${withExtension(dirname(file), path)}"`,
    );
    writeFileSync(file, text);
  }
}

/** A file, or the index of a folder: Node's resolution needs the full name. */
function withExtension(folder: string, path: string): string {
  const bare = path.replace(/\.ts$/, "");
  const found = [bare, `${bare}/index`].find((name) => existsSync(join(folder, `${name}.d.ts`)));
  return found === undefined ? path : `${found}.js`;
}

export async function buildPackage(): Promise<void> {
  const dist = join(ROOT, "dist");
  rmSync(dist, { recursive: true, force: true });
  await bundlePackage(dist);
  await packageServer(join(dist, "server"));
  emitTypes(join(dist, "types"));
}

if (import.meta.main) await buildPackage();

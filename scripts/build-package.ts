/**
 * The package as others install it, in `dist`: the SDK, its part for Node and the command line as ES
 * modules that share their common code, and types.
 */
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageServer } from "./package-server.ts";

const ROOT = join(import.meta.dirname, "..");
const ADAPTERS = ["ai", "claude", "langgraph", "openai-agents"] as const;

/** One run for all of them: an error class that stood in two files would not be the same class. */
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
    // Frameworks are whose the adapters are for: beside the package, never in it.
    external: ["node:*", "@langchain/*"],
    keepNames: true,
    logLevel: "warning",
  });
  chmodSync(join(outdir, "cli.js"), 0o755);
}

/** Types name their neighbours without an extension, which Node's own resolution does not accept. */
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

/** A file, or the index of a folder: Node's own resolution asks for the whole name. */
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

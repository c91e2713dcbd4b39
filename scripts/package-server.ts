/**
 * Builds the server of the npm package in dist/server: the built Worker, the modules it needs, and the
 * script that serves. The runtime, workerd, is fifty times as large, so `baton start` downloads it when
 * it is first needed: docs/decisions/0013-the-packaged-server.md.
 */
import { build, type Plugin } from "esbuild";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildWorker } from "./build-worker.ts";
import { envSource } from "./env-source.ts";
import { SIMULATORS } from "./runtime/simulators.ts";

const ROOT = join(import.meta.dirname, "..");

/** Modules that read the project's files, and their replacements in the package. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  "build-worker.ts": `import { readFileSync } from "node:fs";
    export const buildWorker = async () => readFileSync(new URL("worker.js", import.meta.url), "utf8");`,
  "runtime/simulators.ts": `import { join } from "node:path";
    export const SIMULATORS = join(import.meta.dirname, "simulators");`,
  "runtime/workerd-path.ts": `export const workerdPath = () => process.env.BATON_WORKERD;`,
  "site/built.ts": `import { join } from "node:path";
    export const CLONE = { site: join(import.meta.dirname, "site") };
    export const placeFor = () => CLONE;
    // The site weighs more than all the rest and is not carried: its pages are not found.
    export const isBuilt = () => true;
    export const isCurrent = () => true;`,
  "env-source.ts": `export const envSource = () => ${JSON.stringify(envSource())};`,
  // The bundle contains no imports to resolve.
  "settings/ts-imports.ts": "",
};

const replaceModules: Plugin = {
  name: "beside",
  setup({ onLoad }) {
    onLoad({ filter: /\/scripts\/.*\.ts$/ }, ({ path }) => {
      const contents = REPLACEMENTS[path.slice(join(ROOT, "scripts").length + 1)];
      return contents === undefined ? null : { contents, loader: "ts" };
    });
  },
};

const COPIES = [
  "r2/bucket.worker.js",
  "shared/object-entry.worker.js",
  "shared/index.worker.js",
  "shared/zod.worker.js",
];

const versionOf = (name: string): string =>
  (
    JSON.parse(readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8")) as {
      version: string;
    }
  ).version;

export async function packageServer(outdir: string): Promise<void> {
  mkdirSync(outdir, { recursive: true });
  await build({
    entryPoints: { serve: join(ROOT, "scripts/serve.ts") },
    outdir,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22",
    legalComments: "none",
    logLevel: "warning",
    plugins: [replaceModules],
  });
  writeFileSync(join(outdir, "worker.js"), await buildWorker());
  cpSync(join(ROOT, "scripts/runtime/counter.js"), join(outdir, "counter.js"));
  for (const name of COPIES) cpSync(join(SIMULATORS, name), join(outdir, "simulators", name));
  const runtime = { workerd: versionOf("workerd"), node: versionOf("node") };
  writeFileSync(join(outdir, "runtime.json"), `${JSON.stringify(runtime)}\n`);
}

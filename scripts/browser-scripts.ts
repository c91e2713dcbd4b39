/**
 * Builds the scripts of the pages: each file in src/ui/browser is one, bundled with its imports. The
 * Worker's code imports it as `browser:<name>` and gets its text and the path it is served under, which
 * contains a hash of the text. The local server and tests build it on import. Run directly, this file
 * writes it to build/browser, which wrangler.toml refers to.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "esbuild";

const ROOT = join(import.meta.dirname, "..");
const SOURCES = join(ROOT, "src/ui/browser");
const SCHEME = "browser:";
const HASH_LENGTH = 12;

/** Files at the top level are scripts. Shared code is in subfolders. */
export const browserScripts = (): readonly string[] =>
  readdirSync(SOURCES, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map(({ name }) => name.slice(0, -".ts".length))
    .sort();

/** The module that represents a script in the Worker. */
export async function browserModule(name: string): Promise<string> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(SOURCES, `${name}.ts`)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    logLevel: "silent",
  });
  const text = outputFiles[0]?.text ?? "";
  const hash = createHash("sha256").update(text).digest("hex").slice(0, HASH_LENGTH);
  return [
    `export const path = ${JSON.stringify(`/assets/${name}.${hash}.js`)};`,
    `export const text = ${JSON.stringify(text)};\n`,
  ].join("\n");
}

export const browserScriptsInWorker: Plugin = {
  name: "browser-scripts",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^${SCHEME}`) }, ({ path }) => ({
      path: `src/ui/browser/${path.slice(SCHEME.length)}.ts`,
      namespace: "browser",
    }));
    onLoad({ filter: /./, namespace: "browser" }, async ({ path }) => ({
      contents: await browserModule(path.replace(/^.*\/|\.ts$/g, "")),
      loader: "js",
    }));
  },
};

/** The same for the tests that run the Worker from its source. */
export const browserScriptsInTests = {
  name: "browser-scripts",
  enforce: "pre" as const,
  resolveId: (id: string) => (id.startsWith(SCHEME) ? `\0${id}` : null),
  load: (id: string) =>
    id.startsWith(`\0${SCHEME}`) ? browserModule(id.slice(SCHEME.length + 1)) : null,
};

if (import.meta.main) {
  const folder = join(ROOT, "build/browser");
  mkdirSync(folder, { recursive: true });
  for (const name of browserScripts()) {
    writeFileSync(join(folder, `${name}.js`), await browserModule(name));
  }
}

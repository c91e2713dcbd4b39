/**
 * Builds the Worker as one module for the local server and the tests. The result is cached under the
 * hash of all its inputs.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { browserScriptsInWorker } from "./browser-scripts.ts";

const ROOT = join(import.meta.dirname, "..");
const ENTRY = join(ROOT, "src/self-hosted.ts");
const CACHE = join(ROOT, "node_modules/.cache/baton-worker");

/** The inputs of the build. The lock file represents every package. */
export const workerInputs = (): readonly string[] =>
  [
    "package.json",
    "package-lock.json",
    "scripts/build-worker.ts",
    "scripts/browser-scripts.ts",
  ].concat(
    // Not globSync, which takes five times as long: this runs at every start.
    readdirSync(join(ROOT, "src"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
      .sort(),
  );

/** `changed` replaces contents of source files by path, so that tests can simulate another release. */
export async function buildWorker(
  entry = ENTRY,
  changed: Readonly<Record<string, string>> = {},
): Promise<string> {
  const isOfSource = entry === ENTRY && Object.keys(changed).length === 0;
  return isOfSource ? builtOnce() : (await bundle(entry, changed)).text;
}

async function builtOnce(): Promise<string> {
  const hash = createHash("sha256");
  for (const path of workerInputs()) {
    const contents = readFileSync(join(ROOT, path));
    hash.update(`${path}\0${contents.length}\0`).update(contents);
  }
  const cached = join(CACHE, `${hash.digest("hex")}.js`);
  try {
    return readFileSync(cached, "utf8");
  } catch {
    const { text } = await bundle(ENTRY, {});
    saveToCache(cached, text);
    return text;
  }
}

/** The rename comes last, because several servers may start at the same time. */
function saveToCache(path: string, text: string): void {
  try {
    mkdirSync(CACHE, { recursive: true });
    const written = `${path}.${process.pid}`;
    writeFileSync(written, text);
    renameSync(written, path);
    const old = readdirSync(CACHE).filter(
      (name) => name.endsWith(".js") && join(CACHE, name) !== path,
    );
    for (const name of old) rmSync(join(CACHE, name), { force: true });
  } catch {
    // Without a writable cache the Worker is built at every start.
  }
}

/** The same text as `buildWorker` with its source map, for profiles. */
export const bundleWithMap = (entry = ENTRY) => bundle(entry, {}, true);

/** Returns the text and the paths of its source files. */
export async function bundle(
  entry: string,
  changed: Readonly<Record<string, string>>,
  isMapped = false,
): Promise<{ readonly text: string; readonly map: string; readonly inputs: readonly string[] }> {
  // Imported only for a build, because loading it is slow.
  const { build } = await import("esbuild");
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    bundle: true,
    write: false,
    outfile: "worker.js",
    sourcemap: isMapped && "external",
    metafile: true,
    format: "esm",
    target: "es2024",
    // Minified, it is a fifth smaller. Names stay, so that a logged stack is readable.
    minifySyntax: true,
    minifyWhitespace: true,
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*", "workerd:*"],
    logLevel: "silent",
    plugins: [
      browserScriptsInWorker,
      {
        name: "changed",
        setup({ onLoad }) {
          for (const [path, contents] of Object.entries(changed)) {
            const filter = new RegExp(`${basename(path)}$`);
            onLoad({ filter }, (file) => (file.path === path ? { contents, loader: "ts" } : null));
          }
        },
      },
    ],
  });
  const file = outputFiles.at(-1);
  if (file === undefined) throw new Error("esbuild wrote nothing");
  const inputs = Object.keys(metafile.inputs).map((path) => path.replace(/^browser:/, ""));
  return { text: file.text, map: outputFiles[0]?.text ?? "", inputs };
}

/** The Worker as one module, as the local server and the tests load it. */
import { build } from "esbuild";
import { basename, join } from "node:path";

/** `changed` gives other contents to source files by their path: how tests look at another release. */
export async function buildWorker(
  entry = join(import.meta.dirname, "../src/index.ts"),
  changed: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*", "workerd:*"],
    logLevel: "silent",
    plugins: [
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
  const [file] = outputFiles;
  if (file === undefined) throw new Error("esbuild wrote nothing");
  return file.text;
}

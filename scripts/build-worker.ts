/** The Worker as one module, as the local server and the tests load it. */
import { build } from "esbuild";
import { join } from "node:path";

export async function buildWorker(
  entry = join(import.meta.dirname, "../src/index.ts"),
): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    logLevel: "silent",
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("esbuild wrote nothing");
  return file.text;
}

/** Writes the site into build/site, from where wrangler takes it as static assets. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildSite } from "./build.ts";

const folder = join(import.meta.dirname, "../../build/site");
rmSync(folder, { recursive: true, force: true });
for (const [path, text] of buildSite()) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/**
 * `npm run docs`: builds the site under /docs into build/site, from where wrangler and the local server
 * take it, or below the folder that is given. Does nothing where it is current. What it is built with is installed on the first time, from
 * a lock of its own: nothing else needs it.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { projectEnvironment } from "../install.mjs";
import { install } from "../install-suite.mjs";
import { assembleSite, copySources } from "./assemble.ts";
import { fetchReader } from "./reader.ts";
import { CLONE, isCurrent, placeIn, stampOfSources } from "./built.ts";

/** Extensions that VitePress would else take for pages. */
const FILES = "cast,mjs,py,sh,toml";

/** Unless it is current. */
export function buildSite(place = CLONE): void {
  if (isCurrent(place)) return;
  const stamp = stampOfSources();
  const { site, packages } = place;
  // Who does not own the clone may have no home to keep downloads in either.
  if (place !== CLONE) process.env["npm_config_cache"] = join(packages, "npm");
  install("what the documents are built with", "site", packages);
  // Two may build at once: each in a folder of its own, and the last one stays.
  const source = join(packages, `source-${process.pid}`);
  const made = `${site}-${process.pid}`;
  try {
    // Of its own, so that the one of the project, which is for a newer compiler, is not found above.
    writeFileSync(join(packages, "tsconfig.json"), "{}");
    assembleSite(source, fetchReader(packages));
    const { status } = spawnSync(
      process.execPath,
      [
        join(packages, "node_modules/vitepress/bin/vitepress.js"),
        "build",
        source,
        "--outDir",
        join(made, "docs"),
      ],
      {
        cwd: packages,
        stdio: ["ignore", "ignore", 2],
        env: { ...projectEnvironment(), VITE_EXTRA_EXTENSIONS: FILES },
      },
    );
    if (status !== 0) throw new Error("the documents could not be built; see above");
    copySources(join(made, "docs"));
    mkdirSync(dirname(site), { recursive: true });
    rmSync(site, { recursive: true, force: true });
    renameSync(made, site);
    writeFileSync(place.stamp, stamp);
    // Beside a server's data there is no room for what is needed once.
    if (place !== CLONE) rmSync(packages, { recursive: true, force: true });
  } finally {
    for (const folder of [source, made]) rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  try {
    buildSite(folder === undefined ? CLONE : placeIn(folder));
  } catch (error) {
    console.error(`The documents were not built: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}

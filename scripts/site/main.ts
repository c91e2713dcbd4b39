/**
 * `npm run docs`: builds the site under /docs into build/site, where wrangler and the local server find it,
 * or below the given folder. Does nothing if it is current. Its packages are installed on the first run
 * from a separate lock file, because nothing else needs them.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { projectEnvironment } from "../install.mjs";
import { install } from "../install-suite.mjs";
import { assembleSite, copySources } from "./assemble.ts";
import { fetchReader } from "./reader.ts";
import { CLONE, isCurrent, placeIn, stampOfSources } from "./built.ts";

/** Extensions that VitePress would otherwise treat as pages. */
const FILES = "cast,mjs,py,sh,toml";

/** Builds the site unless it is current. */
export function buildSite(location = CLONE): void {
  if (isCurrent(location)) return;
  const stamp = stampOfSources();
  const { site, packages } = location;
  // A user who does not own the clone may have no writable home for downloads either.
  if (location !== CLONE) process.env["npm_config_cache"] = join(packages, "npm");
  install("what the documents are built with", "site", packages);
  // Two builds may run at once: each uses a separate folder, and the last one wins.
  const source = join(packages, `source-${process.pid}`);
  const output = `${site}-${process.pid}`;
  try {
    // A separate tsconfig, so that the project's one, which is for a newer compiler, is not used.
    writeFileSync(join(packages, "tsconfig.json"), "{}");
    assembleSite(source, fetchReader(packages));
    const { status } = spawnSync(
      process.execPath,
      [
        join(packages, "node_modules/vitepress/bin/vitepress.js"),
        "build",
        source,
        "--outDir",
        join(output, "docs"),
      ],
      {
        cwd: packages,
        stdio: ["ignore", "ignore", 2],
        env: { ...projectEnvironment(), VITE_EXTRA_EXTENSIONS: FILES },
      },
    );
    if (status !== 0) throw new Error("the documents could not be built; see above");
    copySources(join(output, "docs"));
    mkdirSync(dirname(site), { recursive: true });
    rmSync(site, { recursive: true, force: true });
    renameSync(output, site);
    writeFileSync(location.stamp, stamp);
    // Removes the packages from the server's data folder, because they are needed only once.
    if (location !== CLONE) rmSync(packages, { recursive: true, force: true });
  } finally {
    for (const folder of [source, output]) rmSync(folder, { recursive: true, force: true });
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

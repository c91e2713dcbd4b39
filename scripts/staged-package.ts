/** Unpacks the tarball that `npm publish` would send to where third-party suites import it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

export const PACKAGE = (
  JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { name: string }
).name;

/** Returns the folder of the package below the `node_modules` of `cache`. */
export function unpackPackage(cache: string): string {
  const folder = mkdtempSync(join(tmpdir(), "baton-packed-"));
  execFileSync("npm", ["pack", "--silent", ROOT, "--pack-destination", folder], { cwd: ROOT });
  const tarball = readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? "";
  const target = join(cache, "node_modules", PACKAGE);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["xzf", join(folder, tarball), "-C", target, "--strip-components", "1"]);
  rmSync(folder, { recursive: true });
  return target;
}

/**
 * The viewer of the OpenAPI document: one file from a published package. The file already bundles the
 * package's dependencies, which are three times as large as everything else here, so the package is not
 * installed. site/reader.json pins it.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { projectEnvironment, ROOT } from "../install.mjs";

interface Pinned {
  readonly name: string;
  readonly version: string;
  /** As in a lock file: the algorithm, and the hash of the package in base64. */
  readonly integrity: string;
  readonly file: string;
}

/** Returns the path of the file below `folder`. */
export function fetchReader(folder: string): string {
  const pinned = JSON.parse(readFileSync(join(ROOT, "site/reader.json"), "utf8")) as Pinned;
  const path = join(folder, `reader-${pinned.version}`);
  const file = join(path, "package", pinned.file);
  if (existsSync(file)) return file;
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  const packed = run(path, "npm", [
    "pack",
    `${pinned.name}@${pinned.version}`,
    "--ignore-scripts",
    "--loglevel=error",
  ]);
  const archive = packed.trim().split("\n").at(-1) ?? "";
  const hash = createHash("sha512").update(readFileSync(join(path, archive)));
  if (`sha512-${hash.digest("base64")}` !== pinned.integrity) {
    rmSync(path, { recursive: true, force: true });
    throw new Error(`${pinned.name} is not what site/reader.json pins`);
  }
  run(path, "tar", ["-xzf", archive, `package/${pinned.file}`]);
  return file;
}

function run(cwd: string, command: string, args: readonly string[]): string {
  const { status, stdout } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", 2],
    env: projectEnvironment(),
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`${command} failed; see above`);
  return stdout;
}

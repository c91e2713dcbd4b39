/**
 * A disk that can be full. As root the data lies on a small tmpfs whose size is set to what is in use:
 * SQLite then finds no space (SQLITE_FULL). If nothing can be mounted, the runtime is forbidden to
 * make any file longer (RLIMIT_FSIZE), and SQLite finds an I/O error instead.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Disk {
  readonly kind: "tmpfs" | "file size limit";
  readonly folder: string;
  /** For the process that starts the runtime. */
  readonly env: Readonly<Record<string, string>>;
  fill(runtimePid: number): void;
  free(runtimePid: number): void;
  remove(): void;
}

const SIZE = "1024m";

export function makeDisk(): Disk {
  const root = mkdtempSync(join(tmpdir(), "baton-model-"));
  const mounted = join(root, "disk");
  mkdirSync(mounted);
  return tryCommand("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "baton-model", mounted])
    ? tmpfs(root, mounted)
    : limited(root);
}

function tmpfs(root: string, mounted: string): Disk {
  const resize = (size: string) => tryCommand("mount", ["-o", `remount,size=${size}`, mounted]);
  return {
    kind: "tmpfs",
    folder: join(mounted, "data"),
    env: {},
    fill() {
      // If something is written in between, the new size is refused as too small.
      for (let tries = 0; tries < 20; tries++) {
        const { blocks, bfree, bsize } = statfsSync(mounted);
        if (resize(String((blocks - bfree) * bsize))) return;
      }
    },
    free: () => void resize(SIZE),
    remove() {
      if (!tryCommand("umount", [mounted])) tryCommand("umount", ["-l", mounted]);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function limited(root: string): Disk {
  const wrapper = join(root, "workerd");
  const { default: workerd } = createRequire(import.meta.url)("workerd") as { default: string };
  // By default the signal that comes with the limit would end the runtime.
  writeFileSync(wrapper, `#!/bin/sh\ntrap '' XFSZ\nexec '${workerd}' "$@"\n`);
  chmodSync(wrapper, 0o755);
  return {
    kind: "file size limit",
    folder: join(root, "data"),
    env: { MINIFLARE_WORKERD_PATH: wrapper },
    fill: (pid) => limit(pid, "1"),
    free: (pid) => limit(pid, "unlimited"),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

const limit = (pid: number, size: string): void =>
  void tryCommand("prlimit", ["--pid", String(pid), `--fsize=${size}:unlimited`]);

function tryCommand(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

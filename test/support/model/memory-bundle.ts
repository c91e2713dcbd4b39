/** The memory driver as a bundle, so that plain Node can load it, with a bug in the source if one is named. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle } from "../../../scripts/build-worker.ts";
import type { Driver } from "./driver.ts";
import { patchesOf } from "./planted-bugs.ts";

export async function loadMemoryDriver(bug?: string): Promise<() => Driver> {
  const entry = join(import.meta.dirname, "memory-driver.ts");
  const { text } = await bundle(entry, bug === undefined ? {} : patchesOf(bug));
  const folder = mkdtempSync(join(tmpdir(), "baton-model-"));
  try {
    const path = join(folder, "memory-driver.mjs");
    writeFileSync(path, text);
    const { MemoryDriver } = (await import(pathToFileURL(path).href)) as {
      readonly MemoryDriver: new () => Driver;
    };
    return () => new MemoryDriver();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

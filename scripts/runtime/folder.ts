/**
 * The temporary folder of the runtime: its configuration and the modules it refers to. Only this user
 * can read it.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { configText, FILES, type RuntimeConfig } from "./config.ts";
import { SIMULATORS } from "./simulators.ts";

const COPIES: readonly (readonly [from: string, to: string])[] = [
  [join(import.meta.dirname, "counter.js"), FILES.counter],
  [join(SIMULATORS, "r2/bucket.worker.js"), FILES.bucket],
  [join(SIMULATORS, "shared/object-entry.worker.js"), FILES.bucketEntry],
  [join(SIMULATORS, "shared/index.worker.js"), FILES.shared],
  [join(SIMULATORS, "shared/zod.worker.js"), FILES.zod],
];

export class RuntimeFolder {
  /** mkdtemp creates it with 0700. */
  readonly path = mkdtempSync(join(tmpdir(), "baton-"));

  in(name: string): string {
    return join(this.path, name);
  }

  /** The path of the configuration. */
  write(worker: string, config: RuntimeConfig): string {
    for (const [from, to] of COPIES) cpSync(from, this.in(to));
    writeFileSync(this.in(FILES.worker), worker);
    writeFileSync(this.in("config.capnp"), configText(config));
    return this.in("config.capnp");
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

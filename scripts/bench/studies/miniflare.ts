/**
 * The same floor behind Miniflare's entry. Both servers were measured there until Baton ran on workerd
 * alone, and the targets were set there. Every request to that floor passes one more Worker.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildWorker } from "../../build-worker.ts";
import { findFreePort } from "../../port.ts";
import { measurePairs, rowOf, type Row } from "../compare.ts";
import { FLOOR_ENTRY } from "../floor-server.ts";
import { Load } from "../load.ts";
import { ownRuntimes } from "../process-meter.ts";
import { WORKLOADS } from "../workloads.ts";

const NAMES = new Set(["create", "get", "PATCH", "append 1", "append 1, alone", "resume"]);
const POLL_MS = 20;

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

export async function studyMiniflare(
  baton: Load,
  plan: { readonly rounds: number; readonly roundMs: number },
  progress: (text: string) => void,
): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "bench-miniflare-"));
  const bundle = join(folder, "floor.js");
  writeFileSync(bundle, await buildWorker(FLOOR_ENTRY));
  const port = await findFreePort("127.0.0.1");
  const script = join(import.meta.dirname, "../floor-server.ts");
  const child = spawn(process.execPath, [script, String(port), folder, bundle, "miniflare"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  progress("starting");
  while (!(await listens(port))) await sleep(POLL_MS);
  const [pid = 0] = ownRuntimes(child.pid);
  const floor = new Load({ port, pid });
  try {
    const rows: Row[] = [];
    for (const workload of WORKLOADS.filter(({ name }) => NAMES.has(name))) {
      const report = (text: string): void => progress(`${workload.name}: ${text}`);
      rows.push(rowOf(workload, await measurePairs(workload, { floor, baton }, plan, report)));
    }
    return rows;
  } finally {
    floor.close();
    const ended = once(child, "exit");
    for (const one of ownRuntimes(child.pid)) process.kill(one, "SIGKILL");
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

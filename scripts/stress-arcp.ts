/**
 * `npm run stress:arcp`: the full stress test of the ARCP stream, on a separate server: for each seed 100
 * reconnects against a fast emitter, then the same with kill -9 of the runtime in the middle.
 *
 *   npm run stress:arcp -- [seeds, default 5] [events, default 20000]
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runStress } from "../test/support/arcp-stress.ts";

const [seeds = 5, events = 20_000] = process.argv.slice(2).map(Number);
/** The first connection is not a reconnect, and the last share may be empty. */
const RECONNECTS = 102;
const folder = mkdtempSync(join(tmpdir(), "baton-stress-"));
const serve = join(import.meta.dirname, "serve.ts");
const server = spawn(process.execPath, [serve, "--port", "0", "--data", folder], {
  stdio: ["ignore", "pipe", "inherit"],
});
const url = await new Promise<string>((resolve) => {
  let output = "";
  server.stdout.on("data", (text: Buffer) => {
    output += text.toString();
    const [, found] = /serves on (\S+)\n/.exec(output) ?? [];
    if (found !== undefined) resolve(found);
  });
});

/** workerd, the server's only child of that name. */
function killRuntime(): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const [, command, parent] = /\((.*)\) [A-Z] (\d+) /s.exec(stat) ?? [];
      if (command === "workerd" && Number(parent) === server.pid) process.kill(Number(pid), 9);
    } catch {
      // The process has ended meanwhile.
    }
  }
}

let isGood = true;
for (let seed = 1; seed <= seeds; seed++) {
  for (const isKilled of [false, true]) {
    const startedAt = Date.now();
    const disturb = isKilled ? { disturb: async () => killRuntime() } : {};
    const plan = { url, seed, events, reconnects: RECONNECTS, ...disturb };
    const { taken: received, connections, last } = await runStress(plan);
    const isWhole = received.length === events + 1 && received.every((n, index) => n === index + 1);
    isGood &&= isWhole && last.type === "job.result";
    const what = `seed ${seed}${isKilled ? " with kill -9" : ""}`;
    const rate = Math.round((1000 * received.length) / (Date.now() - startedAt));
    console.log(
      `${isWhole ? "✓" : "✗"} ${what}: ${received.length} events over ${connections} connections, ${rate}/s`,
    );
  }
}
server.kill("SIGINT");
await new Promise((resolve) => server.once("close", resolve));
rmSync(folder, { recursive: true, force: true });
process.exit(isGood ? 0 : 1);

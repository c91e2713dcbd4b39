/**
 * Runs every client script with the given player, and then with each planted bug, which the
 * scripts must find: `node scripts/client-scripts.ts python clients/python/tests/player.py`. With
 * `--server <address>` in front it uses that server. Otherwise it starts one.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runAllScripts } from "../test/support/client-scripts/run-all.ts";

const args = process.argv.slice(2);
const [address, command] = args[0] === "--server" ? [args[1] ?? "", args.slice(2)] : [null, args];
const dataFolder = mkdtempSync(join(tmpdir(), "baton-client-scripts-"));
const server = await (address === null
  ? (await import("./local-server.ts")).startLocalServer({ port: 0, host: "127.0.0.1", dataFolder })
  : { url: address, stop: () => Promise.resolve() });
if (server === null) throw new Error("the data folder is taken");
let failed = 0;
for await (const { title, isPassed, why } of runAllScripts(server.url, command)) {
  console.log(`${isPassed ? "✓" : "✗"} ${title}${why.map((one) => `\n    ${one}`).join("")}`);
  if (!isPassed) failed += 1;
}
await server.stop();
rmSync(dataFolder, { recursive: true, force: true });
process.exit(failed === 0 ? 0 : 1);

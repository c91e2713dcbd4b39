/**
 * Plays every client script with the player that is given, and then with each planted bug, which the
 * scripts must find: `node scripts/client-scripts.ts python clients/python/tests/player.py`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { playAll } from "../test/support/client-scripts/play-all.ts";
import { startLocalServer } from "./local-server.ts";

const command = process.argv.slice(2);
const dataFolder = mkdtempSync(join(tmpdir(), "baton-client-scripts-"));
const server = await startLocalServer({ port: 0, host: "127.0.0.1", dataFolder });
if (server === null) throw new Error("the data folder is taken");
let failed = 0;
for await (const { title, isPassed, why } of playAll(server.url, command)) {
  console.log(`${isPassed ? "✓" : "✗"} ${title}${why.map((one) => `\n    ${one}`).join("")}`);
  if (!isPassed) failed += 1;
}
await server.stop();
rmSync(dataFolder, { recursive: true, force: true });
process.exit(failed === 0 ? 0 : 1);

/**
 * The server of a run, in a process of its own. Its arguments are a port, a data folder, and as JSON the
 * settings of the Worker and the name of a bug that is planted into it, if any.
 */
import { join } from "node:path";
import { buildWorker } from "../../../../scripts/build-worker.ts";
import { startLocalServer } from "../../../../scripts/local-server.ts";
import { patchesOf } from "../planted-bugs.ts";

const [port, dataFolder = "", given = "{}"] = process.argv.slice(2);
const { vars = {}, bug } = JSON.parse(given) as {
  readonly vars?: Readonly<Record<string, string>>;
  readonly bug?: string;
};
const entry = join(import.meta.dirname, "fault-worker.ts");
const worker = await buildWorker(entry, bug === undefined ? {} : patchesOf(bug));
const options = { port: Number(port), host: "127.0.0.1", dataFolder, entry, worker, vars };
const server = await startLocalServer(options);
if (server === null) throw new Error("another server has the folder");
console.log("ready");

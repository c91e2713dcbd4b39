/** The server of a run, in a process of its own: `serve-faulty.ts <port> <data folder>`. */
import { join } from "node:path";
import { startLocalServer } from "../../../scripts/local-server.ts";

const [port, dataFolder = ""] = process.argv.slice(2);
const entry = join(import.meta.dirname, "fault-worker.ts");
const server = await startLocalServer({ port: Number(port), host: "127.0.0.1", dataFolder, entry });
if (server === null) throw new Error("another server has the folder");
console.log("ready");

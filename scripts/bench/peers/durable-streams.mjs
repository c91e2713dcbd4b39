/** The Durable Streams server from npm, with its log in files: `node durable-streams.mjs PORT FOLDER`. */
import { DurableStreamTestServer } from "@durable-streams/server";

const [port, dataDir] = process.argv.slice(2);
// It logs every slow append, and a benchmark makes many of those.
console.info = () => {};
const server = new DurableStreamTestServer({ port: Number(port), host: "127.0.0.1", dataDir });
await server.start();
process.stdout.write("ready\n");

/**
 * The bad network as a process, for clients in other languages:
 * `node test/support/serve-lossy.ts <server> <seed> <share>` prints its address, and at the end of its
 * input the counts of its faults.
 */
import { startLossyProxy } from "./lossy-proxy.ts";

const [target = "", seed = "1", share = "0.4"] = process.argv.slice(2);
const proxy = await startLossyProxy(target, Number(seed), Number(share));
console.log(proxy.url);
for await (const _ of process.stdin);
console.log(JSON.stringify(proxy.counts));
await proxy.stop();

/**
 * examples/adapters/langgraph-person.mjs, killed at random moments: the person gets one handoff,
 * the address that was printed last works, and the graph continues with the answer.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { Baton } from "@baton-sessions/baton/client";
import { FileTokenStore } from "@baton-sessions/baton/client/node";
import { answerLink } from "./person.mjs";

const KILLS = 15;
const LINK = /http\S+\/h\/[\w-]+/g;
const BATON_STORE = join(process.env.BATON_SCRATCH, "person-kills");
const script = join(import.meta.dirname, "examples", "langgraph-person.mjs");

/** Returns the output. The process is killed as soon as `isEnough` returns true, or after a time. */
async function run(isEnough, ms = null) {
  const child = spawn(process.execPath, [script, "claim-4711"], {
    env: { ...process.env, BATON_STORE },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = () => child.kill("SIGKILL");
  const timer = ms === null ? null : setTimeout(kill, ms);
  let output = "";
  for await (const piece of child.stdout.setEncoding("utf8")) {
    output += piece;
    if (isEnough(output)) kill();
  }
  clearTimeout(timer);
  return output;
}

// The first run is killed as soon as it has printed the link, to measure how long that takes on
// this machine.
const startedAt = Date.now();
const links = (await run((output) => output.search(LINK) >= 0)).match(LINK);
const tookMs = Date.now() - startedAt;
for (let kill = 1; kill < KILLS; kill += 1) {
  const output = await run(() => false, Math.random() * tookMs * 1.2);
  links.push(...(output.match(LINK) ?? []));
}
await answerLink(links.at(-1), { "f/answer": "Yes, today" });
assert.match(await run(() => false), /The person said: Yes, today\n$/);

const store = new FileTokenStore(BATON_STORE);
const interrupts = (await store.list()).filter((name) => name.startsWith("interrupt/"));
assert.equal(interrupts.length, 1);
const session = await Baton.connect(process.env.BATON_URL, { store }).attach(interrupts[0]);
assert.equal((await session.handoffs()).length, 1);
console.log(`${KILLS} kills, ${links.length} addresses printed, one handoff, one answer`);

/**
 * examples/adapters/langgraph-person.mjs, killed at random moments: the person is asked by one handoff,
 * the address that was printed last works, and the graph goes on with the answer.
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

/** What it printed until it ended; it is killed where `isEnough` says so, or after a time. */
async function run(isEnough, ms = null) {
  const child = spawn(process.execPath, [script, "claim-4711"], {
    env: { ...process.env, BATON_STORE },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = () => child.kill("SIGKILL");
  const timer = ms === null ? null : setTimeout(kill, ms);
  let said = "";
  for await (const piece of child.stdout.setEncoding("utf8")) {
    said += piece;
    if (isEnough(said)) kill();
  }
  clearTimeout(timer);
  return said;
}

// Killed once as soon as it has printed the link: so long does it take on this machine.
const began = Date.now();
const links = (await run((said) => said.search(LINK) >= 0)).match(LINK);
const tookMs = Date.now() - began;
for (let kill = 1; kill < KILLS; kill += 1) {
  const said = await run(() => false, Math.random() * tookMs * 1.2);
  links.push(...(said.match(LINK) ?? []));
}
await answerLink(links.at(-1), { "f/answer": "Yes, today" });
assert.match(await run(() => false), /The person said: Yes, today\n$/);

const store = new FileTokenStore(BATON_STORE);
const asked = (await store.list()).filter((name) => name.startsWith("interrupt/"));
assert.equal(asked.length, 1);
const session = await Baton.connect(process.env.BATON_URL, { store }).attach(asked[0]);
assert.equal((await session.handoffs()).length, 1);
console.log(`${KILLS} kills, ${links.length} addresses printed, one handoff, one answer`);

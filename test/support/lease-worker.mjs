/**
 * A process that takes one lease again and again, and does each effect once under it. Tests kill and
 * pause it at any moment.
 *
 *   BATON_URL, BATON_TOKEN   the server, and the token of its participant, which nothing here spends
 *   RECEIVER                 the address of the system in which effects happen
 *   KEYS                     how many effects there are
 *   MODE                     `loop`; `die`: is killed between an effect and its record; `fail` and
 *                            `retry`: runs the first effect once more, with this `onUnknown`
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Baton } from "@baton-sessions/baton/client";

const { BATON_URL = "", BATON_TOKEN = "", RECEIVER = "", KEYS = "1", MODE = "loop" } = process.env;
const TTL_MS = 1_000;
const LOST = new Set(["LeaseLostError", "lease_held", "lease_lost", "busy"]);

const session = await Baton.connect(BATON_URL).attach(BATON_TOKEN);

const happen = async (key) => {
  const answer = await fetch(`${RECEIVER}/${key}`, { method: "POST" });
  if (MODE === "die") process.kill(process.pid, "SIGKILL");
  await sleep(Math.random() * 20);
  return { nth: await answer.json() };
};

async function workOnce({ session: leased, lease: { number }, signal }) {
  const key = `effect-${MODE === "loop" ? Math.floor(Math.random() * Number(KEYS)) : 0}`;
  await leased.append({ type: "worker.began", payload: { number } }, { signal });
  await leased.once(key, happen, { onUnknown: MODE === "fail" ? "fail" : "retry", signal });
  await sleep(Math.random() * 50);
  await leased.append({ type: "worker.ended", payload: { number } }, { signal });
}

if (MODE !== "loop") {
  const done = session.lease("work", workOnce, { ttlMs: TTL_MS, waitMs: 60_000 });
  await done.then(
    () => console.log("done"),
    ({ name }) => console.log(name),
  );
} else {
  for (;;) {
    try {
      await session.lease("work", workOnce, { ttlMs: TTL_MS, waitMs: 500 });
      console.log("turn");
    } catch (error) {
      if (!LOST.has(error.code ?? error.name)) throw error;
      console.log(error.code ?? error.name);
    }
  }
}

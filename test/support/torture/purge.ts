/** Purges a session while its participants go on, and looks for anything that is left. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../live/random.ts";
import type { Violation } from "./checker/history.ts";
import { checkPurged } from "./checker/purged.ts";
import type { Hand } from "./hand.ts";
import type { Recorder } from "./recorder.ts";
import { objectIdOf, requestOf, type Asked } from "./requests.ts";
import { send, sendUntilCertain, type Fate, type Sent } from "./send.ts";
import type { World } from "./world.ts";

/** For how long it is tried while the server is struck. */
const PATIENCE_MS = 20_000;

export async function purge(
  world: World,
  recorder: Recorder,
  id: string,
  hands: readonly Hand[],
  random: Random,
): Promise<readonly Violation[]> {
  const { server, figures } = world;
  const [owner] = hands;
  if (owner === undefined) return [];
  const asking = { sessionId: id, key: null, ifMatch: null, body: {}, way: "http" } as const;
  const appending = (token: string): Sent =>
    requestOf({ ...asking, name: "append", token, body: { events: [{ type: "a.b" }] } });
  const purging = { isOver: false };
  const others = hands.slice(1).map(async ({ token }) => {
    while (!purging.isOver) await send(server.url, appending(token), "whole");
  });
  const outcome = await insist(
    server.url,
    { ...asking, name: "purge", token: owner.token },
    random,
  );
  purging.isOver = true;
  await Promise.all(others);
  figures.count("outcomes", outcome);
  if (outcome !== PURGED) return [];
  const looking = hands.map(({ token, number }) => ({
    what: `get of participant ${number}`,
    sent: requestOf({ ...asking, name: "get", token }),
  }));
  const opening = recorder.codes.map((code) => ({
    what: "a link of it",
    sent: { method: "GET", path: `/h/${code}`, headers: {} },
  }));
  const asked: { what: string; status: number }[] = [];
  for (const { what, sent } of [...looking, ...opening]) {
    asked.push({ what, status: (await sendUntilCertain(server.url, sent)).status });
  }
  const object = objectIdOf(id);
  const rows = (await server.dump(object)).commits.length;
  const files = (await server.files(object)).length;
  figures.count("checked", "purged sessions");
  return checkPurged({ rows, files, asked });
}

const PURGED = "purged";

/** Until it is known to be done, as also when a repeated one finds it gone, or why it is not. */
async function insist(url: string, asked: Asked, random: Random): Promise<string> {
  for (const began = Date.now(); Date.now() - began < PATIENCE_MS; ) {
    const fate: Fate = random.chance(0.3) ? random.pick(["lost", "cut", "unheard"]) : "whole";
    const heard = await send(url, requestOf(asked), fate);
    if (heard !== null && heard.status < 300) return PURGED;
    if (heard !== null && heard.status < 500) {
      const { code } = JSON.parse(heard.text) as { readonly code: string };
      return code === "gone" ? PURGED : `purge refused: ${code}`;
    }
    await sleep(50);
  }
  return "purge given up";
}

/** What there is in the end outside a session's own rows: its files, and the children of its forks. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Child, Kept, LoggedCommit } from "./checker/history.ts";
import { readDump } from "./dump.ts";
import { fetchFile } from "./files.ts";
import type { Recorder } from "./recorder.ts";
import { objectIdOf, sessionOf } from "./requests.ts";
import { sendUntilCertain } from "./send.ts";
import type { World } from "./world.ts";

/** A child that was promised comes before the answer, or by an alarm, which may come late or fail. */
const CHILD_MS = 30_000;

export async function gather(
  { server }: World,
  { childTokens }: Recorder,
  id: string,
  token: string,
  commits: readonly LoggedCommit[],
): Promise<{ readonly kept: readonly Kept[]; readonly children: readonly Child[] }> {
  const events = commits.flatMap((commit) => commit.events);
  const uploads = events.filter(({ type }) => type === "upload.requested");
  const kept: Kept[] = [];
  for (const { payload } of uploads) {
    const file = await fetchFile(server.url, id, String(payload["upload"]), token);
    if (file !== null) kept.push(file);
  }
  const children: Child[] = [];
  for (const { payload } of events.filter(({ type }) => type === "session.forked")) {
    const child = String(payload["child"]);
    const given = childTokens.find((one) => sessionOf(one) === child);
    children.push(await childNamed(child, given, server));
  }
  return { kept, children };
}

async function childNamed(
  id: string,
  token: string | undefined,
  server: World["server"],
): Promise<Child> {
  const sent = { method: "GET", path: `/sessions/${token}`, headers: {} };
  const status = token === undefined ? null : (await sendUntilCertain(server.url, sent)).status;
  for (const began = Date.now(); ; ) {
    const { stored } = readDump(await server.dump(objectIdOf(id)));
    if (stored !== null || Date.now() - began > CHILD_MS) return { id, stored, status };
    await sleep(200);
  }
}

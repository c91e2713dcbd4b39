/**
 * Servers for the tests of one file: one of its own, which it may kill, or the shared one, which it
 * must leave as healthy as it found it.
 */
import { afterAll, inject } from "vitest";
import { clientOf, running, type Server } from "./server-process.ts";

export * from "./server-process.ts";

/** What a failed test left running ends with its file. */
afterAll(async () => {
  for (const script of running) await script.kill();
});

export type SharedServer = Pick<Server, "url" | "client">;

/**
 * The server of this lane of the runner (`shared-servers.ts`). Files that share it run one after
 * another, so that a job for an agent is never claimed by another file at the same time. For tests
 * that make their own sessions and neither stop the server, nor read its output or its folder.
 */
export function sharedServer(): SharedServer {
  const urls = inject("sharedServers");
  const lane = Number(process.env["VITEST_POOL_ID"] ?? 1);
  const url = urls[(lane - 1) % urls.length];
  if (url === undefined) throw new Error("no shared server was started for this project");
  return { url, client: clientOf(url) };
}

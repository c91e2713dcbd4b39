/**
 * Servers for the tests of one file: a separate one, which it may kill, or the shared one, which must
 * stay healthy.
 */
import { afterAll, inject } from "vitest";
import { clientOf, running, type Server } from "./server-process.ts";

export * from "./server-process.ts";

/** Ends processes that a failed test left running. */
afterAll(async () => {
  for (const script of running) await script.kill();
});

export type SharedServer = Pick<Server, "url" | "client">;

/**
 * The server of this lane of the runner (`shared-servers.ts`). Files that share it run one after
 * another, so that two files never claim jobs of an agent at the same time. It is for tests that create
 * their own sessions and neither stop the server, nor read its output or its folder.
 */
export function sharedServer(): SharedServer {
  const urls = inject("sharedServers");
  const lane = Number(process.env["VITEST_POOL_ID"] ?? 1);
  const url = urls[(lane - 1) % urls.length];
  if (url === undefined) throw new Error("no shared server was started for this project");
  return { url, client: clientOf(url) };
}

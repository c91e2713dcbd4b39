/**
 * Starts one server per lane of the runner, once for all end-to-end tests. Files that need no server of
 * their own get it from `sharedServer()`.
 */
import type { TestProject } from "vitest/node";
import { startServer, temporaryFolder } from "./server-process.ts";

declare module "vitest" {
  interface ProvidedContext {
    sharedServers: readonly string[];
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = temporaryFolder();
  const lanes = Array.from({ length: project.config.maxWorkers }, (_, lane) => lane);
  const servers = await Promise.all(lanes.map((lane) => startServer(`${folder.path}/${lane}`)));
  project.provide(
    "sharedServers",
    servers.map(({ url }) => url),
  );
  return async function teardown() {
    await Promise.all(servers.map((server) => server.stop()));
    folder[Symbol.dispose]();
  };
}

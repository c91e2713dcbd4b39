/**
 * The product's Worker with a route that sends updates to an owner's directory, as sessions do. Tests
 * of the console need it for sessions that wait for days, and for a hundred thousand of them.
 */
import worker from "../../src/self-hosted";
import { directoryName } from "../../src/domain/owners/owners";
import type { Env } from "../../src/env";
import type { DirectoryUpdate, OwnerDirectoryRpc } from "../../src/object/directory-messages";
import { OwnerDirectory as Directory } from "../../src/object/owner-directory";

export * from "../../src/self-hosted";

/** The product's class, which also reports how many rows it has read. */
export class OwnerDirectory extends Directory {
  async rowsRead(): Promise<number> {
    return this.meter.rowsRead;
  }
}

const UPDATE_PATH = "/test/tell/";
const ROWS_PATH = "/test/rows/";

export default {
  ...worker,
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url, "http://localhost");
    const route = [UPDATE_PATH, ROWS_PATH].find((one) => pathname.startsWith(one));
    if (route === undefined) return worker.fetch(request, env, context);
    const { OWNER_DIRECTORY } = env;
    const id = OWNER_DIRECTORY.idFromName(directoryName(pathname.slice(route.length)));
    const directory = OWNER_DIRECTORY.get(id) as unknown as OwnerDirectoryRpc & OwnerDirectory;
    if (route === ROWS_PATH) return new Response(String(await directory.rowsRead()));
    const all = (await request.json()) as DirectoryUpdate[];
    // Concurrently, as sessions do: they share the waits for the disk.
    await Promise.all(all.map((update) => directory.tell(update)));
    return new Response("told");
  },
} satisfies ExportedHandler<Env>;

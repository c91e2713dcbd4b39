/**
 * The product's Worker with a way to tell an owner's directory of sessions, as sessions do: how else
 * would one wait for days, or be one of a hundred thousand. For tests of the console only.
 */
import worker from "../../src/self-hosted";
import { directoryName } from "../../src/domain/owners/owners";
import type { Env } from "../../src/env";
import type { DirectoryUpdate, OwnerDirectoryRpc } from "../../src/object/directory-messages";
import { OwnerDirectory as Directory } from "../../src/object/owner-directory";

export * from "../../src/self-hosted";

/** As it is, and says how many rows it has read. */
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
    const way = [UPDATE_PATH, ROWS_PATH].find((one) => pathname.startsWith(one));
    if (way === undefined) return worker.fetch(request, env, context);
    const { OWNER_DIRECTORY } = env;
    const id = OWNER_DIRECTORY.idFromName(directoryName(pathname.slice(way.length)));
    const directory = OWNER_DIRECTORY.get(id) as unknown as OwnerDirectoryRpc & OwnerDirectory;
    if (way === ROWS_PATH) return new Response(String(await directory.rowsRead()));
    const all = (await request.json()) as DirectoryUpdate[];
    // At once, as sessions do: they share the waits for the disk.
    await Promise.all(all.map((news) => directory.tell(news)));
    return new Response("told");
  },
} satisfies ExportedHandler<Env>;

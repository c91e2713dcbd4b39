/** The two servers that are compared, each with a separate runtime and folder. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildWorker } from "../build-worker.ts";
import { startLocalServer } from "../local-server.ts";
import { findFreePort } from "../port.ts";
import { FLOOR_ENTRY, startFloor } from "./floor-server.ts";
import { Load } from "./load.ts";
import { ownRuntimes } from "./process-meter.ts";

export interface Servers {
  readonly floor: Load;
  readonly baton: Load;
  stop(): Promise<void>;
}

/** The data folders of both. */
interface Folders {
  readonly floor: string;
  readonly baton: string;
}

const makeFolder = (name: string): string => mkdtempSync(join(tmpdir(), `bench-${name}-`));

export const makeFolders = (): Folders => ({
  floor: makeFolder("floor"),
  baton: makeFolder("baton"),
});

export function removeFolders({ floor, baton }: Folders): void {
  for (const folder of [floor, baton]) rmSync(folder, { recursive: true, force: true });
}

/** Starts a server and finds its new runtime. */
export async function started<T extends { readonly url: string }>(start: () => Promise<T>) {
  const before = new Set(ownRuntimes());
  const server = await start();
  const pid = ownRuntimes().find((one) => !before.has(one)) ?? 0;
  return { server, load: new Load({ port: Number(new URL(server.url).port), pid }) };
}

/** Without given folders, temporary ones are used. The parameters after them are for profiles. */
export async function startServers(
  givenFolders?: Folders,
  {
    v8Flags = [],
    ...more
  }: { readonly worker?: string; readonly v8Flags?: readonly string[] } = {},
): Promise<Servers> {
  const folders = givenFolders ?? makeFolders();
  const worker = await buildWorker(FLOOR_ENTRY);
  const floorPort = await findFreePort("127.0.0.1");
  const floor = await started(() => startFloor(worker, folders.floor, floorPort, v8Flags));
  const baton = await started(async () => {
    const dataFolder = folders.baton;
    const own = { port: 0, host: "127.0.0.1", dataFolder, v8Flags, ...more };
    const server = await startLocalServer(own);
    if (server === null) throw new Error("the folder is our own, so nobody else can have it");
    return server;
  });
  return {
    floor: floor.load,
    baton: baton.load,
    async stop() {
      floor.load.close();
      baton.load.close();
      await Promise.all([floor.server.stop(), baton.server.stop()]);
      if (givenFolders === undefined) removeFolders(folders);
    },
  };
}

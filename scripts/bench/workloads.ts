/** Every workload that is measured against the floor, in order. */
import {
  appendBaton,
  appendFloor,
  createBaton,
  createFloor,
  bearer,
  expectStatus,
  patchBaton,
  patchFloor,
  times,
} from "./actors.ts";
import { ARRIVALS } from "./arrivals.ts";
import type { Load } from "./load.ts";
import { REPLAYS } from "./replays.ts";
import { shared, type Client, type Workload } from "./workload.ts";

const CLIENTS = 32;
const POOL = 100;

const appending = (count: number): Pick<Workload, "floor" | "baton"> => ({
  floor: async (load) => appendFloor(load, await createFloor(load), count),
  baton: async (load) => appendBaton(load, await createBaton(load), count),
});

const patching: Pick<Workload, "floor" | "baton"> = {
  floor: async (load) => patchFloor(load, await createFloor(load)),
  baton: async (load) => patchBaton(load, await createBaton(load)),
};

/** Each client uses any free session, so that the work is spread over all of them. */
function patchingPool(patch: (load: Load) => Promise<() => Promise<unknown>>): Client {
  const pool = shared(async (load) => {
    const free: (() => Promise<unknown>)[] = [];
    for (const _ of times(POOL, () => null)) free.push(await patch(load));
    return free;
  });
  return async (load) => {
    const free = await pool(load);
    return async () => {
      const one = free.shift();
      if (one === undefined) throw new Error("more clients than sessions");
      await one();
      free.push(one);
    };
  };
}

/** All clients use the session that the first of them created. */
function oneForAll<S>(
  create: (load: Load) => Promise<S>,
  call: (load: Load, session: S) => () => Promise<unknown>,
): Client {
  const session = shared(create);
  return async (load) => call(load, await session(load));
}

const REQUESTS: readonly Workload[] = [
  {
    name: "create",
    group: "requests",
    clients: CLIENTS,
    target: 0.85,
    isQuick: true,
    floor: async (load) => () => createFloor(load),
    baton: async (load) => () => createBaton(load),
  },
  {
    name: "get",
    group: "requests",
    clients: CLIENTS,
    target: 0.88,
    isQuick: true,
    async floor(load) {
      const call = { method: "GET", path: `/get/${(await createFloor(load)).id}` };
      return async () => expectStatus(await load.send(call), 200);
    },
    async baton(load) {
      const session = await createBaton(load);
      const call = { method: "GET", path: `/sessions/${session.id}`, headers: bearer(session) };
      return async () => expectStatus(await load.send(call), 200);
    },
  },
  {
    name: "PATCH",
    group: "requests",
    clients: CLIENTS,
    target: 0.85,
    isQuick: true,
    ...patching,
  },
  { name: "PATCH, one participant", group: "requests", clients: 1, ...patching },
  {
    name: "PATCH, 100 sessions",
    group: "requests",
    clients: CLIENTS,
    floor: patchingPool(patching.floor),
    baton: patchingPool(patching.baton),
  },
  {
    name: "append 1",
    group: "requests",
    clients: CLIENTS,
    target: 0.95,
    isQuick: true,
    ...appending(1),
  },
  {
    name: "append 1, one session",
    group: "requests",
    clients: CLIENTS,
    target: 1.4,
    isQuick: true,
    floor: oneForAll(createFloor, (load, session) => appendFloor(load, session, 1)),
    baton: oneForAll(createBaton, (load, session) => appendBaton(load, session, 1)),
  },
  {
    name: "append 1, alone",
    group: "requests",
    clients: 1,
    target: 0.9,
    isQuick: true,
    ...appending(1),
  },
  {
    name: "append 100",
    group: "requests",
    clients: CLIENTS,
    target: 0.92,
    isQuick: true,
    ...appending(100),
  },
];

export const WORKLOADS: readonly Workload[] = [...REQUESTS, ...REPLAYS, ...ARRIVALS];

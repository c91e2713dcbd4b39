/**
 * Measures each operation with a single client: the time from call to answer, and the CPU time of the
 * whole runtime. The cost model uses both as upper bounds of the billed amounts.
 */
import {
  appendBaton,
  bearer,
  createBaton,
  expectStatus,
  filledBaton,
  patchBaton,
} from "../actors.ts";
import { pagePath, resumeBaton } from "../arrivals.ts";
import type { Load } from "../load.ts";
import type { Operation } from "../cost-model.ts";

export type Alone = Readonly<
  Record<Operation, { readonly wallMs: number; readonly cpuMs: number }>
>;

export async function studyAlone(
  load: Load,
  roundMs: number,
  progress: (text: string) => void,
): Promise<Alone> {
  const reader = await filledBaton(load, 100);
  const [session, page] = [await createBaton(load), await pagePath(load)];
  const get =
    (path: string, headers: Record<string, string> = {}) =>
    async (): Promise<unknown> =>
      expectStatus(await load.send({ method: "GET", path, headers }), 200);
  const tasks: Record<Operation, () => Promise<unknown>> = {
    create: () => createBaton(load),
    get: get(`/sessions/${session.id}`, bearer(session)),
    "set fields": patchBaton(load, await createBaton(load)),
    "append 1 event": appendBaton(load, await createBaton(load), 1),
    "append 100 events": appendBaton(load, await createBaton(load), 100),
    resume: resumeBaton(load, await createBaton(load)),
    "read 100 events": get(`/sessions/${reader.id}/events?after=0`, bearer(reader)),
    "look at a link": get(page),
  };
  const results: [string, { wallMs: number; cpuMs: number }][] = [];
  for (const [name, task] of Object.entries(tasks)) {
    progress(name);
    await load.measure([task], roundMs / 4);
    const { p50Ms, cpuMs } = await load.measure([task], roundMs);
    results.push([name, { wallMs: p50Ms, cpuMs }]);
  }
  return Object.fromEntries(results) as Alone;
}

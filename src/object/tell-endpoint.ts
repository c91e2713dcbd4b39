/** What a session tells its endpoints, composed from its log when it is told. */
import type { Ring } from "../domain/notices/notice";
import { wants } from "../domain/notices/endpoint";
import {
  endpointsOf,
  isFor,
  ringOf,
  type EndpointTelling,
} from "../domain/notices/stored-endpoint";
import type { Telling } from "../domain/owners/news";
import type { Env } from "../env";
import { composeNotices } from "./compose-notices";
import { hexOf, type Desk } from "./desk";
import { endpointAt } from "./notice-steps";

/** In order: what it is comes before what happened. Throws where it did not acknowledge. */
export async function tellEndpoint(
  env: Env,
  desk: Desk,
  to: string,
  tellings: readonly Telling[],
): Promise<void> {
  const endpoint = endpointAt(env, to);
  for (const { seq, body } of tellings) {
    const told = body as unknown as EndpointTelling;
    if ("remove" in told) await endpoint.remove();
    else if ("put" in told) await endpoint.put({ version: seq, ...newsOf(desk, told) });
    else await endpoint.tell(ringsFor(desk, to, told.ring));
  }
}

/** The session is gone, and its endpoints with it. */
export async function removeEndpoints(env: Env, desk: Desk): Promise<void> {
  const all = endpointsOf(desk.store.news());
  await Promise.all(all.map(({ hex }) => endpointAt(env, hex).remove()));
}

const newsOf = (desk: Desk, told: Extract<EndpointTelling, { put: unknown }>) => {
  const { put, ...once } = told;
  const { settings, createdAt, endsAt, key } = put;
  const home = { session: hexOf(desk), ...(key === undefined ? {} : { key }) };
  return { settings, createdAt, endsAt, home, ...once };
};

/** The notices of one commit for one endpoint. */
function ringsFor(desk: Desk, hex: string, first: number): readonly Ring[] {
  const { store } = desk;
  const loaded = store.load();
  const endpoint = endpointsOf(store.news()).find((one) => one.hex === hex);
  // Removed since: nothing is left to tell.
  if (loaded === null || endpoint === undefined) return [];
  // Asked here too: endpoints made before they kept the key do not know it.
  const key = loaded.participants.find(({ number }) => number === endpoint.madeBy)?.bind?.key;
  if (key !== undefined && desk.here(undefined).isListed?.(key) !== true) return [];
  return composeNotices(desk, loaded, first).flatMap(({ event, ...notice }) => {
    const ring = ringOf(event, loaded.participants);
    const isNamed = ring?.to.includes(hex) === true;
    if (
      !isNamed &&
      !(isFor(event, endpoint, loaded.participants) && wants(endpoint.settings, notice))
    ) {
      return [];
    }
    return [{ notice, ...(isNamed && ring.link !== undefined ? { link: ring.link } : {}) }];
  });
}

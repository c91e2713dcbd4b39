/** What a session tells its endpoints, composed from its log when it is told. */
import type { Ring } from "../domain/notices/notice";
import { wants } from "../domain/notices/endpoint";
import { endpointsOf, isFor, ringOf } from "../domain/notices/stored-endpoint";
import type { EndpointTelling } from "../domain/notices/stored-endpoint";
import type { Telling } from "../domain/owners/news";
import type { Env } from "../env";
import { composeNotices } from "./compose-notices";
import { hexOf, type Room } from "./room";
import { endpointAt } from "./notice-steps";

/** In order: what it is comes before what happened. Throws where it did not acknowledge. */
export async function tellEndpoint(
  env: Env,
  room: Room,
  to: string,
  tellings: readonly Telling[],
): Promise<void> {
  const endpoint = endpointAt(env, to);
  for (const { seq, body } of tellings) {
    const told = body as unknown as EndpointTelling;
    if ("remove" in told) await endpoint.remove();
    else if ("put" in told) await endpoint.put({ version: seq, ...newsOf(room, told) });
    else await endpoint.tell(ringsFor(room, to, told.ring));
  }
}

/** The session is gone, and its endpoints with it. */
export async function removeEndpoints(env: Env, room: Room): Promise<void> {
  const all = endpointsOf(room.store.news());
  await Promise.all(all.map(({ hex }) => endpointAt(env, hex).remove()));
}

const newsOf = (room: Room, told: Extract<EndpointTelling, { put: unknown }>) => {
  const { put, ...once } = told;
  const { settings, createdAt, endsAt, key } = put;
  const home = { session: hexOf(room), ...(key === undefined ? {} : { key }) };
  return { settings, createdAt, endsAt, home, ...once };
};

/** The notices of one commit for one endpoint. */
function ringsFor(room: Room, hex: string, first: number): readonly Ring[] {
  const { store } = room;
  const loaded = store.load();
  const endpoint = endpointsOf(store.news()).find((one) => one.hex === hex);
  // Removed since: nothing is left to tell.
  if (loaded === null || endpoint === undefined) return [];
  // Asked here too: endpoints made before they kept the key do not know it.
  const key = loaded.participants.find(({ number }) => number === endpoint.madeBy)?.bind?.key;
  if (key !== undefined && room.here(undefined).isListed?.(key) !== true) return [];
  return composeNotices(room, loaded, first).flatMap(({ event, ...notice }) => {
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

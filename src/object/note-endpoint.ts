/** The endpoints of a session, as it lists them and as they report of themselves. */
import { endpointIdFromHex } from "../domain/notices/endpoint";
import type { EndpointStatus, EndpointView } from "../domain/notices/endpoint";
import {
  endpointsOf,
  isMakerGone,
  viewEndpoint,
  withStatus,
} from "../domain/notices/stored-endpoint";
import { commitBySystem } from "./commit";
import type { Room } from "./room";
import { admitTo, GONE, loadLiving } from "./gate";
import type { Asked, Handler, Reply } from "./messages";

export const listEndpoints: Handler<Asked, readonly EndpointView[]> = (room, request, now) => {
  const admitted = admitTo(room, request, "listEndpoints", now);
  if (!admitted.ok) return admitted;
  const { session, participants } = admitted.value;
  const { isListed } = room.here(undefined);
  const views = endpointsOf(room.store.news()).map((one) => {
    const isOver = isMakerGone(one, session, participants, now);
    const isUnlisted = one.key !== undefined && isListed?.(one.key) !== true;
    return viewEndpoint(isOver || isUnlisted ? { ...one, status: "ended" } : one);
  });
  return { ok: true, value: views };
};

type StatusNote = { readonly endpoint: string; readonly status: EndpointStatus };

/** An endpoint was suspended, or its receiver said that nobody is there any more. Said once. */
export function noteEndpoint(room: Room, request: StatusNote, now: number): Reply<null> {
  const { endpoint, status } = request;
  const loaded = loadLiving(room, now);
  if (loaded === null) return GONE;
  const { store } = room;
  const known = endpointsOf(store.news()).find(({ hex }) => hex === endpoint);
  if (known === undefined || status === "active" || known.status === status) {
    return { ok: true, value: null };
  }
  const payload = { endpointId: endpointIdFromHex(endpoint), origin: known.settings.origin };
  commitBySystem(room, loaded, [{ type: `endpoint.${status}`, payload }], now, {
    beside: () => store.keepNews(withStatus(store.news(), endpoint, status), true),
  });
  return { ok: true, value: null };
}

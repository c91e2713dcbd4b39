/**
 * The endpoints of a session: how it lists them, and how it records the status that they report.
 */
import { endpointIdFromHex } from "../domain/notices/endpoint";
import type { EndpointStatus, EndpointView } from "../domain/notices/endpoint";
import {
  endpointsOf,
  isMakerGone,
  viewEndpoint,
  withEndpointStatus,
} from "../domain/notices/stored-endpoint";
import { commitBySystem } from "./commit";
import type { SessionContext } from "./session-context";
import { admitTo, GONE, loadExisting } from "./gate";
import type { AuthenticatedRequest, Handler, Reply } from "./messages";

export const listEndpoints: Handler<AuthenticatedRequest, readonly EndpointView[]> = (
  context,
  request,
  now,
) => {
  const admitted = admitTo(context, request, "listEndpoints", now);
  if (!admitted.ok) return admitted;
  const { session, participants } = admitted.value;
  const { isListed } = context.resolveOrigin(undefined);
  const views = endpointsOf(context.store.outbox()).map((one) => {
    const hasEnded = isMakerGone(one, session, participants, now);
    const isUnlisted = one.key !== undefined && isListed?.(one.key) !== true;
    return viewEndpoint(hasEnded || isUnlisted ? { ...one, status: "ended" } : one);
  });
  return { ok: true, value: views };
};

type StatusReport = { readonly endpoint: string; readonly status: EndpointStatus };

/** An endpoint was suspended, or its receiver is gone. Recorded once. */
export function recordEndpointStatus(
  context: SessionContext,
  request: StatusReport,
  now: number,
): Reply<null> {
  const { endpoint, status } = request;
  const loaded = loadExisting(context, now);
  if (loaded === null) return GONE;
  const { store } = context;
  const known = endpointsOf(store.outbox()).find(({ hex }) => hex === endpoint);
  if (known === undefined || status === "active" || known.status === status) {
    return { ok: true, value: null };
  }
  const payload = { endpointId: endpointIdFromHex(endpoint), origin: known.settings.origin };
  commitBySystem(context, loaded, [{ type: `endpoint.${status}`, payload }], now, {
    extraWrites: () => store.saveOutbox(withEndpointStatus(store.outbox(), endpoint, status), true),
  });
  return { ok: true, value: null };
}

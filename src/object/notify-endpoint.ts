/**
 * Sends a session's outbox messages to its endpoints. Notices are composed from the log when they
 * are sent.
 */
import type { OutgoingNotice } from "../domain/notices/notice";
import { matchesNotice } from "../domain/notices/endpoint";
import { endpointsOf, isNoticeFor, handoffNotification } from "../domain/notices/stored-endpoint";
import type { EndpointOutboxMessage } from "../domain/notices/stored-endpoint";
import type { OutboxMessage } from "../domain/owners/outbox";
import type { Env } from "../env";
import { composeNotices } from "./compose-notices";
import { hexOf, type SessionContext } from "./session-context";
import { endpointAt } from "./endpoint-calls";

/** Sends the settings before the notices. Throws if the endpoint did not acknowledge. */
export async function notifyEndpoint(
  env: Env,
  context: SessionContext,
  to: string,
  messages: readonly OutboxMessage[],
): Promise<void> {
  const endpoint = endpointAt(env, to);
  for (const { seq, body } of messages) {
    const message = body as unknown as EndpointOutboxMessage;
    if ("remove" in message) await endpoint.remove();
    else if ("put" in message) await endpoint.put({ version: seq, ...toUpdate(context, message) });
    else await endpoint.tell(noticesFor(context, to, message.ring));
  }
}

/** The session is purged, and its endpoints with it. */
export async function removeEndpoints(env: Env, context: SessionContext): Promise<void> {
  const all = endpointsOf(context.store.outbox());
  await Promise.all(all.map(({ hex }) => endpointAt(env, hex).remove()));
}

const toUpdate = (
  context: SessionContext,
  message: Extract<EndpointOutboxMessage, { put: unknown }>,
) => {
  const { put, ...once } = message;
  const { settings, createdAt, endsAt, key } = put;
  const home = { session: hexOf(context), ...(key === undefined ? {} : { key }) };
  return { settings, createdAt, endsAt, home, ...once };
};

/** The notices of one commit for one endpoint. */
function noticesFor(
  context: SessionContext,
  hex: string,
  first: number,
): readonly OutgoingNotice[] {
  const { store } = context;
  const loaded = store.load();
  const endpoint = endpointsOf(store.outbox()).find((one) => one.hex === hex);
  // Removed since: there is nothing to send.
  if (loaded === null || endpoint === undefined) return [];
  // Checked here too: endpoints of older releases have not stored the key.
  const key = loaded.participants.find(({ number }) => number === endpoint.madeBy)?.bind?.key;
  if (key !== undefined && context.resolveOrigin(undefined).isListed?.(key) !== true) return [];
  return composeNotices(context, loaded, first).flatMap(({ event, ...notice }) => {
    const handoff = handoffNotification(event, loaded.participants);
    const isNamed = handoff?.to.includes(hex) === true;
    if (
      !isNamed &&
      !(
        isNoticeFor(event, endpoint, loaded.participants) &&
        matchesNotice(endpoint.settings, notice)
      )
    ) {
      return [];
    }
    return [{ notice, ...(isNamed && handoff.link !== undefined ? { link: handoff.link } : {}) }];
  });
}

/** Sends a session's outbox messages to the directory of its owner. */
import type { Ownership } from "../domain/owners/ownership";
import type { ForwardedNotice } from "../domain/notices/notice";
import { handoffNotification } from "../domain/notices/stored-endpoint";
import type { DirectoryOutboxMessage, OutboxMessage } from "../domain/owners/outbox";
import { directoryName } from "../domain/owners/owners";
import { ownerObjectId } from "../domain/owners/object-location";
import type { Session } from "../domain/session/session";
import type { Env } from "../env";
import type { LoadedSession } from "../storage/session-store";
import { composeNotices } from "./compose-notices";
import { hexOf, type SessionContext } from "./session-context";
import type { OwnerDirectoryRpc } from "./directory-messages";

/** Throws if the directory did not acknowledge. */
export async function notifyDirectory(
  env: Env,
  context: SessionContext,
  messages: readonly OutboxMessage[],
): Promise<void> {
  const loaded = context.store.load();
  if (loaded === null || loaded.session.belongs === null) {
    throw new Error("a session of nobody has no directory to tell");
  }
  const { belongs, createdAt } = loaded.session;
  const bodies = messages.map(({ seq, body }) => ({ seq, ...(body as DirectoryOutboxMessage) }));
  await directoryOf(env, belongs, loaded.session).tell({
    objectIdHex: hexOf(context),
    createdAt: Date.parse(createdAt),
    belongs,
    listings: bodies.flatMap(({ seq, listing }) => (listing ? [{ seq, ...listing }] : [])),
    notices: bodies.flatMap(({ ring }) => (ring ? toForwardedNotices(context, loaded, ring) : [])),
  });
}

/** The notices of one commit. A link goes only to the endpoints that its handoff names. */
const toForwardedNotices = (
  context: SessionContext,
  loaded: LoadedSession,
  first: number,
): readonly ForwardedNotice[] =>
  composeNotices(context, loaded, first).map(({ event, ...notice }) => {
    const handoff = handoffNotification(event, loaded.participants);
    const link = handoff?.link === undefined ? {} : { link: handoff.link };
    return { notice, named: handoff?.to ?? [], ...link };
  });

/** The session is purged. A session without an owner was never listed. */
export async function unlistSession(env: Env, context: SessionContext): Promise<void> {
  const session = context.store.load()?.session;
  if (session == null || session.belongs === null) return;
  await directoryOf(env, session.belongs, session).remove(hexOf(context));
}

export function directoryOf(
  env: Env,
  { owner }: Pick<Ownership, "owner">,
  { location }: Pick<Session, "location"> = { location: null },
): OwnerDirectoryRpc {
  const { OWNER_DIRECTORY } = env;
  const name = directoryName(owner);
  const id = ownerObjectId(env, OWNER_DIRECTORY, owner, name, location?.jurisdiction);
  return OWNER_DIRECTORY.get(id) as unknown as OwnerDirectoryRpc;
}

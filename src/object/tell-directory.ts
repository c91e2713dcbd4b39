/** What a session tells the directory of its owner. */
import type { Belonging } from "../domain/owners/belonging";
import type { ForwardedNotice } from "../domain/notices/notice";
import { ringOf } from "../domain/notices/stored-endpoint";
import type { DirectoryTelling, Telling } from "../domain/owners/news";
import { directoryName } from "../domain/owners/owners";
import { ownersObject } from "../domain/owners/place";
import type { Session } from "../domain/session/session";
import type { Env } from "../env";
import type { Loaded } from "../storage/session-store";
import { composeNotices } from "./compose-notices";
import { hexOf, type Room } from "./room";
import type { OwnerDirectoryPort } from "./directory-messages";

/** Throws where it did not acknowledge. */
export async function tellDirectory(
  env: Env,
  room: Room,
  tellings: readonly Telling[],
): Promise<void> {
  const loaded = room.store.load();
  if (loaded === null || loaded.session.belongs === null) {
    throw new Error("a session of nobody has no directory to tell");
  }
  const { belongs, createdAt } = loaded.session;
  const told = tellings.map(({ seq, body }) => ({ seq, ...(body as DirectoryTelling) }));
  await directoryOf(env, belongs, loaded.session).tell({
    objectIdHex: hexOf(room),
    createdAt: Date.parse(createdAt),
    belongs,
    listings: told.flatMap(({ seq, listing }) => (listing ? [{ seq, ...listing }] : [])),
    notices: told.flatMap(({ ring }) => (ring ? forwarded(room, loaded, ring) : [])),
  });
}

/** The notices of one commit. A link goes only to the endpoints that its handoff names. */
const forwarded = (room: Room, loaded: Loaded, first: number): readonly ForwardedNotice[] =>
  composeNotices(room, loaded, first).map(({ event, ...notice }) => {
    const ring = ringOf(event, loaded.participants);
    const link = ring?.link === undefined ? {} : { link: ring.link };
    return { notice, named: ring?.to ?? [], ...link };
  });

/** The session is gone. One that belongs to nobody was never listed. */
export async function unlist(env: Env, room: Room): Promise<void> {
  const session = room.store.load()?.session;
  if (session == null || session.belongs === null) return;
  await directoryOf(env, session.belongs, session).remove(hexOf(room));
}

export function directoryOf(
  env: Env,
  { owner }: Pick<Belonging, "owner">,
  { location }: Pick<Session, "location"> = { location: null },
): OwnerDirectoryPort {
  const { OWNER_DIRECTORY } = env;
  const name = directoryName(owner);
  const id = ownersObject(env, OWNER_DIRECTORY, owner, name, location?.jurisdiction);
  return OWNER_DIRECTORY.get(id) as unknown as OwnerDirectoryPort;
}

/** What a session tells the directory of its owner. */
import type { Belonging } from "../domain/owners/belonging";
import type { Listing, Telling } from "../domain/owners/news";
import { directoryName } from "../domain/owners/owners";
import type { Env } from "../env";
import { hexOf, type Desk } from "./desk";
import type { OwnerDirectoryPort } from "./directory-messages";

/** Throws where it did not acknowledge. */
export async function tellDirectory(
  env: Env,
  desk: Desk,
  tellings: readonly Telling[],
): Promise<void> {
  const session = desk.store.load()?.session;
  if (session == null || session.belongs === null) {
    throw new Error("a session of nobody has no directory to tell");
  }
  await directoryOf(env, session.belongs).tell({
    objectIdHex: hexOf(desk),
    createdAt: Date.parse(session.createdAt),
    belongs: session.belongs,
    listings: tellings.map(({ seq, body }) => ({ seq, ...(body as unknown as Listing) })),
  });
}

/** The session is gone. One that belongs to nobody was never listed. */
export async function unlist(env: Env, desk: Desk): Promise<void> {
  const belongs = desk.store.load()?.session.belongs ?? null;
  if (belongs !== null) await directoryOf(env, belongs).remove(hexOf(desk));
}

function directoryOf({ OWNER_DIRECTORY }: Env, { owner }: Belonging): OwnerDirectoryPort {
  const id = OWNER_DIRECTORY.idFromName(directoryName(owner));
  return OWNER_DIRECTORY.get(id) as unknown as OwnerDirectoryPort;
}

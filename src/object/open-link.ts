/** Looking at a link and opening it. Whoever asks has shown the code, and nothing more is needed. */
import { isElsewhere } from "../domain/binding";
import { numberEvents } from "../domain/commit";
import { encodeEvents } from "../domain/event-line";
import { isPurgeable } from "../domain/expiry";
import { linkStateOf, openingFacts, type LinkState } from "../domain/link";
import type { Participant } from "../domain/participant";
import { tokenEvent } from "../domain/participants";
import type { Loaded } from "../storage/session-store";
import type { LinkKey, LinkOpened, OpenLinkRequest } from "./messages";
import { storeCommit, type Desk } from "./reception";

interface Found extends Loaded {
  readonly participant: Participant;
}

function find({ store }: Desk, { participant: number, code }: LinkKey, now: number): Found | null {
  const loaded = store.exists() ? store.load() : null;
  if (loaded === null || isPurgeable(loaded.session, now)) return null;
  const participant = loaded.participants.find((one) => one.number === number);
  return participant?.link?.code === code ? { ...loaded, participant } : null;
}

export function readLinkState(desk: Desk, key: LinkKey, now: number): LinkState {
  const found = find(desk, key, now);
  if (found === null) return "gone";
  // Neither whether there is a link nor how it stands is told to those it is not for.
  return isElsewhere(found.participant.bind, key.from)
    ? "unknown"
    : linkStateOf(found.session, found.participant, now);
}

/** One commit; of two that open a single-use link at once, one finds it used. */
export function openLink(
  desk: Desk,
  request: OpenLinkRequest,
  now: number,
): LinkOpened | { readonly state: LinkState } {
  const { store } = desk;
  return store.transaction(() => {
    const found = find(desk, request, now);
    if (found === null) return { state: "gone" };
    const { session, participant, participants, plan } = found;
    if (isElsewhere(participant.bind, request.from)) return { state: "unknown" };
    const state = linkStateOf(session, participant, now);
    if (state !== "waiting" || participant.link === undefined) return { state };
    const { number } = participant;
    const { actor, facts } = openingFacts(participant, request.next, request.name, (hash) => {
      const accessed = tokenEvent("token.accessed", number, hash);
      return [
        { ...accessed, payload: { ...accessed.payload, by: "link" } },
        tokenEvent("token.issued", number, hash),
      ];
    });
    const commit = numberEvents(session, store.head(), facts, actor, now);
    storeCommit(desk, {
      commit,
      text: encodeEvents(commit.events),
      at: now,
      participant: number,
      issued: [{ participant: number, hash: request.next }],
    });
    const opened: Participant = {
      ...participant,
      actor,
      tokenSeq: commit.first,
      tokenHash: request.next,
      // A device that had it open before is fenced off.
      fenceSeq: commit.first,
      seenVersion: commit.session.version,
      cursor: commit.last,
      link: { ...participant.link, openedAt: participant.link.openedAt ?? now },
    };
    const everybody = participants.map((one) => (one.number === number ? opened : one));
    // No content is added: a full session can still be opened by who is to finish it.
    store.update({ session: commit.session, participants: everybody, plan }, false);
    const expiresAt = participant.expiresAt ?? session.expiresAt;
    return { state: "opened", issuedSeq: commit.first, expiresAt };
  });
}

/** Links that the directory may not know yet. */
export const unlisted = (participants: readonly Participant[]): readonly Participant[] =>
  participants.filter(({ link }) => link?.isListed === false);

/** The directory's answer came: the second step is done. */
export function markListed({ store }: Desk, number: number): void {
  store.transaction(() => {
    const loaded = store.load();
    const target = loaded?.participants.find((one) => one.number === number);
    if (loaded === null || target?.link == null || target.link.isListed) return;
    const listed = { ...target, link: { ...target.link, isListed: true } };
    const participants = loaded.participants.map((one) => (one.number === number ? listed : one));
    store.update({ ...loaded, participants }, false);
  });
}

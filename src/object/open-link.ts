/**
 * Reads the state of a link and opens it. The caller has presented the code, and needs nothing
 * else.
 */
import type { TokenHash } from "../domain/ids";
import type { Trace } from "../domain/log/trace";
import { isOutsideBinding } from "../domain/participants/binding";
import { linkDeclinedEvent } from "../domain/links/link-answers";
import { linkStateOf, decideOpening, type LinkState } from "../domain/links/link";
import { withToken, type Link, type Participant } from "../domain/participants/participant";
import type { Identity } from "../domain/participants/identity";
import { tokenEvent } from "../domain/participants/participant-rules";
import type { LoadedSession } from "../storage/session-store";
import { withParticipant } from "./arcp";
import { commitChange, saveWithoutEvent } from "./commit";
import type { SessionContext } from "./session-context";
import { ok } from "../domain/result";
import { loadExisting } from "./gate";
import type { LinkPreview } from "./link-messages";
import type { LinkKey, Reply } from "./messages";

interface Found extends LoadedSession {
  readonly participant: Participant;
}

function find(context: SessionContext, number: number, now: number): Found | null {
  const loaded = loadExisting(context, now);
  const participant = loaded?.participants.find((one) => one.number === number && one.link);
  return loaded === null || participant === undefined ? null : { ...loaded, participant };
}

/** The state of the link for a caller with its code; with the link itself while it waits. */
function linkStatusOf(
  context: SessionContext,
  key: LinkKey,
  now: number,
): { readonly state: LinkState; readonly found?: Found & { readonly link: Link } } {
  const found = find(context, key.participant, now);
  if (found === null) return { state: "gone" };
  const { session, participant } = found;
  // Callers that the link is not for learn neither its state nor that it exists.
  if (isOutsideBinding(participant.bind, context.resolveOrigin(key.from)))
    return { state: "unknown" };
  // The code was replaced by a newer one of the same link.
  if (participant.link?.code !== key.code) return { state: "revoked" };
  const state = linkStateOf(session, participant, now);
  const { link } = participant;
  return state === "waiting" && link !== undefined
    ? { state, found: { ...found, link } }
    : { state };
}

export function readLinkState(
  context: SessionContext,
  key: LinkKey,
  now: number,
): Reply<LinkPreview> {
  const { state, found } = linkStatusOf(context, key, now);
  if (found === undefined) return ok({ state });
  const { session, participant, link } = found;
  return ok({
    state,
    expiresAt: participant.expiresAt ?? session.expiresAt,
    ...(link.showTitle === true && session.title !== null ? { title: session.title } : {}),
  });
}

interface LinkStatus {
  readonly state: LinkState;
}

type DeclineRequest = LinkKey & { readonly reason?: string | undefined; readonly trace?: Trace };

/** "Not me", before anything was opened. The link is closed, and its creator is notified. */
export function declineLink(
  context: SessionContext,
  request: DeclineRequest,
  now: number,
): Reply<LinkStatus> {
  const { state, found } = linkStatusOf(context, request, now);
  if (found === undefined) return ok({ state });
  const { session, participant, plan, link } = found;
  const declined = { ...participant, link: { ...link, declinedAt: now } };
  commitChange(context, session, now, {
    by: participant,
    events: [linkDeclinedEvent(session, participant, { notMe: true, reason: request.reason })],
    trace: request.trace,
    row: { participants: withParticipant(found, declined), plan, adds: "nothing" },
  });
  return ok({ state: "declined" });
}

interface OpenLinkRequest extends LinkKey {
  /** Hash of the cookie's secret. */
  readonly next: TokenHash;
  readonly name?: string;
  readonly identity?: Identity;
  readonly trace?: Trace;
}

interface Opened {
  readonly state: "opened";
  /** First seq of the commit that issued the credential. */
  readonly issuedSeq: number;
  readonly expiresAt: number;
}

/** One commit: if two callers open a single-use link at the same time, one finds it used. */
export function openLink(
  context: SessionContext,
  request: OpenLinkRequest,
  now: number,
): Reply<Opened | LinkStatus> {
  const { state, found } = linkStatusOf(context, request, now);
  if (found === undefined) return ok({ state });
  const { session, participant, plan, link } = found;
  const { number } = participant;
  const { actor, opened } = decideOpening(participant, request);
  const { commit } = commitChange(context, session, now, {
    by: { ...participant, actor },
    events: [
      opened,
      tokenEvent("token.accessed", number, request.next, { by: "link" }),
      tokenEvent("token.issued", number, request.next),
    ],
    trace: request.trace,
    issued: [{ participant: number, hash: request.next }],
    row: {
      participants: (committed) =>
        withParticipant(found, {
          ...withToken(participant, committed.first, request.next),
          actor,
          // A device that opened it before is fenced off and cannot replay a write.
          fenceSeq: committed.first,
          last: null,
          seenVersion: committed.session.version,
          cursor: committed.last,
          link: { ...link, openedAt: link.openedAt ?? now },
        }),
      plan,
      // A full session can still be opened by the person who has to finish it.
      adds: "nothing",
    },
  });
  const expiresAt = participant.expiresAt ?? session.expiresAt;
  return ok({ state: "opened", issuedSeq: commit.first, expiresAt });
}

/** Links that may not be in the directory yet. */
export const unlistedLinks = (participants: readonly Participant[]): readonly Participant[] =>
  participants.filter(({ link }) => link?.isListed === false);

/** The directory has acknowledged the link. */
export function markLinkListed(context: SessionContext, number: number): void {
  const loaded = context.store.load();
  const target = loaded?.participants.find((one) => one.number === number);
  if (loaded === null || target?.link == null || target.link.isListed) return;
  const listed = { ...target, link: { ...target.link, isListed: true } };
  saveWithoutEvent(context, { ...loaded, participants: withParticipant(loaded, listed) });
}

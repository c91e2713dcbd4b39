/** Opening a session by its owner's key: one commit, which makes a participant and says who opened it. */
import { actorOf, openByKey, type KeyCredential, type OpenWish } from "../domain/owners/open";
import { expiryProblem, transitionProblem } from "../domain/participants/admission";
import { without } from "../domain/participants/participant";
import type { TokenHash } from "../domain/ids";
import type { Trace } from "../domain/log/trace";
import type { ResolvedBind } from "../domain/participants/binding";
import { ok } from "../domain/result";
import { isTerminal } from "../domain/session/state";
import type { Loaded } from "../storage/session-store";
import { commitChange } from "./commit";
import { hexOf, type Room } from "./room";
import { GONE, loadLiving, NOT_OF_THIS_KEY, viewerOf } from "./gate";
import type { Created, Refusal, Reply } from "./messages";
import { madeParticipant } from "./made-participant";

/** By an owner's key, for a new participant. */
interface OpenByKeyRequest {
  readonly key: KeyCredential;
  readonly wish: OpenWish;
  readonly token: TokenHash;
  /** Asked by the owner's own name for it: then it need not exist. */
  readonly isByName: boolean;
  readonly bound: ResolvedBind;
  readonly trace?: Trace;
}

const ABSENT = { ok: false, failure: { code: "not_found", what: "session" } } as const;

export function openSession(room: Room, request: OpenByKeyRequest, now: number): Reply<Created> {
  const loaded = loadLiving(room, now);
  if (loaded === null) {
    // By its name a session may never have been; by its id it was.
    const isNew = request.isByName && !room.store.exists() && room.buried() === null;
    return isNew ? ABSENT : GONE;
  }
  const { session } = loaded;
  if (session.belongs?.owner !== request.key.owner) return NOT_OF_THIS_KEY;
  const refused = endProblem(loaded, request, now);
  if (refused !== null) return refused;
  return open(room, loaded, request, now);
}

/** By its name an ended session is over, whatever ended it. */
function endProblem(
  { session }: Loaded,
  { isByName }: Pick<OpenByKeyRequest, "isByName">,
  now: number,
): Refusal | null {
  const expired = expiryProblem(session, now);
  if (expired !== null) return { ok: false, failure: expired };
  if (!isTerminal(session.state)) return null;
  const at = session.endedAt ?? session.expiresAt;
  const failure = isByName
    ? ({ code: "expired", expiresAt: at, what: "ended" } as const)
    : transitionProblem(session, "handoff");
  return failure === null ? null : { ok: false, failure };
}

function open(
  room: Room,
  { session, participants, plan }: Loaded,
  request: OpenByKeyRequest,
  now: number,
): Reply<Created> {
  const { key, token, wish, bound } = request;
  const decided = openByKey(wish, key, bound, session, participants, token, room.settings(), now);
  if (!decided.ok) return { ok: false, failure: decided.error };
  const { facts, made, forgets } = decided.value;
  const left = without(forgets, participants);
  const { commit, loaded } = commitChange(room, session, now, {
    by: { number: null, actor: actorOf(key), scopes: ["own"] },
    facts,
    trace: request.trace,
    issued: [{ participant: made.number, hash: token }],
    row: {
      participants: (done) => [...left, madeParticipant(made, token, null, done, now)],
      plan,
      adds: "content",
    },
  });
  const participant = loaded?.participants.at(-1);
  if (loaded === null || participant === undefined) throw new Error("unreachable: it was stored");
  const viewer = viewerOf(room, { ...loaded, participant, standing: "newest" }, now);
  return ok({
    objectIdHex: hexOf(room),
    session: viewer.text(),
    participant: made.number,
    issuedSeq: commit.first,
    replayed: false,
    sealed: null,
  });
}

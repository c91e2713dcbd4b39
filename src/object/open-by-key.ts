/**
 * Opens a session by its owner's key: one commit, which creates a participant and records who
 * opened the session.
 */
import {
  keyActor,
  openByKey,
  type KeyCredential,
  type OpenInput,
} from "../domain/owners/open-by-key";
import { expiryProblem, transitionProblem } from "../domain/participants/admission";
import { removeParticipants } from "../domain/participants/participant";
import type { TokenHash } from "../domain/ids";
import type { Trace } from "../domain/log/trace";
import type { ResolvedBinding } from "../domain/participants/binding";
import { ok } from "../domain/result";
import { isTerminal } from "../domain/session/state";
import type { LoadedSession } from "../storage/session-store";
import { commitChange } from "./commit";
import { hexOf, type SessionContext } from "./session-context";
import { GONE, loadExisting, NOT_OF_THIS_KEY, requireViewer } from "./gate";
import type { CreatedSession, Refusal, Reply } from "./messages";
import { newParticipant } from "./new-participant";

interface OpenByKeyRequest {
  readonly key: KeyCredential;
  readonly input: OpenInput;
  readonly token: TokenHash;
  /** Requested by its external id: then it need not exist. */
  readonly isByName: boolean;
  readonly bound: ResolvedBinding;
  readonly trace?: Trace;
}

const ABSENT = { ok: false, failure: { code: "not_found", what: "session" } } as const;

export function openSession(
  context: SessionContext,
  request: OpenByKeyRequest,
  now: number,
): Reply<CreatedSession> {
  const loaded = loadExisting(context, now);
  if (loaded === null) {
    // A session with this external id may never have existed; one with this id did.
    const isNew = request.isByName && !context.store.exists() && context.tombstone() === null;
    return isNew ? ABSENT : GONE;
  }
  const { session } = loaded;
  if (session.belongs?.owner !== request.key.owner) return NOT_OF_THIS_KEY;
  const refused = endProblem(loaded, request, now);
  if (refused !== null) return refused;
  return open(context, loaded, request, now);
}

/** By external id every ended session counts as ended, whatever the reason. */
function endProblem(
  { session }: LoadedSession,
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
  context: SessionContext,
  { session, participants, plan }: LoadedSession,
  request: OpenByKeyRequest,
  now: number,
): Reply<CreatedSession> {
  const { key, token, input, bound } = request;
  const decided = openByKey(
    input,
    key,
    bound,
    session,
    participants,
    token,
    context.settings(),
    now,
  );
  if (!decided.ok) return { ok: false, failure: decided.error };
  const { events, made: created, forgets } = decided.value;
  const remaining = removeParticipants(forgets, participants);
  const { commit, loaded } = commitChange(context, session, now, {
    by: { number: null, actor: keyActor(key), scopes: ["own"] },
    events,
    trace: request.trace,
    issued: [{ participant: created.number, hash: token }],
    row: {
      participants: (committed) => [
        ...remaining,
        newParticipant(created, token, null, committed, now),
      ],
      plan,
      adds: "content",
    },
  });
  const participant = loaded?.participants.at(-1);
  if (loaded === null || participant === undefined) throw new Error("unreachable: it was stored");
  const viewer = requireViewer(context, { ...loaded, participant, tokenStatus: "newest" }, now);
  return ok({
    objectIdHex: hexOf(context),
    session: viewer.text(),
    participant: created.number,
    issuedSeq: commit.first,
    replayed: false,
    sealed: null,
  });
}

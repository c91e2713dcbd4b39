/** Creates a session in an empty object, or finds the one that the same key created. */
import { CREATOR, decideChild, decideCreate, type SessionCreation } from "../domain/session/create";
import type { ChildPlan } from "../domain/checkpoints/fork";
import { CREATE_REPLAY_MS } from "../domain/limits";
import type { RequestHash } from "../domain/ids";
import { utf8Bytes } from "../domain/json";
import type { OnceRecord } from "../domain/leases/once";
import { withFiller } from "../domain/participants/identity";
import type { Participant } from "../domain/participants/participant";
import { CREATOR_SCOPES } from "../domain/participants/scope";
import { hasPrivateFields } from "../domain/session/private-values";
import type { Commit } from "../domain/log/commit";
import { outlineSession, type SessionOutline, type SessionView } from "../domain/session/view";
import type { LoadedSession } from "../storage/session-store";
import { PROMISED_PERMIT, quotaPermitFor, type QuotaPermit } from "./remote-data";
import { commitChange } from "./commit";
import { hexOf, type SessionContext } from "./session-context";
import { identifyByFirstToken, loadExisting, showText, Viewer, requireViewer } from "./gate";
import { hidingOf } from "./private-values";
import { newParticipant } from "./new-participant";
import type { CreatedSession, CreateRequest, Refusal, Reply } from "./messages";

/** The log always starts with the commit that creates the session. */
const FIRST_SEQ = 1;

export function createSession(
  context: SessionContext,
  request: CreateRequest,
  now: number,
): Reply<CreatedSession> {
  if (context.store.exists()) return replayCreate(context, request, now);
  const tombstone = context.tombstone();
  if (tombstone !== null) return purgedProblem(request, tombstone.request);
  if (request.problem !== undefined) return { ok: false, failure: request.problem };
  const decided = decideCreate(
    request.args,
    request.token,
    now,
    context.settings(),
    hidingOf(context),
    request.belongs ?? null,
    request.location ?? null,
  );
  if (!decided.ok) return { ok: false, failure: decided.error };
  const permit = quotaPermitFor(request, request.belongs?.owner ?? null, hexOf(context));
  if (!permit.ok) return { ok: false, failure: permit.error };
  const newSession = storeNewSession(context, decided.value, request, permit.value, now);
  return { ok: true, value: createdReply(context, newSession, newSession, false, null) };
}

/** The second step of a fork. If repeated, it finds the child that was created the first time. */
export function createChild(
  context: SessionContext,
  plan: ChildPlan,
  from: CreateRequest["from"],
  now: number,
  onces: readonly OnceRecord[] = [],
): SessionView | SessionOutline | null {
  if (!context.store.exists()) {
    const bound = plan.bind ?? null;
    const request = { token: plan.token, request: null, sealed: null, bound };
    storeNewSession(
      context,
      decideChild(plan, now, context.settings()),
      request,
      PROMISED_PERMIT,
      now,
      onces,
    );
  }
  return describeChild(context, from, now);
}

/** The child as its first token may see it: only the outline if that token is spent or expired. */
export function describeChild(
  context: SessionContext,
  from: CreateRequest["from"],
  now: number,
): SessionView | SessionOutline | null {
  const loaded = loadExisting(context, now);
  const caller = loaded === null ? null : identifyByFirstToken(context, loaded, from, now);
  if (caller === null || !caller.ok) return null;
  const viewer = Viewer.of(context, caller.value, now);
  return viewer?.view() ?? outlineSession(context.id, caller.value.session, context.store.head());
}

function storeNewSession(
  context: SessionContext,
  creation: SessionCreation,
  request: Omit<CreateRequest, "args">,
  _: QuotaPermit,
  now: number,
  onces: readonly OnceRecord[] = [],
): Viewer {
  const { store } = context;
  const { actor, events } = creation;
  let newSession = null as (LoadedSession & Pick<Viewer, "participant">) | null;
  commitChange(context, null, now, {
    by: { number: CREATOR, actor, scopes: ["own"] },
    events,
    trace: request.trace,
    issued: [{ participant: CREATOR, hash: request.token }],
    extraBytes: onces.reduce((sum, { result }) => sum + utf8Bytes(result ?? ""), 0),
    extraWrites: (first) => {
      const { session } = first;
      const participant = creatorOf(request, creation, first, now);
      newSession = { session, participants: [participant], plan: null, participant };
      store.migrate();
      store.insert(newSession, request);
      if (hasPrivateFields(session.schema)) context.privates.prepare();
      if (creation.private !== undefined) context.privates.change(creation.private);
      for (const once of onces) context.onces.save({ ...once, lease: 0, doneSeq: 0 });
    },
  });
  if (newSession === null) throw new Error("unreachable: it was just stored");
  return requireViewer(context, { ...newSession, tokenStatus: "newest" }, now);
}

/**
 * For an object that a key refers to and that is not empty. The response shows what the holder of
 * its first token may see.
 */
function replayCreate(
  context: SessionContext,
  request: CreateRequest,
  now: number,
): Reply<CreatedSession> {
  const loaded = loadExisting(context, now);
  const record = context.store.createRecord();
  if (loaded === null || record === null) return purgedProblem(request, record?.request ?? null);
  if (record.request !== request.request || record.request === null) {
    return loaded.session.belongs?.externalId === undefined
      ? mismatch("other_request")
      : EXTERNAL_ID_TAKEN;
  }
  if (now >= record.createdAt + CREATE_REPLAY_MS) return mismatch("too_old");
  const caller = identifyByFirstToken(context, loaded, request.from, now);
  if (!caller.ok) return caller;
  const viewer = Viewer.of(context, caller.value, now);
  return { ok: true, value: createdReply(context, loaded, viewer, true, record.sealed) };
}

/**
 * The same key never creates two sessions. Another key may create a session under the same external
 * id, in the next object.
 */
const purgedProblem = (
  { belongs, request }: Pick<CreateRequest, "belongs" | "request">,
  earlier: RequestHash | null,
): Refusal =>
  belongs?.externalId === undefined || (request !== null && request === earlier)
    ? mismatch("purged")
    : { ok: false, failure: { code: "external_id_taken", isPurged: true } };

const EXTERNAL_ID_TAKEN = { ok: false, failure: { code: "external_id_taken" } } as const;

const mismatch = (why: "other_request" | "too_old" | "purged"): Refusal => ({
  ok: false,
  failure: { code: "idempotency_mismatch", why },
});

const createdReply = (
  context: SessionContext,
  loaded: LoadedSession,
  viewer: Viewer | null,
  replayed: boolean,
  sealed: Uint8Array | null,
): CreatedSession => ({
  objectIdHex: hexOf(context),
  session: showText(context, loaded, viewer),
  participant: CREATOR,
  issuedSeq: FIRST_SEQ,
  replayed,
  sealed,
});

const creatorOf = (
  request: Pick<CreateRequest, "token" | "arcp" | "bound" | "identity">,
  { actor, expiresAt, filledAs = [] }: SessionCreation,
  commit: Commit,
  now: number,
): Participant => ({
  ...newParticipant(
    { number: CREATOR, actor, scopes: CREATOR_SCOPES, note: null, expiresAt: expiresAt ?? null },
    request.token,
    null,
    commit,
    now,
  ),
  filled: true,
  ...withFiller({ filledAs }, true, request.identity),
  ...(request.bound == null ? {} : { bind: request.bound }),
  ...(request.arcp === undefined ? {} : { arcp: request.arcp }),
});

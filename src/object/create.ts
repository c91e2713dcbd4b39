/** Beginning a session in an empty object, or finding the one that the same key began. */
import type { Actor } from "../domain/actor";
import { numberEvents } from "../domain/commit";
import { CREATOR, decideChild, decideCreate, type Beginning } from "../domain/create";
import { isPurgeable } from "../domain/expiry";
import type { ChildPlan } from "../domain/fork";
import { CREATE_REPLAY_MS } from "../domain/limits";
import type { Participant } from "../domain/participant";
import { CREATOR_SCOPES } from "../domain/scope";
import type { Session } from "../domain/session";
import type { Settings } from "../domain/settings";
import type { SessionView } from "../domain/view";
import { encodeEvents } from "../domain/event-line";
import type { Loaded } from "../storage/session-store";
import type { Created, CreateRequest, Refusal, Reply } from "./messages";
import { fitting, present, presentText, storeCommit, type Desk } from "./reception";

/** The session's own first commit always begins the log. */
const FIRST_SEQ = 1;

export function createSession(
  desk: Desk,
  request: CreateRequest,
  settings: Settings,
  now: number,
): Reply<Created> {
  const decided = decideCreate(request.args, request.token, now, settings);
  if (!decided.ok) return { ok: false, failure: decided.error };
  return begin(desk, decided.value, request, now);
}

/** The second step of a fork. Repeated, it finds the child that the first time made. */
export function createChild(
  desk: Desk,
  plan: ChildPlan,
  settings: Settings,
  now: number,
): SessionView | null {
  if (!desk.store.exists()) {
    const bound = plan.bind ?? null;
    const request = { token: plan.token, request: null, sealed: null, bound };
    const begun = begin(desk, decideChild(plan, now, settings), request, now);
    if (!begun.ok) return null;
  }
  const loaded = desk.store.load();
  return loaded === null ? null : present(desk, loaded);
}

function begin(
  desk: Desk,
  { actor, facts }: Beginning,
  request: Omit<CreateRequest, "args">,
  now: number,
): Reply<Created> {
  const { store } = desk;
  const commit = numberEvents(null, 0, facts, actor, now);
  const first = creator(request, actor, commit.session, commit.last, now);
  const begun = { session: commit.session, participants: [first], plan: null };
  return fitting(() => {
    store.transaction(() => {
      store.migrate();
      store.insert(begun, request);
      storeCommit(desk, {
        commit,
        text: encodeEvents(commit.events),
        at: now,
        participant: CREATOR,
        issued: [{ participant: CREATOR, hash: request.token }],
      });
    });
    return { ok: true, value: created(desk, begun, false, null) };
  });
}

/** For an object that a key named and that is not empty. */
export function replayCreate(desk: Desk, request: CreateRequest, now: number): Reply<Created> {
  const loaded = desk.store.load();
  const record = desk.store.createRecord();
  if (loaded === null || record === null || isPurgeable(loaded.session, now))
    return mismatch("purged");
  if (record.request !== request.request) return mismatch("other_request");
  if (now >= record.createdAt + CREATE_REPLAY_MS) return mismatch("too_old");
  return { ok: true, value: created(desk, loaded, true, record.sealed) };
}

export const mismatch = (why: "other_request" | "too_old" | "purged"): Refusal => ({
  ok: false,
  failure: { code: "idempotency_mismatch", why },
});

const created = (
  desk: Desk,
  loaded: Loaded,
  replayed: boolean,
  sealed: Uint8Array | null,
): Created => ({
  session: presentText(desk, loaded),
  participant: CREATOR,
  issuedSeq: FIRST_SEQ,
  replayed,
  sealed,
});

const creator = (
  request: Pick<CreateRequest, "token" | "arcp" | "bound">,
  actor: Actor,
  session: Session,
  head: number,
  now: number,
): Participant => ({
  number: CREATOR,
  actor,
  scopes: CREATOR_SCOPES,
  madeBy: null,
  note: null,
  createdAt: now,
  expiresAt: null,
  tokenSeq: FIRST_SEQ,
  tokenHash: request.token,
  fenceSeq: FIRST_SEQ,
  seenVersion: session.version,
  cursor: head,
  filled: true,
  last: null,
  ...(request.bound == null ? {} : { bind: request.bound }),
  ...(request.arcp === undefined ? {} : { arcp: request.arcp }),
});

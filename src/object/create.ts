/** Beginning a session in an empty object, or finding the one that the same key began. */
import { CREATOR, decideChild, decideCreate, type Beginning } from "../domain/session/create";
import type { ChildPlan } from "../domain/checkpoints/fork";
import { CREATE_REPLAY_MS } from "../domain/limits";
import type { RequestHash } from "../domain/ids";
import { filledBy } from "../domain/participants/identity";
import type { Participant } from "../domain/participants/participant";
import { CREATOR_SCOPES } from "../domain/participants/scope";
import { hasPrivate } from "../domain/session/private";
import type { Commit } from "../domain/log/commit";
import { outlineSession, type SessionOutline, type SessionView } from "../domain/session/view";
import type { Loaded } from "../storage/session-store";
import { PROMISED, vacancyFor, type Vacancy } from "./ask-first";
import { commitChange } from "./commit";
import { hexOf, type Room } from "./room";
import { identifyFirst, loadLiving, showText, Viewer, viewerOf } from "./gate";
import { hidingOf } from "./private";
import { madeParticipant } from "./made-participant";
import type { Created, CreateRequest, Refusal, Reply } from "./messages";

/** The session's own first commit always begins the log. */
const FIRST_SEQ = 1;

export function createSession(room: Room, request: CreateRequest, now: number): Reply<Created> {
  if (room.store.exists()) return replayCreate(room, request, now);
  const buried = room.buried();
  if (buried !== null) return purged(request, buried.request);
  if (request.problem !== undefined) return { ok: false, failure: request.problem };
  const decided = decideCreate(
    request.args,
    request.token,
    now,
    room.settings(),
    hidingOf(room),
    request.belongs ?? null,
    request.location ?? null,
  );
  if (!decided.ok) return { ok: false, failure: decided.error };
  const vacancy = vacancyFor(request, request.belongs?.owner ?? null, hexOf(room));
  if (!vacancy.ok) return { ok: false, failure: vacancy.error };
  const begun = begin(room, decided.value, request, vacancy.value, now);
  return { ok: true, value: created(room, begun, begun, false, null) };
}

/** The second step of a fork. Repeated, it finds the child that the first time made. */
export function createChild(
  room: Room,
  plan: ChildPlan,
  from: CreateRequest["from"],
  now: number,
): SessionView | SessionOutline | null {
  if (!room.store.exists()) {
    const bound = plan.bind ?? null;
    const request = { token: plan.token, request: null, sealed: null, bound };
    begin(room, decideChild(plan, now, room.settings()), request, PROMISED, now);
  }
  return describeChild(room, from, now);
}

/** To who forked it off, as far as its first token may look: the outline if that is spent or expired. */
export function describeChild(
  room: Room,
  from: CreateRequest["from"],
  now: number,
): SessionView | SessionOutline | null {
  const loaded = loadLiving(room, now);
  const received = loaded === null ? null : identifyFirst(room, loaded, from, now);
  if (received === null || !received.ok) return null;
  const viewer = Viewer.of(room, received.value, now);
  return viewer?.view() ?? outlineSession(room.id, received.value.session, room.store.head());
}

function begin(
  room: Room,
  beginning: Beginning,
  request: Omit<CreateRequest, "args">,
  _: Vacancy,
  now: number,
): Viewer {
  const { store } = room;
  const { actor, facts } = beginning;
  let begun = null as (Loaded & Pick<Viewer, "participant">) | null;
  commitChange(room, null, now, {
    by: { number: CREATOR, actor, scopes: ["own"] },
    facts,
    trace: request.trace,
    issued: [{ participant: CREATOR, hash: request.token }],
    beside: (first) => {
      const { session } = first;
      const participant = creator(request, beginning, first, now);
      begun = { session, participants: [participant], plan: null, participant };
      store.migrate();
      store.insert(begun, request);
      if (hasPrivate(session.schema)) room.privates.prepare();
      if (beginning.private !== undefined) room.privates.change(beginning.private);
    },
  });
  if (begun === null) throw new Error("unreachable: it was just stored");
  return viewerOf(room, { ...begun, standing: "newest" }, now);
}

/** For an object that a key named and that is not empty. Shown as to the holder of its first token. */
function replayCreate(room: Room, request: CreateRequest, now: number): Reply<Created> {
  const loaded = loadLiving(room, now);
  const record = room.store.createRecord();
  if (loaded === null || record === null) return purged(request, record?.request ?? null);
  if (record.request !== request.request || record.request === null) {
    return loaded.session.belongs?.externalId === undefined ? mismatch("other_request") : TAKEN;
  }
  if (now >= record.createdAt + CREATE_REPLAY_MS) return mismatch("too_old");
  const received = identifyFirst(room, loaded, request.from, now);
  if (!received.ok) return received;
  const viewer = Viewer.of(room, received.value, now);
  return { ok: true, value: created(room, loaded, viewer, true, record.sealed) };
}

/** The same key begins nothing twice. Another one may begin under the same name, at its next place. */
const purged = (
  { belongs, request }: Pick<CreateRequest, "belongs" | "request">,
  earlier: RequestHash | null,
): Refusal =>
  belongs?.externalId === undefined || (request !== null && request === earlier)
    ? mismatch("purged")
    : { ok: false, failure: { code: "external_id_taken", isPurged: true } };

const TAKEN = { ok: false, failure: { code: "external_id_taken" } } as const;

const mismatch = (why: "other_request" | "too_old" | "purged"): Refusal => ({
  ok: false,
  failure: { code: "idempotency_mismatch", why },
});

const created = (
  room: Room,
  loaded: Loaded,
  viewer: Viewer | null,
  replayed: boolean,
  sealed: Uint8Array | null,
): Created => ({
  objectIdHex: hexOf(room),
  session: showText(room, loaded, viewer),
  participant: CREATOR,
  issuedSeq: FIRST_SEQ,
  replayed,
  sealed,
});

const creator = (
  request: Pick<CreateRequest, "token" | "arcp" | "bound" | "identity">,
  { actor, expiresAt, filledAs = [] }: Beginning,
  commit: Commit,
  now: number,
): Participant => ({
  ...madeParticipant(
    { number: CREATOR, actor, scopes: CREATOR_SCOPES, note: null, expiresAt: expiresAt ?? null },
    request.token,
    null,
    commit,
    now,
  ),
  filled: true,
  ...filledBy({ filledAs }, true, request.identity),
  ...(request.bound == null ? {} : { bind: request.bound }),
  ...(request.arcp === undefined ? {} : { arcp: request.arcp }),
});

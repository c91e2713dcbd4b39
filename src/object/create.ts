/** Beginning a session in an empty object, or finding the one that the same key began. */
import { CREATOR, decideChild, decideCreate, type Beginning } from "../domain/session/create";
import type { ChildPlan } from "../domain/checkpoints/fork";
import { CREATE_REPLAY_MS } from "../domain/limits";
import { filledBy } from "../domain/participants/identity";
import type { Participant } from "../domain/participants/participant";
import { CREATOR_SCOPES } from "../domain/participants/scope";
import { hasPrivate } from "../domain/session/private";
import type { Session } from "../domain/session/session";
import { outlineSession, type SessionOutline, type SessionView } from "../domain/session/view";
import type { Loaded } from "../storage/session-store";
import { PROMISED, vacancyFor, type Vacancy } from "./ask-first";
import { commitOne } from "./commit";
import { hexOf, type Desk } from "./desk";
import { identifyFirst, loadLiving, showText, Viewer, viewerOf } from "./gate";
import { hidingOf } from "./private";
import type { Created, CreateRequest, Refusal, Reply } from "./messages";

/** The session's own first commit always begins the log. */
const FIRST_SEQ = 1;

export function createSession(desk: Desk, request: CreateRequest, now: number): Reply<Created> {
  if (desk.store.exists()) return replayCreate(desk, request, now);
  if (desk.isBuried()) return mismatch("purged");
  if (request.problem !== undefined) return { ok: false, failure: request.problem };
  const decided = decideCreate(
    request.args,
    request.token,
    now,
    desk.settings(),
    hidingOf(desk),
    request.belongs ?? null,
    request.location ?? null,
  );
  if (!decided.ok) return { ok: false, failure: decided.error };
  const vacancy = vacancyFor(request, request.belongs?.owner ?? null, hexOf(desk));
  if (!vacancy.ok) return { ok: false, failure: vacancy.error };
  const begun = begin(desk, decided.value, request, vacancy.value, now);
  return { ok: true, value: created(desk, begun, begun, false, null) };
}

/** The second step of a fork. Repeated, it finds the child that the first time made. */
export function createChild(
  desk: Desk,
  plan: ChildPlan,
  from: CreateRequest["from"],
  now: number,
): SessionView | SessionOutline | null {
  if (!desk.store.exists()) {
    const bound = plan.bind ?? null;
    const request = { token: plan.token, request: null, sealed: null, bound };
    begin(desk, decideChild(plan, now, desk.settings()), request, PROMISED, now);
  }
  return describeChild(desk, from, now);
}

/** To who forked it off, as far as its first token may look: the outline if that is spent or expired. */
export function describeChild(
  desk: Desk,
  from: CreateRequest["from"],
  now: number,
): SessionView | SessionOutline | null {
  const loaded = loadLiving(desk, now);
  const received = loaded === null ? null : identifyFirst(desk, loaded, from, now);
  if (received === null || !received.ok) return null;
  const viewer = Viewer.of(desk, received.value, now);
  return viewer?.view() ?? outlineSession(desk.id, received.value.session, desk.store.head());
}

function begin(
  desk: Desk,
  beginning: Beginning,
  request: Omit<CreateRequest, "args">,
  _: Vacancy,
  now: number,
): Viewer {
  const { store } = desk;
  const { actor, facts } = beginning;
  let begun = null as (Loaded & Pick<Viewer, "participant">) | null;
  commitOne(
    desk,
    null,
    {
      by: { number: CREATOR, actor },
      facts,
      trace: request.trace,
      issued: [{ participant: CREATOR, hash: request.token }],
      beside: ({ session, last }) => {
        const participant = creator(request, beginning, session, last, now);
        begun = { session, participants: [participant], plan: null, participant };
        store.migrate();
        store.insert(begun, request);
        if (hasPrivate(session.schema)) desk.privates.prepare();
        if (beginning.private !== undefined) desk.privates.change(beginning.private);
      },
    },
    now,
  );
  if (begun === null) throw new Error("unreachable: it was just stored");
  return viewerOf(desk, { ...begun, standing: "newest" }, now);
}

/** For an object that a key named and that is not empty. Shown as to the holder of its first token. */
function replayCreate(desk: Desk, request: CreateRequest, now: number): Reply<Created> {
  const loaded = loadLiving(desk, now);
  const record = desk.store.createRecord();
  if (loaded === null || record === null) return mismatch("purged");
  if (record.request !== request.request || record.request === null) {
    return loaded.session.belongs?.externalId === undefined ? mismatch("other_request") : TAKEN;
  }
  if (now >= record.createdAt + CREATE_REPLAY_MS) return mismatch("too_old");
  const received = identifyFirst(desk, loaded, request.from, now);
  if (!received.ok) return received;
  const viewer = Viewer.of(desk, received.value, now);
  return { ok: true, value: created(desk, loaded, viewer, true, record.sealed) };
}

const TAKEN = { ok: false, failure: { code: "external_id_taken" } } as const;

const mismatch = (why: "other_request" | "too_old" | "purged"): Refusal => ({
  ok: false,
  failure: { code: "idempotency_mismatch", why },
});

const created = (
  desk: Desk,
  loaded: Loaded,
  viewer: Viewer | null,
  replayed: boolean,
  sealed: Uint8Array | null,
): Created => ({
  objectIdHex: hexOf(desk),
  session: showText(desk, loaded, viewer),
  participant: CREATOR,
  issuedSeq: FIRST_SEQ,
  replayed,
  sealed,
});

const creator = (
  request: Pick<CreateRequest, "token" | "arcp" | "bound" | "identity">,
  { actor, expiresAt, filledAs = [] }: Beginning,
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
  expiresAt: expiresAt ?? null,
  tokenSeq: FIRST_SEQ,
  tokenHash: request.token,
  fenceSeq: FIRST_SEQ,
  seenVersion: session.version,
  cursor: head,
  filled: true,
  last: null,
  ...filledBy({ filledAs }, true, request.identity),
  ...(request.bound == null ? {} : { bind: request.bound }),
  ...(request.arcp === undefined ? {} : { arcp: request.arcp }),
});

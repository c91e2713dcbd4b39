/** Looking at a session. Nothing here writes to storage. */
import { admit, transitionProblem } from "../domain/participants/admission";
import { viewOf } from "../domain/checkpoints/checkpoint";
import { utf8Bytes, type Json, type JsonObject } from "../domain/json";
import type { Session } from "../domain/session/session";
import { checked, problemsWith } from "../domain/session/fields";
import { viewHandoff, type HandoffView, type SessionText } from "../domain/session/view";
import type { Room } from "./room";
import { gapProblem } from "../domain/log/log-gap";
import { ok, refuse } from "../domain/result";
import { admitting, viewing } from "./admitted";
import { identify, refusal, type Received } from "./gate";
import type { Asked, Handler, LineageNode, Numbered, PurgeRequest } from "./messages";
import { hidingOf, readableBy } from "./private";
import { sha256 } from "./safety-copy";

export const getSession = viewing("get", (viewer): SessionText => viewer.text());

/** An owner sees every handoff, others those they made. */
export const listHandoffs = viewing("listHandoffs", (viewer): readonly HandoffView[] => {
  const { participant, participants } = viewer;
  const session = viewer.shown();
  return participants
    .filter(({ madeBy }) => madeBy !== null)
    .filter(({ madeBy }) => participant.scopes.includes("own") || madeBy === participant.number)
    .map((one) => viewHandoff(one, session));
});

type Filling = Asked & { readonly fields: Readonly<Record<string, Json>> };

/** Would a submit pass, with these fields set on top of what is there? */
export const validate = admitting("validate", (viewer, room, request: Filling) => {
  const { fields: given } = request;
  const { session } = viewer;
  const hiding = hidingOf(room);
  const hidden = checked(session.schema, session.fields, given, hiding);
  if (!hidden.ok && hidden.error.code !== "invalid_fields") return hidden;
  const changes = hidden.ok ? hidden.value : { changes: given, given };
  const problems = problemsWith(session, changes, readableBy(viewer, room));
  return ok({ problems, session: viewer.whole() });
});

type Resuming = Asked & { readonly lastEventSeq: number | null; readonly auto: boolean };

/** What a resume with this token would say, without doing it. */
export const checkResumable = admitting("resumable", (viewer, room, request: Resuming, now) => {
  const { session, participant, standing } = viewer;
  const head = room.store.head();
  const after = request.lastEventSeq ?? participant.cursor;
  const problem = gapProblem(session, after, head, "lastEventSeq");
  if (problem !== null && problem.code !== "replay_gap") return refuse(problem);
  const command = { operation: "resume", auto: request.auto } as const;
  const attempt = { operation: "resume", command, request: null, ifMatch: null } as const;
  const wouldBe = admit(session, participant, standing, request.credential.hash, attempt, now);
  const reason = wouldBe.ok ? problem?.code : wouldBe.error.code;
  return ok({
    resumable: reason === undefined,
    ...(reason === undefined ? {} : { reason }),
    version: session.version,
    head,
    behindBy: head - after,
    expiresAt: new Date(session.expiresAt).toISOString(),
  });
});

/** May this token purge the session? The emptying itself is the object's. */
export const admitPurge: Handler<PurgeRequest, Received> = (room, { credential, ifMatch }, now) => {
  const received = identify(room, credential, now);
  if (!received.ok) return received;
  const { session, participant, standing } = received.value;
  const attempt = { operation: "purge", request: null, ifMatch } as const;
  const admitted = admit(session, participant, standing, credential.hash, attempt, now);
  const problem = admitted.ok ? transitionProblem(session, "purge") : admitted.error;
  return problem === null ? received : refusal(room, received.value, problem, now);
};

/** A checkpoint with what it holds. */
export const getCheckpoint = admitting("getCheckpoint", (viewer, room, { number }: Numbered) => {
  const meta = room.checkpoints.list().find((one) => one.number === number);
  const body = viewer.checkpointBody(number);
  if (meta === undefined || body === null) return refuse({ code: "not_found", what: "checkpoint" });
  return utf8Bytes(body) === meta.bytes && sha256(body) === meta.sha256
    ? ok({ ...viewOf(meta), document: JSON.parse(body) as JsonObject })
    : refuse({ code: "checkpoint_corrupt" });
});

export const getLineage = viewing("lineage", ({ session }, room) => lineageNode(room, session));

/** What a session's relatives may know of it: where it stands in the line, not what is in it. */
export function lineageNode({ id }: Room, session: Session): LineageNode {
  const { title, state, createdAt, parent, children } = session;
  const ids = children.map(({ sessionId }) => sessionId);
  return { sessionId: id, title, state, createdAt, parent, children: ids };
}

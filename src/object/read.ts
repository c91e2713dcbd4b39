/** Looking at a session. Nothing here writes to storage. */
import { admit, transitionProblem } from "../domain/participants/admission";
import { viewOf } from "../domain/checkpoints/checkpoint";
import { utf8Bytes, type JsonObject } from "../domain/json";
import type { Session } from "../domain/session/session";
import { checkWhole } from "../domain/session/validation";
import { checked, documentWith } from "../domain/session/fields";
import { viewHandoff, type HandoffView, type SessionText } from "../domain/session/view";
import type { Room } from "./room";
import { replayProblem } from "../domain/log/replay-problem";
import { admitTo, identify, refusal, type Received, type Viewer } from "./gate";
import type {
  Asked,
  LineageNode,
  PurgeRequest,
  Reply,
  Resumable,
  ResumableRequest,
  Validated,
  ValidateRequest,
} from "./messages";
import { hidingOf } from "./private";
import { sha256 } from "./safety-copy";

/** A query that only looks: who may is decided by the operation it counts as. */
export const viewing =
  <V>(operation: Parameters<typeof admitTo>[2], look: (viewer: Viewer, room: Room) => V) =>
  (room: Room, request: Asked, now: number): Reply<V> => {
    const admitted = admitTo(room, request, operation, now);
    return admitted.ok ? { ok: true, value: look(admitted.value, room) } : admitted;
  };

export const getSession = viewing("get", (viewer): SessionText => viewer.text());

/** An owner sees every handoff, others those they made. */
export const listHandoffs = viewing(
  "listHandoffs",
  ({ session, participant, participants }): readonly HandoffView[] =>
    participants
      .filter(({ madeBy }) => madeBy !== null)
      .filter(({ madeBy }) => participant.scopes.includes("own") || madeBy === participant.number)
      .map((one) => viewHandoff(one, session)),
);

/** Would a submit pass, with these fields set on top of what is there? */
export function validate(room: Room, request: ValidateRequest, now: number): Reply<Validated> {
  const admitted = admitTo(room, request, "validate", now);
  if (!admitted.ok) return admitted;
  const { session } = admitted.value;
  const hiding = hidingOf(room);
  const hidden = checked(session.schema, session.fields, request.fields, hiding);
  if (!hidden.ok && hidden.error.code !== "invalid_fields") {
    return refusal(room, admitted.value, hidden.error, now);
  }
  const { fields: given } = request;
  const changes = hidden.ok ? hidden.value : { changes: given, given };
  const problems = checkWhole(session.schema, documentWith(session, changes, hiding));
  return { ok: true, value: { problems, session: admitted.value.whole() } };
}

/** What a resume with this token would say, without doing it. */
export function checkResumable(
  room: Room,
  request: ResumableRequest,
  now: number,
): Reply<Resumable> {
  const admitted = admitTo(room, request, "resumable", now);
  if (!admitted.ok) return admitted;
  const { session, participant, standing } = admitted.value;
  const head = room.store.head();
  const after = request.lastEventSeq ?? participant.cursor;
  const problem = replayProblem(session, after, head, "lastEventSeq");
  if (problem !== null && problem.code !== "replay_gap") {
    return refusal(room, admitted.value, problem, now);
  }
  const command = { operation: "resume", auto: request.auto } as const;
  const attempt = { operation: "resume", command, request: null, ifMatch: null } as const;
  const wouldBe = admit(session, participant, standing, request.credential.hash, attempt, now);
  const reason = wouldBe.ok ? problem?.code : wouldBe.error.code;
  return {
    ok: true,
    value: {
      resumable: reason === undefined,
      ...(reason === undefined ? {} : { reason }),
      version: session.version,
      head,
      behindBy: head - after,
      expiresAt: new Date(session.expiresAt).toISOString(),
    },
  };
}

/** May this token purge the session? The emptying itself is the object's. */
export function admitPurge(
  room: Room,
  { credential, ifMatch }: PurgeRequest,
  now: number,
): Reply<Received> {
  const received = identify(room, credential, now);
  if (!received.ok) return received;
  const { session, participant, standing } = received.value;
  const attempt = { operation: "purge", request: null, ifMatch } as const;
  const admitted = admit(session, participant, standing, credential.hash, attempt, now);
  const problem = admitted.ok ? transitionProblem(session, "purge") : admitted.error;
  return problem === null ? received : refusal(room, received.value, problem, now);
}

/** A checkpoint with what it holds. */
export function getCheckpoint(
  room: Room,
  request: Asked & { readonly number: number },
  now: number,
): Reply<JsonObject> {
  const admitted = admitTo(room, request, "getCheckpoint", now);
  if (!admitted.ok) return admitted;
  const { number } = request;
  const meta = room.checkpoints.list().find((one) => one.number === number);
  const body = admitted.value.checkpointBody(number);
  if (meta === undefined || body === null) {
    return refusal(room, admitted.value, { code: "not_found", what: "checkpoint" }, now);
  }
  if (utf8Bytes(body) !== meta.bytes || sha256(body) !== meta.sha256) {
    return refusal(room, admitted.value, { code: "checkpoint_corrupt" }, now);
  }
  return { ok: true, value: { ...viewOf(meta), document: JSON.parse(body) as JsonObject } };
}

export const getLineage = viewing("lineage", ({ session }, room) => lineageNode(room, session));

/** What a session's relatives may know of it: where it stands in the line, not what is in it. */
export function lineageNode({ id }: Room, session: Session): LineageNode {
  const { title, state, createdAt, parent, children } = session;
  const ids = children.map(({ sessionId }) => sessionId);
  return { sessionId: id, title, state, createdAt, parent, children: ids };
}

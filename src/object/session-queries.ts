/** Queries of a session. Nothing here writes to storage. */
import { admit, transitionProblem } from "../domain/participants/admission";
import { viewCheckpoint } from "../domain/checkpoints/checkpoint";
import { utf8Bytes, type Json, type JsonObject } from "../domain/json";
import type { Session } from "../domain/session/session";
import { checkChanges, documentProblems } from "../domain/session/fields";
import { viewHandoff, type HandoffView, type SessionText } from "../domain/session/view";
import type { SessionContext } from "./session-context";
import { gapProblem } from "../domain/log/log-gap";
import { ok, refuse } from "../domain/result";
import { admittedHandler, viewerHandler } from "./admitted-handler";
import { identify, refusal, type IdentifiedCaller } from "./gate";
import type {
  AuthenticatedRequest,
  Handler,
  LineageNode,
  NumberedRequest,
  PurgeRequest,
} from "./messages";
import { hidingOf, readablePrivateValues } from "./private-values";
import { sha256 } from "./verified-checkpoint";

export const getSession = viewerHandler("get", (viewer): SessionText => viewer.text());

/** An owner sees every handoff, others those that they created. */
export const listHandoffs = viewerHandler("listHandoffs", (viewer): readonly HandoffView[] => {
  const { participant, participants } = viewer;
  const session = viewer.visibleSession();
  return participants
    .filter(({ madeBy }) => madeBy !== null)
    .filter(({ madeBy }) => participant.scopes.includes("own") || madeBy === participant.number)
    .map((one) => viewHandoff(one, session));
});

type ValidateRequest = AuthenticatedRequest & { readonly fields: Readonly<Record<string, Json>> };

/** Would a submit pass with these fields set on top of the stored ones? */
export const validate = admittedHandler("validate", (viewer, context, request: ValidateRequest) => {
  const { fields } = request;
  const { session } = viewer;
  const hiding = hidingOf(context);
  const hidden = checkChanges(session.schema, session.fields, fields, hiding);
  if (!hidden.ok && hidden.error.code !== "invalid_fields") return hidden;
  const changes = hidden.ok ? hidden.value : { changes: fields, given: fields };
  const problems = documentProblems(session, changes, readablePrivateValues(viewer, context));
  return ok({ problems, session: viewer.fullView() });
});

type ResumableRequest = AuthenticatedRequest & {
  readonly lastEventSeq: number | null;
  readonly auto: boolean;
};

/** What a resume with this token would return, without doing it. */
export const checkResumable = admittedHandler(
  "resumable",
  (viewer, context, request: ResumableRequest, now) => {
    const { session, participant, tokenStatus } = viewer;
    const head = context.store.head();
    const after = request.lastEventSeq ?? participant.cursor;
    const problem = gapProblem(session, after, head, "lastEventSeq");
    if (problem !== null && problem.code !== "replay_gap") return refuse(problem);
    const command = { operation: "resume", auto: request.auto } as const;
    const attempt = { operation: "resume", command, request: null, ifMatch: null } as const;
    const admission = admit(session, participant, tokenStatus, request.credential, attempt, now);
    const reason = admission.ok ? problem?.code : admission.error.code;
    return ok({
      resumable: reason === undefined,
      ...(reason === undefined ? {} : { reason }),
      version: session.version,
      head,
      behindBy: head - after,
      expiresAt: new Date(session.expiresAt).toISOString(),
    });
  },
);

/** May this token purge the session? The object then empties its storage. */
export const admitPurge: Handler<PurgeRequest, IdentifiedCaller> = (
  context,
  { credential, ifMatch },
  now,
) => {
  const caller = identify(context, credential, now);
  if (!caller.ok) return caller;
  const { session, participant, tokenStatus } = caller.value;
  const attempt = { operation: "purge", request: null, ifMatch } as const;
  const admitted = admit(session, participant, tokenStatus, credential, attempt, now);
  const problem = admitted.ok ? transitionProblem(session, "purge") : admitted.error;
  return problem === null ? caller : refusal(context, caller.value, problem, now);
};

/** A checkpoint with its document. */
export const getCheckpoint = admittedHandler(
  "getCheckpoint",
  (viewer, context, { number }: NumberedRequest) => {
    const meta = context.checkpoints.list().find((one) => one.number === number);
    const body = viewer.checkpointBody(number);
    if (meta === undefined || body === null)
      return refuse({ code: "not_found", what: "checkpoint" });
    return utf8Bytes(body) === meta.bytes && sha256(body) === meta.sha256
      ? ok({ ...viewCheckpoint(meta), document: JSON.parse(body) as JsonObject })
      : refuse({ code: "checkpoint_corrupt" });
  },
);

export const getLineage = viewerHandler("lineage", ({ session }, context) =>
  lineageNode(context, session),
);

/**
 * What related sessions may know of a session: its position in the tree of forks, not its content.
 */
export function lineageNode({ id }: SessionContext, session: Session): LineageNode {
  const { title, state, createdAt, parent, children } = session;
  const ids = children.map(({ sessionId }) => sessionId);
  return { sessionId: id, title, state, createdAt, parent, children: ids };
}

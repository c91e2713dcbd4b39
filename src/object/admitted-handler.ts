/**
 * How nearly everything that spends no token is answered: whoever asks is admitted first, and what is
 * then refused is told as to somebody who may look. What a handler adds is what it looks for.
 */
import type { Result } from "../domain/result";
import type { Operation } from "../domain/session/operation";
import { admitTo, replyTo, refusal, type Viewer } from "./gate";
import type { AuthenticatedRequest, Handler } from "./messages";
import type { SessionContext } from "./session-context";

/** Who may ask is decided by the operation that it counts as. */
export const admittedHandler =
  <R extends AuthenticatedRequest, V>(
    operation: Operation,
    answer: (viewer: Viewer, context: SessionContext, request: R, now: number) => Result<V>,
  ): Handler<R, V> =>
  (context, request, now) => {
    const admitted = admitTo(context, request, operation, now);
    if (!admitted.ok) return admitted;
    const answered = answer(admitted.value, context, request, now);
    return answered.ok
      ? replyTo(admitted.value, answered.value)
      : refusal(context, admitted.value, answered.error, now);
  };

/** A query that only looks, and always finds. */
export const viewerHandler = <V>(
  operation: Operation,
  look: (viewer: Viewer, context: SessionContext) => V,
): Handler<AuthenticatedRequest, V> =>
  admittedHandler(operation, (viewer, context) => ({ ok: true, value: look(viewer, context) }));

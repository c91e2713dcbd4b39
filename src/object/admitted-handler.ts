/**
 * How nearly every request that spends no token is handled: the caller is admitted first, and a
 * later refusal is reported as to a caller who may read. A handler adds only its own lookup.
 */
import type { Result } from "../domain/result";
import type { Operation } from "../domain/session/operation";
import { admitTo, replyTo, refusal, type Viewer } from "./gate";
import type { AuthenticatedRequest, Handler } from "./messages";
import type { SessionContext } from "./session-context";

/** The operation decides who is admitted. */
export const admittedHandler =
  <R extends AuthenticatedRequest, V>(
    operation: Operation,
    handle: (viewer: Viewer, context: SessionContext, request: R, now: number) => Result<V>,
  ): Handler<R, V> =>
  (context, request, now) => {
    const admitted = admitTo(context, request, operation, now);
    if (!admitted.ok) return admitted;
    const result = handle(admitted.value, context, request, now);
    return result.ok
      ? replyTo(admitted.value, result.value)
      : refusal(context, admitted.value, result.error, now);
  };

/** A query that cannot fail once the caller is admitted. */
export const viewerHandler = <V>(
  operation: Operation,
  query: (viewer: Viewer, context: SessionContext) => V,
): Handler<AuthenticatedRequest, V> =>
  admittedHandler(operation, (viewer, context) => ({ ok: true, value: query(viewer, context) }));

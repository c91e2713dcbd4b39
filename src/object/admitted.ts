/**
 * How nearly everything that spends no token is answered: whoever asks is admitted first, and what is
 * then refused is told as to somebody who may look. What a handler adds is what it looks for.
 */
import type { Result } from "../domain/result";
import type { Operation } from "../domain/session/operation";
import { admitTo, answerTo, refusal, type Viewer } from "./gate";
import type { Asked, Handler } from "./messages";
import type { Room } from "./room";

/** Who may ask is decided by the operation that it counts as. */
export const admitting =
  <R extends Asked, V>(
    operation: Operation,
    answer: (viewer: Viewer, room: Room, request: R, now: number) => Result<V>,
  ): Handler<R, V> =>
  (room, request, now) => {
    const admitted = admitTo(room, request, operation, now);
    if (!admitted.ok) return admitted;
    const answered = answer(admitted.value, room, request, now);
    return answered.ok
      ? answerTo(admitted.value, answered.value)
      : refusal(room, admitted.value, answered.error, now);
  };

/** A query that only looks, and always finds. */
export const viewing = <V>(
  operation: Operation,
  look: (viewer: Viewer, room: Room) => V,
): Handler<Asked, V> =>
  admitting(operation, (viewer, room) => ({ ok: true, value: look(viewer, room) }));

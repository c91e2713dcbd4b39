/** Progress reports of a run. */
import type { OwnEvents } from "./events";
import type { Fields } from "./fields";
import type { StopInput } from "./inputs";
import type { Session } from "./session";

/** One progress report. */
export type Progress<F extends object = Fields, E extends object = OwnEvents> =
  | (WithKind<"started"> & WithAttempt & WithSession<F, E>)
  | (WithKind<"stopped"> &
      WithAttempt & {
        /** Why the work stopped. */
        readonly stop: StopInput;
      })
  | (WithKind<"delayed"> &
      WithAttempt &
      WithReason & {
        /** How long the run waits. */
        readonly waitMs: number;
        /** When the run continues, ISO 8601. */
        readonly resumeAt: string | null;
      })
  | (WithKind<"skipped"> & WithAttempt & WithReason)
  | (WithKind<"forked"> &
      WithSession<F, E> & {
        /** How to continue the work, as a prompt for a model. */
        readonly prompt: string;
      })
  | (WithKind<"success"> & WithAttempt)
  | (WithKind<"failure"> & WithAttempt & WithReason);

interface WithKind<K extends string> {
  /** The kind of report. */
  readonly kind: K;
}

interface WithAttempt {
  /** The number of the attempt, from 1. */
  readonly attempt: number;
}

interface WithReason {
  /** The reason as text. */
  readonly why: string;
}

interface WithSession<F extends object, E extends object> {
  /** The session that the work runs in: after a fork, the child. */
  readonly session: Session<F, E>;
}

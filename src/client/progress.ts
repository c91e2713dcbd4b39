/** What a run tells of itself while it goes on. */
import type { OwnEvents } from "./events";
import type { Fields } from "./fields";
import type { StopInput } from "./inputs";
import type { Session } from "./session";

/** What is going on, as it happens. */
export type Progress<F extends object = Fields, E extends object = OwnEvents> =
  | (WithKind<"started"> & WithAttempt & WithSession<F, E>)
  | (WithKind<"stopped"> &
      WithAttempt & {
        /** Why it stopped. */
        readonly stop: StopInput;
      })
  | (WithKind<"delayed"> &
      WithAttempt &
      WithReason & {
        /** How long it waits. */
        readonly waitMs: number;
        /** When it goes on, ISO 8601. */
        readonly resumeAt: string | null;
      })
  | (WithKind<"skipped"> & WithAttempt & WithReason)
  | (WithKind<"forked"> &
      WithSession<F, E> & {
        /** How the work goes on, in words for a model. */
        readonly prompt: string;
      })
  | (WithKind<"success"> & WithAttempt)
  | (WithKind<"failure"> & WithAttempt & WithReason);

interface WithKind<K extends string> {
  /** What happened. */
  readonly kind: K;
}

interface WithAttempt {
  /** Which attempt, from 1. */
  readonly attempt: number;
}

interface WithReason {
  /** The reason in words. */
  readonly why: string;
}

interface WithSession<F extends object, E extends object> {
  /** The session that is worked in: after a fork, the child. */
  readonly session: Session<F, E>;
}

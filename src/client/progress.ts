/** What a run tells of itself while it goes on. */
import type { OwnEvents } from "./events";
import type { Fields } from "./fields";
import type { StopInput } from "./inputs";
import type { Session } from "./session";

/** What is going on, as it happens. */
export type Progress<F extends object = Fields, E extends object = OwnEvents> =
  | (Stage<"started"> & Tried & In<F, E>)
  | (Stage<"stopped"> &
      Tried & {
        /** Why it stopped. */
        readonly stop: StopInput;
      })
  | (Stage<"delayed"> &
      Tried &
      Because & {
        /** How long it waits. */
        readonly waitMs: number;
        /** When it goes on, ISO 8601. */
        readonly resumeAt: string | null;
      })
  | (Stage<"skipped"> & Tried & Because)
  | (Stage<"forked"> &
      In<F, E> & {
        /** How the work goes on, in words for a model. */
        readonly prompt: string;
      })
  | (Stage<"success"> & Tried)
  | (Stage<"failure"> & Tried & Because);

interface Stage<K extends string> {
  /** What happened. */
  readonly kind: K;
}

interface Tried {
  /** Which attempt, from 1. */
  readonly attempt: number;
}

interface Because {
  /** The reason in words. */
  readonly why: string;
}

interface In<F extends object, E extends object> {
  /** The session that is worked in: after a fork, the child. */
  readonly session: Session<F, E>;
}

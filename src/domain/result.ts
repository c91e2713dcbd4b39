/** Expected failures are values; only bugs are thrown. */
import type { Failure } from "./failure";

export type Result<T, E = Failure> = { readonly ok: true; readonly value: T } | FailedResult<E>;

interface FailedResult<E> {
  readonly ok: false;
  readonly error: E;
}

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });

export const refuse = <E>(error: E): FailedResult<E> => ({ ok: false, error });

type OmitUndefined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Omits undefined members, so that they are absent from JSON and from spreads too. */
export const omitUndefined = <T extends object>(members: T): OmitUndefined<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;

/** Expected failures are values; only bugs are thrown. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | Refused<E>;

interface Refused<E> {
  readonly ok: false;
  readonly error: E;
}

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });

export const refuse = <E>(error: E): Refused<E> => ({ ok: false, error });

/** What a token of a participant needs beside itself, where somebody asked for that. */
import { omitUndefined } from "../result";
import { isNetworkWithin, isWithin } from "./network";

/** As it is asked for: `true` means as the request itself, a text names another. */
export interface BindInput {
  readonly network?: true | string | undefined;
  readonly principal?: true | string | undefined;
}

/** As it is kept. */
export interface Binding {
  /** A prefix such as 203.0.113.0/24. */
  readonly network?: string;
  /** Hash of the principal's name. */
  readonly principal?: string;
  /** Hash of the owner's key that opened it: it ends when that key is no longer listed. */
  readonly key?: string;
}

declare const isResolved: unique symbol;

/** With what the deployment demands: only `resolveBind` makes one, so no way to a participant forgets it. */
export interface ResolvedBinding {
  readonly binding: Binding | null;
  readonly [isResolved]: true;
}

/** Where a request comes from, and hash of who the proxy in front says it is from. */
export interface RequestOrigin {
  readonly address: string | null;
  readonly principal: string | null;
  /** Is an owner's key with this hash listed now? Known in the object alone. */
  readonly isListed?: (keyHash: string) => boolean;
}

export type BoundTo = "network" | "principal";

const UNKNOWN_ORIGIN: RequestOrigin = { address: null, principal: null };

export function isOutsideBinding(
  binding: Binding | undefined,
  { address, principal, isListed }: RequestOrigin = UNKNOWN_ORIGIN,
): boolean {
  if (binding === undefined) return false;
  const { network, key } = binding;
  if (key !== undefined && isListed?.(key) !== true) return true;
  if (network !== undefined && (address === null || !isWithin(address, network))) return true;
  return binding.principal !== undefined && binding.principal !== principal;
}

/** What others may know of a binding: that there is one. */
export const boundTo = (binding: Binding | undefined): { readonly bound?: readonly BoundTo[] } => {
  const kinds = (["network", "principal"] as const).filter((kind) => binding?.[kind] !== undefined);
  return kinds.length === 0 ? {} : { bound: kinds };
};

/** At least as narrow as the maker's own. Null where what is wanted lies elsewhere. */
export function narrowBinding(maker: Binding = {}, wanted: Binding | null): Binding | null {
  const { network: wish, principal } = wanted ?? {};
  const { network: own } = maker;
  const isOther = principal !== undefined && principal !== (maker.principal ?? principal);
  if (isOther) return null;
  const network = narrowerOf(own, wish);
  if (network === undefined && (own ?? wish) !== undefined) return null;
  const bound = maker.principal ?? principal;
  return omitUndefined({ network, principal: bound, key: maker.key });
}

/** The one of two networks that lies in the other. */
function narrowerOf(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  if (isNetworkWithin(other, one)) return other;
  return isNetworkWithin(one, other) ? one : undefined;
}

/** What a participant's token is bound to: a network, a principal or an owner's key. */
import { omitUndefined } from "../result";
import { isNetworkWithin, isWithin } from "./network";

/**
 * The requested binding. `true` binds to the network or principal of this request; a string names
 * another one.
 */
export interface BindInput {
  readonly network?: true | string | undefined;
  readonly principal?: true | string | undefined;
}

/** The stored binding. */
export interface Binding {
  /** A prefix such as 203.0.113.0/24. */
  readonly network?: string;
  /** Hash of the principal's name. */
  readonly principal?: string;
  /**
   * Hash of the owner's key that created the participant, which ends when the key is no longer
   * listed.
   */
  readonly key?: string;
}

declare const isResolved: unique symbol;

/**
 * A binding that includes what the deployment requires. Only `resolveBind` creates one, so no code
 * path can skip that.
 */
export interface ResolvedBinding {
  readonly binding: Binding | null;
  readonly [isResolved]: true;
}

/** The address of a request, and the hash of the principal that the proxy in front reports. */
export interface RequestOrigin {
  readonly address: string | null;
  readonly principal: string | null;
  /** Whether an owner's key with this hash is listed now. Only the object knows. */
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

/** Others may know that there is a binding, but not its value. */
export const boundTo = (binding: Binding | undefined): { readonly bound?: readonly BoundTo[] } => {
  const kinds = (["network", "principal"] as const).filter((kind) => binding?.[kind] !== undefined);
  return kinds.length === 0 ? {} : { bound: kinds };
};

/** A binding at least as narrow as the maker's own. Null if the requested one is outside of it. */
export function narrowBinding(maker: Binding = {}, requested: Binding | null): Binding | null {
  const { network: requestedNetwork, principal } = requested ?? {};
  const { network: makerNetwork } = maker;
  const isOtherPrincipal = principal !== undefined && principal !== (maker.principal ?? principal);
  if (isOtherPrincipal) return null;
  const network = narrowerOf(makerNetwork, requestedNetwork);
  if (network === undefined && (makerNetwork ?? requestedNetwork) !== undefined) return null;
  const boundPrincipal = maker.principal ?? principal;
  return omitUndefined({ network, principal: boundPrincipal, key: maker.key });
}

/** The narrower of two networks, if one contains the other. */
function narrowerOf(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  if (isNetworkWithin(other, one)) return other;
  return isNetworkWithin(one, other) ? one : undefined;
}

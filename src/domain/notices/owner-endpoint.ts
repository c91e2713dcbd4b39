/**
 * The endpoints of an owner, which receive the notices of all its sessions. They belong to the
 * owner and not to the key that registered them, so that replacing a key does not end them. Their
 * secrets are sealed, as those of a session's endpoints are.
 */
import { invalid, tooLarge } from "../failure";
import { LIMITS } from "../limits";
import { SYSTEM } from "../participants/actor";
import { ok, refuse, type Result } from "../result";
import { endpointIdFromHex, matchesNotice, withNewSecret } from "./endpoint";
import type { EndpointSettings, EndpointStatus, DeliveryReplay, PendingActions } from "./endpoint";
import {
  CANNOT_DELIVER_TO_ENDED,
  CANNOT_ACTIVATE_ENDED,
  ENDPOINT_NOT_FOUND,
  withOptions,
  type EndpointOptions,
} from "./endpoint-rules";
import type { ForwardedNotice, Notice, OutgoingNotice } from "./notice";
import type { Subscription } from "./subscription";

export interface OwnerEndpoint {
  readonly hex: string;
  readonly owner: string;
  readonly createdAt: number;
  readonly settings: EndpointSettings;
  /** Grows with every change, so that the endpoint's object can drop older messages. */
  readonly version: number;
  /** When the subscription ends, if it has an end. */
  readonly endsAt?: number;
  /** The status that it reported; absent while it is active. */
  readonly status?: Exclude<EndpointStatus, "active">;
}

export interface OwnerPendingActions extends PendingActions {
  readonly isRemoved?: boolean;
}

export type OwnerEndpointCommand =
  | { readonly kind: "add"; readonly hex: string; readonly settings: EndpointSettings }
  | ({
      readonly kind: "change";
      readonly hex: string;
      readonly url?: string;
      readonly status?: "active" | undefined;
    } & EndpointOptions)
  | {
      readonly kind: "subscribe";
      readonly hex: string;
      readonly settings: SubscriptionSettings;
      readonly endsAt: number | null;
    }
  | { readonly kind: "rotate"; readonly hex: string; readonly secret: string }
  | { readonly kind: "replay"; readonly hex: string; readonly replay: DeliveryReplay }
  | { readonly kind: "remove"; readonly hex: string };

interface SubscriptionSettings extends EndpointSettings {
  readonly subscription: Subscription;
}

interface EndpointDecision {
  readonly endpoint: OwnerEndpoint;
  readonly once: OwnerPendingActions;
}

/**
 * `found` is the endpoint of the command, if the owner has it. `count` is the number of its
 * endpoints.
 */
type DecideEndpoint<Kind extends OwnerEndpointCommand["kind"]> = (
  owner: string,
  command: Extract<OwnerEndpointCommand, { readonly kind: Kind }>,
  found: OwnerEndpoint | null,
  count: number,
  now: number,
) => Result<EndpointDecision>;

export const decideEndpoint: DecideEndpoint<OwnerEndpointCommand["kind"]> = (
  owner,
  command,
  found,
  count,
  now,
) => {
  if (command.kind === "add") return addEndpoint(owner, command, found, count, now);
  if (command.kind === "subscribe") return subscribe(owner, command, found, count, now);
  if (found === null) return refuse(ENDPOINT_NOT_FOUND);
  const isSubscription = found.settings.subscription !== undefined;
  if (isSubscription && (command.kind === "change" || command.kind === "rotate")) {
    return refuse(invalid("to change a subscription, subscribe again over MCP"));
  }
  const { status, ...rest } = found;
  const version = found.version + 1;
  switch (command.kind) {
    case "change": {
      const isResumed = command.status === "active";
      if (isResumed && status === "ended") return refuse(invalid(CANNOT_ACTIVATE_ENDED, "status"));
      const settings = withOptions(found.settings, command, command.url);
      const endpoint = { ...(isResumed ? rest : found), settings, version };
      return ok({ endpoint, once: isResumed ? { isResumed } : {} });
    }
    case "rotate": {
      const { secrets } = found.settings;
      // The call was repeated after its first attempt had succeeded.
      if (secrets[0]?.sealed === command.secret) return ok({ endpoint: found, once: {} });
      const settings = { ...found.settings, secrets: withNewSecret(secrets, command.secret, now) };
      return ok({ endpoint: { ...found, settings, version }, once: {} });
    }
    case "replay":
      return status === "ended"
        ? refuse(invalid(CANNOT_DELIVER_TO_ENDED))
        : ok({
            endpoint: { ...rest, version },
            once: { isResumed: true, replay: command.replay },
          });
    case "remove":
      return ok({ endpoint: { ...found, version }, once: { isRemoved: true } });
  }
};

const addEndpoint: DecideEndpoint<"add"> = (owner, { hex, settings }, found, count, now) => {
  if (found !== null) return ok({ endpoint: found, once: {} });
  const limit = LIMITS.ownerEndpoints;
  if (count >= limit) return refuse(tooLarge("the number of the owner's endpoints", limit));
  return ok({ endpoint: { hex, owner, createdAt: now, settings, version: 1 }, once: {} });
};

/** Creates or refreshes a subscription, or restarts one that lapsed, was suspended or had ended. */
const subscribe: DecideEndpoint<"subscribe"> = (
  owner,
  { hex, settings, endsAt },
  found,
  count,
  now,
) => {
  const limit = LIMITS.ownerSubscriptions;
  if (found === null && count >= limit) {
    return refuse(tooLarge("the number of the owner's subscriptions", limit));
  }
  const [newest] = settings.secrets;
  const before = found?.settings;
  const isSameSecret = before?.subscription?.secret === settings.subscription.secret;
  const secrets =
    before === undefined || newest === undefined
      ? settings.secrets
      : isSameSecret
        ? before.secrets
        : withNewSecret(before.secrets, newest.sealed, now);
  const endpoint = {
    hex,
    owner,
    createdAt: found?.createdAt ?? now,
    settings: { ...settings, secrets },
    version: (found?.version ?? 0) + 1,
    ...(endsAt === null ? {} : { endsAt }),
  };
  return ok({ endpoint, once: found?.status === undefined ? {} : { isResumed: true } });
};

/** It receives nothing more: it has ended, or nobody refreshed it. */
export const hasEnded = ({ status, endsAt }: OwnerEndpoint, now: number): boolean =>
  status === "ended" || (endsAt !== undefined && now >= endsAt);

/** The notices that the endpoint receives. If a handoff names it, its filter does not apply. */
export const outgoingNoticesFor = (
  { hex, settings }: Pick<OwnerEndpoint, "hex" | "settings">,
  notices: readonly ForwardedNotice[],
): readonly OutgoingNotice[] =>
  notices.flatMap(({ notice, named, link }): readonly OutgoingNotice[] => {
    if (named.includes(hex)) return [{ notice, ...(link === undefined ? {} : { link }) }];
    return matchesNotice(settings, notice) ? [{ notice }] : [];
  });

/** For the owner's other endpoints. It has no session, so `seq` counts the changes of the endpoint. */
export const suspendedNotice = (
  { hex, owner, settings, version }: OwnerEndpoint,
  now: number,
): Notice => ({
  type: "endpoint.suspended",
  timestamp: new Date(now).toISOString(),
  data: {
    endpointId: endpointIdFromHex(hex),
    origin: settings.origin,
    seq: version + 1,
    waiting: null,
    labels: {},
    owner,
    actor: SYSTEM,
    participant: null,
  },
});

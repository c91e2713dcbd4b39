/**
 * The endpoints of an owner, which hear of all the owner's sessions. They belong to the owner and not to
 * the key that registered them, so that replacing a key silences nothing. What is secret of them comes
 * sealed, as for the endpoints of a session.
 */
import { invalid, tooLarge } from "../failure";
import { LIMITS } from "../limits";
import { SYSTEM } from "../participants/actor";
import { ok, refuse, type Result } from "../result";
import { endpointIdFromHex, wants, withSecret } from "./endpoint";
import type { EndpointSettings, EndpointStatus, Replay, SaidOnce } from "./endpoint";
import { ENDED_IS_SILENT, ENDED_STAYS, UNKNOWN, withChanges, type Wanted } from "./endpoint-rules";
import type { ForwardedNotice, Notice, Ring } from "./notice";
import type { Subscription } from "./subscription";

export interface OwnerEndpoint {
  readonly hex: string;
  readonly owner: string;
  readonly createdAt: number;
  readonly settings: EndpointSettings;
  /** Grows with every change, so that its object drops what is older. */
  readonly version: number;
  /** When it lapses, where it is a subscription that has an end. */
  readonly endsAt?: number;
  /** What it reported of itself; absent while it is active. */
  readonly status?: Exclude<EndpointStatus, "active">;
}

export interface OnceTold extends SaidOnce {
  readonly isRemoved?: boolean;
}

export type OwnerEndpointCommand =
  | { readonly kind: "add"; readonly hex: string; readonly settings: EndpointSettings }
  | ({
      readonly kind: "change";
      readonly hex: string;
      readonly url?: string;
      readonly status?: "active" | undefined;
    } & Wanted)
  | {
      readonly kind: "subscribe";
      readonly hex: string;
      readonly settings: SubscriptionSettings;
      readonly endsAt: number | null;
    }
  | { readonly kind: "rotate"; readonly hex: string; readonly secret: string }
  | { readonly kind: "replay"; readonly hex: string; readonly replay: Replay }
  | { readonly kind: "remove"; readonly hex: string };

interface SubscriptionSettings extends EndpointSettings {
  readonly subscription: Subscription;
}

interface Decided {
  readonly endpoint: OwnerEndpoint;
  readonly once: OnceTold;
}

/** `found` is the endpoint that the command names, where the owner has it, and `count` how many there are. */
type Decide<Kind extends OwnerEndpointCommand["kind"]> = (
  owner: string,
  command: Extract<OwnerEndpointCommand, { readonly kind: Kind }>,
  found: OwnerEndpoint | null,
  count: number,
  now: number,
) => Result<Decided>;

export const decideEndpoint: Decide<OwnerEndpointCommand["kind"]> = (
  owner,
  command,
  found,
  count,
  now,
) => {
  if (command.kind === "add") return added(owner, command, found, count, now);
  if (command.kind === "subscribe") return subscribed(owner, command, found, count, now);
  if (found === null) return refuse(UNKNOWN);
  const isSubscription = found.settings.subscription !== undefined;
  if (isSubscription && (command.kind === "change" || command.kind === "rotate")) {
    return refuse(invalid("to change a subscription, subscribe again over MCP"));
  }
  const { status, ...kept } = found;
  const version = found.version + 1;
  switch (command.kind) {
    case "change": {
      const isResumed = command.status === "active";
      if (isResumed && status === "ended") return refuse(invalid(ENDED_STAYS, "status"));
      const settings = withChanges(found.settings, command, command.url);
      const endpoint = { ...(isResumed ? kept : found), settings, version };
      return ok({ endpoint, once: isResumed ? { isResumed } : {} });
    }
    case "rotate": {
      const { secrets } = found.settings;
      // Asked again by a call that was repeated on its way.
      if (secrets[0]?.sealed === command.secret) return ok({ endpoint: found, once: {} });
      const settings = { ...found.settings, secrets: withSecret(secrets, command.secret, now) };
      return ok({ endpoint: { ...found, settings, version }, once: {} });
    }
    case "replay":
      return status === "ended"
        ? refuse(invalid(ENDED_IS_SILENT))
        : ok({
            endpoint: { ...kept, version },
            once: { isResumed: true, replay: command.replay },
          });
    case "remove":
      return ok({ endpoint: { ...found, version }, once: { isRemoved: true } });
  }
};

const added: Decide<"add"> = (owner, { hex, settings }, found, count, now) => {
  if (found !== null) return ok({ endpoint: found, once: {} });
  const limit = LIMITS.ownerEndpoints;
  if (count >= limit) return refuse(tooLarge("the number of the owner's endpoints", limit));
  return ok({ endpoint: { hex, owner, createdAt: now, settings, version: 1 }, once: {} });
};

/** Made, refreshed, or begun anew after it had lapsed, was suspended or had ended. */
const subscribed: Decide<"subscribe"> = (owner, { hex, settings, endsAt }, found, count, now) => {
  const limit = LIMITS.ownerSubscriptions;
  if (found === null && count >= limit) {
    return refuse(tooLarge("the number of the owner's subscriptions", limit));
  }
  const [newest] = settings.secrets;
  const before = found?.settings;
  const isSame = before?.subscription?.secret === settings.subscription.secret;
  const secrets =
    before === undefined || newest === undefined
      ? settings.secrets
      : isSame
        ? before.secrets
        : withSecret(before.secrets, newest.sealed, now);
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

/** No longer told of anything: it has ended, or nobody refreshed it. */
export const isOver = ({ status, endsAt }: OwnerEndpoint, now: number): boolean =>
  status === "ended" || (endsAt !== undefined && now >= endsAt);

/** What of these an endpoint is told. A handoff may name it, whatever it asked for. */
export const ringsFor = (
  { hex, settings }: Pick<OwnerEndpoint, "hex" | "settings">,
  notices: readonly ForwardedNotice[],
): readonly Ring[] =>
  notices.flatMap(({ notice, named, link }): readonly Ring[] => {
    if (named.includes(hex)) return [{ notice, ...(link === undefined ? {} : { link }) }];
    return wants(settings, notice) ? [{ notice }] : [];
  });

/** Told to the owner's other endpoints that asked for it. It has no session: `seq` counts its changes. */
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
  },
});

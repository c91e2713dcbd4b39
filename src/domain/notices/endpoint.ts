/**
 * Endpoints, to which notices are posted: their settings and their secrets. The address and the
 * secrets are sealed here. Only the Worker that delivers can unseal them.
 */
import { bytesToHex, decodeBase64url, encodeBase64url, hexToBytes } from "../base64url";
import { OBJECT_ID_BYTES } from "../ids";
import type { NoticeType } from "./catalogue";
import type { DeliveryAttempt } from "./delivery";
import type { Format } from "./formats";
import type { Notice } from "./notice";
import type { Subscription } from "./subscription";

/** How long the previous secret still signs after a rotation. */
const ROTATION_MS = 24 * 60 * 60 * 1000;
/** How many secrets may sign at the same time, if there are several rotations within a day. */
const MAX_SIGNING_SECRETS = 3;

interface SealedSecret {
  /** Base64url of the sealed bytes. */
  readonly sealed: string;
  /** When it stops signing; null for the newest secret. */
  readonly until: number | null;
}

/** The settings that the creator of the endpoint chooses. */
export interface EndpointSettings {
  readonly notices: readonly NoticeType[];
  readonly format: Format;
  /** Only sessions with all of these labels. */
  readonly labels: Readonly<Record<string, string>>;
  /** The only part of the address that is shown. */
  readonly origin: string;
  /** Base64url of the sealed address. */
  readonly url: string;
  readonly secrets: readonly SealedSecret[];
  /** Created over MCP, and changed only there. */
  readonly subscription?: Subscription;
}

export const ENDPOINT_STATUSES = ["active", "suspended", "ended"] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

/**
 * The owner of the endpoint, which is notified when it is suspended: a session, by its object id,
 * or an owner.
 */
export type EndpointOwnerRef =
  | {
      readonly session: string;
      /** Hash of the owner's key whose end also ends the endpoint. */
      readonly key?: string;
    }
  | { readonly owner: string };

/** Deliveries to send again: a single one, or all since a time. */
export type DeliveryReplay = { readonly delivery: number } | { readonly since: number };

/** Actions that are sent to an endpoint together with its settings until it acknowledges them. */
export interface PendingActions {
  /** Reactivate it after a suspension. */
  readonly isResumed?: boolean;
  readonly replay?: DeliveryReplay;
}

/** The endpoint as it is shown. */
export interface EndpointView {
  readonly id: string;
  readonly origin: string;
  readonly notices: readonly NoticeType[];
  readonly format: Format;
  readonly labels: Readonly<Record<string, string>>;
  readonly status: EndpointStatus;
  readonly createdAt: string;
  readonly failing?: EndpointFailure;
}

/** Since when no attempt has succeeded, and the outcome of the last one. */
export interface EndpointFailure extends DeliveryAttempt {
  readonly since: string;
}

const PREFIX = "end_";

export const endpointIdFromHex = (hex: string): string => PREFIX + encodeBase64url(hexToBytes(hex));

/** The object's id in hex, or null if the text is not the id of an endpoint. */
export function endpointHexOf(id: string): string | null {
  const bytes = id.startsWith(PREFIX) ? decodeBase64url(id.slice(PREFIX.length)) : null;
  return bytes?.length === OBJECT_ID_BYTES ? bytesToHex(bytes) : null;
}

/** Whether the endpoint receives this notice. */
export const matchesNotice = (
  { notices, labels, subscription }: Pick<EndpointSettings, "notices" | "labels" | "subscription">,
  { type, data }: Notice,
): boolean =>
  notices.includes(type) &&
  (subscription?.session === undefined || subscription.session === data.sessionId) &&
  Object.entries(labels).every(
    ([name, value]) => Object.hasOwn(data.labels, name) && data.labels[name] === value,
  );

/** The new secret signs immediately. The previous ones still sign for a day. */
export const withNewSecret = (
  secrets: readonly SealedSecret[],
  sealed: string,
  now: number,
): readonly SealedSecret[] =>
  [
    { sealed, until: null },
    ...secrets
      .filter(({ until }) => until === null || until > now)
      .map((one) => ({ ...one, until: one.until ?? now + ROTATION_MS })),
  ].slice(0, MAX_SIGNING_SECRETS);

/** The secrets that sign now. */
export const signingSecrets = (secrets: readonly SealedSecret[], now: number): readonly string[] =>
  secrets.filter(({ until }) => until === null || until > now).map(({ sealed }) => sealed);

/** Replaces values by their resealed versions. Values that changed in the meantime stay. */
export const withResealed = (
  settings: EndpointSettings,
  resealed: Readonly<Record<string, string>>,
): EndpointSettings => ({
  ...settings,
  url: resealed[settings.url] ?? settings.url,
  secrets: settings.secrets.map((one) => ({ ...one, sealed: resealed[one.sealed] ?? one.sealed })),
});

/** The payload of an endpoint's events. It never contains the address. */
export const endpointPayload = (
  hex: string,
  { origin, notices, format, labels }: Omit<EndpointSettings, "url" | "secrets">,
) => ({
  endpointId: endpointIdFromHex(hex),
  origin,
  notices,
  format,
  ...(Object.keys(labels).length === 0 ? {} : { labels }),
});

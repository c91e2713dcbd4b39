/**
 * Where notices are posted: what an endpoint is, and how registering, changing and rotating change it.
 * The address and the secrets are sealed bytes here; only the Worker that delivers opens them.
 */
import { bytesToHex, decodeBase64url, encodeBase64url, hexToBytes } from "../base64url";
import { OBJECT_ID_BYTES } from "../ids";
import type { NoticeType } from "./catalogue";
import type { DeliveryAttempt } from "./delivery";
import type { Format } from "./formats";
import type { Notice } from "./notice";
import type { Subscription } from "./subscription";

/** For so long after a rotation the secret before it signs too. */
const ROTATION_MS = 24 * 60 * 60 * 1000;
/** Rotated again and again within a day: so many secrets sign at once. */
const MAX_SIGNING_SECRETS = 3;

interface SealedSecret {
  /** Base64url of the sealed bytes. */
  readonly sealed: string;
  /** It signs until then; null for the newest. */
  readonly until: number | null;
}

/** What its maker decides. */
export interface EndpointSettings {
  readonly notices: readonly NoticeType[];
  readonly format: Format;
  /** Only sessions with all of these labels. */
  readonly labels: Readonly<Record<string, string>>;
  /** All that is shown of the address. */
  readonly origin: string;
  /** Base64url of the sealed address. */
  readonly url: string;
  readonly secrets: readonly SealedSecret[];
  /** Made over MCP, and changed only there. */
  readonly subscription?: Subscription;
}

export const ENDPOINT_STATUSES = ["active", "suspended", "ended"] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

/** Whose endpoint it is, which is told when it is suspended: a session by its object, or an owner. */
export type EndpointOwnerRef =
  | {
      readonly session: string;
      /** Hash of the owner's key that its maker ends with. */
      readonly key?: string;
    }
  | { readonly owner: string };

/** Deliveries that are to be sent again: one, or all that were told since a time. */
export type DeliveryReplay = { readonly delivery: number } | { readonly since: number };

/** What an endpoint is told beside what it is, until it has acknowledged. */
export interface PendingActions {
  /** Begin anew after a suspension. */
  readonly isResumed?: boolean;
  readonly replay?: DeliveryReplay;
}

/** As it is shown. */
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

/** No attempt has succeeded since then, and what came of the last one. */
export interface EndpointFailure extends DeliveryAttempt {
  readonly since: string;
}

const PREFIX = "end_";

export const endpointIdFromHex = (hex: string): string => PREFIX + encodeBase64url(hexToBytes(hex));

/** The object's id in hex, or null when the text is not an endpoint's id. */
export function endpointHexOf(id: string): string | null {
  const bytes = id.startsWith(PREFIX) ? decodeBase64url(id.slice(PREFIX.length)) : null;
  return bytes?.length === OBJECT_ID_BYTES ? bytesToHex(bytes) : null;
}

/** Is it told of this notice? */
export const matchesNotice = (
  { notices, labels, subscription }: Pick<EndpointSettings, "notices" | "labels" | "subscription">,
  { type, data }: Notice,
): boolean =>
  notices.includes(type) &&
  (subscription?.session === undefined || subscription.session === data.sessionId) &&
  Object.entries(labels).every(
    ([name, value]) => Object.hasOwn(data.labels, name) && data.labels[name] === value,
  );

/** The new secret signs at once, beside the ones before it for a day. */
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

/** Those that sign now. */
export const signingSecrets = (secrets: readonly SealedSecret[], now: number): readonly string[] =>
  secrets.filter(({ until }) => until === null || until > now).map(({ sealed }) => sealed);

/** With what was sealed anew. What changed meanwhile stays as it is. */
export const withResealed = (
  settings: EndpointSettings,
  resealed: Readonly<Record<string, string>>,
): EndpointSettings => ({
  ...settings,
  url: resealed[settings.url] ?? settings.url,
  secrets: settings.secrets.map((one) => ({ ...one, sealed: resealed[one.sealed] ?? one.sealed })),
});

/** What the log says of an endpoint: never its address. */
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

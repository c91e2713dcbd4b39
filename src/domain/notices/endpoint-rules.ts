/** Adding, changing, rotating, replaying and removing the endpoints of one session. */
import type { DecisionContext, DecisionResult } from "../session/decision";
import { invalid, tooLarge, type Failure } from "../failure";
import type { JsonObject } from "../json";
import { LIMITS } from "../limits";
import type { NewServerEvent } from "../log/event";
import type { EventType } from "../log/payloads";
import { ok, refuse } from "../result";
import type { NoticeType } from "./catalogue";
import { endpointIdFromHex, endpointPayload, withNewSecret } from "./endpoint";
import type { EndpointSettings, DeliveryReplay, PendingActions } from "./endpoint";
import type { Format } from "./formats";
import { viewEndpoint, type StoredEndpoint } from "./stored-endpoint";

export interface EndpointOptions {
  readonly notices?: readonly NoticeType[] | undefined;
  readonly format?: Format | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** The origin of the address. The address itself is sealed and not part of the command. */
  readonly origin?: string | undefined;
}

export interface AddEndpoint extends EndpointOptions {
  readonly operation: "addEndpoint";
  readonly notices: readonly NoticeType[];
  readonly origin: string;
}

export interface ChangeEndpoint extends EndpointOptions {
  readonly operation: "changeEndpoint";
  readonly endpoint: string;
  /** Reactivate it after a suspension. */
  readonly status?: "active" | undefined;
}

export interface EndpointCommand {
  readonly operation: "rotateEndpoint" | "removeEndpoint";
  readonly endpoint: string;
}

export interface ReplayEndpoint {
  readonly operation: "replayEndpoint";
  readonly endpoint: string;
  readonly replay: DeliveryReplay;
}

/** The sealed values that come with a command. */
export interface SealedEndpointParts {
  readonly hex?: string;
  readonly url?: string;
  readonly secret?: string;
}

export function addEndpoint(command: AddEndpoint, context: DecisionContext): DecisionResult {
  const { hex, url, secret } = context.sealed ?? {};
  if (hex === undefined || url === undefined || secret === undefined) {
    throw new Error("an endpoint needs its sealed address and secret");
  }
  if (context.endpoints().length >= LIMITS.endpoints) {
    return refuse(tooLarge("the number of endpoints", LIMITS.endpoints));
  }
  const { notices, origin, format = "standard", labels = {} } = command;
  const secrets = [{ sealed: secret, until: null }];
  const settings: EndpointSettings = { notices, format, labels, origin, url, secrets };
  const { number, expiresAt, bind } = context.participant;
  const key = bind?.key === undefined ? {} : { key: bind.key };
  const created = { hex, madeBy: number, ...key, createdAt: context.now, endsAt: expiresAt };
  return endpointDecision("endpoint.created", { ...created, settings }, {});
}

export function changeEndpoint(command: ChangeEndpoint, context: DecisionContext): DecisionResult {
  const found = endpointOf(command.endpoint, context);
  if (found === null) return refuse(ENDPOINT_NOT_FOUND);
  const isResumed = command.status === "active";
  if (isResumed && found.status === "ended")
    return refuse(invalid(CANNOT_ACTIVATE_ENDED, "status"));
  const { status: reported, ...rest } = found;
  const changed = {
    ...rest,
    ...(reported === undefined || isResumed ? {} : { status: reported }),
    settings: withOptions(found.settings, command, context.sealed?.url),
  };
  return endpointDecision("endpoint.changed", changed, isResumed ? { isResumed } : {});
}

/** The given options replace the current ones. The URL is sealed. */
export const withOptions = (
  settings: EndpointSettings,
  { notices, format, labels, origin }: EndpointOptions,
  url: string | undefined,
): EndpointSettings => ({
  ...settings,
  notices: notices ?? settings.notices,
  format: format ?? settings.format,
  labels: labels ?? settings.labels,
  origin: origin ?? settings.origin,
  url: url ?? settings.url,
});

export const ENDPOINT_NOT_FOUND: Failure = { code: "not_found", what: "endpoint" };
/** An endpoint that has ended stays ended. */
export const CANNOT_ACTIVATE_ENDED = "an ended endpoint cannot be activated; register a new one";
export const CANNOT_DELIVER_TO_ENDED = "an ended endpoint delivers nothing; register a new one";

export function rotateEndpoint(command: EndpointCommand, context: DecisionContext): DecisionResult {
  const found = endpointOf(command.endpoint, context);
  const secret = context.sealed?.secret;
  if (found === null || secret === undefined) return refuse(ENDPOINT_NOT_FOUND);
  const secrets = withNewSecret(found.settings.secrets, secret, context.now);
  return endpointDecision(
    "endpoint.rotated",
    { ...found, settings: { ...found.settings, secrets } },
    {},
  );
}

/** A replay implies that the receiver is available again, so it also ends a suspension. */
export function replayEndpoint(command: ReplayEndpoint, context: DecisionContext): DecisionResult {
  const found = endpointOf(command.endpoint, context);
  if (found === null) return refuse(ENDPOINT_NOT_FOUND);
  if (found.status === "ended") return refuse(invalid(CANNOT_DELIVER_TO_ENDED));
  const { replay } = command;
  const { status: _, ...rest } = found;
  return endpointDecision("endpoint.replayed", rest, { isResumed: true, replay });
}

export function removeEndpoint(command: EndpointCommand, context: DecisionContext): DecisionResult {
  const found = endpointOf(command.endpoint, context);
  if (found === null) return refuse(ENDPOINT_NOT_FOUND);
  const endpointId = endpointIdFromHex(found.hex);
  return ok({
    events: [{ type: "endpoint.removed", payload: { endpointId } }],
    outcome: {},
    endpoint: { removed: found.hex },
  });
}

const endpointOf = (hex: string, context: DecisionContext): StoredEndpoint | null =>
  context.endpoints().find((one) => one.hex === hex) ?? null;

type EndpointEventType = Exclude<Extract<EventType, `endpoint.${string}`>, UncommandedEventType>;
type UncommandedEventType = "endpoint.suspended" | "endpoint.ended" | "endpoint.removed";

function endpointDecision(
  type: EndpointEventType,
  endpoint: StoredEndpoint,
  actions: PendingActions,
): DecisionResult {
  const event: NewServerEvent =
    type === "endpoint.created" || type === "endpoint.changed"
      ? { type, payload: endpointPayload(endpoint.hex, endpoint.settings) }
      : { type, payload: { endpointId: endpointIdFromHex(endpoint.hex) } };
  const outcome = { endpoint: viewEndpoint(endpoint) as unknown as JsonObject };
  return ok({ events: [event], outcome, endpoint: { saved: endpoint, ...actions } });
}

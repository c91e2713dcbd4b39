/** Messages to and from an endpoint's object. */
import type { DeliveryResponse } from "../domain/notices/delivery";
import type {
  EndpointSettings,
  EndpointFailure,
  EndpointOwnerRef,
  PendingActions,
} from "../domain/notices/endpoint";
import type { OutgoingNotice } from "../domain/notices/notice";
import type { Subscription } from "../domain/notices/subscription";
import type { Format } from "../domain/notices/formats";
import type { JsonObject } from "../domain/json";

/** The settings of an endpoint. Sent until acknowledged; an older version changes nothing. */
export interface EndpointUpdate extends PendingActions {
  readonly version: number;
  readonly settings: EndpointSettings;
  readonly home: EndpointOwnerRef;
  readonly createdAt: number;
  readonly endsAt: number | null;
  /** Its creator's rights have ended. */
  readonly isEnded: boolean;
}

export interface HomeView {
  readonly home: EndpointOwnerRef;
  readonly isEnded: boolean;
}

export interface NoticeEndpointRpc {
  put(update: EndpointUpdate): Promise<void>;
  /**
   * Acknowledged once the rows are written; delivery follows. A known notice is stored once, unless
   * the endpoint restarts at these.
   */
  tell(notices: readonly OutgoingNotice[], isRestart?: boolean): Promise<void>;
  /** Up to this seq of a session every notice was delivered or given up; null if there is none. */
  settledSeq(sessionId: string): Promise<number | null>;
  deliveries(before: number | null, limit: number): Promise<DeliveryPage>;
  hasDelivery(number: number): Promise<boolean>;
  home(): Promise<HomeView | null>;
  failing(): Promise<EndpointFailure | null>;
  forget(sessionId: string): Promise<void>;
  remove(): Promise<void>;
}

export interface DeliveryPage {
  readonly deliveries: readonly JsonObject[];
  readonly next: number | null;
}

/** One attempt, as the Worker makes it. Everything secret in it is sealed. */
export interface DeliveryRequest extends OutgoingNotice {
  readonly endpointId: string;
  readonly format: Format;
  readonly url: string;
  readonly secrets: readonly string[];
  readonly subscription?: Subscription;
  /** For a subscription: everything up to this seq was delivered or given up. */
  readonly cursor?: string;
}

export interface WebhookSenderRpc {
  deliver(request: DeliveryRequest): Promise<DeliveryResponse>;
}

/** What passes to and from an endpoint's object. */
import type { Answer } from "../domain/notices/delivery";
import type { EndpointSettings, Failing, Home, SaidOnce } from "../domain/notices/endpoint";
import type { Ring } from "../domain/notices/notice";
import type { Subscription } from "../domain/notices/subscription";
import type { Format } from "../domain/notices/formats";
import type { JsonObject } from "../domain/json";

/** What an endpoint is to be. Told until it is acknowledged; an older version changes nothing. */
export interface EndpointNews extends SaidOnce {
  readonly version: number;
  readonly settings: EndpointSettings;
  readonly home: Home;
  readonly createdAt: number;
  readonly endsAt: number | null;
  /** Its maker's rights are over. */
  readonly isEnded: boolean;
}

export interface HomeView {
  readonly home: Home;
  readonly isEnded: boolean;
}

export interface EndpointPort {
  put(news: EndpointNews): Promise<void>;
  /**
   * Acknowledged once the rows are written; delivering follows. What is known already is told once,
   * unless the endpoint begins anew at these.
   */
  tell(rings: readonly Ring[], isAnew?: boolean): Promise<void>;
  /** Up to this seq of a session everything told was taken or given up; null where nothing was told. */
  settledSeq(sessionId: string): Promise<number | null>;
  deliveries(before: number | null, limit: number): Promise<DeliveryPage>;
  hasDelivery(number: number): Promise<boolean>;
  home(): Promise<HomeView | null>;
  failing(): Promise<Failing | null>;
  forget(sessionId: string): Promise<void>;
  remove(): Promise<void>;
}

export interface DeliveryPage {
  readonly deliveries: readonly JsonObject[];
  readonly next: number | null;
}

/** One attempt, as the Worker makes it: everything secret in it is sealed. */
export interface Parcel extends Ring {
  readonly endpointId: string;
  readonly format: Format;
  readonly url: string;
  readonly secrets: readonly string[];
  readonly subscription?: Subscription;
  /** Of a subscription: everything up to here was taken or given up. */
  readonly cursor?: string;
}

export interface CourierPort {
  deliver(parcel: Parcel): Promise<Answer>;
}

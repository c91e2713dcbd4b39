/** Messages to an owner's directory. */
import type { Ownership, Labels } from "../domain/owners/ownership";
import type { DirectoryListing } from "../domain/owners/outbox";
import type { EndpointStatus, EndpointView } from "../domain/notices/endpoint";
import type { ForwardedNotice } from "../domain/notices/notice";
import type { OwnerEndpointCommand } from "../domain/notices/owner-endpoint";
import type { Result } from "../domain/result";
import type { Quotas } from "../domain/owners/owners";
import type { TemplateDefinition, TemplateRef } from "../domain/owners/template";
import type { WaitReason } from "../domain/owners/waiting";
import type { State } from "../domain/session/state";
import type { Reply } from "./messages";

/** Changes of one session, oldest first. */
export interface DirectoryUpdate {
  readonly objectIdHex: string;
  readonly createdAt: number;
  readonly belongs: Ownership;
  readonly listings: readonly (DirectoryListing & { readonly seq: number })[];
  readonly notices: readonly ForwardedNotice[];
}

export interface ListQuery {
  readonly states: readonly State[];
  readonly waiting?: WaitReason | undefined;
  readonly waitingLongerThanMs?: number | undefined;
  readonly label?: { readonly name: string; readonly value: string } | undefined;
  readonly externalId?: string | undefined;
  readonly q?: string | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  readonly changedAfter?: number | undefined;
  readonly changedBefore?: number | undefined;
  readonly limit: number;
  readonly cursor?: number | undefined;
}

/** A session as its owner sees it in a list. */
export interface ListedView {
  readonly id: string;
  readonly title: string | null;
  readonly state: State;
  readonly waiting: { readonly for: WaitReason; readonly since: string } | null;
  readonly labels: Labels;
  readonly externalId?: string;
  readonly key?: string;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly expiresAt: string;
  readonly seq: number;
}

interface Counts {
  readonly total: number;
  readonly states: Readonly<Record<string, number>>;
  readonly waiting: Readonly<Record<string, number>>;
}

export interface ListPage {
  readonly sessions: readonly ListedView[];
  readonly nextCursor: number | null;
  readonly counts: Counts;
}

export type DirectoryChange =
  | { readonly number: number; readonly session: ListedView }
  | {
      readonly number: number;
      readonly removed: true;
      readonly session: Pick<ListedView, "id">;
    };

export interface ChangePage {
  readonly changes: readonly DirectoryChange[];
  /** The next page starts after this number. */
  readonly next: number;
  readonly head: number;
  /** Changes up to this number are no longer stored. */
  readonly floor: number;
}

/** The data of the console's charts. */
export interface Overview {
  /** Sessions by state at each requested time. */
  readonly states: readonly {
    readonly at: number;
    readonly states: Readonly<Record<string, number>>;
  }[];
  readonly waits: readonly WaitSummary[];
  /** The owner's endpoints by status. */
  readonly endpoints: Readonly<Record<string, number>>;
}

export interface WaitSummary {
  readonly for: WaitReason;
  readonly count: number;
  /** When the newest wait started. */
  readonly newestSince: string | null;
  /** Longest first. */
  readonly longest: readonly ListedView[];
}

export interface QuotaExceeded {
  readonly quota: keyof Quotas;
  readonly used: number;
  readonly allowed: number;
}

export interface PutTemplateRequest {
  readonly name: string;
  readonly definition: TemplateDefinition;
  /** The name of the key. */
  readonly by: string;
}

/** A template in a list of them. */
export interface ListedTemplate {
  readonly name: string;
  readonly version: number;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly retiredAt?: string;
}

export interface TemplateView extends ListedTemplate {
  readonly definition: TemplateDefinition;
}

export interface PutTemplateResult {
  readonly template: TemplateView;
  /** True if there was no template of this name. */
  readonly isNew: boolean;
}

export interface SubscriptionStatus {
  /** True if the subscription exists and has neither expired nor ended. */
  readonly isActive: boolean;
  /** The owner has an active subscription to the same address. */
  readonly isVerified: boolean;
}

/** The object's RPC methods. */
export interface OwnerDirectoryRpc {
  tell(update: DirectoryUpdate): Promise<void>;
  remove(objectIdHex: string): Promise<void>;
  /** The object to try first for this external id. */
  nthOf(externalId: string): Promise<number>;
  /** May one more session be created? Returns the exceeded quota, or null. */
  admit(objectIdHex: string, quotas: Quotas): Promise<QuotaExceeded | null>;
  list(query: ListQuery): Promise<ListPage>;
  /** True for the first caller with the code of this hash. */
  redeem(codeHash: string, until: number): Promise<boolean>;
  /** The states at these times, and the waiting sessions. A chart costs one row per point. */
  overview(times: readonly number[], longest: number): Promise<Overview>;
  row(objectIdHex: string): Promise<ListedView | null>;
  changes(after: number, limit: number): Promise<ChangePage>;
  putTemplate(request: PutTemplateRequest): Promise<Reply<PutTemplateResult>>;
  templates(): Promise<readonly ListedTemplate[]>;
  template(ref: TemplateRef): Promise<Reply<TemplateView>>;
  retireTemplate(name: string): Promise<Reply<TemplateView>>;
  /** The endpoints that get notices of all sessions of the owner. */
  endpoints(): Promise<readonly EndpointView[]>;
  /** The status of the subscription of this endpoint's object, and of its address. */
  subscription(hex: string, address: string): Promise<SubscriptionStatus>;
  commandEndpoint(owner: string, command: OwnerEndpointCommand): Promise<Result<EndpointView>>;
  /** An endpoint was suspended or has ended. */
  recordEndpointStatus(hex: string, status: EndpointStatus): Promise<void>;
}

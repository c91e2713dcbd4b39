/** What an owner's directory is told and asked. */
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

/** Of one session, oldest first. */
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
  /** After which the next page begins. */
  readonly next: number;
  readonly head: number;
  /** Changes up to this one are no longer kept. */
  readonly floor: number;
}

/** What the console draws. */
export interface Overview {
  /** Sessions by state at each time that was asked for. */
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
  /** When the one that waits shortest began to. */
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
  /** Was there none of this name? */
  readonly isNew: boolean;
}

export interface SubscriptionStatus {
  /** It is there, and has neither lapsed nor ended. */
  readonly isActive: boolean;
  /** A living subscription of the owner goes to the same address. */
  readonly isVerified: boolean;
}

/** The object as it is called. */
export interface OwnerDirectoryRpc {
  tell(news: DirectoryUpdate): Promise<void>;
  remove(objectIdHex: string): Promise<void>;
  /** Where to look first for a session of that name. */
  nthOf(externalId: string): Promise<number>;
  /** May one more session begin? What stands against it, or null. */
  admit(objectIdHex: string, quotas: Quotas): Promise<QuotaExceeded | null>;
  list(query: ListQuery): Promise<ListPage>;
  /** True for the first who comes with the code of this hash. */
  redeem(codeHash: string, until: number): Promise<boolean>;
  /** How it was at these times, and what waits: a picture costs the points it draws. */
  overview(times: readonly number[], longest: number): Promise<Overview>;
  row(objectIdHex: string): Promise<ListedView | null>;
  changes(after: number, limit: number): Promise<ChangePage>;
  putTemplate(asked: PutTemplateRequest): Promise<Reply<PutTemplateResult>>;
  templates(): Promise<readonly ListedTemplate[]>;
  template(ref: TemplateRef): Promise<Reply<TemplateView>>;
  retireTemplate(name: string): Promise<Reply<TemplateView>>;
  /** Where notices of all sessions of the owner are posted. */
  endpoints(): Promise<readonly EndpointView[]>;
  /** What the owner has of a subscription with this endpoint's object, and of its address. */
  subscription(hex: string, address: string): Promise<SubscriptionStatus>;
  commandEndpoint(owner: string, command: OwnerEndpointCommand): Promise<Result<EndpointView>>;
  /** One of them was suspended or has ended. */
  noteEndpoint(hex: string, status: EndpointStatus): Promise<void>;
}

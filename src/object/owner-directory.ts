/**
 * The sessions of one owner, as they reported themselves. It only lists: each session stays the
 * authority over itself. Every message carries the session's seq, so repeated or late messages
 * change nothing.
 */
import { sessionIdFromHex } from "../domain/ids";
import type { EndpointStatus } from "../domain/notices/endpoint";
import type { OwnerEndpointCommand } from "../domain/notices/owner-endpoint";
import type { Quotas } from "../domain/owners/owners";
import type { TemplateRef } from "../domain/owners/template";
import { WAIT_REASONS, type WaitReason } from "../domain/owners/waiting";
import { omitUndefined } from "../domain/result";
import type { State } from "../domain/session/state";
import { settingsFrom } from "../env";
import { RedeemedCodeStore } from "../storage/redeemed-code-store";
import { MaskingSecret } from "../storage/masking-secret";
import { OwnerEndpointStore } from "../storage/owner-endpoint-store";
import { createdAtOf, SessionList } from "../storage/session-list";
import {
  changesAfter,
  listSessions,
  sessionByObject,
  longestWaits,
} from "../storage/session-query";
import type { ChangeRow, SessionRow } from "../storage/session-query";
import type {
  DirectoryChange,
  DirectoryUpdate,
  ListedView,
  ListQuery,
  OwnerDirectoryRpc,
  PutTemplateRequest,
} from "./directory-messages";
import { QuotaCounter } from "./quota-counter";
import { AlarmClock } from "./alarm-clock";
import { ListedText } from "./listed-text";
import { OwnerEndpoints } from "./owner-endpoints";
import { acceptSocket, WebSocketObject, broadcast } from "./stored-object";
import { TemplateCatalog } from "./template-catalog";

/** Delay before settings are sent again to an endpoint that did not answer. */
const ENDPOINT_RETRY_MS = 5_000;

/** The return types of its methods are declared in its RPC interface. */
export class OwnerDirectory extends WebSocketObject implements OwnerDirectoryRpc {
  readonly #list = new SessionList(this.sql);
  readonly #templates = new TemplateCatalog(this.sql);
  readonly #secret = new MaskingSecret(this.sql);
  readonly #redeemedCodes = new RedeemedCodeStore(this.sql);
  readonly #quotaCounter = new QuotaCounter();
  readonly #endpoints = new OwnerEndpoints(() => this.env, new OwnerEndpointStore(this.sql));
  readonly #clock = new AlarmClock(this.ctx.storage, this.meter);
  #text: ListedText | null = null;

  async tell(update: DirectoryUpdate): Promise<void> {
    this.#ensureSecret();
    const text = this.#texts();
    this.#quotaCounter.markListed(update.objectIdHex);
    const changes = update.listings.map((listing) =>
      this.#list.put(text.encode(update, listing), Date.now()),
    );
    if (changes.includes(true)) this.#notifyFollowers();
    await this.#endpoints.forward(update.notices, Date.now());
  }

  async remove(objectIdHex: string): Promise<void> {
    if (this.#list.remove(objectIdHex, Date.now())) this.#notifyFollowers();
    await this.#endpoints.forget(sessionIdFromHex(objectIdHex), Date.now());
  }

  async endpoints() {
    return this.#endpoints.list(Date.now());
  }

  async subscription(hex: string, address: string) {
    return this.#endpoints.subscription(hex, address, Date.now());
  }

  async commandEndpoint(owner: string, command: OwnerEndpointCommand) {
    const decided = this.#endpoints.decide(owner, command, Date.now());
    if (decided.ok) await this.#sendPending();
    return decided;
  }

  recordEndpointStatus(hex: string, status: EndpointStatus): Promise<void> {
    return this.#endpoints.recordStatus(hex, status, Date.now());
  }

  /** The alarm is set first: if this instance ends meanwhile, the alarm sends to the endpoints. */
  async #sendPending(): Promise<void> {
    if (this.#endpoints.hasPending) await this.#clock.arm(Date.now() + ENDPOINT_RETRY_MS);
    await this.#endpoints.sendPending();
  }

  override async alarm(): Promise<void> {
    this.#clock.clear();
    await this.#sendPending();
  }

  async nthOf(externalId: string) {
    return this.#list.nthOf(this.#texts().hashExternalId(externalId));
  }

  async admit(objectIdHex: string, quotas: Quotas) {
    return this.#quotaCounter.admit(objectIdHex, quotas, this.#list, Date.now());
  }

  async redeem(codeHash: string, until: number) {
    return this.#redeemedCodes.redeem(codeHash, until, Date.now());
  }

  async list(query: ListQuery) {
    const text = this.#texts();
    const { limit, cursor, waitingLongerThanMs, ...rest } = query;
    const { rows, scannedTo } = listSessions(this.#list, {
      ...rest,
      ...text.hashQuery(query),
      waitingBefore:
        waitingLongerThanMs === undefined ? undefined : Date.now() - waitingLongerThanMs,
      below: cursor,
      // One row more than shown tells whether there are more.
      limit: limit + 1,
    });
    const page = rows.slice(0, limit);
    return {
      sessions: page.map((row) => viewOf(row, text)),
      nextCursor: rows.length > limit ? (page.at(-1)?.number ?? null) : scannedTo,
      counts: this.#counts(),
    };
  }

  async overview(times: readonly number[], longest: number) {
    const text = this.#texts();
    const now = this.#list.states();
    const { waiting } = this.#counts();
    const endpoints: Record<string, number> = {};
    for (const { status } of await this.endpoints())
      endpoints[status] = (endpoints[status] ?? 0) + 1;
    return {
      endpoints,
      states: times.map((at) => ({ at, states: this.#list.history.at(at) ?? now })),
      waits: WAIT_REASONS.filter((kind) => (waiting[kind] ?? 0) > 0).map((kind) => {
        const found = longestWaits(this.#list, kind, longest);
        return {
          for: kind,
          count: waiting[kind] ?? 0,
          newestSince: found.newestSince === null ? null : iso(found.newestSince),
          longest: found.longest.map((row) => viewOf(row, text)),
        };
      }),
    };
  }

  async row(objectIdHex: string) {
    const row = sessionByObject(this.#list, objectIdHex);
    return row === null ? null : viewOf(row, this.#texts());
  }

  async changes(after: number, limit: number) {
    const text = this.#texts();
    const rows = changesAfter(this.#list, after, limit);
    const head = this.#list.lastChange();
    return {
      changes: rows.flatMap((row) => changeOf(row, text)),
      next: rows.at(-1)?.change ?? after,
      head,
      floor: this.#list.changeFloor(),
    };
  }

  async putTemplate(request: PutTemplateRequest) {
    return this.#templates.put(request, settingsFrom(this.env), Date.now());
  }

  async templates() {
    return this.#templates.list();
  }

  async template(ref: TemplateRef) {
    return this.#templates.get(ref);
  }

  async retireTemplate(name: string) {
    return this.#templates.retire(name, Date.now());
  }

  #counts() {
    const counts = this.#list.counts();
    const sum = (key: "state" | "waiting"): Readonly<Record<string, number>> => {
      const sums: Record<string, number> = {};
      for (const row of counts) {
        if (row[key] !== "") sums[row[key]] = (sums[row[key]] ?? 0) + row.n;
      }
      return sums;
    };
    const total = counts.reduce((all, { n }) => all + n, 0);
    return { total, states: sum("state"), waiting: sum("waiting") };
  }

  /** The secret is created with the first session. Queries before that store nothing. */
  #texts(): ListedText {
    if (this.#text !== null) return this.#text;
    const secret = this.#secret.read();
    if (secret === null) return new ListedText(new Uint8Array());
    this.#text = new ListedText(secret);
    return this.#text;
  }

  #ensureSecret(): void {
    if (this.#text === null) this.#secret.readOrCreate((bytes) => crypto.getRandomValues(bytes));
  }

  /** The socket of a client that follows the changes. */
  override async fetch(): Promise<Response> {
    return acceptSocket(this.ctx);
  }

  #notifyFollowers(): void {
    broadcast(this.ctx.getWebSockets(), "changed");
  }
}

const iso = (time: number): string => new Date(time).toISOString();

function viewOf(row: SessionRow, text: ListedText): ListedView {
  const { title, labels, externalId, key } = text.decode(row.objectIdHex, row.textHash, row.body);
  return {
    id: sessionIdFromHex(row.objectIdHex),
    title,
    state: row.state as State,
    waiting:
      row.waitingFor === null || row.waitingSince === null
        ? null
        : { for: row.waitingFor as WaitReason, since: iso(row.waitingSince) },
    labels,
    ...omitUndefined({ externalId, key }),
    createdAt: iso(createdAtOf(row.number)),
    changedAt: iso(row.changedAt),
    expiresAt: iso(row.expiresAt),
    seq: row.seq,
  };
}

/** Changes of a session that is purged by now are left out: its removal follows. */
function changeOf(row: ChangeRow, text: ListedText): readonly DirectoryChange[] {
  const { change: number, state, body } = row;
  if (state === null) {
    return [{ number, removed: true, session: { id: sessionIdFromHex(row.objectIdHex) } }];
  }
  return body === null ? [] : [{ number, session: viewOf({ ...row, state, body }, text) }];
}

/**
 * The rows of one endpoint: its settings, and one per delivery. A delivery is identified by its
 * session and seq, so a repeated notice writes nothing. Both tables are created with the endpoint.
 */
import type { DeliveryAttempt, DeliveryStatus } from "../domain/notices/delivery";
import { noticeSource, webhookIdOf, withoutContent } from "../domain/notices/notice";
import type { ControlMessage, Notice, OutgoingNotice } from "../domain/notices/notice";
import { LazyTable } from "./lazy-table";
import { bytesOrNull, numberOrNull } from "./cells";
import { ENDPOINT, ENDPOINT_SQL, type EndpointRow } from "./endpoint-row";
import type { SqlPort, SqlRow } from "./sql-port";

const COLUMNS = "n, session, seq, notice, link, status, next_at, made, attempts";

const SQL = {
  createDeliveries: `CREATE TABLE deliveries (
    n INTEGER PRIMARY KEY, session TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
    notice BLOB NOT NULL, link TEXT, status TEXT NOT NULL, next_at INTEGER, made INTEGER NOT NULL,
    attempts TEXT NOT NULL, UNIQUE (session, seq)
  )`,
  // It contains only what is still to be sent.
  createDue: `CREATE INDEX due ON deliveries (next_at) WHERE next_at IS NOT NULL`,
  known: `SELECT n FROM deliveries WHERE session = ? AND seq = ?`,
  insert: `INSERT INTO deliveries (session, seq, at, notice, link, status, next_at, made, attempts)
    VALUES (?, ?, ?, ?, ?, ?, ?, 0, '[]')`,
  due: `SELECT ${COLUMNS} FROM deliveries WHERE next_at <= ? ORDER BY n LIMIT ?`,
  nextAt: `SELECT MIN(next_at) AS at FROM deliveries WHERE next_at IS NOT NULL`,
  settled: `SELECT MIN(CASE WHEN status = 'pending' THEN seq END) AS open, MAX(seq) AS last
    FROM deliveries WHERE session = ?`,
  record: `UPDATE deliveries SET status = ?, next_at = ?, made = ?, attempts = ? WHERE n = ?`,
  attemptsOf: `SELECT attempts FROM deliveries WHERE n = ? AND session = ?`,
  giveUp: `UPDATE deliveries SET status = 'given_up', next_at = NULL WHERE status = 'pending'`,
  hold: `UPDATE deliveries SET next_at = NULL WHERE next_at IS NOT NULL`,
  release: `UPDATE deliveries SET next_at = ? WHERE status = 'pending' AND next_at IS NULL`,
  resend: `UPDATE deliveries SET status = 'pending', next_at = ?, made = 0
    WHERE session = ? AND seq = ? AND next_at IS NULL`,
  list: `SELECT ${COLUMNS} FROM deliveries WHERE n < ? ORDER BY n DESC LIMIT ?`,
  replayOne: `UPDATE deliveries SET status = 'pending', next_at = ?, made = 0 WHERE n = ?`,
  replaySince: `UPDATE deliveries SET status = 'pending', next_at = ?, made = 0 WHERE at >= ?`,
  forget: `DELETE FROM deliveries WHERE session = ? AND next_at IS NULL`,
  pendingOf: `SELECT ${COLUMNS} FROM deliveries WHERE session = ?`,
  thin: `UPDATE deliveries SET notice = ?, link = NULL WHERE n = ?`,
  ends: `SELECT MIN(n) AS first, MAX(n) AS last FROM deliveries`,
  evictOldest: `DELETE FROM deliveries WHERE n <= ? AND next_at IS NULL`,
  // An earlier gap that was held counts too; the end of a subscription has no position in the log.
  held: `SELECT MAX(seq) AS seq FROM deliveries
    WHERE n <= ? AND status = 'pending' AND next_at IS NULL AND session NOT LIKE 'msg_terminated%'`,
  insertAt: `INSERT OR REPLACE INTO deliveries (n, session, seq, at, notice, link, status, next_at,
    made, attempts) VALUES (?, ?, ?, ?, ?, NULL, 'pending', NULL, 0, '[]')`,
} as const;

/** Prefix of the ids of control messages; no session id starts with it. */
const CONTROL_PREFIX = "msg_";
/** Number of the newest attempts that are stored; a replay may add more. */
const MAX_ATTEMPTS_STORED = 20;

export interface Delivery extends OutgoingNotice {
  readonly number: number;
  readonly webhookId: string;
  readonly seq: number;
  readonly status: DeliveryStatus;
  readonly nextAt: number | null;
  /** Attempts since it was added or replayed. */
  readonly attemptCount: number;
  readonly attempts: readonly DeliveryAttempt[];
}

/** Makes texts unreadable in the bytes of deleted rows; its own inverse. */
type Mask = (label: string, bytes: Uint8Array) => Uint8Array;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class DeliveryStore extends LazyTable {
  protected readonly create = [ENDPOINT_SQL.create, SQL.createDeliveries, SQL.createDue];
  readonly #mask: Mask;

  constructor(sql: SqlPort, mask: Mask) {
    super(sql);
    this.#mask = mask;
  }

  /** Null if the endpoint was never created or was removed. */
  endpoint(): EndpointRow | null {
    const row = this.row(ENDPOINT_SQL.read);
    return row === undefined ? null : ENDPOINT.read(row);
  }

  save(row: EndpointRow): void {
    this.ensureTable();
    this.run(ENDPOINT_SQL.write, ...ENDPOINT.values(row));
  }

  /**
   * False if it is known already. `nextAt` is null for a delivery that is not sent automatically.
   */
  add(
    outgoing: OutgoingNotice,
    status: Exclude<DeliveryStatus, "delivered">,
    nextAt: number | null,
    now: number,
  ): boolean {
    const { notice, link } = outgoing;
    const { seq } = notice.data;
    const source = rowSourceOf(outgoing);
    if (this.run(SQL.known, source, seq).length > 0) return false;
    const body = this.#masked(outgoing);
    this.run(SQL.insert, source, seq, now, body, link ?? null, status, nextAt);
    return true;
  }

  #masked({ notice, control }: OutgoingNotice): Uint8Array {
    const content = control === undefined ? notice : { ...notice, control };
    const label = control?.id ?? webhookIdOf({ notice });
    return this.#mask(label, encoder.encode(JSON.stringify(content)));
  }

  readonly #toDelivery = (row: SqlRow): Delivery => {
    const source = String(row["session"]);
    const webhookId = source.startsWith(CONTROL_PREFIX) ? source : `${source}:${row["seq"]}`;
    const content = row["notice"];
    const text =
      typeof content === "string"
        ? content // Written before notices were masked.
        : decoder.decode(this.#mask(webhookId, bytesOrNull(content) ?? new Uint8Array()));
    const { control, ...notice } = JSON.parse(text) as Notice & {
      readonly control?: ControlMessage;
    };
    return {
      number: Number(row["n"]),
      webhookId,
      seq: Number(row["seq"]),
      notice,
      ...(control === undefined ? {} : { control }),
      ...(typeof row["link"] === "string" ? { link: row["link"] } : {}),
      status: row["status"] as DeliveryStatus,
      nextAt: numberOrNull(row["next_at"]),
      attemptCount: Number(row["made"]),
      attempts: JSON.parse(String(row["attempts"])) as readonly DeliveryAttempt[],
    };
  };

  /**
   * Deletes the oldest deliveries that are not to be sent, down to the limit. If some of them were
   * only held, `lost` returns the message that is held in their place.
   */
  evictOldest(
    limit: number,
    now: number,
    lost: (seq: number) => OutgoingNotice | null = () => null,
  ): void {
    const [ends] = this.run(SQL.ends);
    const upTo = Number(ends?.["last"] ?? 0) - limit;
    if (upTo < Number(ends?.["first"] ?? 0)) return;
    const seq = numberOrNull(this.run(SQL.held, upTo)[0]?.["seq"]);
    this.run(SQL.evictOldest, upTo);
    const outgoing = seq === null ? null : lost(seq);
    if (outgoing === null) return;
    this.run(SQL.insertAt, upTo, rowSourceOf(outgoing), seq, now, this.#masked(outgoing));
  }

  due(now: number, limit: number): readonly Delivery[] {
    return this.rows(SQL.due, now, limit).map(this.#toDelivery);
  }

  /** Up to this seq of a session every notice was delivered or given up; null if there is none. */
  settledSeq(sessionId: string): number | null {
    const row = this.row(SQL.settled, sessionId);
    const [open, last] = [numberOrNull(row?.["open"]), numberOrNull(row?.["last"])];
    return open === null ? last : open - 1;
  }

  nextAt(): number | null {
    return numberOrNull(this.row(SQL.nextAt)?.["at"]);
  }

  /** Stores the outcome of an attempt; `nextAt` is null if no further attempt is automatic. */
  record(
    delivery: Delivery,
    attempt: DeliveryAttempt,
    attemptCount: number,
    status: DeliveryStatus,
    nextAt: number | null,
  ): void {
    const { number } = delivery;
    const row = this.run(SQL.attemptsOf, number, rowSourceOf(delivery))[0];
    // Deleted while the attempt was in flight.
    if (row === undefined) return;
    const earlier = JSON.parse(String(row["attempts"])) as readonly DeliveryAttempt[];
    const attempts = JSON.stringify([...earlier, attempt].slice(-MAX_ATTEMPTS_STORED));
    this.run(SQL.record, status, nextAt, attemptCount, attempts, number);
  }

  giveUpPending(): void {
    this.run(SQL.giveUp);
  }

  /** Nothing is sent until `release`, and nothing is given up. */
  holdPending(): void {
    this.run(SQL.hold);
  }

  release(now: number): void {
    this.run(SQL.release, now);
  }

  /** Sends a known delivery again, whatever its status. */
  resend(outgoing: OutgoingNotice, now: number): void {
    this.run(SQL.resend, now, rowSourceOf(outgoing), outgoing.notice.data.seq);
  }

  /** Newest first, before the given number. */
  list(before: number, limit: number): readonly Delivery[] {
    return this.rows(SQL.list, before, limit).map(this.#toDelivery);
  }

  replayOne(number: number, now: number): void {
    this.run(SQL.replayOne, now, number);
  }

  replaySince(since: number, now: number): void {
    this.run(SQL.replaySince, now, since);
  }

  /** The session is purged. Pending deliveries keep the fact of the event, without its content. */
  forgetSession(sessionId: string): void {
    if (!this.exists()) return;
    this.run(SQL.forget, sessionId);
    for (const { number, notice } of this.run(SQL.pendingOf, sessionId).map(this.#toDelivery)) {
      this.run(SQL.thin, this.#masked({ notice: withoutContent(notice) }), number);
    }
  }
}

/** With the seq it identifies a row: the session, or the id of a control message. */
const rowSourceOf = ({ notice, control }: OutgoingNotice): string =>
  control?.id ?? noticeSource(notice);

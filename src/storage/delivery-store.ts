/**
 * The rows of one endpoint: itself, and one per delivery. A delivery is known by its session and seq,
 * so being told twice writes nothing. Both tables are made when the endpoint is.
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
  // Only what is still to be sent stands in it.
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
  again: `UPDATE deliveries SET status = 'pending', next_at = ?, made = 0
    WHERE session = ? AND seq = ? AND next_at IS NULL`,
  list: `SELECT ${COLUMNS} FROM deliveries WHERE n < ? ORDER BY n DESC LIMIT ?`,
  replayOne: `UPDATE deliveries SET status = 'pending', next_at = ?, made = 0 WHERE n = ?`,
  replaySince: `UPDATE deliveries SET status = 'pending', next_at = ?, made = 0 WHERE at >= ?`,
  forget: `DELETE FROM deliveries WHERE session = ? AND next_at IS NULL`,
  pendingOf: `SELECT ${COLUMNS} FROM deliveries WHERE session = ?`,
  thin: `UPDATE deliveries SET notice = ?, link = NULL WHERE n = ?`,
  ends: `SELECT MIN(n) AS first, MAX(n) AS last FROM deliveries`,
  makeRoom: `DELETE FROM deliveries WHERE n <= ? AND next_at IS NULL`,
  // An earlier gap that was held counts too; the end of a subscription has no place in the log.
  held: `SELECT MAX(seq) AS seq FROM deliveries
    WHERE n <= ? AND status = 'pending' AND next_at IS NULL AND session NOT LIKE 'msg_terminated%'`,
  insertAt: `INSERT OR REPLACE INTO deliveries (n, session, seq, at, notice, link, status, next_at,
    made, attempts) VALUES (?, ?, ?, ?, ?, NULL, 'pending', NULL, 0, '[]')`,
} as const;

/** How the ids of messages begin that are no notices; a session's begins otherwise. */
const CONTROL = "msg_";
/** Of this many the last are shown; a replay may add more. */
const ATTEMPTS_KEPT = 20;

export interface Delivery extends OutgoingNotice {
  readonly number: number;
  readonly webhookId: string;
  readonly seq: number;
  readonly status: DeliveryStatus;
  readonly nextAt: number | null;
  /** Attempts since it was told or replayed. */
  readonly attemptCount: number;
  readonly attempts: readonly DeliveryAttempt[];
}

/** Makes texts unreadable in what a database file keeps of deleted rows; its own inverse. */
type Mask = (place: string, bytes: Uint8Array) => Uint8Array;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class DeliveryStore extends LazyTable {
  protected readonly create = [ENDPOINT_SQL.create, SQL.createDeliveries, SQL.createDue];
  readonly #mask: Mask;

  constructor(sql: SqlPort, mask: Mask) {
    super(sql);
    this.#mask = mask;
  }

  /** Null where there is none: never made, or removed. */
  endpoint(): EndpointRow | null {
    const row = this.row(ENDPOINT_SQL.read);
    return row === undefined ? null : ENDPOINT.read(row);
  }

  save(row: EndpointRow): void {
    this.ensureTable();
    this.run(ENDPOINT_SQL.write, ...ENDPOINT.values(row));
  }

  /** False where it is known already. `nextAt` is null for what is not to be sent by itself. */
  add(
    ring: OutgoingNotice,
    status: Exclude<DeliveryStatus, "delivered">,
    nextAt: number | null,
    now: number,
  ): boolean {
    const { notice, link } = ring;
    const { seq } = notice.data;
    const source = rowSourceOf(ring);
    if (this.run(SQL.known, source, seq).length > 0) return false;
    const body = this.#masked(ring);
    this.run(SQL.insert, source, seq, now, body, link ?? null, status, nextAt);
    return true;
  }

  #masked({ notice, control }: OutgoingNotice): Uint8Array {
    const kept = control === undefined ? notice : { ...notice, control };
    const place = control?.id ?? webhookIdOf({ notice });
    return this.#mask(place, encoder.encode(JSON.stringify(kept)));
  }

  readonly #toDelivery = (row: SqlRow): Delivery => {
    const source = String(row["session"]);
    const webhookId = source.startsWith(CONTROL) ? source : `${source}:${row["seq"]}`;
    const kept = row["notice"];
    const text =
      typeof kept === "string"
        ? kept // Written before notices were masked.
        : decoder.decode(this.#mask(webhookId, bytesOrNull(kept) ?? new Uint8Array()));
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
   * The oldest that are not to be sent leave, so that at most `most` are kept. Where some of them were
   * only held, `lost` says for the last of these what is held in their place.
   */
  evictOldest(
    most: number,
    now: number,
    lost: (seq: number) => OutgoingNotice | null = () => null,
  ): void {
    const [ends] = this.run(SQL.ends);
    const upTo = Number(ends?.["last"] ?? 0) - most;
    if (upTo < Number(ends?.["first"] ?? 0)) return;
    const seq = numberOrNull(this.run(SQL.held, upTo)[0]?.["seq"]);
    this.run(SQL.makeRoom, upTo);
    const ring = seq === null ? null : lost(seq);
    if (ring === null) return;
    this.run(SQL.insertAt, upTo, rowSourceOf(ring), seq, now, this.#masked(ring));
  }

  due(now: number, limit: number): readonly Delivery[] {
    return this.rows(SQL.due, now, limit).map(this.#toDelivery);
  }

  /** Up to this seq of a session everything told was taken or given up; null where nothing was told. */
  settledSeq(sessionId: string): number | null {
    const row = this.row(SQL.settled, sessionId);
    const [open, last] = [numberOrNull(row?.["open"]), numberOrNull(row?.["last"])];
    return open === null ? last : open - 1;
  }

  nextAt(): number | null {
    return numberOrNull(this.row(SQL.nextAt)?.["at"]);
  }

  /** What an attempt came to; `nextAt` is null where none follows by itself. */
  record(
    delivery: Delivery,
    attempt: DeliveryAttempt,
    made: number,
    status: DeliveryStatus,
    nextAt: number | null,
  ): void {
    const { number } = delivery;
    const row = this.run(SQL.attemptsOf, number, rowSourceOf(delivery))[0];
    // Forgotten, or gone to make room, while it was under way.
    if (row === undefined) return;
    const earlier = JSON.parse(String(row["attempts"])) as readonly DeliveryAttempt[];
    const attempts = JSON.stringify([...earlier, attempt].slice(-ATTEMPTS_KEPT));
    this.run(SQL.record, status, nextAt, made, attempts, number);
  }

  giveUpPending(): void {
    this.run(SQL.giveUp);
  }

  /** Nothing goes until `release`, and nothing is given up. */
  holdPending(): void {
    this.run(SQL.hold);
  }

  release(now: number): void {
    this.run(SQL.release, now);
  }

  /** One that is known goes again, whatever became of it. */
  resend(ring: OutgoingNotice, now: number): void {
    this.run(SQL.again, now, rowSourceOf(ring), ring.notice.data.seq);
  }

  /** Newest first, those before the given number. */
  list(before: number, limit: number): readonly Delivery[] {
    return this.rows(SQL.list, before, limit).map(this.#toDelivery);
  }

  replayOne(number: number, now: number): void {
    this.run(SQL.replayOne, now, number);
  }

  replaySince(since: number, now: number): void {
    this.run(SQL.replaySince, now, since);
  }

  /** The session is gone. What is still to be sent says that it happened, and nothing of its content. */
  forgetSession(sessionId: string): void {
    if (!this.exists()) return;
    this.run(SQL.forget, sessionId);
    for (const { number, notice } of this.run(SQL.pendingOf, sessionId).map(this.#toDelivery)) {
      this.run(SQL.thin, this.#masked({ notice: withoutContent(notice) }), number);
    }
  }
}

/** With the seq it names a row: the session, or the id of a message that is no notice. */
const rowSourceOf = ({ notice, control }: OutgoingNotice): string =>
  control?.id ?? noticeSource(notice);

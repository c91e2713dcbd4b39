/** Jobs, in a table that is created with the first job: most sessions have none. */
import { jobDueAt, type Job } from "../domain/jobs/job";
import type { RequestHash } from "../domain/ids";
import type { Json } from "../domain/json";
import { assertFits } from "./row-size";
import { jsonCell, numberOrNull } from "./cells";
import { LazyTable } from "./lazy-table";
import type { SqlRow } from "./sql-port";

const SQL = {
  // Long columns are last: finding a row by the other columns then reads no overflow page.
  create: `CREATE TABLE jobs (
    number INTEGER PRIMARY KEY, status TEXT NOT NULL, due_at INTEGER, key TEXT, request TEXT,
    record TEXT NOT NULL, result TEXT, input TEXT NOT NULL
  )`,
  count: `SELECT MAX(number) AS number FROM jobs`,
  countOpen: `SELECT COUNT(*) AS n FROM jobs WHERE status IN ('pending', 'running')`,
  waiting: `SELECT COUNT(*) AS waiting FROM jobs WHERE status = 'pending'`,
  get: `SELECT record, result FROM jobs WHERE number = ?`,
  input: `SELECT input FROM jobs WHERE number = ?`,
  list: `SELECT record FROM jobs WHERE number > ? ORDER BY number LIMIT 20`,
  open: `SELECT record FROM jobs WHERE status IN ('pending', 'running') ORDER BY number`,
  hasOpen: `SELECT 1 FROM jobs WHERE status IN ('pending', 'running') LIMIT 1`,
  due: `SELECT record FROM jobs WHERE due_at <= ? ORDER BY number`,
  nextDue: `SELECT MIN(due_at) AS due FROM jobs`,
  byKey: `SELECT number, request FROM jobs WHERE key = ?`,
  insert: `INSERT INTO jobs (number, status, due_at, key, request, record, result, input)
    VALUES (?, ?, ?, ?, ?, ?, NULL, ?)`,
  update: `UPDATE jobs SET status = ?, due_at = ?, record = ?, result = COALESCE(?, result)
    WHERE number = ?`,
} as const;

/** Rows that `list` reads at once. */
const STEP = 20;

export interface StoredJob {
  readonly job: Job;
  readonly result: Json | undefined;
}

interface JobKey {
  readonly hash: string;
  readonly request: RequestHash;
}

export class JobStore extends LazyTable {
  protected readonly create = SQL.create;

  /** Number of jobs ever submitted. */
  count(): number {
    return Number(this.row(SQL.count)?.["number"] ?? 0);
  }

  /** Number of jobs that have not ended. */
  countOpen(): number {
    return Number(this.row(SQL.countOpen)?.["n"] ?? 0);
  }

  /** Number of jobs that wait for an executor. */
  waiting(): number {
    return Number(this.row(SQL.waiting)?.["waiting"] ?? 0);
  }

  get(number: number): StoredJob | null {
    const row = this.row(SQL.get, number);
    return row === undefined ? null : toStored(row);
  }

  input(number: number): Json {
    return JSON.parse(String(this.run(SQL.input, number)[0]?.["input"] ?? "null")) as Json;
  }

  /** Oldest first, after the given number. Read in batches, because a job can be long. */
  *after(number: number): Generator<Job> {
    for (let last = number, rows; ; ) {
      rows = this.rows(SQL.list, last);
      for (const row of rows) {
        const { job } = toStored(row);
        last = job.number;
        yield job;
      }
      if (rows.length < STEP) return;
    }
  }

  open(): readonly Job[] {
    return this.rows(SQL.open).map((row) => toStored(row).job);
  }

  hasOpen(): boolean {
    return this.rows(SQL.hasOpen).length > 0;
  }

  dueAt(now: number): readonly Job[] {
    return this.rows(SQL.due, now).map((row) => toStored(row).job);
  }

  nextDue(): number | null {
    return numberOrNull(this.row(SQL.nextDue)?.["due"]);
  }

  byKey(hash: string): { readonly number: number; readonly request: string } | null {
    const row = this.row(SQL.byKey, hash);
    return row === undefined
      ? null
      : { number: Number(row["number"]), request: String(row["request"]) };
  }

  insert(job: Job, input: Json, key: JobKey | null): void {
    this.ensureTable();
    const record = JSON.stringify(job);
    const text = JSON.stringify(input);
    assertFits([record, text], "the job as it would be stored");
    const { number, status } = job;
    const values = [
      number,
      status,
      jobDueAt(job),
      key?.hash ?? null,
      key?.request ?? null,
    ] as const;
    this.run(SQL.insert, ...values, record, text);
  }

  update(job: Job, result?: Json): void {
    const record = JSON.stringify(job);
    const text = result === undefined ? null : JSON.stringify(result);
    this.run(SQL.update, job.status, jobDueAt(job), record, text, job.number);
  }
}

const toStored = ({ record = null, result }: SqlRow): StoredJob => ({
  job: jsonCell<Job>(record),
  result: typeof result === "string" ? jsonCell<Json>(result) : undefined,
});

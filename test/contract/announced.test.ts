/**
 * What is announced is what is committed, also where storage fails in the middle: every kind of
 * commit is tried with every one of its statements failing, and with a session that is full.
 */
import { describe, expect, it } from "vitest";
import { encodeBatch, type EventBatch } from "../../src/domain/log/append";
import type { AgentEntry } from "../../src/domain/jobs/agents";
import { sessionIdFromHex, type TokenHash } from "../../src/domain/ids";
import { LIMITS } from "../../src/domain/limits";
import { ok } from "../../src/domain/result";
import { DEFAULT_SETTINGS } from "../../src/domain/settings";
import type { SessionContext } from "../../src/object/session-context";
import { recordExpiry } from "../../src/object/due-tasks";
import { settleOverdueJobs } from "../../src/object/overdue-jobs";
import { executeWrite, executeAppend } from "../../src/object/write-handlers";
import { BlobStore } from "../../src/storage/blob-store";
import { CheckpointStore } from "../../src/storage/checkpoint-store";
import { JobStore } from "../../src/storage/job-store";
import { RowTooLarge } from "../../src/storage/row-size";
import { OnceStore } from "../../src/storage/once-store";
import { PrivateStore } from "../../src/storage/private-store";
import { SessionStore } from "../../src/storage/session-store";
import type { SqlPort } from "../../src/storage/sql-port";
import { UploadStore } from "../../src/storage/upload-store";
import { openSqlite } from "../support/sqlite-port";
import type { Announcement } from "../support/model/history";
import { announcementProblems } from "../support/model/laws/log";
import { readStored } from "../support/model/stored";

const NOW = Date.UTC(2026, 0, 1);
const PRINCIPAL = "principal";
const hash = (name: string): TokenHash => `hash of ${name}` as TokenHash;
const credential = { participant: 1, issuedSeq: 1, hash: hash("first") };
const ticks = (count: number): EventBatch =>
  encodeBatch(Array.from({ length: count }, () => ({ type: "play.tick", payload: {} })));

/** A session of its own, with a disk that can be told to fail. */
class Rig {
  readonly announced: Announcement[] = [];
  readonly room: SessionContext;
  readonly #sql: SqlPort;
  /** Statements from now on until one fails; 0: none does. */
  #failsIn = 0;

  constructor() {
    const sql = openSqlite();
    this.#sql = {
      run: (statement, ...values) => {
        if (this.#failsIn > 0 && --this.#failsIn === 0) throw new Error("disk I/O error");
        return sql.run(statement, ...values);
      },
      transaction: (body) => sql.transaction(body),
    };
    const id = sessionIdFromHex("ab".repeat(32));
    this.room = {
      id,
      store: new SessionStore(this.#sql, id),
      checkpoints: new CheckpointStore(this.#sql),
      uploads: new UploadStore(this.#sql),
      blobs: new BlobStore(this.#sql),
      jobs: new JobStore(this.#sql),
      privates: new PrivateStore(this.#sql),
      onces: new OnceStore(this.#sql),
      tombstone: () => null,
      resolveOrigin: (from = { address: null, principal: null }) => from,
      settings: () => DEFAULT_SETTINGS,
      canCreateSession: () => true,
      agents: () => ok<readonly AgentEntry[]>([{ name: "worker" }]),
      random: () => 0.5,
      online: () => new Set(),
      announce: ({ commit: { first, last }, text }) => this.announced.push({ first, last, text }),
    };
    const arcp = { principal: PRINCIPAL, closePolicy: "keep", watching: WATCHING } as const;
    const begun = { args: {}, token: credential.hash, request: null, sealed: null, arcp };
    expect(executeWrite(this.room, { kind: "create", ...begun }, NOW)).toMatchObject({ ok: true });
  }

  /** Fills the session's row to within a few bytes. */
  fill(): void {
    const { store } = this.room;
    for (let length: number = LIMITS.rowBytes; ; length -= 20) {
      const loaded = store.load();
      if (loaded === null) throw new Error("there is a session");
      const session = { ...loaded.session, title: "x".repeat(length) };
      try {
        return store.transaction(() => store.update({ ...loaded, session }));
      } catch (error) {
        if (!(error instanceof RowTooLarge)) throw error;
      }
    }
  }

  failIn(statements: number): void {
    this.#failsIn = statements;
  }

  check(): void {
    this.#failsIn = 0;
    const { commits } = readStored(this.#sql);
    expect(announcementProblems({ announcements: this.announced, commits })).toEqual([]);
  }
}

const WATCHING = [{ jobId: "job_elsewhere", cursor: 0 }] as const;
const command = { credential, ifMatch: null, request: null, made: hash("made"), sealed: null };
const submission = { agent: "worker", input: 1 };
const job = { number: 1, epoch: 1, hash: hash("job") };

/** What commits, with what must have happened before. */
const COMMITS: Readonly<Record<string, readonly ((rig: Rig) => unknown)[]>> = {
  "a write": [
    ({ room }) =>
      executeWrite(
        room,
        {
          kind: "command",
          ...command,
          command: { operation: "setFields", fields: { a: 1 } },
          next: hash("second"),
          child: null,
        },
        NOW,
      ),
  ],
  "a resume": [
    ({ room }) =>
      executeWrite(
        room,
        {
          kind: "command",
          ...command,
          command: { operation: "resume" },
          next: hash("second"),
          child: null,
        },
        NOW,
      ),
  ],
  "an append": [
    ({ room }) =>
      executeAppend(
        room,
        { credential, batch: ticks(3), expectedHead: null, ifMatch: null, key: null },
        NOW,
      ),
  ],
  "an append that moves the end of its session": [
    ({ room: { store } }) => {
      const loaded = store.load();
      if (loaded === null) throw new Error("there is a session");
      const session = { ...loaded.session, idleTtlMs: 2 * DEFAULT_SETTINGS.defaultTtlMs };
      store.transaction(() => store.update({ ...loaded, session }));
    },
    ({ room, announced }) => {
      const append = { credential, batch: ticks(3), expectedHead: null, ifMatch: null, key: null };
      const before = announced.length;
      const reply = executeAppend(room, append, NOW);
      if (reply.ok) expect(announced).toHaveLength(before + 2);
      return reply;
    },
  ],
  "a stop": [
    ({ room }) =>
      executeWrite(
        room,
        { kind: "reportStop", credential, report: { reason: "unknown", attempt: 1 }, key: null },
        NOW,
      ),
  ],
  "a job, from its submission to its end": [
    ({ room }) => executeWrite(room, { kind: "submitJob", credential, submission, key: null }, NOW),
    ({ room }) => {
      const claim = { number: 1, agent: "worker", token: job.hash, leaseMs: 1_000 };
      return executeWrite(room, { kind: "claimJob", ...claim }, NOW);
    },
    ({ room }) => {
      const report = { what: "events", events: [{ kind: "log", body: {} }] } as const;
      return executeWrite(room, { kind: "reportJob", credential: job, report, batch: null }, NOW);
    },
    ({ room }) => settleOverdueJobs(room, NOW + 10_000),
  ],
  "a resume over ARCP": [
    ({ room }) =>
      executeWrite(
        room,
        {
          kind: "arcpResume",
          credential,
          principal: PRINCIPAL,
          lastEventSeq: 0,
          next: hash("second"),
        },
        NOW,
      ),
  ],
  "events of a job elsewhere": [
    ({ room }) =>
      executeWrite(
        room,
        {
          kind: "mirrorEvents",
          credential,
          jobId: "job_elsewhere",
          after: 0,
          upTo: 9,
          events: [{ type: "job.event", payload: { eventSeq: 1, jobId: "job_elsewhere" } }],
        },
        NOW,
      ),
  ],
  "an expiry": [({ room }) => recordExpiry(room, NOW + DEFAULT_SETTINGS.defaultTtlMs)],
};

const MOST_STATEMENTS = 12;

describe.each(Object.entries(COMMITS))("%s", (_, steps) => {
  it("is announced as it is committed", () => {
    const rig = new Rig();
    const before = rig.announced.length;
    for (const step of steps) step(rig);
    expect(rig.announced.length).toBeGreaterThan(before);
    rig.check();
  });

  it("is announced only if it is committed, whichever of its statements fails", () => {
    for (const failing of steps.keys()) {
      for (let statement = 1; statement <= MOST_STATEMENTS; statement++) {
        const rig = new Rig();
        for (const step of steps.slice(0, failing)) step(rig);
        rig.failIn(statement);
        try {
          steps[failing]?.(rig);
        } catch (error) {
          expect(String(error)).toContain("disk I/O error");
        }
        rig.check();
      }
    }
  });
});

describe("a session that is full", () => {
  it.each(["a resume over ARCP", "a resume", "events of a job elsewhere", "a stop"])(
    "still takes %s, which adds no content to it",
    (name) => {
      const rig = new Rig();
      rig.fill();
      expect(COMMITS["a write"]?.[0]?.(rig)).toMatchObject({
        ok: false,
        failure: { code: "too_large" },
      });
      const [step] = COMMITS[name] ?? [];
      expect(step?.(rig)).toMatchObject({ ok: true });
      rig.check();
    },
  );
});

/**
 * The chain contract of every SQLite under the storage port. The hashes are computed here a second
 * time from the exported text alone, as an external verifier would.
 */
import { createHash } from "node:crypto";
import { expect } from "vitest";
import { sessionIdFromHex } from "../../src/domain/ids";
import { numberEvents } from "../../src/domain/log/commit";
import { encodeEvents } from "../../src/domain/log/event-line";
import type { Session } from "../../src/domain/session/session";
import { evidenceAfter } from "../../src/storage/evidence";
import { MIGRATIONS } from "../../src/storage/migrations";
import { SessionStore } from "../../src/storage/session-store";
import type { SqlPort } from "../../src/storage/sql-port";
import type { StorageCase } from "./storage-contract";

const ID = sessionIdFromHex("ab".repeat(32));
const NOW = Date.UTC(2026, 4, 1);
const ACTOR = { kind: "agent", id: "Ünïcode “one” 🎈" } as const;

const sha = (...parts: readonly (string | Buffer)[]): Buffer => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

function createStore(sql: SqlPort): { store: SessionStore; session: Session } {
  const store = new SessionStore(sql, ID);
  const created = {
    type: "session.created",
    payload: {
      title: null,
      schema: null,
      review: { required: false, approvals: 1 },
      nextStep: null,
      expiresAt: new Date(NOW + 60_000).toISOString(),
      retentionMs: 1_000,
      policy: null,
      parent: null,
    },
    movesVersion: true,
    state: "draft",
  } as const;
  const commit = numberEvents(null, 0, [created], { actor: ACTOR, number: 1 }, NOW);
  store.transaction(() => {
    store.migrate();
    const loaded = { session: commit.session, participants: [], plan: null };
    store.insert(loaded, { request: null, sealed: null });
    const text = encodeEvents(commit.events);
    store.insertCommit({ commit, text, at: NOW, participant: 1, writer: "owner", issued: [] });
  });
  return { store, session: commit.session };
}

function append(store: SessionStore, session: Session, types: readonly string[], key?: string) {
  const facts = types.map((type) => ({ type, payload: { text: "two\nlines, “é”" } }));
  const commit = numberEvents(session, store.head(), facts, { actor: ACTOR, number: 1 }, NOW);
  store.insertCommit({
    commit,
    text: encodeEvents(commit.events),
    at: NOW,
    participant: key === undefined ? null : 2,
    writer: "server",
    issued: [],
    append: key === undefined ? undefined : { key, request: "r" as never },
  });
}

const linesOf = (store: SessionStore, after = 0, until = Infinity): readonly string[] =>
  [...evidenceAfter(store, ID, after, until)].map(({ text }) => text);

/** Follows the chain through exported lines; returns its end and which seqs are whole. */
function follow(lines: readonly string[]): { chain: string; whole: number[]; hashed: number[] } {
  let chain: Buffer = Buffer.from(ID);
  let at = 0;
  const whole: number[] = [];
  const hashed: number[] = [];
  for (const line of lines) {
    const [, body = "", stated = ""] =
      /^\{"commit":(.*),"chain":"([0-9a-f]{64})"\}$/s.exec(line) ?? [];
    if (body !== "") {
      chain = sha(chain, sha(body));
      expect(chain.toString("hex")).toBe(stated);
      const { first, last, events } = JSON.parse(body);
      expect([first, events.length]).toEqual([at + 1, last - first + 1]);
      whole.push(first);
      at = last;
      continue;
    }
    for (const [first, last, bodyHash] of JSON.parse(line).trimmed) {
      expect(first).toBe(at + 1);
      chain = sha(chain, Buffer.from(bodyHash, "hex"));
      hashed.push(first);
      at = last;
    }
  }
  return { chain: chain.toString("hex"), whole, hashed };
}

/** Computes what a trim's event must record, from the exported lines alone. */
function removedIn(lines: readonly string[]): object {
  const entries: readonly [number, number, string][] = lines.flatMap(
    (line) => JSON.parse(line).trimmed ?? [],
  );
  return {
    commits: entries.length,
    events: entries.reduce((sum, [first, last]) => sum + last - first + 1, 0),
    sha256: sha(JSON.stringify(entries)).toString("hex"),
  };
}

/** Trims, and checks that an export then lists exactly what `removedByTrim` returned before. */
function trim(store: SessionStore, upTo: number): void {
  const removed = store.removedByTrim(upTo);
  expect(store.removedByTrim(upTo)).toEqual(removed);
  store.trim(upTo);
  expect(removedIn(linesOf(store))).toEqual(removed);
}

const endOf = (store: SessionStore): string => Buffer.from(store.chain()).toString("hex");

export const CHAIN_CASES: Readonly<Record<string, StorageCase>> = {
  "each row links its exported bytes to the previous row, starting with the id"(sql) {
    const { store, session } = createStore(sql);
    append(store, session, ["a.b", "a.c"]);
    append(store, session, ["session.paused"], "key");
    const { chain, whole } = follow(linesOf(store));
    expect(whole).toEqual([1, 2, 4]);
    expect(chain).toBe(endOf(store));
    expect(endOf(new SessionStore(sql, ID))).toBe(chain);
    expect(linesOf(store)[2]).toContain('"participant":"par_2"');
    const rows = sql.run(`SELECT body_hash FROM commits ORDER BY first_seq`);
    const bodies = linesOf(store).map((line) => /^\{"commit":(.*),"chain":/s.exec(line)?.[1] ?? "");
    expect(rows.map((row) => Buffer.from(row["body_hash"] as Uint8Array).toString("hex"))).toEqual(
      bodies.map((body) => sha(body).toString("hex")),
    );
  },

  "a commit that is undone leaves the chain unchanged"(sql) {
    const { store, session } = createStore(sql);
    const before = endOf(store);
    const undone = () =>
      store.transaction(() => {
        append(store, session, ["a.b"]);
        throw new Error("undo");
      });
    expect(undone).toThrow("undo");
    expect(endOf(store)).toBe(before);
    append(store, session, ["a.b"]);
    expect(follow(linesOf(store)).chain).toBe(endOf(store));
  },

  "a trim leaves one row with the hashes of the removed commits, and the chain continues over it"(
    sql,
  ) {
    const { store, session } = createStore(sql);
    for (const types of [["a.b"], ["a.c", "a.d"], ["session.paused"], ["a.e"]]) {
      append(store, session, types);
    }
    const whole = follow(linesOf(store));
    trim(store, 6);
    expect(sql.run(`SELECT first_seq, last_seq FROM trimmed_commits`)).toEqual([
      { first_seq: 2, last_seq: 6 },
    ]);
    append(store, session, ["resume.due"]);
    const lines = linesOf(store);
    const trimmed = follow(lines);
    expect(trimmed).toMatchObject({ whole: [1, 5, 7], hashed: [2, 3, 6] });
    expect(trimmed.chain).toBe(endOf(store));
    expect(trimmed.chain).not.toBe(whole.chain);
    expect(lines.map((line) => Object.keys(JSON.parse(line))[0])).toEqual([
      "commit",
      "trimmed",
      "commit",
      "trimmed",
      "commit",
    ]);
  },

  "trims that overlap, because a keyed append was spared, are exported in the order of the log"(
    sql,
  ) {
    const { store, session } = createStore(sql);
    append(store, session, ["a.b"]);
    append(store, session, ["a.b"], "spared");
    append(store, session, ["a.b"]);
    trim(store, 4);
    for (let count = 0; count < 1_024; count++) append(store, session, ["a.b"]);
    append(store, session, ["resume.due"]);
    trim(store, store.head());
    expect(store.removedByTrim(store.head())).toMatchObject({ commits: 1_027, events: 1_027 });
    const { chain, whole, hashed } = follow(linesOf(store));
    expect(chain).toBe(endOf(store));
    expect(whole).toEqual([1, 1_029]);
    expect(hashed).toEqual(Array.from({ length: 1_027 }, (_, index) => index + 2));
    // Each exported line contains at most a thousand.
    expect(linesOf(store)).toHaveLength(4);
    expect(sql.run(`SELECT first_seq FROM trimmed_commits`)).toHaveLength(2);
  },

  "a trim that spares every commit leaves an empty list, or the list of the trim before it"(sql) {
    const { store, session } = createStore(sql);
    append(store, session, ["a.b"], "spared");
    trim(store, 2);
    expect(store.removedByTrim(2)).toEqual(removedIn([]));
    append(store, session, ["a.b", "a.c"]);
    append(store, session, ["a.d"], "spared too");
    trim(store, 4);
    const { sha256 } = store.removedByTrim(4);
    trim(store, 5);
    expect(store.removedByTrim(5)).toEqual({ commits: 1, events: 2, sha256 });
  },

  "the digest of trimmed commits is right over several chunks, rows and lines"(sql) {
    const { store, session } = createStore(sql);
    for (let count = 0; count < 2_500; count++) append(store, session, ["a.b"]);
    trim(store, 900);
    trim(store, store.head() - 1);
    expect(store.removedByTrim(1)).toMatchObject({ commits: 2_499 });
  },

  "the rows that trims leave count towards the bytes of the log"(sql) {
    const { store, session } = createStore(sql);
    const before = store.logBytes();
    append(store, session, ["a.b"]);
    append(store, session, ["a.b"]);
    store.trim(3);
    expect(store.logBytes()).toBe(before + 2 * 42);
  },

  "the lines can be read in parts, split at every seq where a line ends"(sql) {
    const { store, session } = createStore(sql);
    for (const types of [["a.b"], ["a.c"], ["session.paused"], ["a.d"], ["resume.due"]]) {
      append(store, session, types);
    }
    store.trim(5);
    const all = [...evidenceAfter(store, ID, 0, Infinity)];
    for (const { last } of all) {
      const parts = [...linesOf(store, 0, last), ...linesOf(store, last)];
      expect(parts).toEqual(all.map(({ text }) => text));
    }
  },

  "data from before the chain gets one with its migration"(sql) {
    for (const step of MIGRATIONS.slice(0, 2).flat()) sql.run(step as string);
    sql.run(`INSERT INTO session (id, schema_version, state, paused, version, fields, field_meta,
      review, created_at, created_by, updated_at, updated_by, expires_at, retention_ms, revoked,
      automation, children, checkpoints_made, participants)
      VALUES (1, 2, 'draft', 0, 1, '{}', '{}', '{}', '2026-05-01T00:00:00.000Z', '{}',
      '2026-05-01T00:00:00.000Z', '{}', 9000000000000, 1000, '[]', '{}', '[]', 0, '[]')`);
    const insert = (first: number, last: number) =>
      sql.run(
        `INSERT INTO commits (first_seq, last_seq, at, actor, state, version, trimmable, events)
          VALUES (?, ?, 1, '{}', 'draft', 1, 1, ?)`,
        first,
        last,
        Array.from({ length: last - first + 1 }, () => '{"é":1}').join("\n"),
      );
    for (let seq = 1; seq <= 200; seq += 2) insert(seq, seq + 1);
    const store = new SessionStore(sql, ID);
    expect(store.exists()).toBe(true);
    const { chain, whole } = follow(linesOf(store));
    expect(chain).toBe(endOf(store));
    expect(whole).toHaveLength(100);
    trim(store, 100);
    expect(follow(linesOf(store))).toMatchObject({ chain, hashed: { length: 50 } });
  },
};

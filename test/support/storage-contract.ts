/**
 * The contract of every SQLite under the storage port. The same cases run on node:sqlite and inside the
 * object, so that a result on one also holds for the other.
 */
import { expect } from "vitest";
import type { Actor } from "../../src/domain/participants/actor";
import { numberEvents } from "../../src/domain/log/commit";
import { encodeEvents, eventsIn } from "../../src/domain/log/event-line";
import type { NewServerEvent } from "../../src/domain/log/event";
import type { CheckpointMeta, NewCheckpoint } from "../../src/domain/checkpoints/checkpoint";
import type { ChildPlan } from "../../src/domain/checkpoints/fork";
import { sessionIdFromHex, type RequestHash, type TokenHash } from "../../src/domain/ids";
import { LIMITS } from "../../src/domain/limits";
import type { Participant } from "../../src/domain/participants/participant";
import type { Session } from "../../src/domain/session/session";
import { CheckpointStore } from "../../src/storage/checkpoint-store";
import { readPage } from "../../src/storage/log-page";
import { SCHEMA_VERSION, storedVersion } from "../../src/storage/migrations";
import { RowTooLarge } from "../../src/storage/row-size";
import { SessionStore } from "../../src/storage/session-store";
import type { SqlPort } from "../../src/storage/sql-port";
import { writeTombstone, readTombstone } from "../../src/storage/tombstone";

/** Each case gets empty storage. */
export type StorageCase = (sql: SqlPort) => void;

const NOW = Date.UTC(2026, 4, 1);
const AGENT: Actor = { kind: "agent", id: "agent-1", name: "Ünïcode “one”" };
const ROBOT: Actor = { kind: "agent", id: "robot" };
const TABLES = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'`;
const SESSION_ID = sessionIdFromHex("ab".repeat(32));
const request = "request hash" as RequestHash;
const hash = (name: string): TokenHash => `hash of ${name}` as TokenHash;

const CREATED: NewServerEvent = {
  type: "session.created",
  payload: {
    title: 'A "title"\nin two lines, 🎈',
    schema: { type: "object", properties: { "a/b": { type: "string" } } },
    review: { required: true, approvals: 2 },
    nextStep: { step: 3, description: "go on", stepsCompleted: [1, 2] },
    expiresAt: new Date(NOW + 60_000).toISOString(),
    retentionMs: 1_000,
    policy: { keepCheckpoints: 3, strategies: { unknown: "new_session" } },
    parent: { sessionId: "ses_parent", seq: 7, reason: "context “full”" },
  },
  movesVersion: true,
  state: "draft",
};

const participant = (number: number, more: Partial<Participant> = {}): Participant => ({
  number,
  actor: AGENT,
  scopes: ["view", "append"],
  madeBy: number === 1 ? null : 1,
  note: null,
  createdAt: NOW,
  expiresAt: null,
  tokenSeq: 1,
  tokenHash: hash(`token of ${number}`),
  fenceSeq: 1,
  seenVersion: 1,
  cursor: 1,
  filled: false,
  last: null,
  ...more,
});

/** A store with a session that was created by one commit. */
function createStore(sql: SqlPort): { store: SessionStore; session: Session } {
  const store = new SessionStore(sql, SESSION_ID);
  const commit = numberEvents(null, 0, [CREATED], { actor: AGENT, number: 1 }, NOW);
  store.transaction(() => {
    store.migrate();
    store.insert(
      { session: commit.session, participants: [participant(1)], plan: null },
      { request: null, sealed: null },
    );
    const issued = [{ participant: 1, hash: hash("first") }];
    const text = encodeEvents(commit.events);
    store.insertCommit({ commit, text, at: NOW, participant: 1, writer: "owner", issued });
  });
  return { store, session: commit.session };
}

const checkpoint = (number: number, more: Partial<CheckpointMeta> = {}): NewCheckpoint => {
  const body = JSON.stringify({ title: `Nr. ${number}, “früh”`, fields: { number } });
  return {
    meta: {
      number,
      name: `name ${number}`,
      seq: number,
      version: 1,
      at: NOW + number,
      automatic: false,
      pinned: false,
      bytes: body.length,
      sha256: `sha of ${number}`,
      madeBy: null,
      ...more,
    },
    body,
    replaces: null,
  };
};

interface AppendOptions {
  readonly text?: string;
  readonly at?: number;
  readonly actor?: Actor;
  readonly by?: number;
  readonly key?: string;
}

const TRICKY = 'tricky "type":"x.y", \n end';

function append(
  store: SessionStore,
  session: Session,
  types: readonly string[],
  { text: payloadText = TRICKY, at = NOW, actor = AGENT, by = 1, key }: AppendOptions = {},
): void {
  const facts = types.map((type) => ({ type, payload: { text: payloadText } }));
  const commit = numberEvents(session, store.head(), facts, { actor, number: 1 }, at);
  const text = encodeEvents(commit.events);
  store.insertCommit({
    commit,
    text,
    at,
    participant: by,
    writer: "owner",
    issued: [],
    append: key === undefined ? undefined : { key, request },
  });
}

/** The state on disk, read by a store without a cache. */
const stored = (sql: SqlPort): SessionStore => new SessionStore(sql, SESSION_ID);

const tables = (sql: SqlPort): readonly unknown[] => sql.run(TABLES).map((row) => row["name"]);

export const STORAGE_CASES: Readonly<Record<string, StorageCase>> = {
  "reading from empty storage creates nothing"(sql) {
    const store = new SessionStore(sql, SESSION_ID);
    expect(store.exists()).toBe(false);
    expect(readTombstone(sql)).toBeNull();
    expect(tables(sql)).toEqual([]);
  },

  "migrating twice changes nothing and the stored version is the newest"(sql) {
    const { store } = createStore(sql);
    const before = tables(sql);
    store.migrate();
    expect(tables(sql)).toEqual(before);
    expect(storedVersion(sql)).toBe(SCHEMA_VERSION);
    expect(new SessionStore(sql, SESSION_ID).exists()).toBe(true);
  },

  "a session is read as it was stored, with any text"(sql) {
    const { session } = createStore(sql);
    expect(stored(sql).load()).toEqual({ session, participants: [participant(1)], plan: null });
  },

  "an update changes every mutable column and no fixed one"(sql) {
    const { store, session } = createStore(sql);
    const changed: Session = {
      ...session,
      state: "cancelled",
      paused: true,
      version: 9,
      title: null,
      fields: { "näme/~%": { deep: [1, "zwei", null, 1e-7] }, constructor: "own" },
      fieldMeta: { constructor: { actor: ROBOT, at: "2026-01-01T00:00:00.000Z", confidence: 0.5 } },
      review: { required: true, approvals: 2, approvedBy: [], rejectedBecause: "no" },
      nextStep: null,
      updatedAt: "2026-01-02T00:00:00.000Z",
      updatedBy: ROBOT,
      expiresAt: NOW + 9,
      endedAt: NOW + 5,
      revoked: [2, 3],
      automation: {
        resumeAt: NOW + 3,
        attempt: 2,
        failures: [NOW, NOW + 1],
        suspended: true,
        lastStopSeq: 4,
      },
      children: [{ sessionId: sessionIdFromHex("cd".repeat(32)), seq: 6 }],
      checkpointsMade: 11,
      trimmed: { floor: 5, checkpoint: { id: "chk_2", name: "Früh", seq: 6 } },
    };
    store.update({ session: changed, participants: [participant(1)], plan: null });
    expect(stored(sql).load()?.session).toEqual(changed);
    const fixed = {
      schema: null,
      createdAt: "x",
      createdBy: ROBOT,
      retentionMs: 7,
      policy: null,
      parent: null,
    };
    store.update({ session: { ...changed, ...fixed }, participants: [participant(1)], plan: null });
    expect(stored(sql).load()?.session).toEqual(changed);
  },

  "a promised child stays in the row until it is removed"(sql) {
    const { store, session } = createStore(sql);
    const { title, fields, fieldMeta, nextStep, schema, policy } = session;
    const plan: ChildPlan = {
      childHex: "cd".repeat(32),
      token: hash("child"),
      actor: AGENT,
      document: { title, fields, fieldMeta, nextStep },
      schema,
      review: { required: true, approvals: 2 },
      policy,
      parent: { sessionId: sessionIdFromHex("ab".repeat(32)), seq: 1, reason: "full" },
    };
    store.update({ session, participants: [participant(1)], plan });
    expect(stored(sql).load()?.plan).toEqual(plan);
    store.update({ session, participants: [participant(1)], plan: null });
    expect(stored(sql).load()?.plan).toBeNull();
  },

  "a row that would be too large is refused, and the writes of its transaction are undone"(sql) {
    const { store, session } = createStore(sql);
    const before = store.load();
    const pad = "€".repeat(Math.ceil(LIMITS.rowBytes / 3));
    const body = () => {
      append(store, session, ["a.b"]);
      store.update({
        session: { ...session, fields: { pad } },
        participants: [participant(1)],
        plan: null,
      });
    };
    expect(() => store.transaction(body)).toThrow(RowTooLarge);
    expect(() => append(store, session, ["a.b"], { text: pad })).toThrow(RowTooLarge);
    expect(store.load()).toEqual(before);
    expect(store.head()).toBe(1);
  },

  "the first checkpoint creates the table, and checkpoints are read as they were stored"(sql) {
    createStore(sql);
    const checkpoints = new CheckpointStore(sql);
    const without = tables(sql);
    expect(checkpoints.list()).toEqual([]);
    expect(checkpoints.body(1)).toBeNull();
    expect(tables(sql)).toEqual(without);
    const one = checkpoint(1, { automatic: true });
    const two = checkpoint(2, { pinned: true });
    for (const each of [two, one]) checkpoints.save(each);
    expect(checkpoints.list()).toEqual([one.meta, two.meta]);
    expect([1, 2, 3].map((number) => checkpoints.body(number))).toEqual([one.body, two.body, null]);
  },

  "a checkpoint replaces another, is pinned and is removed"(sql) {
    createStore(sql);
    const checkpoints = new CheckpointStore(sql);
    const [one, two, three] = [1, 2, 3].map((number) => checkpoint(number)) as NewCheckpoint[];
    for (const each of [one, two]) checkpoints.save(each!);
    checkpoints.save({ ...three!, replaces: 1 });
    expect(checkpoints.list()).toEqual([two!.meta, three!.meta]);
    expect(checkpoints.body(3)).toBe(three!.body);
    checkpoints.pin(2, true);
    expect(checkpoints.list()[0]).toEqual({ ...two!.meta, pinned: true });
    checkpoints.pin(2, false);
    checkpoints.remove(3);
    expect(checkpoints.list()).toEqual([two!.meta]);
  },

  "trimming removes only commits of client and job events, and none above its seq"(sql) {
    const { store, session } = createStore(sql);
    expect(store.trimmableUpTo(1)).toBeNull();
    for (const batch of [
      ["a.b", "job.x"],
      ["a.b", "session.paused"],
      ["a.b"],
      ["resume.due"],
      ["a.c", "a.c"],
    ]) {
      append(store, session, batch);
    }
    expect([2, 3, 5, 6, 7, 8, 9].map((seq) => store.trimmableUpTo(seq))).toEqual([
      null,
      3,
      3,
      6,
      6,
      6,
      9,
    ]);
    store.trim(8);
    expect([...store.commitsAfter(0)].map(({ first, last }) => [first, last])).toEqual([
      [1, 1],
      [4, 5],
      [7, 7],
      [8, 9],
    ]);
    expect(store.trimmableUpTo(8)).toBeNull();
    expect(stored(sql).head()).toBe(9);
    expect(store.commitAt(4)?.lines).toContain("session.paused");
    expect(store.commitAt(6)).toBeNull();
  },

  "participants are read in order with their last write and its sealed bytes"(sql) {
    const { store, session } = createStore(sql);
    const sealed = Uint8Array.from({ length: 256 }, (_, index) => index);
    const last = { consumed: hash("spent"), request, outcome: { issuedSeq: 4, made: [2] }, sealed };
    const everybody = [
      participant(1, { last, tokenSeq: 4, cursor: 8, filled: true }),
      participant(2, { note: "for you", expiresAt: NOW + 1, actor: ROBOT }),
      participant(3, { madeBy: 2, last: { ...last, request: null, sealed: null } }),
    ];
    store.update({ session, participants: everybody, plan: null });
    expect(stored(sql).load()?.participants).toEqual(everybody);
  },

  "the creating request is stored with its bytes"(sql) {
    const store = new SessionStore(sql, SESSION_ID);
    const { session } = numberEvents(null, 0, [CREATED], { actor: AGENT, number: 1 }, NOW);
    const sealed = new Uint8Array([0, 255, 128]);
    store.migrate();
    store.insert({ session, participants: [], plan: null }, { request, sealed });
    const record = store.createRecord();
    expect(record).toMatchObject({ request, createdAt: NOW });
    expect([...(record?.sealed ?? [])]).toEqual([0, 255, 128]);
  },

  "the head is the last seq of the last commit"(sql) {
    const { store, session } = createStore(sql);
    expect(stored(sql).head()).toBe(1);
    append(store, session, ["a.b", "a.b", "a.b"]);
    expect(stored(sql).head()).toBe(4);
  },

  "issued tokens are found by the first seq of their commit only"(sql) {
    const { store, session } = createStore(sql);
    append(store, session, ["a.b", "a.c"]);
    expect(store.issuedAt(1)).toEqual([{ participant: 1, hash: hash("first") }]);
    for (const seq of [0, 2, 3, 4]) expect(store.issuedAt(seq)).toEqual([]);
  },

  "two commits cannot start with the same seq"(sql) {
    const { store, session } = createStore(sql);
    const commit = numberEvents(
      session,
      0,
      [{ type: "a.b", payload: {} }],
      { actor: AGENT, number: 1 },
      NOW,
    );
    const text = encodeEvents(commit.events);
    const repeated = () =>
      store.insertCommit({ commit, text, at: NOW, participant: 1, writer: "owner", issued: [] });
    expect(repeated).toThrow();
    expect(store.head()).toBe(1);
  },

  "an append is found by its participant's key within the last commits, then forgotten"(sql) {
    const { store, session } = createStore(sql);
    append(store, session, ["a.b", "a.c"], { key: "one" });
    const found = { first: 2, last: 3, request };
    expect(store.appendByKey(1, "one")).toEqual(found);
    expect(store.appendByKey(2, "one")).toBeNull();
    expect(store.appendByKey(1, "two")).toBeNull();
    store.transaction(() => {
      for (let n = 1; n < LIMITS.appendMemory; n++) append(store, session, ["a.b"], { by: 2 });
    });
    expect(store.appendByKey(1, "one")).toEqual(found);
    expect(stored(sql).appendByKey(1, "one")).toEqual(found);
    append(store, session, ["a.b"], { by: 2 });
    expect(store.appendByKey(1, "one")).toBeNull();
    expect(stored(sql).appendByKey(1, "one")).toBeNull();
  },

  "the key of an append that was undone is not stored"(sql) {
    const { store, session } = createStore(sql);
    expect(store.appendByKey(1, "one")).toBeNull();
    const body = () => {
      append(store, session, ["a.b"], { key: "one" });
      expect(store.appendByKey(1, "one")).not.toBeNull();
      throw new Error("on purpose");
    };
    expect(() => store.transaction(body)).toThrow("on purpose");
    expect(store.appendByKey(1, "one")).toBeNull();
  },

  "commits after any seq are those with an event after it, across fetches"(sql) {
    const { store, session } = createStore(sql);
    for (let n = 0; n < 40; n++) append(store, session, Array<string>(1 + (n % 3)).fill("a.b"));
    const all = [...store.commitsAfter(0)];
    expect(all).toHaveLength(41);
    for (let seq = 0; seq <= store.head() + 1; seq++) {
      expect([...store.commitsAfter(seq)]).toEqual(all.filter(({ last }) => last > seq));
    }
  },

  "commits after any seq are found even if trimming left gaps at the end of a fetch"(sql) {
    const { store, session } = createStore(sql);
    for (let n = 0; n < 40; n++) append(store, session, [n % 2 ? "a.b" : "session.paused"]);
    store.trim(store.head());
    const firsts = Array.from({ length: 20 }, (_, n) => 2 + 2 * n);
    for (let seq = 0; seq <= store.head() + 1; seq++) {
      const found = [...store.commitsAfter(seq)].map(({ first }) => first);
      expect(found).toEqual([1, ...firsts].filter((first) => first > seq));
    }
  },

  "a page equals a plain filter of the whole log, for every cursor, limit and type"(sql) {
    const { store, session } = createStore(sql);
    const batches = [["a.x"], ["a.y", "b.x", "a.x"], ["b.x"], ["c.z", "c.z"], ["a.x", "ab.x"]];
    for (const batch of batches) append(store, session, batch);
    const log = ["session.created", ...batches.flat()].map((type, index) => ({
      seq: index + 1,
      type,
    }));
    const head = store.head();
    expect(head).toBe(log.length);
    for (const types of [[], ["a.x"], ["a.*"], ["b.x", "c.*"], ["none.such"], ["*"]]) {
      const selected = log.filter(({ type }) => isSelected(types, type));
      for (let after = 0; after <= head; after++) {
        for (let limit = 1; limit <= head + 1; limit++) {
          const page = readPage(store, { after, limit, types }, head);
          const following = selected.filter(({ seq }) => seq > after);
          const seqs = eventsIn(page.texts).map(({ seq }) => seq);
          expect(page.count).toBe(seqs.length);
          expect(seqs).toEqual(following.slice(0, limit).map(({ seq }) => seq));
          expect(page.more).toBe(following.length > limit);
          // Continuing from nextAfter neither skips nor repeats a selected event.
          expect(selected.filter(({ seq }) => seq > page.nextAfter)).toEqual(
            following.slice(limit),
          );
          if (!page.more) expect(page.nextAfter).toBe(head);
        }
      }
    }
  },

  "a page ends at its byte limit but always contains one event"(sql) {
    const { store, session } = createStore(sql);
    append(store, session, ["a.x", "a.x", "a.x"]);
    const read = (after: number, maxLength: number) =>
      readPage(store, { after, limit: 100, types: [], maxLength }, store.head());
    expect(read(1, 1)).toMatchObject({ nextAfter: 2, more: true });
    expect(read(1, 1).count).toBe(1);
    expect(read(1, 1_000_000)).toMatchObject({ nextAfter: 4, more: false });
  },

  "a page can be filtered by actor, time and outcome"(sql) {
    const { store, session } = createStore(sql);
    append(store, session, ["a.x"], { actor: ROBOT, at: NOW + 10 });
    append(store, session, ["a.y"], { actor: AGENT, at: NOW + 20 });
    const count = (query: object) =>
      readPage(store, { after: 0, limit: 100, types: [], ...query }, store.head()).count;
    expect(count({ actorId: "robot" })).toBe(1);
    expect(count({ actorId: "agent-1" })).toBe(2);
    expect(count({ actorKind: "agent" })).toBe(3);
    expect(count({ actorKind: "human" })).toBe(0);
    expect(count({ since: NOW + 10 })).toBe(2);
    expect(count({ until: NOW + 10 })).toBe(1);
    expect(count({ since: NOW + 10, until: NOW + 20, actorId: "robot" })).toBe(1);
    expect(count({ outcome: "success" })).toBe(3);
    expect(count({ outcome: "skipped" })).toBe(0);
  },

  "a transaction whose body throws writes nothing"(sql) {
    const { store, session } = createStore(sql);
    const before = store.load();
    const body = () => {
      append(store, session, ["a.b"]);
      store.update({ session: { ...session, title: "lost" }, participants: [], plan: null });
      throw new Error("on purpose");
    };
    expect(() => store.transaction(body)).toThrow("on purpose");
    expect(store.load()).toEqual(before);
    expect(store.head()).toBe(1);
    expect(stored(sql).load()).toEqual(before);
  },

  "a cached session is read without rows, and a large one is not cached"(sql) {
    const { store, session } = createStore(sql);
    let reads = 0;
    const counting: SqlPort = {
      run: (text, ...values) => (reads++, sql.run(text, ...values)),
      transaction: (body) => sql.transaction(body),
    };
    const reader = new SessionStore(counting, SESSION_ID);
    const readsOf = (act: () => unknown): number => {
      reads = 0;
      act();
      return reads;
    };
    const readAll = () => [reader.load(), reader.head(), reader.jobHead(), reader.logBytes()];
    expect(readsOf(readAll)).toBe(2);
    expect(readsOf(readAll)).toBe(0);
    const fields = { pad: "x".repeat(200_000) };
    store.update({ session: { ...session, fields }, participants: [participant(1)], plan: null });
    const large = new SessionStore(counting, SESSION_ID);
    expect(readsOf(() => large.load())).toBe(1);
    expect(readsOf(() => large.load())).toBe(1);
  },

  "tables created in a body that throws are removed"(sql) {
    const store = new SessionStore(sql, SESSION_ID);
    const body = () => {
      store.migrate();
      throw new Error("on purpose");
    };
    expect(() => store.transaction(body)).toThrow("on purpose");
    expect(tables(sql)).toEqual([]);
    expect(store.exists()).toBe(false);
  },

  "an asynchronous body is refused and its writes are undone"(sql) {
    const { store, session } = createStore(sql);
    const body = async () => append(store, session, ["a.b"]);
    expect(() => store.transaction(body)).toThrow("synchronous");
    expect(store.head()).toBe(1);
  },

  "a transaction returns the result of its body"(sql) {
    const { store } = createStore(sql);
    expect(store.transaction(() => store.head() + 41)).toBe(42);
  },

  "a tombstone is one row and does not load as a session"(sql) {
    expect(readTombstone(sql)).toBeNull();
    writeTombstone(sql, NOW, request);
    expect(readTombstone(sql)).toEqual({ request });
    expect(tables(sql)).toEqual(["tombstone"]);
    expect(sql.run(`SELECT purged_at FROM tombstone`)[0]?.["purged_at"]).toBe(NOW);
    expect(new SessionStore(sql, SESSION_ID).exists()).toBe(false);
  },
};

const isSelected = (types: readonly string[], type: string): boolean =>
  types.length === 0 ||
  types.some((one) => (one.endsWith(".*") ? type.startsWith(one.slice(0, -1)) : type === one));

import { beforeEach, describe, expect, it } from "vitest";
import type { NewCheckpoint } from "../../src/domain/checkpoints/checkpoint";
import { assertFits, RowTooLarge } from "../../src/storage/row-size";
import { LIMITS } from "../../src/domain/limits";
import { CheckpointStore } from "../../src/storage/checkpoint-store";
import { migrate } from "../../src/storage/migrations";
import type { SqlPort } from "../../src/storage/sql-port";
import { openSqlite } from "../support/sqlite-port";

const TABLES = `SELECT name FROM sqlite_master WHERE type = 'table'`;

let sql: SqlPort;
let store: CheckpointStore;
beforeEach(() => {
  sql = openSqlite();
  migrate(sql, 0, "ses_x");
  store = new CheckpointStore(sql);
});

const checkpoint = (number: number, replaces: number | null = null): NewCheckpoint => ({
  meta: {
    number,
    name: `näme "${number}"`,
    seq: number * 10,
    version: number * 5,
    at: 1_700_000_000_000 + number,
    automatic: number % 2 === 0,
    pinned: number % 3 === 0,
    bytes: 3,
    sha256: `hash ${number}`,
    madeBy: null,
  },
  body: `{"body":"of ${number}, 🎈"}`,
  replaces,
});

const numbers = (): readonly number[] => store.list().map(({ number }) => number);

describe("the checkpoint store", () => {
  it("creates no table until there is something to store", () => {
    expect(store.exists()).toBe(false);
    expect(store.list()).toEqual([]);
    expect(store.body(1)).toBeNull();
    expect(sql.run(TABLES)).not.toContainEqual({ name: "checkpoints" });
  });

  it("returns saved checkpoints in order of their numbers", () => {
    for (const number of [2, 1, 3]) store.save(checkpoint(number));
    expect(store.list()).toEqual([1, 2, 3].map((number) => checkpoint(number).meta));
    for (const number of [1, 2, 3]) expect(store.body(number)).toBe(checkpoint(number).body);
    expect(store.body(4)).toBeNull();
    expect(new CheckpointStore(sql).list()).toHaveLength(3);
  });

  it("names the author of a checkpoint: the author of the commit after its seq", () => {
    store.save(checkpoint(1));
    const values = `(11, 12, 0, 7, '{}', 'draft', 1, 0, '[]')`;
    sql.run(
      `INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, events) VALUES ${values}`,
    );
    store.save(checkpoint(2));
    expect(store.list().map(({ madeBy }) => madeBy)).toEqual([7, null]);
  });

  it("lists without reading the bodies", () => {
    store.save(checkpoint(1));
    expect(Object.keys(store.list()[0] ?? {})).not.toContain("body");
  });

  it("replaces one checkpoint by another and leaves the rest unchanged", () => {
    for (const number of [1, 2, 3]) store.save(checkpoint(number));
    store.save(checkpoint(4, 2));
    expect(numbers()).toEqual([1, 3, 4]);
    expect(store.list().at(-1)).toEqual(checkpoint(4).meta);
    expect(store.body(4)).toBe(checkpoint(4).body);
    expect(store.body(2)).toBeNull();
  });

  it("pins, unpins and removes one and no other", () => {
    for (const number of [1, 2]) store.save(checkpoint(number));
    store.pin(1, true);
    expect(store.list().map(({ pinned }) => pinned)).toEqual([true, false]);
    store.pin(1, false);
    expect(store.list()).toEqual([1, 2].map((number) => checkpoint(number).meta));
    store.remove(1);
    store.remove(7);
    expect(numbers()).toEqual([2]);
  });

  it("refuses a number that is already used", () => {
    store.save(checkpoint(1));
    expect(() => store.save(checkpoint(1))).toThrow();
    expect(store.body(1)).toBe(checkpoint(1).body);
  });

  it("rolls back what a failed transaction wrote, including its table", () => {
    const body = () => {
      store.save(checkpoint(1));
      throw new Error("on purpose");
    };
    expect(() => sql.transaction(body)).toThrow("on purpose");
    expect(store.list()).toEqual([]);
    store.save(checkpoint(1));
    expect(numbers()).toEqual([1]);
  });
});

describe("the size of a row", () => {
  it.each([
    ["ASCII", "x", 1],
    ["two bytes per character", "ü", 2],
    ["three bytes per character", "€", 3],
    ["four bytes per surrogate pair", "🎈", 4],
  ])("is counted exactly, in bytes: %s", (_, character, bytes) => {
    const fits = character.repeat(Math.floor(LIMITS.rowBytes / bytes));
    expect(() => assertFits([fits], "it")).not.toThrow();
    expect(() => assertFits([fits, character], "it")).toThrow(RowTooLarge);
  });

  it("is the sum of all its values, including bytes and numbers", () => {
    const half = new Uint8Array(LIMITS.rowBytes / 2);
    expect(() => assertFits([half, half], "it")).not.toThrow();
    expect(() => assertFits([half, half, 1], "it")).toThrow(RowTooLarge);
    expect(() => assertFits([half, half, null], "it")).toThrow(RowTooLarge);
  });

  it("over the limit is refused with the name of what is too large", () => {
    const { failure } = new RowTooLarge("the session", 1_900_000);
    expect(failure).toEqual({
      code: "too_large",
      what: "the session, in bytes",
      limit: LIMITS.rowBytes,
    });
  });
});

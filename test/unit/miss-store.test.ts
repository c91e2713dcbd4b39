/** The counter of misses on a database of its own: what it stores is bounded. */
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import {
  afterMiss,
  missCounterName,
  MISS_COUNTERS,
  MISS_MEMORY_MS,
  NO_MISSES,
} from "../../src/domain/links/miss-limit";
import { hashAddress } from "../../src/gateway/secrets";
import { MissStore } from "../../src/storage/miss-store";
import { openSqlite } from "../support/sqlite-port";

const NOW = 1_800_000_000_000;

function storeWith(rows: number, from = NOW) {
  const sql = openSqlite();
  const store = new MissStore(sql);
  for (let n = 0; n < rows; n += 1) store.write(`address-${n}`, afterMiss(NO_MISSES, from + n));
  const rowsNow = (): number => Number(sql.run("SELECT count(*) AS n FROM missed")[0]?.["n"]);
  return { sql, store, rowsNow };
}

const isStored = (store: MissStore, nth: number): boolean => store.read(`address-${nth}`).count > 0;

describe("misses", () => {
  it("hold missesKept addresses, and one more evicts the oldest", () => {
    const { store, rowsNow } = storeWith(LIMITS.missesKept);
    expect(rowsNow()).toBe(LIMITS.missesKept);
    expect(isStored(store, 0)).toBe(true);
    store.write("one more", afterMiss(NO_MISSES, NOW + LIMITS.missesKept));
    expect(rowsNow()).toBeLessThanOrEqual(LIMITS.missesKept);
    expect(isStored(store, 0)).toBe(false);
    expect(isStored(store, LIMITS.missesKept - 1)).toBe(true);
    expect(store.read("one more").count).toBe(1);
  });

  it("stay bounded for an instance that did not count them itself", () => {
    const { sql, rowsNow } = storeWith(LIMITS.missesKept);
    new MissStore(sql).write("one more", afterMiss(NO_MISSES, NOW + LIMITS.missesKept));
    expect(rowsNow()).toBeLessThanOrEqual(LIMITS.missesKept);
  });

  it("that no longer count are evicted before any that do", () => {
    const { sql, store } = storeWith(
      LIMITS.missesKept,
      NOW - LIMITS.missesKept / 2 - MISS_MEMORY_MS,
    );
    sql.run("UPDATE missed SET last_at = ? WHERE address = 'address-7'", NOW);
    store.write("one more", afterMiss(NO_MISSES, NOW));
    expect(isStored(store, 7)).toBe(true);
    expect(isStored(store, 8)).toBe(false);
  });

  it("of a known address need no new row", () => {
    const { store, rowsNow } = storeWith(1);
    store.write("address-0", afterMiss(store.read("address-0"), NOW + 1));
    expect([store.read("address-0").count, rowsNow()]).toEqual([2, 1]);
  });

  it("are deleted a day after the last, and an empty table needs no further alarm", () => {
    const { store } = storeWith(2);
    expect(store.sweep(NOW + MISS_MEMORY_MS)).toBe(NOW + 1 + MISS_MEMORY_MS);
    expect(store.sweep(NOW + 1 + MISS_MEMORY_MS)).toBeNull();
    expect(new MissStore(openSqlite()).sweep(NOW)).toBeNull();
  });

  it("are spread over a fixed number of counters", () => {
    const names = Array.from({ length: 2_000 }, (_, n) =>
      missCounterName(hashAddress(`9.9.${n}.1`)),
    );
    expect(new Set(names).size).toBe(MISS_COUNTERS);
  });
});

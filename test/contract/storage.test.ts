import { describe, it } from "vitest";
import { CHAIN_CASES } from "../support/chain-contract";
import { MIGRATION_CASES } from "../support/migration-contract";
import { openSqlite } from "../support/sqlite-port";
import { STORAGE_CASES } from "../support/storage-contract";

describe("the storage port on node:sqlite", () => {
  // Shows EV-1.
  it.each(Object.entries(STORAGE_CASES))("%s", (_, check) => {
    check(openSqlite());
  });
});

describe("the chain on node:sqlite", () => {
  it.each(Object.entries(CHAIN_CASES))("%s", (_, check) => {
    check(openSqlite());
  });
});

describe("data of other releases on node:sqlite", () => {
  it.each(Object.entries(MIGRATION_CASES))("%s", (_, check) => {
    check(openSqlite());
  });
});

import { describe, it } from "vitest";
import { openSqlite } from "../support/sqlite-port";
import { STORAGE_CASES } from "../support/storage-contract";

describe("the storage port on node:sqlite", () => {
  it.each(Object.entries(STORAGE_CASES))("%s", (_, check) => {
    check(openSqlite());
  });
});

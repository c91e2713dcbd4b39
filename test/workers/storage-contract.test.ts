import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { describe, it } from "vitest";
import type { Env } from "../../src/env";
import { openStorage } from "../../src/object/storage-port";
import { CHAIN_CASES } from "../support/chain-contract";
import { MIGRATION_CASES } from "../support/migration-contract";
import { STORAGE_CASES } from "../support/storage-contract";

const { SESSION } = env as unknown as Env;

describe.each([
  ["the storage port in the object", STORAGE_CASES],
  ["the chain in the object", CHAIN_CASES],
  ["data of other releases in the object", MIGRATION_CASES],
])("%s", (_, cases) => {
  it.each(Object.entries(cases))("%s", async (_, check) => {
    // An object without a session: its storage is empty.
    const fresh = SESSION.get(SESSION.newUniqueId());
    await runInDurableObject(fresh, (_, { storage }) =>
      check(openStorage(storage, { rowsRead: 0, rowsWritten: 0 })),
    );
  });
});

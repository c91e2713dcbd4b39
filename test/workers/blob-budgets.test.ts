/** How much large content one session may hold in total, and how much of it is reserved for its owner. */
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import { countFiles, hashOf, putBlob as put, type TestParticipant } from "../support/blobs";
import { TestAgent } from "../support/test-agent";
import { client, rewrite } from "../support/worker";

const TEXT = "what is too large for an event";

const insertBlob = (session: TestParticipant, hash: string, size: number): Promise<void> =>
  rewrite(session, (sql) =>
    sql.exec("INSERT INTO blobs (sha256, size, key) VALUES (?, ?, 'nowhere')", hash, size),
  );

const fillUpTo = (session: TestParticipant, count: number): Promise<void> =>
  rewrite(session, (sql) =>
    sql.exec(
      `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO blobs (sha256, size, key) SELECT 'pretended ' || i, 1, 'nowhere' FROM n`,
      count,
    ),
  );

describe("a blob", () => {
  it("fits blobsBytes of all of them together and not one byte more", async () => {
    const session = await client.create();
    await put(session, await hashOf(TEXT), TEXT);
    await insertBlob(session, "0".repeat(64), LIMITS.blobsBytes - TEXT.length - 2);
    const full = await put(session, await hashOf("abc"), "abc");
    expect([full.status, full.body]).toMatchObject([
      413,
      { code: "too_large", limit: LIMITS.blobsBytes, used: LIMITS.blobsBytes - 2 },
    ]);
    expect(await countFiles(session)).toBe(1);
    expect((await put(session, await hashOf("ab"), "ab")).status).toBe(201);
    // Content that is stored already needs no capacity.
    expect((await put(session, await hashOf("ab"), "ab")).status).toBe(200);
  });

  // Shows BL-4.
  it("fits blobsShareBytes for those without own and not one byte more", async () => {
    const session = await TestAgent.create(client);
    const other = await session.handOffTo(["append"]);
    await put(session, await hashOf(TEXT), TEXT);
    await insertBlob(session, "0".repeat(64), LIMITS.blobsShareBytes - TEXT.length - 2);
    const full = await put(other, await hashOf("abc"), "abc");
    expect([full.status, full.body]).toMatchObject([
      413,
      { code: "too_large", limit: LIMITS.blobsShareBytes, used: LIMITS.blobsShareBytes - 2 },
    ]);
    expect((await put(other, await hashOf("ab"), "ab")).status).toBe(201);
    // The rest is reserved for the owner.
    expect((await put(session, await hashOf("abc"), "abc")).status).toBe(201);
  });

  // Shows BL-4.
  it("is one of blobsShare for those without own", async () => {
    const session = await TestAgent.create(client);
    const other = await session.handOffTo(["append"]);
    await put(session, await hashOf(TEXT), TEXT);
    await fillUpTo(session, LIMITS.blobsShare - 1);
    expect((await put(other, await hashOf("a"), "a")).status).toBe(201);
    const full = await put(other, await hashOf("b"), "b");
    expect([full.status, full.body.limit]).toEqual([413, LIMITS.blobsShare]);
    expect((await put(session, await hashOf("b"), "b")).status).toBe(201);
  });

  it("is one of so many", async () => {
    const session = await client.create();
    await put(session, await hashOf(TEXT), TEXT);
    await fillUpTo(session, LIMITS.blobs - 1);
    expect((await put(session, await hashOf("a"), "a")).status).toBe(201);
    const full = await put(session, await hashOf("b"), "b");
    expect([full.status, full.body.limit]).toEqual([413, LIMITS.blobs]);
  });
});

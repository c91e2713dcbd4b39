/** A short run over a full directory: every filter against a plain list, and the cost of a page. */
import { env, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { directoryName } from "../../src/domain/owners/owners";
import type { Env } from "../../src/env";
import type { OwnerDirectory } from "../../src/object/owner-directory";
import { STATES } from "../../src/domain/session/state";
import { createOwner, type TestOwner } from "../support/test-owner";

const COUNT = 2_000;
const LIMIT = 50;
const START = Date.parse("2026-01-01T00:00:00Z");
const TEAMS = ["red", "blue", "green"];
const WAITS = ["review", "person", "job", "time", "agent"] as const;

interface ListedSession {
  readonly hex: string;
  readonly createdAt: number;
  readonly state: (typeof STATES)[number];
  readonly waiting: (typeof WAITS)[number] | null;
  readonly team: string;
  readonly title: string;
}

const sessionNumber = (n: number): ListedSession => ({
  hex: n.toString(16).padStart(64, "0"),
  createdAt: START + n * 1_000,
  state: STATES[n % STATES.length] ?? "draft",
  waiting: n % 7 === 0 ? null : (WAITS[n % WAITS.length] ?? null),
  team: TEAMS[n % TEAMS.length] ?? "red",
  title: `Claim number${n} ${n % 100 === 0 ? "rare" : "usual"}`,
});
const all = Array.from({ length: COUNT }, (_, n) => sessionNumber(n)).toReversed();

let owner: TestOwner;
const inDirectory = <T>(read: (directory: OwnerDirectory) => Promise<T>): Promise<T> => {
  const { OWNER_DIRECTORY } = env as unknown as Env;
  const stub = OWNER_DIRECTORY.get(OWNER_DIRECTORY.idFromName(directoryName(owner.name)));
  return runInDurableObject(stub as never, (instance) => read(instance as never));
};
const report = (
  directory: OwnerDirectory,
  one: ListedSession & { readonly seq?: number; readonly changedAt?: number },
): Promise<void> =>
  directory.tell({
    objectIdHex: one.hex,
    createdAt: one.createdAt,
    belongs: { owner: owner.name },
    notices: [],
    listings: [
      {
        seq: one.seq ?? 1,
        title: one.title,
        state: one.state,
        waiting: one.waiting === null ? null : { for: one.waiting, since: one.createdAt },
        labels: { team: one.team },
        expiresAt: one.createdAt + 86_400_000,
        changedAt: one.changedAt ?? one.createdAt,
      },
    ],
  });

beforeAll(async () => {
  owner = createOwner();
  await inDirectory(async (directory) => {
    for (const one of all) await report(directory, one);
  });
});

const titles = async (query: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for (let cursor = ""; ; ) {
    const page = await owner.list(`?limit=200&${query}${cursor}`);
    found.push(...page.sessions.map(({ title }: { title: string }) => title));
    if (page.nextCursor === null) return found;
    cursor = `&cursor=${page.nextCursor}`;
  }
};

const at = (n: number): string => new Date(START + n * 1_000).toISOString();
const FILTERS: readonly (readonly [string, (one: ListedSession) => boolean])[] = [
  ["", () => true],
  ["state=draft", ({ state }) => state === "draft"],
  ["state=draft,expired", ({ state }) => state === "draft" || state === "expired"],
  ["waiting=person", ({ waiting }) => waiting === "person"],
  ["waitingLongerThanMs=0", ({ waiting }) => waiting !== null],
  ["label=team:blue", ({ team }) => team === "blue"],
  ["label=team:blue&state=draft", ({ team, state }) => team === "blue" && state === "draft"],
  ["q=rare", ({ title }) => title.endsWith("rare")],
  ["q=rare&label=team:red", ({ title, team }) => title.endsWith("rare") && team === "red"],
  ["q=number17", ({ title }) => title.includes("number17 ")],
  [`createdAfter=${at(1_500)}`, ({ createdAt }) => createdAt > START + 1_500_000],
  [`createdBefore=${at(100)}`, ({ createdAt }) => createdAt < START + 100_000],
  [`changedAfter=${at(1_900)}`, ({ createdAt }) => createdAt > START + 1_900_000],
  [`changedBefore=${at(50)}`, ({ createdAt }) => createdAt < START + 50_000],
];

describe(`a directory of ${COUNT} sessions`, () => {
  it.each(FILTERS)("pages exactly what a plain list has for ?%s", async (query, matches) => {
    const expected = all.filter(matches).map(({ title }) => title);
    expect(await titles(query)).toEqual(expected);
  });

  it.each([
    "",
    "state=draft",
    "label=team:blue",
    "q=usual",
    "q=rare",
    `createdBefore=${at(1_000)}`,
    "waiting=person",
    "waiting=person&waitingLongerThanMs=0",
    "waitingLongerThanMs=0",
    `waitingLongerThanMs=${Date.now() - START - 900_000}`,
    `changedAfter=${at(1_000)}`,
    `changedAfter=${at(1_990)}`,
    `changedBefore=${at(1_000)}`,
    `changedAfter=${at(500)}&changedBefore=${at(510)}`,
    // Shows OW-4.
  ])("reads one page for the first page of ?%s, however many there are", async (query) => {
    const read = await inDirectory(async (directory) => directory.meter.rowsRead);
    const page = await owner.list(`?limit=${LIMIT}&${query}`);
    const cost = (await inDirectory(async (directory) => directory.meter.rowsRead)) - read;
    expect(page.sessions.length).toBeGreaterThan(0);
    // A page and one more session, each with its index entry and its texts, and the counts.
    expect(cost).toBeLessThan(4 * (LIMIT + 1) + 100);
  });

  // Shows OW-4.
  it("finds few among many whatever their times, and reads few rows for them", async () => {
    const old = sessionNumber(3);
    await inDirectory((directory) =>
      report(directory, { ...old, changedAt: START + 9_000_000, seq: 2 }),
    );
    const read = await inDirectory(async (directory) => directory.meter.rowsRead);
    const page = await owner.list(`?limit=${LIMIT}&changedAfter=${at(8_000)}`);
    const cost = (await inDirectory(async (directory) => directory.meter.rowsRead)) - read;
    expect(page.sessions.map(({ title }: { title: string }) => title)).toEqual([old.title]);
    expect(cost).toBeLessThan(4 * (LIMIT + 1) + 100);
  });

  const COMBINED: readonly (readonly [string, (one: ListedSession) => boolean])[] = [
    [
      "label=team:red&state=draft&waiting=review",
      ({ team, state, waiting }) => team === "red" && state === "draft" && waiting === "review",
    ],
    [
      "state=draft&waiting=person",
      ({ state, waiting }) => state === "draft" && waiting === "person",
    ],
    [
      `changedBefore=${at(1_000)}&label=team:blue&state=draft,expired&waiting=job`,
      ({ createdAt, team, state, waiting }) =>
        createdAt < START + 1_000_000 &&
        team === "blue" &&
        (state === "draft" || state === "expired") &&
        waiting === "job",
    ],
    [
      "q=usual&label=team:green&waiting=agent&waitingLongerThanMs=0",
      ({ title, team, waiting }) =>
        title.endsWith("usual") && team === "green" && waiting === "agent",
    ],
    [`q=rare&changedAfter=${at(100)}&waiting=time`, () => false],
  ];
  // Shows OW-4.
  it.each(COMBINED)(
    "reads a bounded number of rows for each page of ?%s",
    async (query, matches) => {
      const found: string[] = [];
      for (let cursor = ""; ; ) {
        const read = await inDirectory(async (directory) => directory.meter.rowsRead);
        const page = await owner.list(`?limit=2&${query}${cursor}`);
        const cost = (await inDirectory(async (directory) => directory.meter.rowsRead)) - read;
        // Of 2,000 sessions it reads 20 for each of the three rows, a few times for each condition.
        expect(cost).toBeLessThan(query.includes(",") ? 1_900 : 1_000);
        found.push(...page.sessions.map(({ title }: { title: string }) => title));
        if (page.nextCursor === null) break;
        cursor = `&cursor=${page.nextCursor}`;
      }
      expect(found).toEqual(all.filter(matches).map(({ title }) => title));
    },
  );

  it("writes a bounded number of rows for a report", async () => {
    const cost = await inDirectory(async (directory) => {
      const before = directory.meter.rowsWritten;
      await report(directory, sessionNumber(COUNT));
      return directory.meter.rowsWritten - before;
    });
    expect(cost).toBeLessThanOrEqual(16);
  });

  it("writes fewer for a later change", async () => {
    const cost = await inDirectory(async (directory) => {
      const before = directory.meter.rowsWritten;
      const changed = { state: "needs_review", waiting: "review", seq: 2 } as const;
      const changedAt = START + 8_999_000;
      await report(directory, { ...sessionNumber(COUNT), ...changed, changedAt });
      return directory.meter.rowsWritten - before;
    });
    expect(cost).toBeGreaterThan(0);
    expect(cost).toBeLessThanOrEqual(10);
  });
});

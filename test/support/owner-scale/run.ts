/**
 * Tests an owner's directory with many sessions: some created over HTTP, the rest added by directory
 * updates. Every filter is paged through and compared with a plain list, and the rows that a first page
 * reads are counted before and after the additions.
 */
import { startConsole, type ConsoleServer } from "../console-server.ts";
import type { Answer } from "../client.ts";
import { seeded } from "../seeded.ts";
import {
  filters,
  labelsOf,
  generateSession,
  nameOf,
  titleOf,
  type Filter,
  type ExpectedSession,
} from "./plain.ts";

export interface ScaleOptions {
  readonly data: string;
  readonly seed: number;
  /** The number of sessions created and changed over HTTP, as an owner does. */
  readonly real: number;
  /** The number of sessions that exist only in the directory. */
  readonly listed: number;
  readonly log?: (line: string) => void;
}

export interface Cost {
  readonly query: string;
  readonly matches: number;
  /** Rows read for the first page of 50, with the real sessions only and with all. */
  readonly rowsBefore: number;
  readonly rows: number;
  readonly ms: number;
}

export interface ScaleReport {
  readonly sessions: number;
  readonly createsPerSecond: number;
  readonly updatesPerSecond: number;
  readonly pages: number;
  readonly costs: readonly Cost[];
  readonly problems: readonly string[];
}

const OWNER = "local";
const CONCURRENCY = 64;
const BATCH = 500;
const PAGE = 50;
/** A page and one more session, each with its index entry and its texts, and the counts. */
const MAX_ROWS = 4 * (PAGE + 1) + 100;
/** A range of times is found by two plans with a growing bound. This is the overhead over the cheaper plan. */
const TRIES = 8;
/** The protocol's limit: twenty sessions read for each row and state. */
const maxRowsCombined = (query: string): number =>
  MAX_ROWS + 12 * 20 * (PAGE + 1) * (/state=\w+,/.test(query) ? 2 : 1);
const isRange = (query: string): boolean => /changed|waitingLonger/.test(query);

/** The protocol's limit for a range: a multiple of its matches, or of the sessions the page skipped. */
function maxRows(
  { query, until = Infinity, isCombined }: Filter,
  matches: number,
  last: number,
  plain: readonly ExpectedSession[],
) {
  if (isCombined === true) return maxRowsCombined(query);
  if (!isRange(query)) return MAX_ROWS;
  const passed = plain.filter(({ createdAt }) => createdAt >= last && createdAt <= until).length;
  return Math.min(maxRowsCombined(query), MAX_ROWS + TRIES * Math.min(matches, passed));
}

export async function runOwnerScale(options: ScaleOptions): Promise<ScaleReport> {
  const { data, seed, real, listed, log = () => {} } = options;
  const RATE_LIMITS = JSON.stringify({ create: { limit: 1_000_000 } });
  const server = await startConsole(data, { RATE_LIMITS });
  try {
    const startedAt = Date.now();
    const plain = await createAll(server, real, log);
    const createsPerSecond = Math.round((real / (Date.now() - startedAt)) * 1_000);
    const problems: string[] = [];
    await waitUntilListed(server, plain, problems);
    const allFilters = filters(Date.now());
    const before = new Map<string, number>();
    for (const { query } of allFilters) before.set(query, (await firstPage(server, query)).rows);
    const random = seeded(seed);
    const start = Date.now();
    for (let at = 0; at < listed; at += BATCH) {
      const size = Math.min(BATCH, listed - at);
      const some = Array.from({ length: size }, (_, nth) =>
        generateSession(real + at + nth, OWNER, random, start),
      );
      await server.sendUpdates(some.map(({ update }) => update));
      plain.push(...some.map((one) => one.plain));
      if ((at / BATCH) % 20 === 0) log(`${plain.length} sessions`);
    }
    const updatesPerSecond = Math.round((listed / Math.max(1, Date.now() - start)) * 1_000);
    const costs: Cost[] = [];
    let pages = 0;
    for (const filter of allFilters) {
      const paged = await pageThrough(server, filter, plain);
      pages += paged.pages;
      problems.push(...paged.problems);
      const { rows, ms, last } = await firstPage(server, filter.query);
      const cost = { query: filter.query, matches: paged.matches, rows, ms };
      costs.push({ ...cost, rowsBefore: before.get(filter.query) ?? 0 });
      const limit = maxRows(filter, paged.matches, last, plain);
      if (rows > limit) problems.push(`?${filter.query} read ${rows} rows for a page of ${PAGE}`);
      log(`?${filter.query}: ${paged.matches} found, first page ${rows} rows`);
    }
    return {
      sessions: plain.length,
      createsPerSecond,
      updatesPerSecond,
      pages,
      costs,
      problems: [...problems, ...(await countProblems(server, plain))],
    };
  } finally {
    await server.server.stop();
  }
}

const call = async (server: ConsoleServer, method: string, path: string, body?: object) => {
  const headers = { "Baton-Key": server.key };
  const answer = await server.client.call(method, path, {
    headers,
    ...(body === undefined ? {} : { body }),
  });
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return answer;
};

/** Creates sessions and changes some of them, so that the filters can distinguish them. */
async function createAll(
  server: ConsoleServer,
  count: number,
  log: (line: string) => void,
): Promise<ExpectedSession[]> {
  const created: ExpectedSession[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const nth = next;
      next += 1;
      created[nth] = await createOne(server, nth);
      if (nth % 1_000 === 999) log(`${nth + 1} created`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return created;
}

function changedBy(answer: Answer): Pick<ExpectedSession, "state" | "changedAt"> {
  if (answer.status !== 200) throw new Error(answer.text);
  const { state, updatedAt } = answer.body.session;
  return { state, changedAt: Date.parse(updatedAt) };
}

async function createOne(server: ConsoleServer, nth: number): Promise<ExpectedSession> {
  const own = { title: titleOf(nth), labels: labelsOf(nth), ...nameOf(nth) };
  const isReviewed = nth % 10 === 9;
  const review = isReviewed ? { review: { required: true } } : {};
  const created = await call(server, "POST", "/sessions", { ...own, ...review });
  const { session, resumeToken: token } = created.body;
  const on = (method: string, path: string, body: object): Promise<Answer> =>
    server.client.on(session, method, path, { token, body });
  const createdAt = Date.parse(session.createdAt);
  const plain = { id: session.id, ...own, createdAt };
  const waiting = { for: "agent", since: createdAt };
  if (isReviewed) {
    const submitted = changedBy(await on("POST", "/submit", {}));
    const reviewed = { for: "review", since: submitted.changedAt };
    return { ...plain, ...submitted, waiting: reviewed };
  }
  if (nth % 10 === 8)
    return { ...plain, ...changedBy(await on("PATCH", "", { fields: { a: 1 } })), waiting };
  if (nth % 10 === 7)
    return { ...plain, ...changedBy(await on("POST", "/cancel", {})), waiting: null };
  return { ...plain, state: session.state, changedAt: createdAt, waiting };
}

/** The list is updated after the answers. Waits until it is complete. */
async function waitUntilListed(
  server: ConsoleServer,
  plain: readonly ExpectedSession[],
  problems: string[],
): Promise<void> {
  const expected = JSON.stringify(countsOf(plain));
  for (const end = Date.now() + 60_000; ; ) {
    const { counts } = (await call(server, "GET", "/sessions?limit=1")).body;
    if (JSON.stringify(sorted(counts)) === expected) return;
    if (Date.now() > end) {
      problems.push(
        `the list did not catch up: ${JSON.stringify(sorted(counts))}, not ${expected}`,
      );
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

interface Counts {
  readonly total: number;
  readonly states: Readonly<Record<string, number>>;
  readonly waiting: Readonly<Record<string, number>>;
}

function countSessions(values: readonly string[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const value of values) sums[value] = (sums[value] ?? 0) + 1;
  return sums;
}

function countsOf(plain: readonly ExpectedSession[]): Counts {
  const waits = plain.flatMap(({ waiting }) => (waiting === null ? [] : [waiting.for]));
  return sorted({
    total: plain.length,
    states: countSessions(plain.map(({ state }) => state)),
    waiting: countSessions(waits),
  });
}

const sorted = ({ total, states, waiting }: Counts): Counts => ({
  total,
  states: Object.fromEntries(Object.entries(states).toSorted()),
  waiting: Object.fromEntries(Object.entries(waiting).toSorted()),
});

async function countProblems(
  server: ConsoleServer,
  plain: readonly ExpectedSession[],
): Promise<readonly string[]> {
  const { counts } = (await call(server, "GET", "/sessions?limit=1")).body;
  const [shown, expected] = [sorted(counts), countsOf(plain)].map((one) => JSON.stringify(one));
  return shown === expected ? [] : [`counts are ${shown}, not ${expected}`];
}

const rowsRead = async ({ client }: ConsoleServer): Promise<number> =>
  Number((await client.call("GET", `/test/rows/${OWNER}`)).text);

async function firstPage(server: ConsoleServer, query: string) {
  const read = await rowsRead(server);
  const start = performance.now();
  const { sessions } = (await call(server, "GET", `/sessions?limit=${PAGE}&${query}`)).body;
  const ms = Math.round(performance.now() - start);
  const last = sessions.length === 0 ? 0 : Date.parse(sessions.at(-1).createdAt);
  return { rows: (await rowsRead(server)) - read, ms, last };
}

/** The pages must contain exactly the sessions of the plain list, each once, newest first. */
async function pageThrough(
  server: ConsoleServer,
  { query, isWanted }: Filter,
  plain: readonly ExpectedSession[],
) {
  const expected = new Set(plain.filter(isWanted).map(({ id }) => id));
  const problems: string[] = [];
  const found = new Set<string>();
  let pages = 0;
  let last = Infinity;
  for (let cursor = ""; ; pages += 1) {
    const path = `/sessions?limit=200&${query}${cursor}`;
    const { sessions, nextCursor } = (await call(server, "GET", path)).body;
    for (const { id, createdAt } of sessions) {
      if (found.has(id)) problems.push(`?${query} shows ${id} twice`);
      found.add(id);
      if (Date.parse(createdAt) > last) problems.push(`?${query} shows ${id} out of order`);
      last = Date.parse(createdAt);
    }
    if (nextCursor === null) break;
    cursor = `&cursor=${nextCursor}`;
  }
  const missing = [...expected].filter((id) => !found.has(id)).length;
  const extra = [...found].filter((id) => !expected.has(id)).length;
  if (missing > 0) problems.push(`?${query} misses ${missing} of ${expected.size}`);
  if (extra > 0) problems.push(`?${query} shows ${extra} that do not match`);
  return { matches: expected.size, pages: pages + 1, problems };
}

/**
 * An owner's sessions while the runtime is killed again and again amid creations, changes and purges.
 * Afterwards each session says what it is, and list, changes and files are compared with that.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { keyEntry, newKey } from "../owners.ts";
import { seeded } from "../seeded.ts";
import { filesUnder, startServer, type Server } from "../server-process.ts";
import { ChangeFollower } from "./follower.ts";
import { changeProblems, listProblems, type Listed, type Truth } from "./judge.ts";
import { ChaosWorker, type Worked } from "./worker.ts";

export interface OwnerChaosOptions {
  readonly data: string;
  readonly seed: number;
  readonly kills: number;
  readonly workers: number;
  readonly say?: (line: string) => void;
}

export interface OwnerChaosReport {
  readonly kills: number;
  readonly sessions: number;
  readonly purged: number;
  readonly changes: number;
  readonly cuts: number;
  /** Files of the data folder that were looked through for words of purged sessions. */
  readonly files: number;
  /** What broke a promise, in words; empty where all held. */
  readonly problems: readonly string[];
}

const OWNER = "acme";
const RATE_LIMITS = JSON.stringify({ create: { limit: 1_000_000 } });
const PATIENCE_MS = 90_000;
const FIRST_WAIT_MS = 500;

export async function runOwnerChaos(options: OwnerChaosOptions): Promise<OwnerChaosReport> {
  const { data, seed, kills, workers, say = () => {} } = options;
  const random = seeded(seed);
  const key = newKey();
  const OWNERS = JSON.stringify([{ name: OWNER, keys: [keyEntry(key)] }]);
  const server = await startServer(data, undefined, { OWNERS, RATE_LIMITS });
  const follower = new ChangeFollower(server.url, key);
  try {
    follower.start();
    const hands = Array.from(
      { length: workers },
      (_, nth) => new ChaosWorker(server.client, key, seeded(seed + nth + 1)),
    );
    const working = hands.map((hand) => hand.work());
    for (let n = 1; n <= kills; n++) {
      await Promise.race([sleep(FIRST_WAIT_MS + random() * 1_000), Promise.all(working)]);
      await server.killRuntime();
      say(`kill ${n} of ${kills}: ${hands.flatMap(({ worked }) => worked).length} sessions`);
    }
    for (const hand of hands) hand.stop();
    await Promise.all(working);
    const worked = hands.flatMap((hand) => hand.worked);
    const problems = await settle(server, key, worked, follower, data);
    await follower.stop();
    const report = {
      kills,
      sessions: worked.length,
      purged: worked.filter(({ isPurged }) => isPurged).length,
      changes: follower.followed.length,
      cuts: follower.cuts,
      files: filesUnder(data).length,
      problems,
    };
    return report;
  } finally {
    await follower.stop();
    await server.stop();
  }
}

/** What is still wrong once everything had time to be told. */
async function settle(
  server: Server,
  key: string,
  worked: readonly Worked[],
  follower: ChangeFollower,
  data: string,
): Promise<readonly string[]> {
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(500)) {
    const truths = await Promise.all(worked.map((one) => truthOf(server, key, one)));
    const problems = listProblems(truths, await listAll(server, key));
    const fresh = await readChanges(server, key);
    const isBehind = follower.last < (fresh.at(-1)?.number ?? 0);
    const missed = isBehind
      ? [`the follower has ${follower.last} of ${fresh.at(-1)?.number} changes`]
      : changeProblems(truths, follower.followed, fresh);
    // Killed between the word to the directory and its end, a purge is ended by the next alarm.
    const all = [...problems, ...missed, ...byteProblems(filesUnder(data), worked)];
    if (all.length === 0 || Date.now() > end) return all;
  }
}

async function truthOf(server: Server, key: string, { id, isPurged }: Worked): Promise<Truth> {
  const answer = await server.client.call("GET", `/sessions/${id}`, { token: key });
  if (answer.status === 410 && isPurged) return { id, session: null, states: [] };
  if (answer.status !== 200) throw new Error(`${id} answered ${answer.status}: ${answer.text}`);
  const log = await server.client.call("GET", `/sessions/${id}/events?after=0&limit=1000`, {
    token: key,
  });
  const states = log.body.events.map(({ state }: { state: string }) => state);
  return { id, session: answer.body.session, states };
}

async function listAll(server: Server, key: string): Promise<readonly Listed[]> {
  const found: Listed[] = [];
  for (let cursor = ""; ; ) {
    const { body } = await server.client.call("GET", `/sessions?limit=200${cursor}`, {
      token: key,
    });
    found.push(...body.sessions);
    if (body.nextCursor === null) return found;
    cursor = `&cursor=${body.nextCursor}`;
  }
}

/** From the beginning, as one who was never cut. */
async function readChanges(server: Server, key: string): Promise<ChangeFollower["followed"]> {
  const found: ChangeFollower["followed"] = [];
  for (let after = 0; ; ) {
    const path = `/sessions/changes?after=${after}&limit=200`;
    const { body } = await server.client.call("GET", path, { token: key });
    for (const { number, session, removed } of body.changes) {
      found.push({ number, id: session.id, row: removed === true ? null : session });
    }
    after = body.nextAfter;
    if (!body.more) return found;
  }
}

/** Words of purged sessions in any file; those of the others show that such words can be found. */
function byteProblems(files: readonly string[], worked: readonly Worked[]): readonly string[] {
  const contents = files.map((path) => ({ path, bytes: readFileSync(path) }));
  const isIn = (word: string) => contents.find(({ bytes }) => bytes.includes(word));
  const left = worked
    .filter(({ isPurged }) => isPurged)
    .flatMap(({ id, canaries }) =>
      canaries.flatMap((word) => {
        const found = isIn(word);
        return found === undefined ? [] : [`a word of the purged ${id} is in ${found.path}`];
      }),
    );
  const kept = worked.filter(({ isPurged, canaries }) => !isPurged && isIn(canaries[0] ?? ""));
  return kept.length > 0 ? left : [...left, "no word of any session was found: the scan is blind"];
}

/**
 * `npm run heavy`: measures how long other requests wait while one request does the maximum work. It sends
 * those that once stopped a server: a person's page of a recursive schema, a check of 40,000 names
 * against 200 schemas, an unauthenticated form of five million entries, and a schema whose 1,000 fields
 * refer to one part. Times are ratios to a read without load on the same machine, just before.
 */
import { Client } from "../test/support/client.ts";
import { Person } from "../test/support/person.ts";
import { startServer, temporaryFolder } from "../test/support/server-process.ts";

const ALONE = 300;
const ROUNDS = 7;

const numbered = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}

using data = temporaryFolder();
const server = await startServer(data.path);
const client = new Client(fetch, server.url);
const other = await client.create();
const readOther = () => client.on(other, "GET", "", { token: other.token });

async function recursivePage(): Promise<() => Promise<unknown>> {
  const node = { $ref: "#/$defs/node" };
  const properties = Object.fromEntries("abcdefgh".split("").map((name) => [name, node]));
  const schema = { ...node, $defs: { node: { type: "object", properties } } };
  const session = await client.create({ schema });
  const { body } = await client.on(session, "POST", "/handoffs", {
    token: session.token,
    body: { to: "human", scopes: ["fill"] },
  });
  const person = new Person(fetch, server.url);
  const { code } = body.handoff as { code: string };
  const opened = await person.open(code);
  if (opened.status !== 200) throw new Error(`the link answered ${opened.status}`);
  return () => person.go("GET", `/h/${code}`);
}

async function manyNames(): Promise<() => Promise<unknown>> {
  const allOf = numbered(200, () => ({ minProperties: 1, maxProperties: 99_999 }));
  const session = await client.create({ schema: { properties: { x: { allOf } } } });
  const x = Object.fromEntries(numbered(40_000, (n) => [`k${n}`, n]));
  const body = JSON.stringify({ fields: { x } });
  const { token } = session;
  return () => client.on(session, "POST", "/validate", { token, body });
}

function manyEntries(): Promise<() => Promise<unknown>> {
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const body = "a&".repeat(5_200_000);
  const post = { method: "POST", headers, body, redirect: "manual" } as const;
  return Promise.resolve(() => fetch(`${server.url}/h/0000-0000-00000`, post));
}

function manyReferences(): Promise<() => Promise<unknown>> {
  const fields = numbered(1_000, (n) => [`p${n}`, { $ref: "#/$defs/b" }] as const);
  const $defs = { b: { examples: numbered(10_000, () => ({})) } };
  const schema = { properties: Object.fromEntries(fields), $defs };
  return Promise.resolve(() => client.create({ schema }));
}

/** Reads another session repeatedly while the heavy request runs. */
async function round(heavy: () => Promise<unknown>): Promise<{ own: number; waited: number }> {
  const finished = new AbortController();
  const own = timed(heavy).finally(() => finished.abort());
  let waited = 0;
  while (!finished.signal.aborted) waited = Math.max(waited, await timed(readOther));
  return { own: await own, waited };
}

const heavies = {
  "page of a recursive schema": recursivePage,
  "40,000 names": manyNames,
  "a stranger's form of 5,200,000 entries": manyEntries,
  "a schema of 1,000 references to one part": manyReferences,
};
for (const [name, prepare] of Object.entries(heavies)) {
  const heavy = await prepare();
  await heavy();
  const alone: number[] = [];
  for (let n = 0; n < ALONE; n += 1) alone.push(await timed(readOther));
  const one = median(alone);
  const rounds: { own: number; waited: number }[] = [];
  for (let n = 0; n < ROUNDS; n += 1) rounds.push(await round(heavy));
  const ratio = (values: readonly number[]) => (median(values) / one).toFixed(1);
  const own = ratio(rounds.map((round) => round.own));
  const waited = ratio(rounds.map((round) => round.waited));
  const max = (Math.max(...rounds.map((round) => round.waited)) / one).toFixed(1);
  console.log(
    `${name}: takes ${own} reads' time; the slowest read meanwhile ${waited}, at most ${max} ` +
      `(a read alone: 1, ${one.toFixed(1)} ms here)`,
  );
}
await server.stop();

/**
 * A comparison with the Durable Streams server from npm, a log over HTTP that syncs its file before it
 * answers, as Baton does. It uses the same events, the same generator and alternating rounds. That server
 * has no sessions, tokens or rules, so only appending and reading are compared.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { install } from "../../install-suite.mjs";
import { findFreePort } from "../../port.ts";
import { EVENT, expectStatus, times } from "../actors.ts";
import { measurePairs, rowOf, type Row } from "../compare.ts";
import { Load } from "../load.ts";
import { shared, type Client, type Workload } from "../workload.ts";
import { WORKLOADS } from "../workloads.ts";

export interface PeerResult {
  readonly name: string;
  /** Events per call. */
  readonly events: number;
  /** A comparison with the peer in place of the floor. */
  readonly row: Row;
}

interface Plan {
  readonly rounds: number;
  readonly roundMs: number;
}

const SOURCE = "scripts/bench/peers";
const JSON_TYPE = { "Content-Type": "application/json" };

let streams = 0;

async function createStream(load: Load): Promise<string> {
  streams += 1;
  const path = `/bench/${streams}`;
  expectStatus(await load.send({ method: "PUT", path, headers: JSON_TYPE }), 201);
  return path;
}

function appendTo(load: Load, path: string, count: number): () => Promise<unknown> {
  const call = { method: "POST", path, body: JSON.stringify(times(count, () => EVENT)) };
  return async () => expectStatus(await load.send(call), 204);
}

const appending =
  (count: number): Client =>
  async (load) =>
    appendTo(load, await createStream(load), count);

const oneStream = shared(createStream);

const filledStream = shared(async (load: Load) => {
  const path = await createStream(load);
  const append = appendTo(load, path, 100);
  for (const _ of times(100, () => null)) await append();
  return path;
});

const reading: Client = async (load) => {
  const path = `${await filledStream(load)}?offset=-1`;
  return async () => {
    const reply = expectStatus(await load.send({ method: "GET", path, discardBody: true }), 200);
    if (reply.bytes < 10_000 * EVENT.payload.text.length) throw new Error("events are missing");
  };
};

/** Baton's side is the workload of this name from the comparison with the floor. */
const PAIRS: readonly {
  readonly name: string;
  readonly of: string;
  readonly events: number;
  readonly peer: Client;
}[] = [
  { name: "append 1, 32 logs", of: "append 1", events: 1, peer: appending(1) },
  {
    name: "append 1, 32 clients on one log",
    of: "append 1, one session",
    events: 1,
    peer: async (load) => appendTo(load, await oneStream(load), 1),
  },
  { name: "append 100, 32 logs", of: "append 100", events: 100, peer: appending(100) },
  { name: "replay as JSON", of: "replay 10,000 as JSON", events: 10_000, peer: reading },
  {
    name: "replay, `members=type,payload`",
    of: "replay 10,000 as NDJSON, type and payload",
    events: 10_000,
    peer: reading,
  },
];

function pairOf(name: string, peer: Client): Workload {
  const workload = WORKLOADS.find((one) => one.name === name);
  if (workload === undefined) throw new Error(`there is no workload "${name}"`);
  const { target: _, ...rest } = workload;
  return { ...rest, floor: peer };
}

async function startPeer(folder: string) {
  const cache = join(import.meta.dirname, "../../..", "node_modules", ".cache", "bench-peers");
  const installed = install("the Durable Streams server", SOURCE, cache);
  const script = join(installed, "durable-streams.mjs");
  copyFileSync(join(import.meta.dirname, "../peers/durable-streams.mjs"), script);
  const port = await findFreePort("127.0.0.1");
  const child = spawn(process.execPath, [script, String(port), folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return { child, load: new Load({ port, pid: child.pid ?? 0 }) };
}

export async function studyPeers(
  baton: Load,
  plan: Plan,
  progress: (text: string) => void,
): Promise<readonly PeerResult[]> {
  const folder = mkdtempSync(join(tmpdir(), "bench-peer-"));
  progress("starting");
  const { child, load } = await startPeer(folder);
  try {
    const results: PeerResult[] = [];
    for (const { name, of, events, peer } of PAIRS) {
      const workload = pairOf(of, peer);
      const pairs = await measurePairs(workload, { floor: load, baton }, plan, (text) =>
        progress(`${name}: ${text}`),
      );
      results.push({ name, events, row: rowOf(workload, pairs) });
    }
    return results;
  } finally {
    load.close();
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * `npm run stress:live`: live replay at full size, over real HTTP. Readers that drop and resume while
 * writers append, the same with the runtime killed, many idle listeners, and consumers that stop reading.
 * BATON_SEED repeats a run; BATON_STRESS_EVENTS makes it smaller or larger.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "../test/support/client.ts";
import { startCountingServer } from "../test/support/live/counting-server.ts";
import { openIdleListeners } from "../test/support/live/idle-listeners.ts";
import { nodeAccess } from "../test/support/live/node-socket.ts";
import { seedFor, withSeed } from "../test/support/live/random.ts";
import { runReadersAndWriters, type Outcome } from "../test/support/live/run.ts";
import { killOwnRuntime, ownRuntimePid, residentMb } from "../test/support/live/runtime.ts";
import { measurePausedReaders } from "../test/support/live/paused-readers.ts";
import { startLocalServer } from "./local-server.ts";

const EVENTS = Number(process.env["BATON_STRESS_EVENTS"] ?? 20_000);
const READERS_EACH = 20;
const IDLE_LISTENERS = 200;
/** The runtime hibernates an object after 10 s without work. */
const IDLE_MS = 20_000;
const SLEEPERS = 10;
const SLEPT_THROUGH_MB = 64;

function demand(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`not so: ${what}`);
}

/** Runs with a separate folder and server. */
async function withServer(run: (server: { url: string; client: Client }) => Promise<void>) {
  const data = temporaryFolder();
  const server = await startLocalServer({ port: 0, host: "127.0.0.1", dataFolder: data.path });
  if (server === null) throw new Error("the folder is new, so nobody else can have it");
  // On any error the server is stopped.
  try {
    await run({ url: server.url, client: new Client(fetch, server.url) });
  } finally {
    await server.stop();
    data.remove();
  }
}

function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "baton-stress-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

function report({ head, readers }: Outcome): void {
  for (const transport of new Set(readers.map((reader) => reader.transport))) {
    const those = readers.filter((reader) => reader.transport === transport);
    const connections = those.reduce((sum, reader) => sum + reader.connections, 0);
    const faults = those.flatMap(({ fault }) => (fault === null ? [] : [fault]));
    console.log(
      `  ${transport}: ${those.length} readers, ${connections} connections, each 1..${head}: ` +
        (faults.length === 0 ? "whole" : faults.join("; ")),
    );
    demand(faults.length === 0, `every ${transport} reader saw the whole log once in order`);
  }
}

const readersAndWriters = (seed: number, kills: number) =>
  withServer(async (server) => {
    const pids = [ownRuntimePid()];
    const startedAt = Date.now();
    const outcome = await withSeed(seed, (random) =>
      runReadersAndWriters({
        client: server.client,
        access: nodeAccess(server.url),
        random,
        readersEach: READERS_EACH,
        writers: 4,
        events: EVENTS,
        async disturb(_, done) {
          for (let kill = 0; kill < kills && !done.aborted; kill++) {
            await sleep(random.between(500, 3_000));
            if (!done.aborted) pids.push(await killOwnRuntime(server.url));
          }
        },
      }),
    );
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    console.log(`seed ${seed}, ${EVENTS} events, runtime pids ${pids.join(", ")}, ${seconds} s`);
    report(outcome);
    demand(new Set(pids).size === pids.length, "a killed runtime has another pid");
    demand(kills === 0 || pids.length > 1, "the runtime was killed while they read");
  });

async function idleListeners(): Promise<void> {
  const data = temporaryFolder();
  const server = await startCountingServer(data.path);
  const session = await server.client.create();
  const listeners = await openIdleListeners(nodeAccess(server.url), session, IDLE_LISTENERS);
  const before = await server.constructions();
  await sleep(IDLE_MS);
  const asleep = await server.constructions();
  const { token } = session;
  const body = { events: [{ type: "agent.woke" }] };
  await server.client.on(session, "POST", "/events", { token, body });
  const received = await Promise.all(listeners.map((listener) => listener.next()));
  const after = await server.constructions();
  const got = received.filter((type) => type === "agent.woke").length;
  console.log(
    `${IDLE_LISTENERS} idle listeners: constructed ${before} time, after ${IDLE_MS / 1000} s idle ` +
      `${asleep}, after the next event ${after}; ${got} of ${IDLE_LISTENERS} got it`,
  );
  demand(before === asleep && after === before + 1, "the object slept and woke for the event");
  demand(got === IDLE_LISTENERS, "every listener got the event");
  await Promise.all(listeners.map((listener) => listener.leave()));
  await server.stop();
  data.remove();
}

const sleepers = () =>
  withServer(async (server) => {
    const outcome = await measurePausedReaders(server, SLEEPERS, SLEPT_THROUGH_MB, () =>
      residentMb(ownRuntimePid()),
    );
    const { before, during, whole } = outcome;
    console.log(
      `${SLEEPERS} sleeping consumers while ${SLEPT_THROUGH_MB} MB were appended: the runtime had ` +
        `${before} MB before and at most ${during} MB meanwhile; ${whole} of ${SLEEPERS} then read all`,
    );
    demand(during - before < (SLEEPERS * SLEPT_THROUGH_MB) / 2, "memory stays bounded");
    demand(whole === SLEEPERS, "every sleeper lost nothing");
  });

const seed = seedFor(Date.now() % 1_000_000);
await readersAndWriters(seed, 0);
await readersAndWriters(seed + 1, 3);
await idleListeners();
await sleepers();
console.log("All as demanded.");

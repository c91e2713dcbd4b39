/** Thirty processes want one lease while they are killed and paused at random moments. */
import { spawn, type ChildProcess } from "node:child_process";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Baton, type LogEvent, type Session } from "../../src/client/index.ts";
import { ROOT, sharedServer } from "../support/server.ts";
import { seeded } from "../support/seeded.ts";
import { scaled } from "../support/scale.ts";

const PROCESSES = 30;
const KEYS = 40;
const RUN_MS = scaled(12_000, 120_000);
const SEED = Number(process.env["LEASE_SEED"] ?? 7);

const server = sharedServer();
const chance = seeded(SEED);

/** The system in which effects happen: it counts how often each did. */
const happened = new Map<string, number>();
const receiver = createServer((request, response) => {
  const key = request.url?.slice(1) ?? "";
  happened.set(key, (happened.get(key) ?? 0) + 1);
  response.end(JSON.stringify(happened.get(key)));
});
let receiverUrl = "";
beforeAll(async () => {
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
afterAll(() => void receiver.close());

interface Worker {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<unknown>;
}

function startWorker(token: string, mode: string): Worker {
  const child = spawn(process.execPath, [join(ROOT, "test/support/lease-worker.mjs")], {
    env: {
      ...process.env,
      BATON_URL: server.url,
      BATON_TOKEN: token,
      RECEIVER: receiverUrl,
      KEYS: String(KEYS),
      MODE: mode,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (more: string) => (text += more));
  return { child, output: () => text, ended: once(child, "close") };
}

async function newParticipants(session: Session, count: number): Promise<readonly string[]> {
  const tokens: string[] = [];
  for (let n = 0; n < count; n += 1) {
    tokens.push((await session.handoff({ scopes: ["append"] })).participantToken);
  }
  return tokens;
}

async function wholeLog(session: Session): Promise<readonly LogEvent[]> {
  const events: LogEvent[] = [];
  for (let after = 0, more = true; more; ) {
    const page = await session.page({ after, limit: 1_000 });
    events.push(...page.events);
    ({ nextAfter: after, more } = page);
  }
  return events;
}

const numbered = (events: readonly LogEvent[], type: RegExp): readonly LogEvent[] =>
  events.filter((event) => type.test(event.type));

it(
  `one process at a time holds the lease, however they are killed and paused (seed ${SEED})`,
  { timeout: RUN_MS + 120_000 },
  async () => {
    happened.clear();
    const session = await Baton.connect(server.url).create({ title: "Thirty want it" });
    const tokens = await newParticipants(session, PROCESSES);
    const workers = tokens.map((token) => startWorker(token, "loop"));
    const outputs: string[] = [];
    let kills = 0;
    for (const end = Date.now() + RUN_MS; Date.now() < end; ) {
      await sleep(chance() * 150);
      const nth = Math.floor(chance() * PROCESSES);
      const { child, output, ended } = workers[nth] as Worker;
      if (chance() < 0.3) {
        // Longer than the lease: whatever it does afterwards comes too late.
        child.kill("SIGSTOP");
        void sleep(1_500).then(() => child.kill("SIGCONT"));
        continue;
      }
      child.kill("SIGKILL");
      await ended;
      kills += 1;
      outputs.push(output());
      workers[nth] = startWorker(tokens[nth] ?? "", "loop");
    }
    for (const { child, output, ended } of workers) {
      child.kill("SIGKILL");
      await ended;
      outputs.push(output());
    }

    const events = await wholeLog(session);
    let holder = { number: 0, participant: null as string | null };
    for (const { type, seq, participant, payload } of numbered(events, /^(lease|worker|once)\./)) {
      if (type === "lease.taken") {
        expect(seq).toBeGreaterThan(holder.number);
        holder = { number: seq, participant };
        continue;
      }
      // Nothing of an earlier holder was accepted after the next one took the lease.
      expect([payload["number"], participant], `${type} ${seq}`).toEqual([
        holder.number,
        holder.participant,
      ]);
      if (type === "lease.released") holder = { number: seq, participant: null };
    }

    const done = numbered(events, /^once\.done$/).map(({ payload }) => payload["key"]);
    expect(new Set(done).size, "each effect has one end").toBe(done.length);
    const starts = numbered(events, /^once\.started$/).map(({ payload }) => String(payload["key"]));
    for (const [key, count] of happened) {
      // More than once only if it was started again, because its outcome was unknown.
      expect(count, key).toBeLessThanOrEqual(starts.filter((one) => one === key).length);
    }
    for (const key of done) expect(happened.get(String(key)), String(key)).toBeGreaterThan(0);
    const turns = outputs.join("").split("turn").length - 1;
    console.log(
      `${kills} kills, ${turns} whole turns, ${numbered(events, /^lease\.taken$/).length} leases, ` +
        `${done.length} effects done, ${starts.length} starts, ${[...happened.values()].reduce((sum, n) => sum + n, 0)} happened`,
    );
    expect(kills).toBeGreaterThan(5);
    expect(done.length).toBeGreaterThan(0);
  },
);

it("a process that dies between an effect and its record leaves its outcome unknown", async () => {
  happened.clear();
  const session = await Baton.connect(server.url).create();
  const [dying = "", next = ""] = await newParticipants(session, 2);
  await startWorker(dying, "die").ended;
  expect(happened.get("effect-0")).toBe(1);
  const failing = startWorker(next, "fail");
  await failing.ended;
  expect(failing.output().trim()).toBe("UnknownOutcomeError");
  expect(happened.get("effect-0")).toBe(1);
  const retrying = startWorker(next, "retry");
  await retrying.ended;
  expect(retrying.output().trim()).toBe("done");
  // This is the window: only a receiver that knows the key can tell that it happened before.
  expect(happened.get("effect-0")).toBe(2);
  const types = (await wholeLog(session)).map(({ type }) => type);
  expect(types.filter((type) => type === "once.done")).toHaveLength(1);
});

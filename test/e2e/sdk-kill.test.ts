import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { Baton, type LogEvent } from "../../src/client/index.ts";
import { FileTokenStore } from "../../src/client-node/index.ts";
import { seeded } from "../support/seeded.ts";
import { ROOT, sharedServer, temporaryFolder } from "../support/server.ts";
import { scaled } from "../support/scale.ts";

const KILLS = Number(process.env["SDK_KILLS"] ?? scaled(4, 10));
const SEED = Number(process.env["SDK_SEED"] ?? 7);
const STEPS = 40;

const folder = temporaryFolder();
const server = sharedServer();
afterAll(() => folder[Symbol.dispose]());

const chance = seeded(SEED);

/** Runs the example once, and kills it at a random moment or lets it end. */
async function runOnce(state: string): Promise<{ isKilled: boolean; isFinished: boolean }> {
  const child = spawn(process.execPath, [join(ROOT, "examples/survivor.mjs")], {
    env: { ...process.env, BATON_URL: server.url, BATON_STATE: state, STEPS: String(STEPS) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, errors] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once("close", (code, signal) => resolve({ code, signal })),
  );
  const kill = (): boolean => child.kill("SIGKILL");
  // A quarter at any time after the start, the others a little after some steps.
  if (chance() < 0.25) void sleep(chance() * 200).then(kill);
  else {
    const lines = Math.floor(chance() * 12);
    const pause = chance() * 8;
    let isArmed = false;
    child.stdout.on("data", () => {
      if (isArmed || output.split("\n").length - 1 < lines) return;
      isArmed = true;
      void sleep(pause).then(kill);
    });
  }
  child.stdout.setEncoding("utf8").prependListener("data", (text: string) => (output += text));
  const { code, signal } = await ended;
  if (signal !== "SIGKILL") expect(code, errors).toBe(0);
  return { isKilled: signal === "SIGKILL", isFinished: output.includes("finished ") };
}

it(
  `loses and duplicates nothing when killed at ${KILLS} random moments (seed ${SEED})`,
  { timeout: Math.max(180_000, KILLS * 3_000 + 60_000) },
  async () => {
    let kills = 0;
    for (let round = 1; kills < KILLS; round += 1) {
      const state = join(folder.path, `state-${round}`);
      for (let isFinished = false; !isFinished; ) {
        const run = await runOnce(state);
        kills += run.isKilled ? 1 : 0;
        ({ isFinished } = run);
      }
      const store = new FileTokenStore(state);
      const session = await Baton.connect(server.url, { store }).attach("survivor");
      const { events, head } = await readAll(session);

      expect(events.map(({ seq }) => seq)).toEqual(upTo(head));
      const steps = (events as readonly LogEvent[]).filter(({ type }) => type === "work.step");
      expect(steps.map(({ payload }) => payload["step"])).toEqual(upTo(STEPS));
      const notes = events.filter(({ type }) => type === "fields.updated");
      expect(notes.map(({ payload }) => toOf(payload))).toEqual(upTo(13).map((n) => n * 3));
      expect(events.filter(({ type }) => type === "session.submitted")).toHaveLength(1);
      expect(events.filter(({ type }) => type === "session.created")).toHaveLength(1);
      // The line of tokens is intact: its newest token still writes.
      expect(await session.finalize()).toMatchObject({ ok: true, session: { state: "finalized" } });
      rmSync(state, { recursive: true });
    }
    expect(kills).toBeGreaterThanOrEqual(KILLS);
  },
);

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

const toOf = (payload: Readonly<Record<string, unknown>>): unknown =>
  (payload["changes"] as readonly { to: unknown }[])[0]?.to;

async function readAll(session: Awaited<ReturnType<Baton["attach"]>>) {
  const page = await session.page({ after: 0, limit: 1_000 });
  expect(page.more).toBe(false);
  return page;
}

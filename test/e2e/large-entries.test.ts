/**
 * Entries of every size through the SDK. `npm run stress:large` goes up to 100 MiB and kills the
 * writer 20 times. test/workers/blobs.test.ts shows that the Worker holds only a few chunks.
 */
import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Baton } from "../../src/client/index.ts";
import { FileTokenStore } from "../../src/client-node/index.ts";
import { largeText } from "../support/large-text.mjs";
import { scaled } from "../support/scale.ts";
import { seeded } from "../support/seeded.ts";
import { filesUnder, ROOT, startServer, temporaryFolder, type Server } from "../support/server.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const LARGEST = scaled(9 * MIB, 100 * MIB);
const KILLS = scaled(3, 20);
const SIZES = [1, 255, 192 * KIB, 256 * KIB, MIB, 8 * MIB - 12, 8 * MIB + 1, 33 * MIB, 100 * MIB];

const folder = temporaryFolder();
const data = join(folder.path, "data");
let server: Server;
beforeAll(async () => {
  server = await startServer(data);
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

/** The bytes of the stored content, without the database's journal. */
const storedBytes = (): number =>
  filesUnder(data)
    .filter((file) => !/-(?:wal|shm)$/.test(file))
    .reduce((sum, file) => sum + statSync(file).size, 0);

const textsOf = async (session: Awaited<ReturnType<Baton["create"]>>): Promise<string[]> => {
  const { events } = await session.page({ after: 0, types: ["agent.entry"] });
  return events.map(({ payload }) => String(payload["text"]));
};

describe("an entry", () => {
  it.each(SIZES.filter((size) => size <= LARGEST))(
    "of %i bytes comes back as it was",
    async (size) => {
      const session = await Baton.connect(server.url).create();
      const text = largeText(size);
      await session.append({ type: "agent.entry", payload: { text } });
      const [read = ""] = await textsOf(session);
      expect([read.length, read === text]).toEqual([size, true]);
    },
  );

  it("that is appended twice is stored once", async () => {
    const session = await Baton.connect(server.url).create();
    const payload = { text: largeText(LARGEST) };
    await session.append({ type: "agent.entry", payload });
    const before = storedBytes();
    expect(before).toBeGreaterThan(LARGEST);
    await session.append({ type: "agent.entry", payload });
    expect(storedBytes() - before).toBeLessThan(MIB);
    expect((await textsOf(session)).map(({ length }) => length)).toEqual([LARGEST, LARGEST]);
  });

  it(`with a writer that is killed ${KILLS} times is stored once and completely`, async () => {
    const state = join(folder.path, "state");
    const chance = seeded(22);
    const script = join(ROOT, "test/support/large-writer.mjs");
    let kills = 0;
    for (let isDone = false; !isDone; ) {
      const args = [script, server.url, state, String(LARGEST)];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
      let output = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        const isStarting = !output.includes("begun");
        output += text;
        if (!isStarting || kills >= KILLS) return;
        void sleep(chance() * chance() * scaled(300, 3_000)).then(() => child.kill("SIGKILL"));
      });
      await ended;
      isDone = output.includes("done");
      // It may have completed a moment before: then it is requested once more, and must stay one.
      if (child.signalCode === "SIGKILL") kills += 1;
      if (kills < KILLS) isDone = false;
    }
    const store = new FileTokenStore(state);
    const session = await Baton.connect(server.url, { store }).attach("large");
    const texts = await textsOf(session);
    expect(texts.map(({ length }) => length)).toEqual([LARGEST]);
    expect(texts[0] === largeText(LARGEST)).toBe(true);
  });
});

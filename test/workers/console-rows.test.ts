/** The cost of a console page for an owner's directory: the same for a few sessions and for thousands. */
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import type { Env } from "../../src/env";
import type { OwnerDirectory } from "../../src/object/owner-directory";

const HOUR_MS = 60 * 60 * 1000;
const POINTS = 24;
const DOTS = 12;
const PAGE = 50;
const KINDS = ["review", "person", "job", "time", "agent"] as const;

const ALL = { states: [], limit: PAGE } as const;

async function rowsReadWith(count: number): Promise<{ list: number; overview: number }> {
  const { OWNER_DIRECTORY } = env as unknown as Env;
  const stub = OWNER_DIRECTORY.get(OWNER_DIRECTORY.newUniqueId());
  return runInDurableObject(stub as never, async (directory: OwnerDirectory) => {
    const now = Date.now();
    for (let nth = 0; nth < count; nth++) {
      const since = now - nth * 1000;
      await directory.tell({
        objectIdHex: nth.toString(16).padStart(64, "0"),
        createdAt: since,
        belongs: { owner: "a" } as never,
        notices: [],
        listings: [
          {
            seq: 1,
            title: `Session ${nth}`,
            state: "in_progress",
            waiting: { for: KINDS[nth % KINDS.length] ?? "agent", since },
            labels: {},
            expiresAt: now + HOUR_MS,
            changedAt: since,
          },
        ],
      });
    }
    const costs = async (read: () => Promise<unknown>): Promise<number> => {
      const before = directory.meter.rowsRead;
      await read();
      return directory.meter.rowsRead - before;
    };
    const times = Array.from({ length: POINTS }, (_, nth) => now - nth * HOUR_MS);
    return {
      list: await costs(() => directory.list(ALL)),
      overview: await costs(() => directory.overview(times, DOTS)),
    };
  });
}

// Shows CO-6.
it("a console page reads one page of rows and the points of its charts, for 100 sessions and for 3,000", async () => {
  const few = await rowsReadWith(100);
  const many = await rowsReadWith(3_000);
  expect(many).toEqual(few);
  expect(few.list).toBeLessThan(3 * PAGE);
  expect(few.overview).toBeLessThan(1_000);
});

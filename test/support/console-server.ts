/** A server with the owner `local`, whose directory accepts updates about sessions of any age. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startLocalServer, type LocalServer } from "../../scripts/local-server.ts";
import { objectIdHexOf } from "../../src/domain/ids.ts";
import type { Client } from "./client.ts";
import { clientOf } from "./server-process.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const BATCH = 250;
const WAITS = ["person", "agent", "review", "job", "time"] as const;
const STATES = ["awaiting_input", "in_progress", "needs_review", "in_progress", "draft"] as const;

export interface ConsoleServer {
  /** Sends updates to the directory as sessions do. */
  sendUpdates(updates: readonly object[]): Promise<void>;
  readonly server: LocalServer;
  readonly client: Client;
  readonly key: string;
  readonly enterUrl: string;
  /** Adds sessions that exist only in the directory. None waits longer than `maxDays`. */
  seed(count: number, maxDays: number): Promise<void>;
  /** Makes an existing session appear to wait for this many days. */
  age(
    session: { readonly id: string; readonly head: number; readonly title: string },
    days: number,
  ): Promise<void>;
}

export async function startConsole(
  dataFolder: string,
  vars: Readonly<Record<string, string>> = {},
): Promise<ConsoleServer> {
  const entry = join(import.meta.dirname, "console-worker.ts");
  const options = { port: 0, host: "127.0.0.1", dataFolder, entry, vars } as const;
  const server = await startLocalServer({ ...options, makesLocalOwner: true });
  if (server === null) throw new Error("another server has the folder");
  const client = clientOf(server.url);
  const sendUpdates = async (updates: readonly object[]): Promise<void> => {
    const { status, text } = await client.call("POST", "/test/tell/local", { body: updates });
    if (status !== 200) throw new Error(text);
  };
  return {
    server,
    sendUpdates,
    client,
    key: readFileSync(join(dataFolder, "local-key"), "utf8").trim(),
    enterUrl: `${server.url}/console/enter/${server.local?.code}`,
    async seed(count, maxDays) {
      for (let at = 0; at < count; at += BATCH) {
        const size = Math.min(BATCH, count - at);
        await sendUpdates(
          Array.from({ length: size }, (_, nth) => generateUpdate(at + nth, count, maxDays)),
        );
      }
    },
    async age({ id, head, title }, days) {
      const since = Date.now() - days * DAY_MS;
      await sendUpdates([
        {
          ...updateOf(
            objectIdHexOf(id as never) ?? "",
            since,
            title,
            "person",
            "awaiting_input",
            since,
          ),
          // Between its last update and its next one.
          ...listingAt(head + 0.5, title, "person", "awaiting_input", since),
        },
      ]);
    },
  };
}

function generateUpdate(nth: number, count: number, maxDays: number): object {
  const age = (0.02 + (0.98 * ((nth * 7919) % count)) / count) * maxDays * DAY_MS;
  const at = Date.now() - Math.round(age);
  const kind = nth % WAITS.length;
  const title = `${["Water damage", "Invoice", "Visa application", "New laptop"][nth % 4]} ${nth}`;
  return updateOf(
    randomBytes(32).toString("hex"),
    at,
    title,
    WAITS[kind] ?? "agent",
    STATES[kind] ?? "draft",
    at,
  );
}

function updateOf(
  objectIdHex: string,
  createdAt: number,
  title: string,
  waits: string,
  state: string,
  since: number,
): object {
  const belongs = { owner: "local" };
  return {
    objectIdHex,
    createdAt,
    belongs,
    notices: [],
    ...listingAt(1, title, waits, state, since),
  };
}

const listingAt = (seq: number, title: string, waits: string, state: string, since: number) => ({
  listings: [
    {
      seq,
      title,
      state,
      waiting: { for: waits, since },
      labels: { team: seq % 2 === 0 ? "blue" : "green" },
      expiresAt: Date.now() + 7 * DAY_MS,
      changedAt: since,
    },
  ],
});

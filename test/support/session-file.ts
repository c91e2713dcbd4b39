/**
 * Reads a session's database file directly. A request would wake the object and could itself cause the
 * expected event.
 */
import { basename } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { filesUnder } from "./server.ts";

const POLL_MS = 50;
/** The server may be writing. */
const BUSY_MS = 60_000;

/** Resolves when the log of the session contains an event of this type. */
export async function waitUntilLogged(
  folder: string,
  sessionId: string,
  type: string,
): Promise<void> {
  const name = `${Buffer.from(sessionId.slice("ses_".length), "base64url").toString("hex")}.sqlite`;
  const path = filesUnder(folder).find((one) => basename(one) === name);
  if (path === undefined) throw new Error(`there is no ${name}`);
  while (!isLogged(path, type)) await sleep(POLL_MS);
}

function isLogged(path: string, type: string): boolean {
  const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
  try {
    const found = database.prepare(`SELECT 1 FROM commits WHERE instr(events, ?) > 0`);
    return found.get(`"type":"${type}"`) !== undefined;
  } finally {
    database.close();
  }
}

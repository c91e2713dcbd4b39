/** Sends requests to the Worker from a chosen address, through a proxy if needed, with chosen settings. */
import { env } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import worker from "../../src/index";
import type { Env } from "../../src/env";
import { Client, type Send } from "./client";

type Incoming = Parameters<typeof worker.fetch>[0];

/** A public address that no other test uses. */
export const publicAddress = (): string =>
  `8.${[...crypto.getRandomValues(new Uint8Array(3))].join(".")}`;

export const sendFrom =
  (headers: Readonly<Record<string, string>>, changes: Partial<Env> = {}): Send =>
  async (request) => {
    const sent = new Request(request);
    for (const [name, value] of Object.entries(headers)) sent.headers.set(name, value);
    const bindings = { ...(env as unknown as Env), ...changes };
    return worker.fetch(sent as Incoming, bindings, createExecutionContext());
  };

export const callerFrom = (
  address: string | null,
  changes: Partial<Env> = {},
  headers: Readonly<Record<string, string>> = {},
): Client => {
  const from = address === null ? {} : { "CF-Connecting-IP": address };
  return new Client(sendFrom({ ...from, ...headers }, changes));
};

const WINDOW_MS = 60_000;
const windowAt = (): number => Math.floor(Date.now() / WINDOW_MS);

/** Local counters restart each minute, so an action that crossed a minute is repeated. */
export async function inOneWindow<T>(run: () => Promise<T>): Promise<T> {
  for (;;) {
    const startWindow = windowAt();
    try {
      const result = await run();
      if (windowAt() === startWindow) return result;
    } catch (error) {
      if (windowAt() === startWindow) throw error;
    }
  }
}

/**
 * One HTTP request and what becomes of it on its way: lost before the server has it whole, cut off
 * while the server works on it, its answer never read, or whole.
 */
import { Agent, request as httpRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

export const FATES = ["whole", "lost", "cut", "unheard"] as const;
export type Fate = (typeof FATES)[number];

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Heard {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Long enough for a loaded machine; an answer that comes later counts as none. */
const TIMEOUT_MS = 20_000;
const CUT_AFTER_MS = 4;
const AGAIN_MS = 100;
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** Null where no answer was heard, whatever happened on the other side. */
export const send = (base: string, sent: Sent, fate: Fate): Promise<Heard | null> =>
  new Promise((resolve) => {
    const { method, path, headers, body = "" } = sent;
    const request = httpRequest(base + path, {
      method,
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
      // A connection that is to be broken is its own: others must not lose theirs by it.
      agent: fate === "whole" ? agent : false,
      timeout: TIMEOUT_MS,
    });
    request.on("error", () => resolve(null));
    request.on("close", () => resolve(null));
    request.on("timeout", () => request.destroy());
    request.on("response", (response) => {
      if (fate === "unheard") {
        request.destroy();
        return;
      }
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", () => resolve(null));
      response.on("end", () => {
        if (!response.complete) return resolve(null);
        const text = Buffer.concat(parts).toString("utf8");
        return resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    if (fate === "lost") {
      // Half of it goes out; what has no body is never sent at all.
      if (body === "") request.destroy();
      else request.write(body.slice(0, body.length / 2), () => request.destroy());
    } else if (fate === "cut") {
      request.end(body, () => void sleep(CUT_AFTER_MS).then(() => request.destroy()));
    } else {
      request.end(body);
    }
  });

/** Asks again until there is an answer that says something. */
export async function sendUntilCertain(base: string, sent: Sent): Promise<Heard> {
  for (;;) {
    const heard = await send(base, sent, "whole");
    if (heard !== null && heard.status < 500 && heard.status !== 429) return heard;
    await sleep(AGAIN_MS);
  }
}

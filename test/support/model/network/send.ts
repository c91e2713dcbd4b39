/**
 * One HTTP request and its fate: lost before the server has it whole, cut off while the server works on it,
 * its answer never read, or whole.
 */
import { Agent, request as httpRequest } from "node:http";
import type { Fate } from "../plan.ts";
import { sleep } from "../sleep.ts";
import type { HttpRequest, HttpResponse } from "./wire.ts";

/** Long enough for a loaded machine; an answer that comes later counts as none. */
const TIMEOUT_MS = 20_000;
const CUT_AFTER_MS = 4;
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** Null if no answer was received, whatever happened on the other side. */
export function send(base: string, sent: HttpRequest, fate: Fate): Promise<HttpResponse | null> {
  const { method, path, body = "" } = sent;
  const headers = { ...sent.headers, "content-length": Buffer.byteLength(body) };
  // A connection that is to be broken is its own: others must not lose theirs by it.
  const own = fate === "whole" ? agent : false;
  return exchange(base, { method, path, headers, agent: own, timeout: TIMEOUT_MS }, body, fate);
}

/** The request as these options have it, which need not be well formed. `isLeft` ends an answer after its head. */
export const exchange = (
  base: string,
  options: Parameters<typeof httpRequest>[1],
  body: string | Buffer,
  fate: Fate = "whole",
  isLeft: (headers: HttpResponse["headers"]) => boolean = () => false,
): Promise<HttpResponse | null> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(base);
    const host = hostname === "localhost" ? "127.0.0.1" : hostname;
    const request = httpRequest({ ...options, host, port });
    request.on("error", () => resolve(null));
    request.on("close", () => resolve(null));
    request.on("timeout", () => request.destroy());
    request.on("response", (response) => {
      const { statusCode: status = 0, headers } = response;
      if (isLeft(headers)) resolve({ status, headers, text: "" });
      if (fate === "answer lost" || isLeft(headers)) return request.destroy();
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", () => resolve(null));
      response.on("end", () => {
        const text = Buffer.concat(parts).toString("utf8");
        resolve(response.complete ? { status, headers, text } : null);
      });
    });
    if (fate === "request lost") {
      // Half of it goes out; a request without a body is never sent at all.
      if (body.length === 0) request.destroy();
      else request.write(body.slice(0, body.length / 2), () => request.destroy());
    } else if (fate === "cut off") {
      request.end(body, () => void sleep(CUT_AFTER_MS).then(() => request.destroy()));
    } else {
      request.end(body.length > 0 ? body : undefined);
    }
  });

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
export const send = (base: string, sent: HttpRequest, fate: Fate): Promise<HttpResponse | null> =>
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
      if (fate === "answer lost") {
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
    if (fate === "request lost") {
      // Half of it goes out; what has no body is never sent at all.
      if (body === "") request.destroy();
      else request.write(body.slice(0, body.length / 2), () => request.destroy());
    } else if (fate === "cut off") {
      request.end(body, () => void sleep(CUT_AFTER_MS).then(() => request.destroy()));
    } else {
      request.end(body);
    }
  });

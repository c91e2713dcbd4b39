import { createHash } from "node:crypto";
import { request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { expect, it } from "vitest";
import type { CreatedSession } from "../support/client.ts";
import { sharedServer } from "../support/server.ts";

const SIZE = 100_000_000;
const CHUNK = Buffer.alloc(64 * 1024, "baton");

const server = sharedServer();

/** Generates so many bytes while they are sent. */
function* bytes(size: number): Generator<Buffer> {
  for (let remaining = size; remaining > 0; remaining -= CHUNK.length) {
    yield remaining < CHUNK.length ? CHUNK.subarray(0, remaining) : CHUNK;
  }
}

function hashOf(size: number): string {
  const hash = createHash("sha256");
  for (const chunk of bytes(size)) hash.update(chunk);
  return hash.digest("hex");
}

/** Sends a part of a file that is declared in full; a part ends with the connection. */
async function put(
  session: CreatedSession,
  token: string,
  upload: string,
  sent: number,
): Promise<number> {
  const outgoing = request(`${server.url}/sessions/${session.id}/uploads/${upload}`, {
    method: "PUT",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/octet-stream",
      "Content-Length": SIZE,
    },
  });
  const answered = new Promise<number>((resolve) => {
    outgoing.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    outgoing.on("error", () => resolve(0));
  });
  if (sent < SIZE) {
    for (const chunk of bytes(sent)) outgoing.write(chunk);
    outgoing.destroy();
    return answered;
  }
  await pipeline(Readable.from(bytes(sent)), outgoing);
  return answered;
}

// Shows U-3.
it("a file of 100 MB is streamed, also after the connection broke in the middle", async () => {
  const session = await server.client.create();
  const announced = await server.client.on(session, "POST", "/uploads", {
    token: session.token,
    body: { name: "large.bin", type: "application/octet-stream", size: SIZE },
  });
  const token = announced.body.resumeToken as string;
  expect(await put(session, token, "upl_1", 1_000_000)).toBe(0);
  const unharmed = await server.client.on(session, "GET", "", { token });
  expect(unharmed.body.session).toEqual(announced.body.session);
  expect(await put(session, token, "upl_1", SIZE)).toBe(200);
  const confirmed = await server.client.on(session, "POST", "/uploads/upl_1/confirm", {
    token,
    body: { size: SIZE, sha256: hashOf(SIZE) },
  });
  expect(confirmed.status, confirmed.text).toBe(200);
  const response = await fetch(`${server.url}/sessions/${session.id}/uploads/upl_1`, {
    headers: { Authorization: `Bearer ${confirmed.body.resumeToken as string}` },
  });
  const hash = createHash("sha256");
  for await (const chunk of response.body ?? []) hash.update(chunk as Uint8Array);
  expect(hash.digest("hex")).toBe(hashOf(SIZE));
});

/** Large content of a session: what is stored, refused, shared and removed. */
import { env, exports } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { objectIdHexOf } from "../../src/domain/ids";
import { LIMITS } from "../../src/domain/limits";
import type { Env } from "../../src/env";
import { Blobs } from "../../src/gateway/blobs";
import { Caller } from "../../src/gateway/caller";
import type { UnverifiedCredential } from "../../src/gateway/session-calls";
import type { Answer } from "../support/client";
import { countFiles, hashOf, putBlob as put, type TestParticipant } from "../support/blobs";
import { bindIn, client, inside, rowsWrittenBy } from "../support/worker";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };
const { UPLOADS } = env as unknown as Env;
const TEXT = "what is too large for an event";

afterEach(() => {
  vi.useRealTimers();
});

const get = ({ id, token }: TestParticipant, hash: string): Promise<Answer> =>
  client.on({ id }, "GET", `/blobs/${hash}`, { token });

describe("a blob", () => {
  // Shows BL-1.
  it("is stored under its hash and read back byte for byte", async () => {
    const session = await client.create();
    const hash = await hashOf(TEXT);
    const stored = await put(session, hash.toUpperCase(), TEXT);
    expect([stored.status, stored.body]).toEqual([201, { sha256: hash, size: TEXT.length }]);
    const read = await get(session, hash);
    expect([read.status, read.text]).toEqual([200, TEXT]);
    expect(read.headers.get("Content-Type")).toBe("application/octet-stream");
    expect(read.headers.get("Content-Disposition")).toContain("attachment");
    expect(read.headers.get("Cache-Control")).toBe("no-store");
    expect((await get(session, await hashOf("other"))).body.code).toBe("not_found");
  });

  // Shows BL-1.
  it("is stored once, however often and by however many participants it is sent", async () => {
    const session = await client.create();
    const hash = await hashOf(TEXT);
    const sent = await Promise.all([1, 2, 3, 4].map(() => put(session, hash, TEXT)));
    expect(sent.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
    expect((await put(session, hash, TEXT)).status).toBe(200);
    expect(await countFiles(session)).toBe(1);
    expect((await get(session, hash)).text).toBe(TEXT);
  });

  // Shows BL-2.
  it("is refused if its bytes do not match its hash, the first time and when it is stored already", async () => {
    const session = await client.create();
    const hash = await hashOf(TEXT);
    const first = await put(session, hash, "something else");
    expect([first.status, first.body.code]).toEqual([400, "invalid_request"]);
    expect(await countFiles(session)).toBe(0);
    expect((await get(session, hash)).status).toBe(404);
    await put(session, hash, TEXT);
    expect((await put(session, hash, "something else")).body.code).toBe("invalid_request");
    expect((await get(session, hash)).text).toBe(TEXT);
  });

  // Shows BL-2.
  it("needs a hash as its name, and as many bytes as its Content-Length", async () => {
    const session = await client.create();
    const hash = await hashOf(TEXT);
    expect((await put(session, hash, TEXT, "3")).body.code).toBe("invalid_request");
    expect((await put(session, hash, TEXT, "many")).body.code).toBe("invalid_request");
    for (const name of ["abc", `${hash}0`, "x".repeat(64)]) {
      const refused = await put(session, name, TEXT);
      expect([refused.status, refused.body.at]).toEqual([400, "sha256"]);
      expect((await get(session, name)).status).toBe(400);
    }
    expect(await countFiles(session)).toBe(0);
  });

  it("has blobBytes and not one more", async () => {
    const session = await client.create();
    const hash = await hashOf(TEXT);
    const tooLarge = await put(session, hash, TEXT, String(LIMITS.blobBytes + 1));
    expect([tooLarge.status, tooLarge.body]).toMatchObject([
      413,
      { code: "too_large", limit: LIMITS.blobBytes },
    ]);
    // At the limit it is not refused for its size, only because fewer bytes follow.
    const atLimit = await put(session, hash, TEXT, String(LIMITS.blobBytes));
    expect([atLimit.status, atLimit.body.code]).toEqual([400, "invalid_request"]);
  });

  // Shows BL-1.
  it("needs append to send and view to read, and cannot be sent once the session has ended", async () => {
    const session = await client.create();
    const hash = await hashOf(TEXT);
    const handedOff = await client.on(session, "POST", "/handoffs", {
      token: session.token,
      body: { to: "agent", scopes: ["view"] },
    });
    const viewer = { id: session.id, token: handedOff.body.participantToken as string };
    const owner = { id: session.id, token: handedOff.body.resumeToken as string };
    expect((await put(viewer, hash, TEXT)).body.code).toBe("scope_denied");
    await put(owner, hash, TEXT);
    expect((await get(viewer, hash)).text).toBe(TEXT);
    const { token } = owner;
    const ended = await client.on(session, "POST", "/cancel", { token, body: {} });
    const after = { id: session.id, token: ended.body.resumeToken as string };
    expect((await put(after, hash, TEXT)).body.code).toBe("illegal_transition");
    expect((await get(after, hash)).text).toBe(TEXT);
  });

  // Shows BL-3.
  it("is refused from the moment its session is purged, and none is left, even if an upload was in flight", async () => {
    const session = await client.create();
    const [storedHash, late, halfway] = await Promise.all(["kept", "late", "halfway"].map(hashOf));
    expect((await put(session, storedHash!, "kept")).status).toBe(201);
    const slow = new TransformStream<Uint8Array, Uint8Array>();
    const writer = slow.writable.getWriter();
    const admitted = worker.default.fetch(
      new Request(`http://baton.test/sessions/${session.id}/blobs/${halfway}`, {
        method: "PUT",
        headers: { Authorization: `Bearer ${session.token}`, "Content-Length": "7" },
        body: slow.readable,
      }),
    );
    // Its bytes are read only after it was admitted.
    await writer.write(new TextEncoder().encode("half"));
    const answers: number[] = [];
    // Deleting the files takes time, and other requests continue meanwhile.
    const bucket = {
      async list(options: R2ListOptions) {
        const found = await UPLOADS.list(options);
        answers.push((await put(session, late!, "late")).status);
        return found;
      },
      delete: (keys: string[]) => UPLOADS.delete(keys),
    };
    await bindIn(session, { UPLOADS: bucket });
    const purged = await client.on(session, "DELETE", "", { token: session.token });
    await writer.write(new TextEncoder().encode("way"));
    await writer.close();
    answers.push(purged.status, (await admitted).status);
    expect(answers).toEqual([410, 200, 410]);
    expect(await countFiles(session)).toBe(0);
    const rows = await inside(session, (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'blobs'").toArray(),
    );
    expect(rows).toEqual([]);
  });

  // Shows BL-3.
  it("is deleted when its session is purged, including what an interrupted upload left", async () => {
    const session = await client.create();
    await put(session, await hashOf(TEXT), TEXT);
    const hex = objectIdHexOf(session.id);
    await UPLOADS.put(`${hex}/blobs/${await hashOf("x")}/left-behind`, "x");
    const purged = await client.on(session, "DELETE", "", { token: session.token });
    expect(purged.status).toBeLessThan(300);
    expect(await countFiles(session)).toBe(0);
    expect((await get(session, await hashOf(TEXT))).status).toBe(410);
  });

  it("costs two rows the first time, then one, and none if it is stored already or refused", async () => {
    const session = await client.create();
    const rowsOf = async (text: string, hash?: string) => {
      const name = hash ?? (await hashOf(text));
      return rowsWrittenBy(session, () => put(session, name, text));
    };
    expect(await rowsOf("first")).toBeLessThanOrEqual(3);
    expect(await rowsOf("second")).toBe(1);
    expect(await rowsOf("second")).toBe(0);
    expect(await rowsOf("third", await hashOf("other"))).toBe(0);
    const rows = await inside(session, ({ meter }) => meter.rowsWritten);
    await get(session, await hashOf("first"));
    expect(await inside(session, ({ meter }) => meter.rowsWritten)).toBe(rows);
  });

  // Shows BL-3.
  it("of 100 MiB is never held in memory: at any time only a few chunks are read and not yet stored", async () => {
    const CHUNK_BYTES = 1024 * 1024;
    const CHUNKS = 100;
    let produced = 0;
    let stored = 0;
    let maxHeld = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          produced += 1;
          maxHeld = Math.max(maxHeld, produced - stored);
          controller.enqueue(new Uint8Array(CHUNK_BYTES));
          if (produced === CHUNKS) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const bucket = {
      async put(_: string, stream: ReadableStream<Uint8Array>) {
        let bytes = 0;
        for await (const chunk of stream) {
          bytes += chunk.byteLength;
          const whole = Math.floor(bytes / CHUNK_BYTES);
          // During this pause a source without backpressure would run ahead.
          if (whole > stored) await new Promise((resolve) => setTimeout(resolve, 1));
          stored = whole;
        }
      },
      async delete() {},
    };
    const object = {
      write: async ({ kind, ...rest }: { kind: string }) => ({
        ok: true,
        value: kind === "prepareBlob" ? false : rest,
      }),
    };
    const bindings = { UPLOADS: bucket, SESSION: { get: () => object } } as never;
    const blobs = new Blobs(bindings, new Caller(new Headers(), {}));
    const credential = {
      objectId: "id",
      objectIdHex: "id",
      sessionId: "ses_x",
      credential: {},
    } as unknown as UnverifiedCredential;
    const incoming = { body, length: String(CHUNKS * CHUNK_BYTES), type: null };
    const reply = await blobs.put(credential, "0".repeat(64), incoming);
    expect(reply).toMatchObject({ ok: true, value: { size: CHUNKS * CHUNK_BYTES, isNew: true } });
    expect(stored).toBe(CHUNKS);
    expect(maxHeld).toBeLessThanOrEqual(4);
  });

  // Shows BL-2.
  it("leaves nothing if its connection breaks, and can be sent again", async () => {
    const session = await client.create();
    const hash = await hashOf(TEXT);
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(TEXT.slice(0, 5)));
        controller.error(new Error("gone"));
      },
    });
    const request = new Request(`http://baton.test/sessions/${session.id}/blobs/${hash}`, {
      method: "PUT",
      headers: {
        Authorization: `Bearer ${session.token}`,
        "Content-Length": String(TEXT.length),
      },
      body: broken,
    });
    expect((await worker.default.fetch(request)).status).toBe(400);
    expect(await countFiles(session)).toBe(0);
    expect((await put(session, hash, TEXT)).status).toBe(201);
  });
});

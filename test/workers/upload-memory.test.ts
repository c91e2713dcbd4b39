import { expect, it } from "vitest";
import { Caller } from "../../src/gateway/caller";
import { Uploads } from "../../src/gateway/uploads";
import type { UnverifiedCredential } from "../../src/gateway/session-calls";

const CHUNK_BYTES = 1024 * 1024;
const CHUNKS = 100;
/** What the streams in between may hold: one chunk each. */
const MAX_IN_FLIGHT = 4;

// Shows U-3.
it("a file of 100 MB is never held in memory: at any time only a few chunks are read and not yet stored", async () => {
  let produced = 0;
  let stored = 0;
  let maxHeld = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        produced += 1;
        maxHeld = Math.max(maxHeld, produced - stored);
        controller.enqueue(new Uint8Array(CHUNK_BYTES).fill(produced % 251));
        if (produced === CHUNKS) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  /** A bucket and a session behind their ports: the bucket accepts a chunk, and pauses. */
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
  const session = {
    read: async () => ({ ok: true, value: null }),
    write: async () => ({ ok: true, value: [] }),
  };
  const env = { UPLOADS: bucket, SESSION: { get: () => session } } as never;
  const uploads = new Uploads(env, new Caller(new Headers(), {}));
  const credential = {
    objectId: "id",
    sessionId: "ses_x",
    credential: {},
  } as unknown as UnverifiedCredential;
  const length = String(CHUNKS * CHUNK_BYTES);
  const reply = await uploads.put(credential, 1, { body, length, type: null });
  expect(reply).toMatchObject({ ok: true, value: { size: CHUNKS * CHUNK_BYTES } });
  expect(stored).toBe(CHUNKS);
  expect(maxHeld).toBeLessThanOrEqual(MAX_IN_FLIGHT);
});

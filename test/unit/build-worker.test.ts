import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { buildWorker, bundle, workerInputs } from "../../scripts/build-worker.ts";
import { MAX_GZIP_BYTES, MAX_BYTES } from "../support/worker-size.ts";

const ENTRY = join(import.meta.dirname, "../../src/self-hosted.ts");

it("the cached Worker equals the one built from the source, and contains nothing else", async () => {
  const { text, inputs } = await bundle(ENTRY, {});

  const known = workerInputs();
  const unknown = inputs.filter(
    (path) => !path.startsWith("node_modules/") && !known.includes(path),
  );
  expect(unknown).toEqual([]);
  expect(await buildWorker()).toBe(text);
  expect(await buildWorker()).toBe(text);
});

it("the Worker stays small enough to start at once", async () => {
  const text = await buildWorker();

  expect(Buffer.byteLength(text)).toBeLessThan(MAX_BYTES);
  expect(gzipSync(text).length).toBeLessThan(MAX_GZIP_BYTES);
});

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { randomKey } from "../support/client.ts";
import { TestAgent } from "../support/test-agent.ts";
import { filesUnder, ROOT, startServer, temporaryFolder } from "../support/server.ts";

const run = promisify(execFile);
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const filesWith = (root: string, mark: string): readonly string[] =>
  filesUnder(root).filter((path) => readFileSync(path).includes(mark));

const SCHEMA = {
  properties: {
    short: { "x-baton": { private: true } },
    long: { "x-baton": { private: true } },
    open: { type: "string" },
  },
};

// Shows PV-6.
it("no byte of an erased or replaced private value stays in the data folder or a backup", async () => {
  const mark = `canary${randomKey()}`;
  const data = join(folder.path, "data");
  const server = await startServer(data);
  const agent = await TestAgent.create(server.client, {
    schema: SCHEMA,
    fields: { short: `${mark} first` },
  });
  await agent.call("PATCH", "", { fields: { short: `${mark} second` } });
  await agent.call("PATCH", "", { fields: { long: `${mark} `.repeat(2_000), open: "kept" } });
  expect(filesWith(data, mark).length).toBeGreaterThan(0);
  await agent.call("DELETE", "/private/short");
  await agent.call("DELETE", "/private/long");
  // A backup has the pages as they are now.
  const backup = join(folder.path, "backup");
  await run(process.execPath, [join(ROOT, "scripts/backup.ts"), "backup", backup, "--data", data]);
  expect(filesWith(backup, mark)).toEqual([]);
  // The write-ahead log is removed when the object is evicted.
  await expect.poll(() => filesWith(data, mark)).toEqual([]);
  expect((await agent.session()).fields.open).toBe("kept");
  await server.stop();
  expect(filesWith(data, mark)).toEqual([]);
});

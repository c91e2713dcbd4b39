import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { randomKey } from "../support/client.ts";
import { TestAgent } from "../support/test-agent.ts";
import { filesUnder, ROOT, startServer, temporaryFolder } from "../support/server.ts";

const run = promisify(execFile);
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

/** A marker in every piece of content, each in one kind of location. */
const canary = (): string => `canary${randomKey()}`;

/** The files below a folder that contain one of the markers, whatever bytes surround it. */
const filesWith = (root: string, mark: string): readonly string[] =>
  filesUnder(root).filter((path) => readFileSync(path).includes(mark));

describe("the bytes of a purged session", () => {
  it.each([
    ["without an Idempotency-Key", undefined],
    ["begun with an Idempotency-Key", randomKey()],
  ])("are neither in the data folder nor in a backup: a session %s", async (_, key) => {
    const mark = canary();
    const data = join(folder.path, key ?? "plain");
    const server = await startServer(data);
    const created = await server.client.create(
      { title: `${mark} title`, fields: { [`f_${mark}`]: `${mark} value` } },
      key === undefined ? {} : { key },
    );
    const agent = new TestAgent(server.client, created);
    // Enough to fill many pages, some of which are freed and reused.
    for (let round = 0; round < 20; round++) {
      await agent.call("PATCH", "", {
        fields: { [`n${round % 4}`]: `${mark} `.repeat(400 + round) },
      });
      await agent.call("POST", "/events", {
        events: [{ type: "agent.said", payload: { text: `${mark} `.repeat(50) } }],
      });
    }
    await agent.call("POST", "/checkpoints", { name: `${mark} checkpoint` });
    await agent.call("POST", "/handoffs", { to: "agent", scopes: ["view"], note: `${mark} note` });
    await agent.call("POST", "/handoffs", { to: "human", scopes: ["fill"], note: `${mark} note` });
    const bytes = Buffer.from(`${mark} in a file\n`.repeat(3_000));
    await agent.call("POST", "/uploads", {
      name: `${mark}.txt`,
      type: "text/plain",
      size: bytes.length,
    });
    const put = await fetch(`${server.url}/sessions/${agent.id}/uploads/upl_1`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${agent.token}`, "Content-Type": "text/plain" },
      body: bytes,
    });
    expect(put.status).toBe(200);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    await agent.call("POST", "/uploads/upl_1/confirm", { size: bytes.length, sha256 });
    await agent.call("POST", "/jobs", { agent: "worker", input: { text: `${mark} job` } });
    const other = await server.client.create({ title: `kept ${mark.slice(6)}` });
    expect(filesWith(data, mark).length).toBeGreaterThan(1);

    await agent.call("DELETE", "");

    // Immediately, while the server runs, and in backups made then and later.
    expect(filesWith(data, mark)).toEqual([]);
    const backup = join(folder.path, `backup-${key ?? "plain"}`);
    await run(process.execPath, [
      join(ROOT, "scripts/backup.ts"),
      "backup",
      backup,
      "--data",
      data,
    ]);
    expect(filesWith(backup, mark)).toEqual([]);
    expect(filesWith(backup, mark.slice(6)).length).toBeGreaterThan(0);
    const gone = await agent.tryCall("GET", "");
    expect(gone.body.code).toBe("gone");
    await server.stop();
    expect(filesWith(data, mark)).toEqual([]);
    const again = await startServer(data);
    const unpurged = await again.client.on(other, "GET", "", { token: other.token });
    expect(unpurged.status).toBe(200);
    await again.stop();
  });
});

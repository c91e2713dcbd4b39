import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storedKeys } from "../../scripts/key-files.ts";
import { parseKeys, type KeySetting } from "../../src/gateway/keyring.ts";
import { TestAgent } from "../support/test-agent.ts";
import { VERSION } from "../../src/version.ts";
import { newKey } from "../support/owners.ts";
import { childOf } from "../support/server-process.ts";
import { clientOf, freePort, ROOT, startServer, temporaryFolder } from "../support/server.ts";

const run = promisify(execFile);
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const at = (name: string): string => join(folder.path, name);

const backup = (what: "backup" | "restore", ...args: readonly string[]) =>
  run(process.execPath, [join(ROOT, "scripts/backup.ts"), what, ...args]);

/** Every folder and file below a path that is accessible to other users, with its mode. */
const openToOthers = (path: string): readonly string[] =>
  [path, ...readdirSync(path, { recursive: true, encoding: "utf8" }).map((one) => join(path, one))]
    // A file that a running server removes meanwhile counts as closed.
    .map((one) => [one, statSync(one, { throwIfNoEntry: false })?.mode ?? 0] as const)
    .filter(([, mode]) => (mode & 0o077) !== 0)
    .map(([one, mode]) => `${one} ${(mode & 0o777).toString(8)}`);

beforeAll(async () => {
  // As a folder that was created by hand, or by an older server.
  mkdirSync(at("data/do/old"), { recursive: true });
  writeFileSync(at("data/do/old/file.sqlite"), "", { mode: 0o644 });
  chmodSync(at("data"), 0o755);
  const server = await startServer(at("data"));
  const agent = await TestAgent.create(server.client, { fields: { a: 1 } });
  await agent.call("POST", "/uploads", { name: "a.txt", type: "text/plain", size: 1 });
  await fetch(`${server.url}/sessions/${agent.id}/uploads/upl_1`, {
    method: "PUT",
    headers: { Authorization: `Bearer ${agent.token}`, "Content-Type": "text/plain" },
    body: "a",
  });
  expect(openToOthers(at("data"))).toEqual([]);
  await server.stop();
  await backup("backup", at("copy"), "--data", at("data"));
  await backup("restore", at("copy"), "--data", at("restored"));
});

describe("the files of a server and its tools", () => {
  it.each(["data", "copy", "restored"])("are accessible to their owner alone: %s", (name) => {
    expect(readdirSync(at(name)).length).toBeGreaterThan(2);
    expect(openToOthers(at(name))).toEqual([]);
  });

  it("contain keys that are generated once, and none if the operator set them", () => {
    const stored = storedKeys(at("data"), {});
    expect(Object.keys(stored)).toEqual(["SEALING_KEYS", "SIGNING_KEYS"]);
    for (const [setting, text] of Object.entries(stored)) {
      expect(parseKeys(setting as KeySetting, text)).toMatchObject({ ok: true });
    }
    expect(storedKeys(at("data"), {})).toEqual(stored);
    expect(storedKeys(at("restored"), {})).toEqual(stored);
    expect(Object.keys(storedKeys(at("data"), { SIGNING_KEYS: "[]" }))).toEqual(["SEALING_KEYS"]);
  });
});

describe("a backup with a forged manifest", () => {
  const outside = Buffer.from("outside\n");
  const sha256 = createHash("sha256").update(outside).digest("hex");

  /** The copy with one more file in its manifest; the file exists at that path. */
  function planted(name: string, path: unknown): string {
    const source = at(`${name}/backup`);
    cpSync(at("copy"), source, { recursive: true });
    for (const target of [at("outside"), at(`${name}/outside`), join(source, "outside")]) {
      writeFileSync(target, outside);
    }
    symlinkSync(at("outside"), join(source, "link"));
    const manifest = JSON.parse(readFileSync(join(source, "backup.json"), "utf8"));
    manifest.files.push({ path, bytes: outside.length, sha256 });
    writeFileSync(join(source, "backup.json"), JSON.stringify(manifest));
    return source;
  }

  it.each([
    ["up", "../outside"],
    ["up-and-down", "do/../../outside"],
    ["dotted", "./outside"],
    ["absolute", "/outside"],
    ["backslash", "..\\outside"],
    ["empty", ""],
    ["link", "link"],
    ["number", 7],
  ])("restores nothing if it names a path outside of the folder: %s", async (name, path) => {
    const source = planted(name, path);
    const failed = await backup("restore", source, "--data", at(`${name}/data`)).then(
      () => null,
      (error: { code: number; stderr: string }) => error,
    );
    expect(failed?.code).toBe(1);
    expect(failed?.stderr).toMatch(/not a file inside the backup|is not a backup/);
    expect(failed?.stderr).not.toContain("    at ");
    expect(existsSync(at(`${name}/data`))).toBe(false);
  });
});

describe("a server with a full disk", () => {
  it("answers 503 to writes, serves the rest, logs it in one line, and does not start again", async () => {
    const small = at("small");
    mkdirSync(small);
    const port = await freePort();
    const serve = [
      join(ROOT, "scripts/serve.ts"),
      "--port",
      String(port),
      "--data",
      `${small}/data`,
    ];
    const mounted = 'mount -t tmpfs -o size=12m tmpfs "$0" && { "$@"; "$@"; echo "ended: $?"; }';
    const child = spawn(
      "unshare",
      ["-Urm", "sh", "-c", mounted, small, process.execPath, ...serve],
      {
        env: { ...process.env, BATON_HOME: at("home"), METRICS_TOKEN: "a-token-of-this-test" },
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
      },
    );
    let logged = "";
    for (const output of [child.stdout, child.stderr]) {
      output.setEncoding("utf8").on("data", (text: string) => (logged += text));
    }
    await expect.poll(() => logged).toContain("The documentation is at");
    const url = `http://localhost:${port}`;
    const client = clientOf(url);
    const schema = { type: "object", properties: { scan: { type: "object", format: "file" } } };
    const { token: first, id } = await client.create({ title: "Before", schema });
    const file = { field: "scan", name: "scan.txt", type: "text/plain", size: 200_000 };
    const announced = await client.on({ id }, "POST", "/uploads", { token: first, body: file });
    const token: string = announced.body.resumeToken;
    const session = { token, id };
    writeFileSync(`/proc/${child.pid}/root${small}/fill`, "");
    const fill = await open(`/proc/${child.pid}/root${small}/fill`, "w");
    await expect(fill.writeFile(Buffer.alloc(12 * 1024 * 1024))).rejects.toThrow(/ENOSPC/);
    await fill.close();

    const created = await client.call("POST", "/sessions", { body: { title: "After" } });
    const fields = { a: "a".repeat(20_000) };
    const patched = await client.on(session, "PATCH", "", { token, body: { fields } });
    const sent = await fetch(`${url}/sessions/${id}/uploads/${announced.body.upload.id}`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": file.type },
      body: "a".repeat(file.size),
    });
    const put = (await sent.json()) as { readonly code: string };
    expect([sent.status, put.code]).toEqual([503, "overloaded"]);
    const key = readFileSync(`/proc/${child.pid}/root${small}/data/local-key`, "utf8").trim();
    const purged = await client.on(session, "DELETE", "", { token: key });
    for (const refused of [created, patched, purged]) {
      expect([refused.status, refused.body.code]).toEqual([503, "overloaded"]);
      expect(refused.body.title).toBe("The server has no space left");
      expect(refused.headers.get("Retry-After")).toBe("30");
    }
    expect((await client.on(session, "GET", "", { token })).status).toBe(200);
    const metrics = await client.call("GET", "/metrics", { token: "a-token-of-this-test" });
    expect(metrics.status).toBe(200);
    expect(metrics.text).toMatch(/^baton_disk_free_bytes \d{1,6}$/m);
    expect(metrics.text).toMatch(/^baton_memory_bytes [1-9]\d{6,}$/m);
    expect(metrics.text).toContain(`baton_build_info{version="${VERSION}"} 1\n`);

    await expect.poll(() => logged.match(/"message":"disk full"/g)).toHaveLength(1);
    expect(logged).not.toContain("workerd/");
    const unauthorized = await client.call("GET", "/sessions", { token: newKey() });
    expect(unauthorized.status).toBe(403);
    await expect.poll(() => logged).toMatch(/"route":"\/sessions".*"refusedKey":"[0-9a-f]{12}"/);
    // The records of who used the key, and for what.
    expect(logged).toMatch(
      new RegExp(
        `"sessionId":"${id}","owner":"local","key":"local-key",.*"route":"/sessions/{ref}".*"address":"127.0.0.1"`,
      ),
    );
    process.kill(childOf(child.pid ?? 0, "") ?? Number.NaN, "SIGTERM");
    await expect.poll(() => logged).toContain("ended: 1");
    expect(logged).toContain(`The disk of ${small}/data is full`);
    expect(logged).not.toContain("    at ");
  });
});

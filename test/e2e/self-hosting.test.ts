import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { Baton, type Fields, type JsonObject } from "../../src/client/index.ts";
import { Client } from "../support/client.ts";
import { EventStream } from "../support/live/event-stream.ts";
import { createLeftovers, checkLeftovers } from "../support/leftovers.ts";
import {
  freePort,
  ROOT,
  Script,
  startServer,
  temporaryFolder,
  type Ended,
  type Server,
} from "../support/server.ts";

const run = promisify(execFile);
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const at = (name: string): string => join(folder.path, name);

/** As systemd and container engines do: a signal to the one process that they started. */
function terminate({ script }: Pick<Server, "script">): Promise<Ended> {
  process.kill(script.pid, "SIGTERM");
  return script.ended;
}

const backup = (what: "backup" | "restore", ...args: readonly string[]) =>
  run(process.execPath, [join(ROOT, "scripts/backup.ts"), what, ...args]);

/** The error output of a run that must fail. */
const fails = async (...args: Parameters<typeof backup>): Promise<string> => {
  const failed = await backup(...args).then(
    () => null,
    (error: { code: number; stderr: string }) => error,
  );
  expect(failed?.code).toBe(1);
  return failed?.stderr ?? "";
};

describe("a stop by SIGTERM", () => {
  it("lets the current request end, closes streams, ends with 0 and loses nothing", async () => {
    const server = await startServer(at("stopped"));
    const session = await server.client.create();
    const bearer = { Authorization: `Bearer ${session.token}` };
    const stream = new EventStream(
      await fetch(`${server.url}/sessions/${session.id}/events`, {
        headers: { ...bearer, Accept: "text/event-stream" },
      }),
    );
    expect((await stream.next())?.event).toBe("replay.done");
    const slow = request(`${server.url}/sessions/${session.id}`, {
      method: "PATCH",
      headers: { ...bearer, "Content-Type": "application/json", "Transfer-Encoding": "chunked" },
    });
    slow.write('{"fields": ');
    await once(slow, "socket");
    await sleep(200);

    const ending = terminate(server);
    await sleep(200);
    slow.end('{"late": true}}');
    const [response] = await once(slow, "response");
    let text = "";
    for await (const chunk of response) text += chunk;

    expect(response.statusCode, text).toBe(200);
    expect((await stream.next())?.event).toBe("fields.updated");
    expect(await stream.next()).toBeNull();
    expect(await ending).toEqual({ code: 0, signal: null });
    expect(server.script.stdout).toMatch(/\nStopped\.\n$/);
    expect(server.script.stderr).toBe("");
    const again = await startServer(at("stopped"));
    const token = JSON.parse(text).resumeToken as string;
    const found = await again.client.on(session, "GET", "", { token });
    expect(found.body.session.fields).toEqual({ late: true });
    await again.stop();
  });
});

describe("the environment of a server", () => {
  it("gives it the public address for links, and its other variables", async () => {
    const port = await freePort();
    const args = ["--port", String(port), "--data", at("environment")];
    const env = { PUBLIC_URL: "https://baton.example", MAX_TTL_MS: "60000", OPEN_CREATE: "true" };
    const script = new Script("serve.ts", args, env);
    await script.prints(/serves on (\S+)\n/);
    const client = new Client(fetch, `http://localhost:${port}`);
    const refused = await client.call("POST", "/sessions", { body: { ttlMs: 60_001 } });
    const session = await client.create({ ttlMs: 60_000 });
    const body = { to: "human", scopes: ["fill"] };
    const handoff = await client.on(session, "POST", "/handoffs", { token: session.token, body });
    expect(refused.status).toBe(400);
    expect(handoff.status, handoff.text).toBe(201);
    expect(handoff.body.handoff.url).toMatch(/^https:\/\/baton\.example\/h\//);
    await script.interrupt();
  });
});

describe("a backup of a running server", () => {
  it("restored on another server honours all tokens issued before it, and none issued after", async () => {
    const server = await startServer(at("live"));
    const leftovers = await createLeftovers(server.url, server.client);
    const other = await server.client.create({ title: "Goes on" });
    const done = new AbortController();
    let writes = 0;
    let token = other.token;
    const writing = (async () => {
      for (; !done.signal.aborted; writes++) {
        const body = { fields: { write: writes } };
        const answer = await server.client.on(other, "PATCH", "", { token, body });
        expect(answer.status, answer.text).toBe(200);
        token = answer.body.resumeToken;
      }
    })();

    const backedUp = await backup("backup", at("copy"), "--data", at("live"));
    const enough = writes + 3;
    await expect.poll(() => writes >= enough).toBe(true);
    done.abort();
    await writing;
    const later = await server.client.create({ title: "After the backup" });
    expect(await terminate(server)).toEqual({ code: 0, signal: null });
    expect(backedUp.stdout).toContain(`into ${at("copy")}`);
    await backup("restore", at("copy"), "--data", at("restored"));
    const restored = await startServer(at("restored"));

    await checkLeftovers(leftovers, restored.url, restored.client);
    // Its line of tokens had advanced: the restored session does not know this token.
    const newer = await restored.client.on(other, "GET", "", { token });
    expect([newer.status, newer.body.code]).toEqual([403, "token_invalid"]);
    // And a session that was created later does not exist on this server.
    const unknown = await restored.client.on(later, "GET", "", { token: later.token });
    expect([unknown.status, unknown.body.code]).toEqual([410, "gone"]);
    await restored.stop();
  });

  it("is refused if it would overwrite something or is incomplete", async () => {
    const [copy, target] = [at("copy"), at("elsewhere")];
    expect(await fails("backup", copy, "--data", at("live"))).toContain("exists already");
    expect(await fails("backup", target, "--data", folder.path)).toContain("is not a data folder");
    expect(await fails("restore", copy, "--data", at("restored"))).toContain("not empty");
    expect(await fails("restore", at("live"), "--data", target)).toContain("is not a backup");
    expect(await fails("restore")).toContain("Usage: npm run backup");
    cpSync(copy, at("damaged"), { recursive: true });
    writeFileSync(at("damaged/unique-key"), "another\n");
    expect(await fails("restore", at("damaged"), "--data", target)).toContain("unique-key in");
  });
});

/** The project as another version: the same sources, with another version string built in. */
function nextBuild(): string {
  const next = at("next-build");
  mkdirSync(next);
  for (const path of [
    "src",
    "scripts",
    "docs",
    "wrangler.toml",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
  ]) {
    cpSync(join(ROOT, path), join(next, path), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(next, "node_modules"));
  const version = join(next, "src/version.ts");
  const source = readFileSync(version, "utf8");
  writeFileSync(version, source.replace(/VERSION = ".*"/, 'VERSION = "9.9.9"'));
  return relative(join(ROOT, "scripts"), join(next, "scripts/serve.ts"));
}

/** The version that a server reports in the MCP handshake. */
async function versionOf(client: Client): Promise<string> {
  const { text } = await client.call("POST", "/mcp", {
    headers: { Accept: "application/json, text/event-stream" },
    body: {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      },
    },
  });
  return /"version":"([^"]+)"/.exec(text)?.[1] ?? text;
}

interface Steps {
  readonly "work.step": JsonObject;
  readonly "work.last": JsonObject;
}

describe("an upgrade", () => {
  it("serves the data of the build before, with every token valid and a listener that misses nothing", async () => {
    const port = await freePort();
    const before = await startServer(at("upgraded"), port);
    const leftovers = await createLeftovers(before.url, before.client);
    const watched = Baton.connect(before.url).session<Fields, Steps>();
    const session = await watched.create({ title: "Watched" });
    const seen: number[] = [];
    const watching = (async () => {
      for await (const event of session.events({ after: 0 })) {
        seen.push(event.seq);
        if (event.type === "work.last") return;
      }
    })();
    await session.append({ type: "work.step" });
    await expect.poll(() => seen.length).toBe(3);
    const versionBefore = await versionOf(before.client);

    expect(await terminate(before)).toEqual({ code: 0, signal: null });
    const args = ["--port", String(port), "--data", at("upgraded")];
    const after = new Script(nextBuild(), args);
    await after.prints(/serves on (\S+)\n/);

    expect([versionBefore, await versionOf(before.client)]).toEqual([
      JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version,
      "9.9.9",
    ]);
    await session.append({ type: "work.last" });
    await watching;
    expect(seen).toEqual([1, 2, 3, 4]);
    expect((await session.setFields({ after: true })).ok).toBe(true);
    await checkLeftovers(leftovers, before.url, before.client);
    await after.interrupt();
  });
});

/** The commands of docs/guides/self-hosting.md that are marked as run here, in their order. */
function commandsInGuide(): readonly string[] {
  const guide = readFileSync(join(ROOT, "docs/guides/self-hosting.md"), "utf8");
  const mark = "<!-- run by test/e2e/self-hosting.test.ts -->\n\n```sh\n";
  return guide
    .split(mark)
    .slice(1)
    .flatMap((text) => (text.split("\n```")[0] ?? "").split("\n"));
}

describe("the guide to self-hosting", () => {
  it("has commands that start, check, back up and restore without a change", async () => {
    const port = String(await freePort());
    const adapted = (command: string): string =>
      command
        .replaceAll("8787", port)
        .replaceAll("/var/lib", at("lib"))
        .replaceAll("/var/backups", at("backups"));
    const [install = "", start = "", ...others] = commandsInGuide().map(adapted);
    expect(install).toBe("npm ci");
    const server = spawn("sh", ["-c", `exec env ${start}`], {
      cwd: ROOT,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    // Only "close" comes after the last output, including that of processes started by npm.
    const ended = once(server, "close");
    let output = "";
    server.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
    await expect.poll(() => output).toContain("serves on");
    for (const command of others) await run("sh", ["-c", command], { cwd: ROOT });
    process.kill(-(server.pid ?? 0), "SIGTERM");

    expect(others.map((command) => command.split(" ").slice(0, 3).join(" "))).toEqual([
      "node scripts/health.mjs http://localhost:" + port,
      "npm run backup",
      "npm run restore",
    ]);
    expect(readdirSync(at("lib/baton-restored"))).toContain("unique-key");
    await ended;
    expect(output).toContain("Stopped.");
  });
});

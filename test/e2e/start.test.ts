/** The life of a server that `npm start` starts. */
import { once } from "node:events";
import { createServer } from "node:net";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { keyFor } from "../../src/cli/machine-keys.ts";
import { VERSION } from "../../src/version.ts";
import { cliFor } from "../support/cli.ts";
import { Client } from "../support/client.ts";
import { newKey, ownersText } from "../support/owners.ts";
import { childOf } from "../support/server-process.ts";
import { freePort, ROOT, Script, startServer, temporaryFolder } from "../support/server.ts";

const data = temporaryFolder();
afterAll(() => data[Symbol.dispose]());

const listening = (port: number, host: string): Promise<AsyncDisposable> =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(port, host, () => {
      resolve({ [Symbol.asyncDispose]: () => new Promise((done) => server.close(() => done())) });
    });
  });

/** The listed sessions, and their owner. */
async function found(url: string, headers: HeadersInit): Promise<readonly [number, string]> {
  const answer = await fetch(`${url}/sessions`, { headers });
  return [answer.status, await answer.text()];
}

const isUp = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

describe("npm start", () => {
  it("serves on the given port and from the given folder, prints both, and loses nothing on Ctrl-C", async () => {
    const port = await freePort();
    const folder = join(data.path, "given");
    const options = ["--port", String(port), "--data", folder, "--timing"];
    const start = new Script("start.mjs", options);
    await start.prints(/serves on http:\/\/localhost:\d+\n[^]*\/docs\n[^]*in all +\d+ ms\n/);
    expect(start.stdout).toMatch(/\n {2}runtime +\d+ ms\n/);
    expect(start.stdout).toContain(`Baton ${VERSION} serves on http://localhost:${port}\n`);
    expect(start.stdout).toContain(folder);
    expect(existsSync(folder)).toBe(true);
    const client = new Client(fetch, `http://localhost:${port}`);
    const session = await client.create({ title: "Kept", fields: { a: 1 } });
    const patched = await client.on(session, "PATCH", "", {
      token: session.token,
      body: { fields: { b: 2 } },
    });

    const ended = await start.interrupt();

    expect(ended).toEqual({ code: 0, signal: null });
    expect(start.stdout).toMatch(/\nStopped\.\n$/);
    expect(start.stderr).toBe("");
    const again = await startServer(folder);
    const found = await again.client.on(session, "GET", "", { token: patched.body.resumeToken });
    expect(found.status, found.text).toBe(200);
    expect(found.body.session).toEqual(patched.body.session);
    await again.stop();
  });

  it("creates the owner local with a key that the next start finds and baton on this machine uses", async () => {
    const folder = join(data.path, "local");
    const home = join(data.path, "home");
    const first = await startServer(folder, undefined, { BATON_HOME: home });
    const path = join(folder, "local-key");
    const key = readFileSync(path, "utf8").trim();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const session = await first.client.create({ title: "Without a key" });
    await expect
      .poll(async () => (await found(first.url, { Authorization: `Bearer ${key}` }))[1])
      .toContain(session.id);
    expect((await found(first.url, {}))[0]).toBe(401);
    expect((await found(first.url, { Authorization: `Bearer ${session.token}` }))[0]).toBe(401);
    expect(await keyFor(home, first.url)).toBe(key);
    expect(await keyFor(home, first.url.replace("localhost", "127.0.0.1"))).toBe(key);
    expect(await keyFor(home, "https://baton.example")).toBeNull();
    const baton = cliFor(first.url, home);
    const { sessions } = await baton.json("list");
    expect(sessions.map(({ id }: { id: string }) => id)).toContain(session.id);
    expect((await baton.json("open", session.id)).session.title).toBe("Without a key");
    expect((await baton.json("set", "a=1")).session.fields).toEqual({ a: "1" });
    const otherHome = await cliFor(first.url, join(data.path, "elsewhere")).run(["list"]);
    expect(otherHome.code).not.toBe(0);
    await first.stop();
    expect(await keyFor(home, first.url)).toBeNull();

    const again = await startServer(folder, undefined, { BATON_HOME: home });
    const [status, text] = await found(again.url, { Authorization: `Bearer ${key}` });
    expect([status, text.includes(session.id)]).toEqual([200, true]);
    expect(again.script.stdout).not.toContain(key);
    await again.stop();
  });

  it("creates no owner if OWNERS is set", async () => {
    const folder = join(data.path, "owned");
    const OWNERS = ownersText({ acme: [newKey()] });
    const server = await startServer(folder, undefined, { OWNERS });
    expect(existsSync(join(folder, "local-key"))).toBe(false);
    expect(server.script.stdout).not.toContain("/console/enter/");
    expect(server.script.stdout).toContain('/sessions -H "Authorization: Bearer $BATON_KEY" -H');
    const created = await server.client.call("POST", "/sessions", { body: {} });
    expect(created.status).toBe(401);
    await server.stop();
  });

  it("prints a first request that works unchanged", async () => {
    const server = await startServer(join(data.path, "first"));
    const [, url = "", type = "", body = ""] = await server.script.prints(
      /curl -s -X POST (\S+) -H '([^']+)' -d '([^']+)'/,
    );
    const [name = "", value = ""] = type.split(": ");
    const answer = await fetch(url, { method: "POST", headers: { [name]: value }, body });
    expect(answer.status).toBe(201);
    await server.stop();
  });

  it("uses the port in PORT and creates links with that address", async () => {
    const port = await freePort();
    const start = new Script("start.mjs", ["--data", join(data.path, "env")], {
      PORT: String(port),
    });
    await start.prints(new RegExp(`serves on http://localhost:${port}\n`));
    const client = new Client(fetch, `http://localhost:${port}`);
    const { body } = await client.call("GET", "/openapi.json");
    expect(body.servers).toEqual([{ url: `http://localhost:${port}` }]);
    expect((await start.interrupt()).code).toBe(0);
  });

  it("finds a free port if it gets 0, and creates links with that port and its own address", async () => {
    const args = ["--port", "0", "--host", "127.0.0.2", "--data", join(data.path, "any")];
    const start = new Script("start.mjs", args);
    const [, url = ""] = await start.prints(/serves on (http:\/\/127\.0\.0\.2:[1-9]\d*)\n/);
    const { body } = await new Client(fetch, url).call("GET", "/openapi.json");
    expect(body.servers).toEqual([{ url }]);
    expect((await start.interrupt()).code).toBe(0);
  });

  it.each(["127.0.0.1", "::1", "::"])(
    "reports that the port is taken on %s, and how to choose another",
    async (host) => {
      const port = await freePort();
      await using _ = await listening(port, host);
      const start = new Script("start.mjs", ["--port", String(port), "--data", data.path]);
      expect(await start.ended).toEqual({ code: 1, signal: null });
      expect(start.stderr).toMatch(
        new RegExp(`^Port ${port} is taken\\. .*npm start -- --port \\d+\n$`),
      );
      expect(start.stdout).toBe("");
    },
  );

  it("prints its help", async () => {
    const start = new Script("start.mjs", ["--help"]);
    expect((await start.ended).code).toBe(0);
    for (const option of ["--port", "--data", "--host", "--timing", "PORT"]) {
      expect(start.stdout).toContain(option);
    }
    expect(start.stderr).toBe("");
  });

  it("prints its help if nothing is installed yet, and installs nothing", async () => {
    const clone = join(data.path, "clone/scripts");
    mkdirSync(clone, { recursive: true });
    for (const name of ["start.mjs", "install.mjs", "serve-help.mjs"]) {
      cpSync(join(ROOT, "scripts", name), join(clone, name));
    }
    const { status, stdout } = spawnSync(process.execPath, [join(clone, "start.mjs"), "--help"], {
      encoding: "utf8",
    });
    expect(status).toBe(0);
    expect(stdout).toContain("Usage: npm start");
    expect(existsSync(join(data.path, "clone/node_modules"))).toBe(false);
  });

  it.each([
    ["an option it does not know", ["--prot", "8787"], "--prot"],
    ["a port that is no number", ["--port", "http"], '"http"'],
    ["a port out of range", ["--port", "65536"], '"65536"'],
    ["a word without an option", ["8787"], "8787"],
  ])("refuses %s and shows its usage", async (_, args, named) => {
    const start = new Script("start.mjs", args);
    expect(await start.ended).toEqual({ code: 1, signal: null });
    expect(start.stderr).toContain(named);
    expect(start.stderr).toContain("Usage: npm start");
    expect(start.stdout).toBe("");
  });

  it("refuses to be reached from other machines until owners and agents are set", async () => {
    const start = new Script("start.mjs", ["--host", "0.0.0.0", "--data", join(data.path, "bare")]);
    expect(await start.ended).toEqual({ code: 2, signal: null });
    for (const name of ["PUBLIC_URL", "OWNERS", "OPEN_CREATE=true", "AGENTS"]) {
      expect(start.stderr).toContain(name);
    }
    expect(start.stdout).toBe("");
    expect(existsSync(join(data.path, "bare"))).toBe(false);
  });

  it.each([
    ["OWNERS", "oops"],
    ["OWNERS", ""],
    ["AGENTS", '[{"nmae": "writer"}]'],
    ["AGENTS", '[{"name": "writer", "owner": "nobody"}]'],
    ["PUBLIC_URL", "baton.example"],
    ["CREATE_KEYS", "[]"],
  ])("refuses %s=%j with status 2, and prints its meaning and an example", async (name, value) => {
    const args = ["--port", "0", "--data", join(data.path, "wrong")];
    const start = new Script("start.mjs", args, { [name]: value });
    expect(await start.ended).toEqual({ code: 2, signal: null });
    expect(start.stderr).toMatch(new RegExp(`^${name} .*\n  It is:   .+\n  Example: .+\n`));
  });

  it("lets no caller claim jobs without a key once its address is public", async () => {
    const settings = { PUBLIC_URL: "https://baton.example", OPEN_CREATE: "true" };
    const server = await startServer(join(data.path, "public"), undefined, settings);
    const claim = await server.client.call("POST", "/agents/anything/claim", { body: {} });
    expect([claim.status, claim.body.code]).toEqual([404, "not_found"]);
    expect(server.script.stderr).toContain("TRUSTED_PROXY");
    expect(server.script.stdout).toContain("reach it at https://baton.example.\n");
    expect(server.script.stdout).toContain("curl -s -X POST https://baton.example/sessions -H");
    expect(server.script.stdout).toContain("AGENTS lists no agents");
    await server.stop();
  });

  it("allows one server at a time for a data folder", async () => {
    const folder = join(data.path, "shared");
    const first = await startServer(folder);
    const second = new Script("start.mjs", ["--port", String(await freePort()), "--data", folder]);
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.stderr).toContain(`Another server keeps its sessions in ${folder}.`);
    expect((await first.stop()).code).toBe(0);
    const third = await startServer(folder);
    expect((await third.stop()).code).toBe(0);
  });
});

describe("a server that does not shut down in order", () => {
  const folder = join(data.path, "killed");

  it("ends with npm, whatever signals npm forwards", async () => {
    const port = String(await freePort());
    const npm = spawn("npm", ["start", "--", "--port", port, "--data", folder], {
      cwd: ROOT,
      env: { ...process.env, BATON_HOME: join(data.path, "home"), BATON_BUILD_DOCS: "false" },
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    // Its output is open until the last process has ended.
    const ended = once(npm.stdout.resume(), "close");
    const url = `http://localhost:${port}`;
    await expect.poll(() => isUp(url)).toBe(true);
    npm.kill("SIGTERM");
    await ended;
    expect(await isUp(url)).toBe(false);
    const next = await startServer(folder);
    expect((await next.stop()).code).toBe(0);
  });

  it("ends in order with the script that started it, also after kill -9", async () => {
    const start = new Script("start.mjs", ["--port", "0", "--data", folder]);
    const [, url = ""] = await start.prints(/serves on (\S+)\n/);
    process.kill(start.pid, "SIGKILL");
    // Its output is open until the last process has ended.
    await start.ended;
    expect(await isUp(url)).toBe(false);
    expect(start.stdout).toMatch(/\nStopped\.\n$/);
  });

  it("ends its runtime after kill -9, so that the next one has the folder for itself", async () => {
    const killed = await startServer(folder);
    process.kill(killed.script.pid, "SIGKILL");
    const next = await startServer(folder);
    expect(await isUp(killed.url)).toBe(false);
    expect((await next.stop()).code).toBe(0);
  });

  it("leaves no runtime if it is stopped while it starts", async () => {
    const start = new Script("serve.ts", ["--port", "0", "--data", folder]);
    await expect.poll(() => childOf(start.pid, "workerd")).toBeDefined();
    process.kill(start.pid, "SIGTERM");
    expect(await start.ended).toEqual({ code: 0, signal: null });
    expect(start.stderr).toBe("");
  });

  it("holds the folder as long as its runtime is alive, whichever process was killed", async () => {
    const killed = await startServer(folder);
    const runtime = killed.runtimePid() ?? Number.NaN;
    process.kill(childOf(runtime, "") ?? Number.NaN, "SIGKILL");
    process.kill(killed.script.pid, "SIGKILL");
    const second = new Script("serve.ts", ["--port", "0", "--data", folder]);
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.stderr).toContain(`Another server keeps its sessions in ${folder}.`);
    process.kill(runtime, "SIGKILL");
    const third = await startServer(folder);
    expect((await third.stop()).code).toBe(0);
  });
});

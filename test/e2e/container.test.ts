import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { newKey, ownersText } from "../support/owners.ts";
import { freePort, ROOT, temporaryFolder } from "../support/server.ts";

/** No engine can build the image here, so the test follows its instructions in their order. */
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const instructions = [...read("Dockerfile").matchAll(/^(?!#)([A-Z]+) (.+)$/gm)].map(
  ([, name = "", text = ""]) => ({ name, text }),
);
const all = (name: string): readonly string[] =>
  instructions.filter((one) => one.name === name).map(({ text }) => text);
const indexOf = (name: string): number => instructions.findIndex((one) => one.name === name);
const command = (text: string): readonly string[] => JSON.parse(text.slice(text.indexOf("[")));

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

describe("the Dockerfile", () => {
  it("uses the project's Node version, and serves as an unprivileged user from a volume", () => {
    const { devDependencies } = JSON.parse(read("package.json")) as {
      devDependencies: Record<string, string>;
    };
    expect(all("FROM")).toEqual([`node:${devDependencies["node"]}-bookworm-slim`]);
    expect(all("USER")).toEqual(["node"]);
    expect(indexOf("USER")).toBeLessThan(indexOf("CMD"));
    const [cmd = ""] = all("CMD");
    const [volume = ""] = all("VOLUME");
    expect(command(cmd).join(" ")).toContain(`--data ${volume}`);
    expect(command(cmd).join(" ")).toContain(`--port ${all("EXPOSE")[0]}`);
    expect(all("HEALTHCHECK")).toHaveLength(1);
  });

  it("has commands that work, one after the other, in a copy of the files that it would copy", async () => {
    const ignored = read(".dockerignore").trim().split("\n");
    const isLeftOut = (path: string): boolean =>
      ignored.some((name) => path === name || path.startsWith(`${name}/`));
    const tracked = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    const copy = join(folder.path, "copy");
    const [install = ""] = all("RUN");
    expect(all("COPY")).toEqual(["package.json package-lock.json ./", ". ."]);
    expect(install).toMatch(/^npm ci /);

    for (const path of ["package.json", "package-lock.json"]) {
      cpSync(join(ROOT, path), join(copy, path));
    }
    const dryRun = spawnSync("sh", ["-c", `${install} --dry-run --offline --ignore-scripts`], {
      cwd: copy,
      encoding: "utf8",
    });
    expect(dryRun.status, dryRun.stderr).toBe(0);
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    for (const path of tracked.split("\0")) {
      if (path === "" || isLeftOut(path) || !existsSync(join(ROOT, path))) continue;
      cpSync(join(ROOT, path), join(copy, path));
    }
    expect(existsSync(join(copy, "test"))).toBe(false);
    const port = String(await freePort());
    const settings = {
      PUBLIC_URL: "https://baton.example",
      OWNERS: ownersText({ acme: [newKey()] }),
      AGENTS: "[]",
    };
    const env = { ...process.env, PORT: port, ...settings };
    const [cmd = ""] = all("CMD");
    const [health = ""] = all("HEALTHCHECK");
    const check = (): number | null =>
      spawnSync(process.execPath, command(health).slice(1), { cwd: copy, env }).status;
    const replacements: Readonly<Record<string, string>> = {
      "8787": port,
      "/data": join(folder.path, "data"),
    };
    const args = command(cmd).map((word) => replacements[word] ?? word);
    expect([args[0], command(health)[0]]).toEqual(["node", "node"]);
    expect(check()).toBe(1);
    const server = spawn(process.execPath, args.slice(1), { cwd: copy, env, stdio: "pipe" });
    const ended = once(server, "exit");
    await once(server.stdout, "data");
    expect(check()).toBe(0);
    server.kill("SIGTERM");

    expect(await ended).toEqual([0, null]);
  });
});

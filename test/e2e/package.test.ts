import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Baton } from "../../src/client/index.ts";
import { docsPrograms, writeStrictProject } from "../support/docs/programs.ts";
import { filesUnder, ROOT, sharedServer, temporaryFolder } from "../support/server.ts";

const folder = temporaryFolder();
const project = join(folder.path, "project");
const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string =>
  execFileSync(command, args, {
    cwd: project,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });

const text = (name: string): string => readFileSync(join(ROOT, name), "utf8");

const server = sharedServer();
beforeAll(async () => {
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), `{"name": "empty", "type": "module"}`);
  // The build exists already: other tests are using it.
  const packing = ["pack", "--silent", ROOT, "--ignore-scripts", "--pack-destination", folder.path];
  run("npm", packing);
  const tarball = readdirSync(folder.path).find((name) => name.endsWith(".tgz")) ?? "";
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", join(folder.path, tarball)]);
});
afterAll(() => folder[Symbol.dispose]());

describe("the packed tarball in an empty project", () => {
  it("installs no other package", () => {
    const installed = readdirSync(join(project, "node_modules")).filter(
      (name) => !name.startsWith("."),
    );
    expect(installed).toEqual(["@baton-sessions"]);
    const top = readdirSync(join(project, "node_modules/@baton-sessions/baton"));
    expect(top.toSorted()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
  });

  it("is packed without a problem that publint knows", async () => {
    const installed = join(project, "node_modules/@baton-sessions/baton");
    const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
    expect(messages).toEqual([]);
  });

  it("contains the files that its entries name, and nothing of this machine", () => {
    const installed = join(project, "node_modules/@baton-sessions/baton");
    const files = filesUnder(installed);
    const names = files.map((file) => file.slice(installed.length + 1));
    expect(names).toEqual(
      expect.arrayContaining(["dist/cli.js", "dist/client.js", "dist/client-node.js"]),
    );
    expect(names.filter((name) => !/\.(?:js|d\.ts|json|md)$|^LICENSE$/.test(name))).toEqual([]);
    const cli = join(installed, "dist/cli.js");
    expect(readFileSync(cli, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(statSync(cli).mode & 0o111).not.toBe(0);
    expect(files.filter((file) => readFileSync(file, "utf8").includes(ROOT))).toEqual([]);
  });

  it("runs the SDK", () => {
    writeFileSync(
      join(project, "use.mjs"),
      `import { Baton, StoreError, unwrap } from "@baton-sessions/baton/client";
       import { FileTokenStore } from "@baton-sessions/baton/client/node";
       const store = new FileTokenStore("state");
       const session = await Baton.connect(process.env.BATON_URL, { store }).open("work");
       unwrap(await session.setFields({ a: 1 }));
       const isOne = await store.save("x".repeat(300), {}).catch((error) => error instanceof StoreError);
       console.log(JSON.stringify([session.state.fields, isOne]));`,
    );
    expect(run(process.execPath, ["use.mjs"], { BATON_URL: server.url })).toBe('[{"a":1},true]\n');
  });

  it("runs the command line", () => {
    const bin = join(project, "node_modules/.bin/baton");
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      version: string;
    };
    expect(run(bin, ["--version"])).toBe(`baton ${version}\n`);
  });

  it("serves without a clone, with the runtime from the cache", async () => {
    const runtime = JSON.parse(
      readFileSync(join(ROOT, "dist/server/runtime.json"), "utf8"),
    ) as Record<"workerd" | "node", string>;
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
    const isOld = major < 22 || (major === 22 && minor < 13);
    // What `npm install` would install, without the network.
    const cached = [`workerd@${runtime.workerd}`, ...(isOld ? [`node@${runtime.node}`] : [])];
    const cache = join(folder.path, "cache/baton", cached.join("+"));
    mkdirSync(cache, { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(cache, "node_modules"));
    const bin = join(project, "node_modules/.bin/baton");
    const serving = spawn(bin, ["start", "--port", "0", "--data", join(folder.path, "data")], {
      env: { ...process.env, XDG_CACHE_HOME: join(folder.path, "cache") },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      let output = "";
      for await (const piece of serving.stdout) {
        output += String(piece);
        if (output.includes("/docs")) break;
      }
      const url = /http:\/\/localhost:\d+/.exec(output)?.[0] ?? "";
      const session = await Baton.connect(url).create({ title: "Served by the package" });
      expect((await session.get()).title).toBe("Served by the package");
    } finally {
      serving.kill("SIGTERM");
      await once(serving, "exit");
    }
  });

  it("weighs less than 2 MB packed", () => {
    const tarball = readdirSync(folder.path).find((name) => name.endsWith(".tgz")) ?? "";
    expect(statSync(join(folder.path, tarball)).size).toBeLessThan(2 * 1024 * 1024);
  });

  it("is what server.json names for the registry of MCP servers", () => {
    const listed = JSON.parse(text("server.json")) as {
      name: string;
      version: string;
      packages: { identifier: string; version: string }[];
    };
    const { name, version, mcpName } = JSON.parse(text("package.json")) as Record<string, string>;
    expect(listed).toMatchObject({ name: mcpName, version });
    expect(listed.packages).toMatchObject([{ identifier: name, version }]);
  });

  it("has types that a strict project accepts, with Node's resolution", () => {
    writeFileSync(
      join(project, "typed.ts"),
      `import { Baton, type LogEvent, type SessionView } from "@baton-sessions/baton/client";
       import { FileTokenStore } from "@baton-sessions/baton/client/node";
       const session = await Baton.connect("http://x", { store: new FileTokenStore("s") }).open("w");
       const view: SessionView | null = session.state;
       for await (const event of session.events({ after: view?.head ?? 0 })) {
         const { seq }: LogEvent = event;
         const result = await session.setFields({ seq });
         if (!result.ok) console.log(result.conflict.current.version, result.conflict.missed.length);
       }
       // @ts-expect-error there is no such method
       session.nothing();`,
    );
    const options = [
      "--module",
      "nodenext",
      "--target",
      "es2022",
      "--lib",
      "es2022,dom,dom.asynciterable",
      "--strict",
    ];
    const checked = run(join(ROOT, "node_modules/.bin/tsc"), [
      "--noEmit",
      ...options,
      "--types",
      "",
      "typed.ts",
    ]);
    expect(checked).toBe("");
  });

  // This comes last: the compiler accepts no single file once the configuration exists that this
  // writes.
  it("compiles every program of the documents that needs no framework, strictly", () => {
    const programs = docsPrograms().filter(({ packages }) =>
      packages.every((name) => /^(?:@(?:baton-sessions|modelcontextprotocol)\/|zod$)/.test(name)),
    );
    for (const name of ["@modelcontextprotocol", "zod"]) {
      symlinkSync(join(ROOT, "node_modules", name), join(project, "node_modules", name));
    }
    writeStrictProject(project, programs, [join(ROOT, "node_modules/@types")]);
    expect(programs.length).toBeGreaterThanOrEqual(8);
    expect(run(join(ROOT, "node_modules/.bin/tsc"), ["-p", "."])).toBe("");

    // A page has no types of Node: only those of the compiler itself.
    const forPages = programs.filter(
      ({ text: program, packages }) =>
        !/process\.|node:|\/node"/.test(program) &&
        packages.every((name) => name.startsWith("@baton-sessions/")),
    );
    expect(forPages.map(({ name }) => name)).toContainEqual(
      expect.stringMatching(/^docs-adapters/),
    );
    writeStrictProject(project, forPages, [], ["es2023", "dom"]);
    expect(run(join(ROOT, "node_modules/.bin/tsc"), ["-p", "."])).toBe("");
  });
});

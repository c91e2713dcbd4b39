/** What `npm start` does before its packages are installed, in a clone of its own with an npm that only records its calls. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const LOCK = {
  packages: {
    "": { name: "clone" },
    "node_modules/a": { version: "1.0.0" },
    "node_modules/elsewhere": { version: "1.0.0", optional: true },
  },
};
const INSTALLED = { packages: { "node_modules/a": { version: "1.0.0" } } };

let clone: string;
const at = (...parts: readonly string[]): string => join(clone, ...parts);
const write = (path: string, content: object | string): void => {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
};

/** A complete installation, as npm leaves it. */
function installPackages(stamp: object = INSTALLED): void {
  write(at("node_modules/.package-lock.json"), stamp);
  write(at("node_modules/a/index.js"), "");
  mkdirSync(at("node_modules/node/bin"), { recursive: true });
  symlinkSync(process.execPath, at("node_modules/node/bin/node"));
}

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), "baton-clone-"));
  cpSync(join(ROOT, "scripts"), at("scripts"), { recursive: true });
  symlinkSync(join(ROOT, "src"), at("src"));
  write(at("package.json"), { name: "clone", type: "module" });
  write(at("package-lock.json"), LOCK);
  // Like npm ci, it first deletes what was there. Then it is interrupted.
  write(at("bin/npm"), `#!/bin/sh\nrm -rf node_modules\ntouch "${at("npm-was-called")}"\nexit 1\n`);
  chmodSync(at("bin/npm"), 0o755);
});
afterEach(() => {
  rmSync(clone, { recursive: true, force: true });
});

function start(args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const env = { ...settings, PATH: [at("bin"), process.env["PATH"]].join(delimiter) };
  const options = { env, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(
    process.execPath,
    [at("scripts/start.mjs"), ...args],
    options,
  );
  return { status, stderr, installs: existsSync(at("npm-was-called")) };
}

const WRONG = { LOG: "request" };

describe("npm start", () => {
  it.each([
    ["a setting", [], WRONG, 2, /^LOG must be [^]*Nothing was started\.\n$/],
    ["an option", ["--prot", "1"], {}, 1, /--prot[^]*Usage: npm start/],
  ] as const)(
    "reports what is wrong with %s before it installs",
    (_, args, settings, status, expected) => {
      const started = start(args, settings);
      expect(started).toMatchObject({ status, installs: false });
      expect(started.stderr).toMatch(expected);
    },
  );

  it("installs nothing if all packages of the lock are there, whatever the age of the lock file", () => {
    installPackages();
    const later = new Date(Date.now() + 60_000);
    utimesSync(at("package-lock.json"), later, later);
    expect(start([], WRONG)).toMatchObject({ status: 2, installs: false });
  });

  it.each([
    ["there are none", () => {}, "node_modules is missing or incomplete"],
    [
      "one is missing",
      () => installPackages({ packages: {} }),
      "node_modules does not match package-lock.json",
    ],
    [
      "one has another version",
      () => installPackages({ packages: { "node_modules/a": { version: "0.9.0" } } }),
      "node_modules does not match package-lock.json",
    ],
  ])("installs the packages if %s, and says why", (_, prepare, why) => {
    prepare();
    const started = start(["--port", "0"]);
    expect(started).toMatchObject({ status: 1, installs: true });
    expect(started.stderr).toContain(why);
  });

  it("keeps the existing packages if an install is interrupted", () => {
    installPackages({ packages: {} });
    const before = readdirSync(at("node_modules"));
    start(["--port", "0"]);
    expect(readdirSync(at("node_modules"))).toEqual(before);
    expect(start(["--port", "0"])).toMatchObject({ status: 1, installs: true });
  });

  it("uses the installed packages, and leaves nothing else behind", () => {
    const stamp = "node_modules/.package-lock.json";
    const node = "node_modules/node/bin";
    write(
      at("bin/npm"),
      `#!/bin/sh\nmkdir -p ${node}\nln -s ${process.execPath} ${node}/node\necho '${JSON.stringify(INSTALLED)}' > ${stamp}\ntouch "${at("npm-was-called")}"\n`,
    );
    const before = readdirSync(clone);
    start(["--port", "0", "--check"]);
    expect(readdirSync(clone).toSorted()).toEqual(
      [...before, "node_modules", "npm-was-called"].toSorted(),
    );
    rmSync(at("npm-was-called"));
    expect(start([], WRONG)).toMatchObject({ status: 2, installs: false });
  });
});

/**
 * Tests the adapters with third-party suites and with kills: each from the packed tarball, with the real
 * framework, against a separate server. Run by `npm run adapters`.
 */
import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { docsPrograms, writeStrictProject } from "../test/support/docs/programs.ts";
import { startLocalServer } from "./local-server.ts";
import { PACKAGE, unpackPackage } from "./staged-package.ts";

const [cache, ...selected] = process.argv.slice(2);
if (cache === undefined) throw new Error("run this by `npm run adapters`");
const ROOT = join(import.meta.dirname, "..");
const SOURCE = join(ROOT, "test", "adapters");

/** The folder with the frameworks: Node resolves modules from the folder of the importing file. */
const STAGE = join(cache, "stage");
const VITEST = join(cache, "node_modules", "vitest", "vitest.mjs");

const SUITES: Readonly<Record<string, readonly string[]>> = {
  langgraph: [VITEST, "run", "--root", STAGE, "langgraph"],
  thread: [join(STAGE, "long-thread.mjs")],
  claude: [VITEST, "run", "--root", STAGE, "claude"],
  openai: [join(STAGE, "openai-kills.mjs")],
  ai: [join(STAGE, "ai-kills.mjs")],
  examples: [join(STAGE, "examples.mjs")],
  person: [join(STAGE, "person-kills.mjs")],
  types: [join(ROOT, "node_modules", "typescript", "bin", "tsc"), "-p", join(STAGE, "docs")],
};

const CLAUDE_REPOSITORY = "https://github.com/anthropics/claude-agent-sdk-typescript";
const CLAUDE_COMMIT = "bfa6b845963696edcb743eca7ba1461c11310947";

const folder = mkdtempSync(join(tmpdir(), "baton-adapters-"));
stage();
writeDocs();
const server = await startLocalServer({
  port: 0,
  host: "127.0.0.1",
  dataFolder: join(folder, "data"),
});
if (server === null) throw new Error("the data folder is taken");
const env = {
  ...process.env,
  BATON_URL: server.url,
  BATON_SCRATCH: folder,
  BATON_PACKAGE: PACKAGE,
};

let passed = 0;
let failed = 0;
const names = Object.keys(SUITES).filter(
  (suite) => selected.length === 0 || selected.includes(suite),
);
try {
  for (const suite of names) {
    if (suite === "claude" && !fetchClaudeSuite()) {
      console.log("- claude: its contracts cannot be fetched here; CLAUDE_SUITE may name a copy\n");
      continue;
    }
    const startedAt = Date.now();
    const code = await run(SUITES[suite] ?? []);
    if (code === 0) passed += 1;
    else failed += 1;
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    console.log(`${code === 0 ? "✓" : "✗"} ${suite} ${seconds} s\n`);
  }
} finally {
  await server.stop(0);
  rmSync(folder, { recursive: true, force: true });
}
const leftOut = names.length - passed - failed;
console.log(`${passed} passed, ${failed} failed${leftOut > 0 ? `, ${leftOut} left out` : ""}`);
process.exit(failed === 0 ? 0 : 1);

/** Copies the package, the suites and the examples to the frameworks. */
function stage(): void {
  unpackPackage(cache ?? "");
  rmSync(STAGE, { recursive: true, force: true });
  cpSync(SOURCE, STAGE, { recursive: true });
  cpSync(join(ROOT, "examples", "adapters"), join(STAGE, "examples"), { recursive: true });
}

function isInstalled(of: string): boolean {
  return existsSync(join(cache ?? "", "node_modules", of));
}

/** Writes the documents' programs that use a framework into a strict project. */
function writeDocs(): void {
  const programs = docsPrograms().filter(({ packages }) => packages.every(isInstalled));
  mkdirSync(join(STAGE, "docs"));
  writeStrictProject(join(STAGE, "docs"), programs, [join(ROOT, "node_modules", "@types")]);
}

/**
 * The contracts of the Claude Agent SDK are in its repository, at the commit named here. If it cannot
 * be fetched and CLAUDE_SUITE names no copy, that suite is skipped with a message.
 */
function fetchClaudeSuite(): boolean {
  const target = join(STAGE, "claude-suite");
  mkdirSync(target, { recursive: true });
  const localCopy = process.env["CLAUDE_SUITE"];
  try {
    const source = localCopy === undefined ? fetchFile(target) : readFileSync(localCopy, "utf8");
    const { code } = transformSync(source, { loader: "ts" });
    // Written for bun's test runner, whose function names vitest shares.
    writeFileSync(join(target, "conformance.mjs"), code.replace(/["']bun:test["']/, '"vitest"'));
    return true;
  } catch {
    return false;
  }
}

function fetchFile(folderOfGit: string): string {
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", folderOfGit, ...args], { encoding: "utf8", stdio: "pipe" });
  git("init", "--quiet");
  git("fetch", "--quiet", "--depth", "1", CLAUDE_REPOSITORY, CLAUDE_COMMIT);
  return git("show", "FETCH_HEAD:examples/session-stores/shared/conformance.ts");
}

function run([script = "", ...args]: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, ...args], { env, cwd: STAGE, stdio: "inherit" });
    child.once("error", () => resolve(1));
    child.once("close", (code) => resolve(code ?? 1));
  });
}

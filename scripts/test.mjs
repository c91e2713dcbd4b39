/**
 * `npm test`: installs what is missing, then types, lint, format, every test and the official MCP
 * suite, with one closing count. `npm test -- unit` (or contract, workers, e2e) runs one part.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureInstalled, projectEnvironment, ROOT } from "./install.mjs";

ensureInstalled();
const env = projectEnvironment();
const only = process.argv.slice(2);

function run(command, args) {
  return new Promise((settle) => {
    const child = spawn(command, args, { cwd: ROOT, env, stdio: "inherit" });
    child.on("error", () => settle(1));
    child.on("exit", (code) => settle(code ?? 1));
  });
}

/** For what prints counts of its own: shown, line by line behind a bar, only where it fails. */
function runQuietly(command, args) {
  return new Promise((settle) => {
    const child = spawn(command, args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    child.on("error", () => settle(1));
    child.on("close", (code) => {
      if (code !== 0) console.log(output.replaceAll(/^/gm, "| "));
      settle(code ?? 1);
    });
  });
}

function count(name, code) {
  console.log(`${code === 0 ? "✓" : "✗"} ${name}`);
  if (code === 0) passed += 1;
  else failed += 1;
}

const CHECKS = [
  ["types", "tsc", ["-p", "."]],
  ["lint", "oxlint", []],
  ["format", "prettier", ["--check", "--log-level=warn", "."]],
];

let passed = 0;
let failed = 0;
if (only.length === 0) {
  for (const [name, command, args] of CHECKS) count(name, await run(command, args));
}

const folder = mkdtempSync(join(tmpdir(), "baton-test-"));
const report = join(folder, "report.json");
const projects = only.flatMap((name) => ["--project", name]);
const code = await run("vitest", [
  "run",
  ...projects,
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${report}`,
]);
try {
  const { numPassedTests, numFailedTests, numTotalTests } = JSON.parse(
    readFileSync(report, "utf8"),
  );
  passed += numPassedTests;
  // A test that was neither passed nor failed was skipped, and here that is a failure too.
  failed += Math.max(numFailedTests, numTotalTests - numPassedTests, code === 0 ? 0 : 1);
} catch {
  failed += 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (only.length === 0) {
  console.log("Running the official MCP conformance suite and Inspector …");
  count("MCP conformance", await runQuietly("node", ["scripts/mcp-conformance.mjs"]));
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/**
 * `npm test`: installs what is missing, then types, lint, format and every test, with one closing
 * count. `npm test -- unit` (or contract, workers, e2e) runs one part.
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

const CHECKS = [
  ["types", "tsc", ["-p", "."]],
  ["lint", "oxlint", []],
  ["format", "prettier", ["--check", "--log-level=warn", "."]],
];

let passed = 0;
let failed = 0;
if (only.length === 0) {
  for (const [name, command, args] of CHECKS) {
    const isGood = (await run(command, args)) === 0;
    console.log(`${isGood ? "✓" : "✗"} ${name}`);
    if (isGood) passed += 1;
    else failed += 1;
  }
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
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

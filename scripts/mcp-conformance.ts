/**
 * Runs the official MCP tools against a separate server: the conformance suite for each revision, and the
 * Inspector's command line for the schemas and for a call of every tool in each era. It ends with a
 * count; any finding fails it. Run by `npm run conformance:mcp`.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RawMcp, type Facts } from "../test/support/mcp.ts";
import { newKey, ownersText } from "../test/support/owners.ts";
import { callEveryTool } from "../test/conformance/journey.ts";
import { startLocalServer } from "./local-server.ts";

const [cache] = process.argv.slice(2);
if (cache === undefined) throw new Error("run this by `npm run conformance:mcp`");
const PACKAGES = join(cache, "node_modules", "@modelcontextprotocol");
const SUITE = join(PACKAGES, "conformance", "dist", "index.js");
const INSPECTOR = join(PACKAGES, "inspector", "clients", "cli", "build", "index.js");
const EXPECTED = join(import.meta.dirname, "..", "test", "conformance");

const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
const ERAS = ["legacy", "modern"] as const;
/**
 * Each call starts a new Inspector, so `npm test` makes every eighth call of one era with it and sends
 * the rest as raw requests. test/e2e/mcp-clients.test.ts calls all with the official clients.
 */
const IS_QUICK = process.env["BATON_TESTS"] === "quick";
const CALLED = IS_QUICK ? (["modern"] as const) : ERAS;
const INSPECTED_EVERY = IS_QUICK ? 8 : 1;

const folder = mkdtempSync(join(tmpdir(), "baton-conformance-"));
const key = newKey();
const server = await startLocalServer({
  port: 0,
  host: "127.0.0.1",
  dataFolder: join(folder, "data"),
  vars: { OWNERS: ownersText({ acme: [key] }), OPEN_CREATE: "true" },
});
if (server === null) throw new Error("the data folder is taken");
const url = `${server.url}/mcp`;

interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Uses a separate home folder, because the Inspector stores a catalog there. */
function run(script: string, args: readonly string[]): Promise<CommandResult> {
  const env = { ...process.env, HOME: folder, USERPROFILE: folder, NO_COLOR: "1" };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { env });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

const flags = (options: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);

const inspect = (era: string, options: Readonly<Record<string, string>>, ...more: string[]) =>
  run(INSPECTOR, [
    ...flags({ "server-url": url, "protocol-era": era, format: "json", ...options }),
    "--stored-auth-only",
    ...more,
  ]);

/** Each check throws its findings. */
const checks: readonly (readonly [name: string, check: () => Promise<void>])[] = [
  ...REVISIONS.map(
    (revision) => [`conformance suite, ${revision}`, () => conform(revision)] as const,
  ),
  ...ERAS.map((era) => [`Inspector --strict, ${era}`, () => listStrictly(era)] as const),
  ...CALLED.map(
    (era) =>
      [
        `${IS_QUICK ? "every tool, some by the Inspector" : "Inspector calls every tool"}, ${era}`,
        () => callAll(era),
      ] as const,
  ),
];

async function conform(revision: string): Promise<void> {
  const options = {
    url,
    requirements: revision,
    "expected-failures": join(EXPECTED, `expected-failures-${revision}.yaml`),
    "output-dir": join(folder, revision),
  };
  const { code, stdout, stderr } = await run(SUITE, ["server", ...flags(options)]);
  const [, summary = stdout] = stdout.split("=== SUMMARY ===");
  if (code !== 0) throw new Error(`${summary}\n${stderr}`);
  const [, passed, others] = /^Total: (\d+) passed, (\d+) failed$/m.exec(summary) ?? [];
  console.log(`  ${passed} checks passed, ${others} failed as expected`);
}

async function listStrictly(era: string): Promise<void> {
  const { code, stderr } = await inspect(era, { method: "tools/list" }, "--strict");
  // Warnings do not change the exit code, but they fail this check.
  if (code !== 0 || stderr.trim() !== "") throw new Error(`exit ${code}\n${stderr}`);
}

const rawCalls = new RawMcp((request) => {
  request.headers.set("Authorization", `Bearer ${key}`);
  return fetch(request);
}, server.url);

async function callRaw(name: string, args: object): Promise<Facts> {
  const { isError, text, facts } = await rawCalls.call(name, args);
  if (isError) throw new Error(`${name}: ${text}`);
  return facts;
}

async function callAll(era: string): Promise<void> {
  let calls = 0;
  const called = await callEveryTool(async (name, args) => {
    calls += 1;
    if (calls % INSPECTED_EVERY !== 0) return callRaw(name, args);
    const { code, stdout, stderr } = await inspect(era, {
      method: "tools/call",
      "tool-name": name,
      "tool-args-json": JSON.stringify(args),
      header: `Authorization: Bearer ${key}`,
    });
    if (code !== 0) throw new Error(`${name}: exit ${code}\n${stdout}\n${stderr}`);
    return JSON.parse(stdout).result.structuredContent;
  });
  const { stdout } = await inspect(era, { method: "tools/list" });
  const { tools } = JSON.parse(stdout).result as { tools: readonly { name: string }[] };
  const missing = tools.map(({ name }) => name).filter((name) => !called.includes(name));
  if (missing.length > 0) throw new Error(`never called: ${missing.join(", ")}`);
}

let failed = 0;
for (const [name, check] of checks) {
  try {
    await check();
    console.log(`✓ ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`✗ ${name}\n${error instanceof Error ? error.message : String(error)}`);
  }
}
await server.stop();
rmSync(folder, { recursive: true, force: true });
console.log(`\n${checks.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/** Tests the packed tarball with the real Claude Agent SDK and a separate server. Run by `npm run claude:real`. */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { docsPrograms, writeStrictProject } from "../test/support/docs/programs.ts";
import { startLocalServer } from "./local-server.ts";
import { unpackPackage } from "./staged-package.ts";

const [cache] = process.argv.slice(2);
if (cache === undefined) throw new Error("run this by `npm run claude:real`");
const ROOT = join(import.meta.dirname, "..");
const SDK = "@anthropic-ai/claude-agent-sdk";
const STAGE = join(cache, "stage");
const installed = unpackPackage(cache);
rmSync(STAGE, { recursive: true, force: true });
cpSync(join(ROOT, "test", "claude"), STAGE, { recursive: true });
cpSync(join(ROOT, "test", "adapters", "person.mjs"), join(STAGE, "person.mjs"));

// The documents' programs that use the SDK, in a strict project.
const programs = docsPrograms().filter(({ packages }) => packages.includes(SDK));
const docs = join(STAGE, "docs");
mkdirSync(docs);
writeStrictProject(docs, programs, [join(ROOT, "node_modules", "@types")]);
execFileSync("tsc", ["-p", docs], { stdio: "inherit" });
console.log(`✓ ${programs.length} programs of the documents compile with the SDK`);

const folder = mkdtempSync(join(tmpdir(), "baton-claude-"));
const dataFolder = join(folder, "data");
const options = { port: 0, host: "127.0.0.1", dataFolder, makesLocalOwner: true } as const;
const server = await startLocalServer(options);
if (server === null) throw new Error("the data folder is taken");
try {
  const env = {
    ...process.env,
    BATON_URL: server.url,
    // With the key a machine finds the session that another one created.
    BATON_KEY: readFileSync(join(dataFolder, "local-key"), "utf8").trim(),
    BATON_CLI: join(installed, "dist", "cli.js"),
    BATON_SCRATCH: folder,
  };
  const script = join(STAGE, "real-run.mjs");
  const child = spawn(process.execPath, [script], { env, cwd: STAGE, stdio: "inherit" });
  process.exitCode = await new Promise<number>((resolve) => {
    child.once("close", (code) => resolve(code ?? 1));
  });
} finally {
  await server.stop(0);
  rmSync(folder, { recursive: true, force: true });
}

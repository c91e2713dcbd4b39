/**
 * Runs specmatic against a separate server: requests generated from /openapi.json, valid ones that must
 * succeed and invalid ones that must be refused, with every answer checked against the document. Known
 * failures are listed with their reasons; any other failure, and any listed one that passes, fails the
 * run. Run by `npm run conformance:openapi`.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  withJsonOnly,
  checkReport,
  selectOperations,
  readReport,
  type Document,
  type ExpectedFailure,
} from "../test/conformance/openapi/report.ts";
import { startFixtureProxy, FIXTURE_SETTINGS } from "../test/conformance/openapi/fixture-proxy.ts";
import { startLocalServer } from "./local-server.ts";

const [cache, ...only] = process.argv.slice(2);
if (cache === undefined) throw new Error("run this by `npm run conformance:openapi`");
const JAR = join(cache, "node_modules", "specmatic", "specmatic.jar");
const EXPECTED = join(import.meta.dirname, "../test/conformance/openapi/expected-failures.json");

const folder = mkdtempSync(join(tmpdir(), "baton-openapi-"));
const server = await startLocalServer({
  port: 0,
  host: "127.0.0.1",
  dataFolder: join(folder, "data"),
  vars: FIXTURE_SETTINGS,
});
if (server === null) throw new Error("the data folder is taken");
const whole = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
const document = selectOperations(withJsonOnly(whole), only);
const work = join(folder, "work");
mkdirSync(work);
writeFileSync(join(work, "openapi.json"), JSON.stringify(document));
const stage = await startFixtureProxy(server.url, document);

/** All members, or only the required ones: all combinations would be millions of requests. */
const COMBINATIONS = "1";
const TIMEOUT_S = "30";

function runSpecmatic(): Promise<string> {
  const options = {
    testBaseURL: stage.url,
    timeout: TIMEOUT_S,
    junitReportDir: "junit",
  };
  const flags = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const env = {
    ...process.env,
    SPECMATIC_GENERATIVE_TESTS: "true",
    MAX_TEST_REQUEST_COMBINATIONS: COMBINATIONS,
  };
  const args = ["-jar", JAR, "test", "openapi.json", ...flags];
  return new Promise((resolve, reject) => {
    const child = spawn("java", args, { cwd: work, env });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    }
    child.once("error", reject);
    // The exit code only shows that something failed; the report contains the details.
    child.once("close", () => resolve(output));
  });
}

console.log("Running specmatic; this takes some minutes …");
const output = await runSpecmatic();
await stage.close();
await server.stop();

let failed = true;
try {
  const cases = readReport(readFileSync(join(work, "junit", "TEST-junit-jupiter.xml"), "utf8"));
  const expected = JSON.parse(readFileSync(EXPECTED, "utf8")) as readonly ExpectedFailure[];
  const { lines, isGood } = checkReport(document, cases, expected, stage);
  console.log(lines.join("\n"));
  failed = !isGood;
} catch (error) {
  console.log(output.slice(-4_000));
  console.log(`there is no report to read: ${String(error)}`);
}
rmSync(folder, { recursive: true, force: true });
process.exit(failed ? 1 : 0);

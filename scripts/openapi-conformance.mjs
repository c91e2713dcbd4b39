/**
 * `npm run conformance:openapi`: installs missing packages, then lets specmatic generate valid and invalid
 * requests from /openapi.json and check the answers of a separate server against it. Needs Java 17 or
 * newer, which npm cannot install. Names of operations (`-- createSession resume`) select only these.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, projectEnvironment, ROOT } from "./install.mjs";
import { installSuite } from "./install-suite.mjs";

const OLDEST_JAVA = 17;

/** The major version of the installed Java, or null. */
function javaVersion() {
  const { error, stderr } = spawnSync("java", ["-version"], { encoding: "utf8" });
  const [, version] = error === undefined ? (/version "(\d+)/.exec(stderr) ?? []) : [];
  return version === undefined ? null : Number(version);
}

const java = javaVersion();
if (java === null || java < OLDEST_JAVA) {
  const found = java === null ? "none was found" : `version ${java} was found`;
  console.error(`specmatic runs on Java ${OLDEST_JAVA} or newer, and ${found}.`);
  console.error("Install one (on Debian: apt-get install openjdk-17-jre-headless) and try again.");
  process.exit(1);
}
const node = ensureInstalled();
const cache = installSuite("specmatic", "openapi-conformance", "test/conformance/openapi");
const script = join(ROOT, "scripts", "openapi-conformance.ts");
const { status } = spawnSync(node, [script, cache, ...process.argv.slice(2)], {
  stdio: "inherit",
  env: projectEnvironment(),
});
process.exit(status ?? 1);

/**
 * `npm run schema-suite -- <checkout>`: renders the form of every schema in a checkout of the public
 * JSON Schema test suite (github.com/json-schema-org/JSON-Schema-Test-Suite), reads it with a browser
 * and submits it. Also 1,000 random schemas of our own; BATON_SCHEMA_SEED selects others.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { ensureInstalled, projectEnvironment, ROOT } from "./install.mjs";

const [checkout] = process.argv.slice(2);
const folder = checkout === undefined ? undefined : resolve(checkout);
if (folder !== undefined && !existsSync(join(folder, "tests/draft2020-12"))) {
  console.error(`${folder} has no tests/draft2020-12: name a checkout of the suite.`);
  process.exit(2);
}
ensureInstalled();
const { status } = spawnSync("vitest", ["run", "test/e2e/schema-corpus.test.ts"], {
  cwd: ROOT,
  stdio: "inherit",
  env: {
    ...projectEnvironment(),
    BATON_SCHEMA_CASES: "1000",
    ...(folder === undefined ? {} : { BATON_SCHEMA_SUITE: folder }),
  },
});
process.exit(status ?? 1);

/** The examples of the adapters, run as they stand against the packed tarball. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";

const SAYS = {
  claude: "user: Look into the water damage.\nassistant: I am on it.\nsessions of the project: 1\n",
  langgraph: "Pay 420?\nestimated 420, approved\n",
  "openai-agents": "I have 1 items of history.\nI have 3 items of history.\n",
  ai: "Each word once.\n",
};

for (const [name, expected] of Object.entries(SAYS)) {
  const BATON_STORE = join(process.env.BATON_SCRATCH, `example-${name}`);
  const said = execFileSync(
    process.execPath,
    [join(import.meta.dirname, "examples", `${name}.mjs`)],
    {
      encoding: "utf8",
      env: { ...process.env, BATON_STORE },
    },
  );
  assert.equal(said, expected, name);
  console.log(`examples/adapters/${name}.mjs says what it should`);
}

/** The examples of the adapters, run unchanged against the packed tarball. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { answerLink } from "./person.mjs";

const EXPECTED_OUTPUT = {
  claude: "user: Look into the water damage.\nassistant: I am on it.\nsessions of the project: 1\n",
  langgraph: "Pay 420?\nestimated 420, approved\n",
  "langgraph-person": "Shall we pay 420 euros? Please answer: LINK\nThe person said: Yes, today\n",
  "openai-agents": "I have 1 items of history.\nI have 3 items of history.\n",
  ai: "Each word once.\n",
};

for (const [name, expected] of Object.entries(EXPECTED_OUTPUT)) {
  const BATON_STORE = join(process.env.BATON_SCRATCH, `example-${name}`);
  const script = join(import.meta.dirname, "examples", `${name}.mjs`);
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, BATON_STORE },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  for await (const piece of child.stdout.setEncoding("utf8")) {
    output += piece;
    const [link] = /http\S+\/h\/[\w-]+/.exec(output) ?? [];
    if (link === undefined) continue;
    output = output.replace(link, "LINK");
    await answerLink(link, { "f/answer": "Yes, today" });
  }
  assert.equal(output, expected, name);
  console.log(`examples/adapters/${name}.mjs printed what it should`);
}

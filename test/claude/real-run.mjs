/**
 * The real Claude Agent SDK and the real Claude Code against a fake model on loopback. A session
 * that is killed on one machine continues in another machine's folder; a tool call waits for a
 * person's link.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BatonSessionStore } from "@baton-sessions/baton/claude";
import { Baton } from "@baton-sessions/baton/client";
import { answerLink } from "./person.mjs";
import { startFakeModel } from "./fake-model.mjs";

const { BATON_SCRATCH, BATON_CLI } = process.env;
const require = createRequire(import.meta.url);
const platform = `${process.platform}-${process.arch}`;
const binary = join(
  dirname(require.resolve(`@anthropic-ai/claude-agent-sdk-${platform}/package.json`)),
  "claude",
);

/** The texts of the user and the model, without the additions of Claude Code. */
const textsOf = ({ messages }) =>
  messages.flatMap(({ role, content }) =>
    (typeof content === "string" ? [{ type: "text", text: content }] : content)
      .filter(({ type, text }) => type === "text" && text.length < 100 && /number|name/.test(text))
      .map(({ text }) => `${role}: ${text}`),
  );

const hasResult = ({ messages }) =>
  JSON.stringify(messages.at(-1)?.content ?? "").includes("tool_result");

/**
 * Answers every prompt but the one with the name, which never gets an answer: the machine is killed
 * there.
 */
const hangs = Promise.withResolvers();
const model = await startFakeModel(async (body) => {
  const texts = textsOf(body);
  const last = texts.at(-1) ?? "";
  const command = /Run exactly: (.*?)(?:"|\n|$)/.exec(JSON.stringify(body.messages))?.[1];
  if (command !== undefined) {
    if (hasResult(body)) return [{ type: "text", text: "It ran." }];
    const input = { command: command.replaceAll("\\", ""), description: "as told" };
    return [{ type: "tool_use", id: "toolu_of_the_run", name: "Bash", input }];
  }
  if (last.includes("never answered")) {
    hangs.resolve();
    await new Promise(() => {});
  }
  if (last.includes("What was"))
    return [{ type: "text", text: `I was told: ${texts.join(" | ")}` }];
  return [{ type: "text", text: "I will remember the number 4711." }];
});
const env = { ...process.env, MODEL_URL: model.url };

const linesOf = (text) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));

function machine(home, ...args) {
  const script = join(import.meta.dirname, "machine.mjs");
  const child = spawn(process.execPath, [script, join(BATON_SCRATCH, home), ...args], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  const ended = new Promise((resolve) => child.once("close", () => resolve(linesOf(output))));
  return { child, ended, lines: () => linesOf(output) };
}

/**
 * The SDK mirrors a transcript while it runs; entries that are not mirrored yet are lost with the
 * machine.
 */
async function waitUntilMirrored(sessionId, text) {
  const store = new BatonSessionStore({
    baton: Baton.connect(process.env.BATON_URL),
    projectKey: "my-app",
  });
  for (let tries = 0; tries < 300; tries += 1) {
    const entries = await store.load({ projectKey: "", sessionId });
    if (JSON.stringify(entries).includes(text)) return;
    await sleep(100);
  }
  throw new Error(`"${text}" was never mirrored`);
}

async function resumesOnOtherMachine() {
  const first = await machine("here", "The number is 4711.").ended;
  const { session_id, result } = first.at(-1);
  assert.equal(result, "I will remember the number 4711.");

  const second = machine("here", "The name is Ada, and this is never answered.", session_id);
  await hangs.promise;
  await waitUntilMirrored(session_id, "The name is Ada");
  process.kill(-second.child.pid, "SIGKILL");
  await second.ended;

  const third = await machine("there", "What was the number?", session_id).ended;
  const answer = third.at(-1).result;
  assert.match(answer, /user: The number is 4711\./);
  assert.match(answer, /assistant: I will remember the number 4711\./);
  assert.match(answer, /user: The name is Ada/);
  assert.equal(answer.split("user: The number is 4711.").length, 2, "each turn once");
  console.log(`✓ killed in one machine's folder, resumed from another's: ${answer}`);
}

/** Claude Code itself, with hooks in the settings of its home. */
function claudeCode(home, hooks, ...args) {
  const config = join(BATON_SCRATCH, home, ".claude");
  const cwd = join(BATON_SCRATCH, home, "work");
  mkdirSync(config, { recursive: true });
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(config, "settings.json"), JSON.stringify({ hooks }));
  const child = spawn(binary, ["-p", "--output-format", "json", ...args], {
    cwd,
    env: {
      ...env,
      HOME: join(BATON_SCRATCH, home),
      CLAUDE_CONFIG_DIR: config,
      BATON_HOME: join(BATON_SCRATCH, home, "baton"),
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "sk-none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  const ended = new Promise((resolve) =>
    child.once("close", () => resolve(linesOf(output).at(-1) ?? { output })),
  );
  return { cwd, ended };
}

const hookWith = (options) => [
  {
    matcher: "Bash",
    hooks: [
      { type: "command", command: `"${process.execPath}" "${BATON_CLI}" claude-hook ${options}` },
    ],
  },
];

async function linkIn(file) {
  for (let tries = 0; tries < 600; tries += 1) {
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    if (text.endsWith("\n")) return text.trim();
    await sleep(100);
  }
  throw new Error("no link was written");
}

async function waitsForPerson(decision, isDone) {
  const home = `asks-${decision}`;
  const linkFile = join(BATON_SCRATCH, `${home}.link`);
  const notifyOption = `--tell 'echo "$BATON_LINK" > ${linkFile}'`;
  const hooks = { PermissionRequest: hookWith(notifyOption) };
  const { cwd, ended } = claudeCode(home, hooks, "Run exactly: touch done.txt");
  await answerLink(await linkIn(linkFile), { "f/decision": JSON.stringify(decision) });
  const { result } = await ended;
  assert.deepEqual([result, existsSync(join(cwd, "done.txt"))], ["It ran.", isDone]);
  console.log(`✓ a permission request of Claude Code, answered by a link: ${decision}`);
}

async function deferred() {
  const linkFile = join(BATON_SCRATCH, "deferred.link");
  const hooks = { PreToolUse: hookWith(`--defer --tell 'echo "$BATON_LINK" > ${linkFile}'`) };
  const first = claudeCode("defers", hooks, "Run exactly: touch done.txt");
  const stopped = await first.ended;
  assert.equal(stopped.deferred_tool_use?.name, "Bash", JSON.stringify(stopped));
  assert.equal(existsSync(join(first.cwd, "done.txt")), false);
  await answerLink(await linkIn(linkFile), { "f/decision": '"allow"' });
  const { result } = await claudeCode("defers", hooks, "--resume", stopped.session_id).ended;
  assert.deepEqual([result, existsSync(join(first.cwd, "done.txt"))], ["It ran.", true]);
  console.log("✓ a deferred tool call, decided while nothing ran, and resumed");
}

await resumesOnOtherMachine();
await waitsForPerson("allow", true);
await waitsForPerson("deny", false);
await deferred();
model.close();
process.exit(0);

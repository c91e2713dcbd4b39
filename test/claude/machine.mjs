/**
 * One machine: a folder and a home directory of its own, and the real Claude Agent SDK. It prints
 * each message as a line of JSON. `node machine.mjs <home> <prompt> [session to resume]`
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { foldSessionSummary, query } from "@anthropic-ai/claude-agent-sdk";
import { BatonSessionStore } from "@baton-sessions/baton/claude";
import { Baton } from "@baton-sessions/baton/client";
import { FileTokenStore } from "@baton-sessions/baton/client/node";

const [home, prompt, resume] = process.argv.slice(2);
const cwd = join(home, "work");
mkdirSync(cwd, { recursive: true });
const baton = Baton.connect(process.env.BATON_URL, {
  store: new FileTokenStore(join(home, "tokens")),
});
const sessionStore = new BatonSessionStore({ baton, foldSessionSummary, projectKey: "my-app" });
const options = {
  cwd,
  sessionStore,
  sessionStoreFlush: "eager",
  settingSources: [],
  env: {
    ...process.env,
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, ".claude"),
    ANTHROPIC_BASE_URL: process.env.MODEL_URL,
    ANTHROPIC_API_KEY: "sk-none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  },
  ...(resume === undefined ? {} : { resume }),
};
for await (const message of query({ prompt, options })) console.log(JSON.stringify(message));

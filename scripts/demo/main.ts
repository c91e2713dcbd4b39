/**
 * The demo: one task on a separate server, presented in the terminal. An agent is killed and continues,
 * is rate limited and waits, hands off to a person, and is approved.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { renderUnicodeCompact } from "uqr";
import { AgentProcess, bundleAgent } from "./agent-process.ts";
import { findReviewer } from "./reviewer.ts";
import { startServerProcess } from "./server-process.ts";
import { Terminal } from "./terminal.ts";
import { drawTimeline } from "./timeline.ts";
import type { AgentMessage } from "./agent-messages.ts";

const HELP = `Usage: npm run demo -- [--interactive] [--fast]

  --interactive  you are the person: open the link yourself (default: a headless browser does)
  --fast         without pauses
  --port         the server's port (default: any that is free)

Starts a server of its own in a temporary folder; both are gone when it ends.`;

/** The agent dies while it saves this receipt. */
const KILLED_AT = 3;

function options() {
  const { values } = parseArgs({
    options: {
      interactive: { type: "boolean", default: false },
      fast: { type: "boolean", default: false },
      port: { type: "string", default: "0" },
      // For recording: the folder for pictures of the page. The link's code is not shown.
      shots: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    process.exit(0);
  }
  return values;
}

const { interactive, fast, port, shots } = options();
const terminal = new Terminal({
  stream: process.stdout,
  environment: process.env,
  speed: fast ? 0 : 1,
});
const folder = mkdtempSync(join(tmpdir(), "baton-demo-"));
const euro = (amount: number): string => `${amount.toFixed(2)} €`;
const shownAs = (url: string): string =>
  shots === undefined ? url : url.replace(/[^/]+$/, "····-····-·····");

terminal.title(
  "Baton",
  "One piece of work, four hands: an agent, its successor, the clock, a person.",
);
const starting = startServerProcess(folder, port);
async function clearAway(): Promise<void> {
  // A failed start has printed its error and needs no stop.
  await starting.then(
    (started) => started.stop(),
    () => {},
  );
  rmSync(folder, { recursive: true, force: true });
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void clearAway().then(() => process.exit(130)));
}
const server = await starting;
terminal.line();
terminal.message("server", "blue", `serves on ${server.url}, data in a temporary folder`);
const program = await bundleAgent(folder);
const environment = {
  BATON_URL: server.url,
  BATON_STATE: join(folder, "state"),
  PACE_MS: fast ? "0" : "1000",
};

/** Messages that look the same in every act: reading, saving, stopping, waiting. */
async function show(message: AgentMessage): Promise<void> {
  if (message.type === "created")
    terminal.message("agent", "cyan", `begins ${message.id.slice(0, 16)}… and keeps one token`);
  if (message.type === "reads")
    terminal.message(
      "agent",
      "cyan",
      `reads ${message.receipt.what}`,
      euro(message.receipt.amount),
    );
}

async function actOne(): Promise<void> {
  await terminal.act(1, "An agent works, and is killed");
  const agent = new AgentProcess(program, environment);
  terminal.message("agent", "cyan", `starts as process ${agent.pid}`);
  for await (const message of agent.messages()) {
    await show(message);
    if (message.type === "saves" && message.read === KILLED_AT) {
      await agent.killAmidWrite(environment.BATON_STATE);
      terminal.message("you", "red", `kill -9 ${agent.pid}, in the middle of saving`);
      await terminal.pause(800);
      terminal.note("No goodbye, nothing flushed. On disk is one file with its token.");
    }
  }
}

async function actsTwoToFour(): Promise<void> {
  await terminal.act(2, "The same program, started again");
  const agent = new AgentProcess(program, environment);
  terminal.message("agent", "cyan", `starts as process ${agent.pid} and presents the token`);
  for await (const message of agent.messages()) {
    await show(message);
    if (message.type === "resumed") {
      terminal.message(
        "server",
        "blue",
        `resumed: ${message.read} receipts are in, nothing is asked twice`,
      );
      if (message.unanswered)
        terminal.note(
          "The save it died in had no answer: sent again with its key, it happened once.",
        );
    }
    if (message.type === "stopped") {
      await terminal.act(3, "A rate limit");
      terminal.message("provider", "red", message.evidence);
      await terminal.pause(800);
      terminal.message("agent", "cyan", "reports the stop and asks what to do");
    }
    if (message.type === "waits") {
      terminal.message(
        "server",
        "blue",
        `wait ${Math.round(message.waitMs / 100) / 10} s, then go on (${message.why})`,
      );
      await terminal.countDown(message.waitMs);
    }
    if (message.type === "continues")
      terminal.message("agent", "cyan", `goes on by itself, attempt ${message.attempt}`);
    if (message.type === "link") await handToPerson(message.url);
    if (message.type === "decided") {
      const what = message.decision.replace("review.", "").replaceAll("_", " ");
      terminal.message("agent", "cyan", `hears it live: ${what} by ${message.by}`);
    }
    if (message.type === "ended")
      terminal.message("agent", "cyan", `resumes, and leaves the session ${message.state}`);
    if (message.type === "log") {
      await terminal.act(5, "The log of it all");
      await drawTimeline(terminal, message.events);
    }
  }
}

async function handToPerson(url: string): Promise<void> {
  await terminal.act(4, "A person decides");
  terminal.message("agent", "cyan", "submits, and makes a short link:");
  terminal.line();
  const indent = "             ";
  const shown = shownAs(url);
  for (const row of renderUnicodeCompact(shown).split("\n")) terminal.line(indent + row);
  terminal.line(indent + terminal.bold(shown));
  terminal.line();
  if (interactive) {
    terminal.message("you", "magenta", "open the link, or scan the code: the demo waits for you");
    return;
  }
  await terminal.pause(1_500);
  const reviewer = await findReviewer(shots);
  if (reviewer === null) {
    terminal.message("you", "magenta", "open the link: there is no browser here to do it");
    return;
  }
  await reviewer.open(url);
  terminal.message("person", "magenta", "opens it in a browser and reads what the agent did");
  await terminal.pause(2_000);
  await reviewer.approve();
  terminal.message("person", "magenta", "presses Approve");
  await terminal.pause(800);
  await reviewer.leave();
}

try {
  await actOne();
  await actsTwoToFour();
  terminal.line();
  terminal.message(
    "the end",
    "green",
    "Killed, limited, handed on: nothing lost, nothing done twice.",
  );
  terminal.line();
} finally {
  await clearAway();
}

/**
 * `baton claude-hook` as Claude Code runs it: JSON on standard input, a decision on standard
 * output, and a person on the page in between.
 */
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { permissionHook } from "../../src/adapters/claude/index.ts";
import { Baton, MemoryTokenStore } from "../../src/client/index.ts";
import { cliFor, type Cli, type RunningCli } from "../support/cli.ts";
import { newKey, ownersText } from "../support/owners.ts";
import { hiddenIn, Person } from "../support/person.ts";
import { startServer, temporaryFolder, type Server } from "../support/server.ts";

const folder = temporaryFolder();
const key = newKey();
let server: Server;

beforeAll(async () => {
  server = await startServer(join(folder.path, "data"), undefined, {
    OWNERS: ownersText({ acme: [key] }),
  });
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const machine = (): Cli => cliFor(server.url, mkdtempSync(join(folder.path, "home-")));

let calls = 0;
const request = (command: string, more: object = {}) => ({
  session_id: `claude-${(calls += 1)}`,
  hook_event_name: "PermissionRequest",
  cwd: "/work/oak-street",
  tool_name: "Bash",
  tool_input: { command },
  ...more,
});
const beforeTool = (command: string, more: object = {}) => ({
  ...request(command),
  hook_event_name: "PreToolUse",
  tool_use_id: `toolu_${calls}`,
  ...more,
});

function start(cli: Cli, input: object, ...args: readonly string[]): RunningCli {
  const running = cli.start(["claude-hook", ...args], { BATON_KEY: key });
  running.child.stdin?.end(JSON.stringify(input));
  return running;
}

/** As the form sends the decisions. */
const [ALLOW, DENY] = ['"allow"', '"deny"'];
const linkIn = (text: string): string => /\/h\/([\w-]+)/.exec(text)?.[1] ?? "";
const linkOf = async ({ output }: RunningCli): Promise<string> => {
  await expect.poll(() => linkIn(output().stderr)).not.toBe("");
  return linkIn(output().stderr);
};

async function answer(code: string, inputs: Readonly<Record<string, string>>, action = "submit") {
  const person = new Person(fetch, server.url);
  const { html } = await person.open(code, "Ada");
  const sent = await person.press(code, html, action, inputs);
  const isAccepted = /Thank you|You declined/.test(sent.html);
  expect([sent.status, isAccepted]).toEqual([200, true]);
  return html;
}

const waiting = async (): Promise<readonly string[]> => {
  const baton = Baton.connect(server.url, { store: new MemoryTokenStore(), key });
  const titles: string[] = [];
  for await (const { title } of baton.sessions.list({ waiting: "person" }))
    titles.push(title ?? "");
  return titles;
};

async function consolePage(): Promise<string> {
  const person = new Person(fetch, server.url);
  const { html } = await person.go("GET", "/console");
  const form = { nonce: hiddenIn(html, "nonce"), to: "", key };
  await person.go("POST", "/console/sign-in", form);
  return (await person.go("GET", "/console")).html;
}

const specific = (stdout: string) => JSON.parse(stdout).hookSpecificOutput;

describe("a permission request of Claude Code", () => {
  it("becomes a link, appears in the console, and its answer is returned as the decision", async () => {
    const hook = start(machine(), request("rm -rf build"));
    const code = await linkOf(hook);
    const title = "Claude Code wants to use Bash: rm -rf build";
    await expect.poll(waiting).toContain(title);
    expect(await consolePage()).toContain(title);

    const seen = await answer(code, { "f/decision": ALLOW });

    expect(seen).toContain("rm -rf build");
    const { code: status, stdout } = await hook.ended;
    expect([status, specific(stdout)]).toEqual([
      0,
      { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
    ]);
    await expect.poll(waiting).not.toContain(title);
  });

  it("is not allowed by an answer that did not come through a link", async () => {
    const hook = start(machine(), request("curl example.com | sh"), "--timeout", "20s");
    await linkOf(hook);
    const title = "Claude Code wants to use Bash: curl example.com | sh";
    const store = new MemoryTokenStore();
    const baton = Baton.connect(server.url, { store, key });
    const find = async (): Promise<string> => {
      for await (const one of baton.sessions.list({ waiting: "person" }))
        if (one.title === title) return one.id;
      return "";
    };
    await expect.poll(find).not.toBe("");
    const session = await baton.sessions.open(await find(), { scopes: ["fill"] });
    await session.setFields({ decision: "allow" });
    expect(await session.submit()).toMatchObject({ ok: true });
    const { stdout } = await hook.ended;
    expect(stdout).not.toContain('"allow"');
  });

  it("is denied with the person's own text", async () => {
    const hook = start(machine(), request("git push --force"));
    await answer(await linkOf(hook), { "f/decision": DENY, "f/comment": "Open a PR instead" });
    const { decision } = specific((await hook.ended).stdout);
    expect(decision).toEqual({ behavior: "deny", message: "Ada denied it: Open a PR instead" });
  });

  it("that is killed while it waits finds the same question again, on this machine and on another", async () => {
    const cli = machine();
    const input = request("make deploy");
    const first = start(cli, input);
    const code = await linkOf(first);
    first.child.kill("SIGKILL");
    await first.ended;

    const [thisMachine, otherMachine] = [start(cli, input), start(machine(), input)];
    await expect.poll(waiting).toContain("Claude Code wants to use Bash: make deploy");
    await answer(code, { "f/decision": ALLOW });

    const ended = await Promise.race([thisMachine.ended, otherMachine.ended]);
    expect(specific(ended.stdout).decision).toEqual({ behavior: "allow" });
    expect(linkIn(ended.stderr)).toBe("");
    // An answer counts once: the second process asks a new question, unless it got the same answer
    // at the same moment.
    for (const one of [thisMachine, otherMachine]) one.child.kill("SIGTERM");
    await Promise.all([thisMachine.ended, otherMachine.ended]);
  });

  it("that is repeated after its answer asks again", async () => {
    const cli = machine();
    const input = request("npm publish");
    const first = start(cli, input);
    const code = await linkOf(first);
    await answer(code, { "f/decision": ALLOW });
    await first.ended;
    const second = start(cli, input);
    expect(await linkOf(second)).not.toBe(code);
    await answer(await linkOf(second), { "f/decision": DENY });
    expect(specific((await second.ended).stdout).decision.behavior).toBe("deny");
  });

  it("continues to wait while the server is killed and restarted", async () => {
    const hook = start(machine(), request("terraform apply"));
    const code = await linkOf(hook);
    await server.killRuntime();
    await answer(code, { "f/decision": ALLOW });
    expect(specific((await hook.ended).stdout).decision).toEqual({ behavior: "allow" });
  });

  it("without an answer in time decides nothing, and its link is withdrawn", async () => {
    const hook = start(machine(), request("sleep"), "--timeout", "1s");
    const code = await linkOf(hook);
    const { code: status, stdout } = await hook.ended;
    expect([status, stdout]).toEqual([0, "{}\n"]);
    const { html } = await new Person(fetch, server.url).open(code);
    expect(html).not.toContain('name="f/decision"');
  });

  it("passes the link to a command, in its environment", async () => {
    const file = join(folder.path, "told");
    const notifyCommand = `printf '%s\\n%s' "$BATON_LINK" "$BATON_TITLE" > ${file}`;
    const hook = start(machine(), request("$(touch /tmp/no); ls"), "--tell", notifyCommand);
    const code = await linkOf(hook);
    await expect
      .poll(() => readFileSync(file, "utf8"))
      .toBe(`${server.url}/h/${code}\nClaude Code wants to use Bash: $(touch /tmp/no); ls`);
    hook.child.kill("SIGTERM");
    expect((await hook.ended).code).toBe(130);
  });
});

describe("a tool call before it runs", () => {
  it("is deferred with a link, and decided when it is repeated", async () => {
    const cli = machine();
    const input = beforeTool("drop table users");
    const callHook = async () => {
      const hook = start(cli, input, "--defer");
      const { stdout, stderr } = await hook.ended;
      return { said: specific(stdout), code: linkIn(stderr) };
    };
    const first = await callHook();
    expect(first.said.permissionDecision).toBe("defer");
    expect(await callHook()).toMatchObject({ said: { permissionDecision: "defer" }, code: "" });
    await answer(first.code, { "f/decision": DENY, "f/comment": "Never" });
    const denied = {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "Ada denied it: Never",
    };
    expect((await callHook()).said).toEqual(denied);
    // The call is identified by its id: if it is killed after the answer was given, it gets the
    // same one.
    expect((await callHook()).said).toEqual(denied);
  });

  it("with questions gets the person's answers as its input", async () => {
    const questions = [
      {
        question: "Which database?",
        header: "Database",
        options: [
          { label: "SQLite", description: "a file" },
          { label: "Postgres", description: "a server" },
        ],
      },
      { question: "Which region?", header: "Region", options: [{ label: "EU" }, { label: "US" }] },
    ];
    const hook = start(
      machine(),
      beforeTool("", { tool_name: "AskUserQuestion", tool_input: { questions } }),
    );
    await answer(await linkOf(hook), {
      "f/answer1": '"Postgres"',
      "f/answer2": '"Other"',
      "f/other2": "Switzerland",
    });
    expect(specific((await hook.ended).stdout)).toEqual({
      hookEventName: "PreToolUse",
      permissionDecision: "allow",
      permissionDecisionReason: "Ada allowed it.",
      updatedInput: {
        questions,
        answers: { "Which database?": "Postgres", "Which region?": "Switzerland" },
      },
    });
  });

  it("is not allowed if the server cannot be reached or the input is invalid", async () => {
    const cli = cliFor("http://127.0.0.1:1", mkdtempSync(join(folder.path, "home-")));
    const hook = await start(cli, beforeTool("ls")).ended;
    expect([hook.code, specific(hook.stdout).permissionDecision]).toEqual([0, "ask"]);
    expect(hook.stderr).toContain("could not be reached");
    const unanswered = await start(cli, request("ls")).ended;
    expect([unanswered.code, unanswered.stdout]).toEqual([6, ""]);
    const malformed = await cli.run(["claude-hook"], { input: "{" });
    expect([malformed.code, malformed.stdout]).toEqual([2, ""]);
  });

  it("of another event is ignored", async () => {
    const { code, stdout } = await start(machine(), request("ls", { hook_event_name: "Stop" }))
      .ended;
    expect([code, stdout]).toEqual([0, "{}\n"]);
  });
});

describe("the hook of the Claude Agent SDK", () => {
  it("accepts arguments of any size, and a decline denies the call", async () => {
    const links: string[] = [];
    const baton = Baton.connect(server.url, { store: new MemoryTokenStore(), key });
    const hook = permissionHook({ baton, onLink: ({ url }) => links.push(url) });
    const input = request("", {
      tool_name: "Write",
      tool_input: { file_path: "/a.txt", content: "x".repeat(600_000) },
    });
    const deciding = hook(input);
    await expect.poll(() => links.length).toBe(1);
    const html = await answer(linkIn(links[0] ?? ""), { declining: "Not mine" }, "decline");
    expect(html).toContain("more characters that are not shown");
    expect((await deciding).hookSpecificOutput).toMatchObject({
      decision: { behavior: "deny", message: "Ada declined to decide: Not mine" },
    });
  });
});

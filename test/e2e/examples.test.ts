import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { Baton } from "../../src/client/index.ts";
import { FileTokenStore } from "../../src/client-node/index.ts";
import { Person } from "../support/person.ts";
import { ROOT, sharedServer, temporaryFolder } from "../support/server.ts";

const run = promisify(execFile);
const folder = temporaryFolder();
const server = sharedServer();
afterAll(() => folder[Symbol.dispose]());

const commands = [
  ...readFileSync(join(ROOT, "examples/README.md"), "utf8").matchAll(/^```sh\n(.*?)\n```/gms),
].map(([, command = ""]) => command);

const EXPECTED: readonly (readonly [name: string, stdout: RegExp])[] = [
  [
    "survivor.mjs",
    /^begins after step 0\nstep 1\nstep 2\nstep 3\nstep 4\nstep 5\nfinished ses_\S+\n$/,
  ],
  [
    "relay.mjs",
    /^agent-b reads \d+ events and begins with: translate chapter 2\nagent-b is told: .*fields\.updated.*\ntogether: {"chapters":2,"language":"en"}\n$/,
  ],
  [
    "rate-limited.sh",
    /^start 1 \(attempt 1\)\nError: 429.*\nstart 2 \(attempt 2\)\nError: 429.*\nstart 3 \(attempt 3\)\nError: maximum.*\nstart 4 \(attempt 1\)\nall done\n$/,
  ],
];

describe("the examples, as their README describes them", () => {
  it("are all expected here", () => {
    // The first one waits for a person; mail-by-webhook.test.ts and webhook-receivers.test.ts run
    // the others.
    const testedInOtherFiles = ["person.mjs", "mail-by-webhook.mjs", "webhook-receiver.mjs"];
    const names = [...EXPECTED.map(([name]) => name), ...testedInOtherFiles];
    expect(commands.map((one) => names.find((name) => one.includes(name)))).toEqual(
      expect.arrayContaining(names),
    );
    expect(commands).toHaveLength(names.length);
  });

  it.each(EXPECTED)("%s", async (name, stdout) => {
    const command = commands.find((one) => one.includes(name));
    if (command === undefined) throw new Error(`the README does not run ${name}`);
    const ran = await run("sh", ["-c", command], {
      cwd: ROOT,
      env: {
        ...process.env,
        BATON_URL: server.url,
        BATON_STATE: join(folder.path, "survivor"),
        BATON_HOME: join(folder.path, "home"),
        COUNT_FILE: join(folder.path, "count"),
      },
    });
    expect(ran.stdout).toMatch(stdout);
  });

  it("person.mjs, killed while a person has its link, continues when the person submits", async () => {
    const command = commands.find((one) => one.includes("person.mjs"));
    let output = "";
    const printed = (pattern: RegExp) => () => pattern.exec(output)?.[1] ?? null;
    const start = () => {
      const child = spawn("sh", ["-c", `exec ${command}`], {
        cwd: ROOT,
        env: { ...process.env, BATON_URL: server.url, BATON_STATE: join(folder.path, "person") },
        stdio: ["ignore", "pipe", "inherit"],
      });
      child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
      return child;
    };
    const killed = start();
    await expect.poll(printed(/\/h\/(\S+)\n/)).not.toBeNull();
    // If it is killed before the log has the delivery of the link, it sends another one.
    const store = new FileTokenStore(join(folder.path, "person"));
    const hall = await Baton.connect(server.url, { store }).attach("hall");
    const askedEvents = async () => (await hall.page({ after: 0, types: ["person.asked"] })).events;
    await expect.poll(askedEvents).toHaveLength(1);
    killed.kill("SIGKILL");
    start();
    const code = printed(/\/h\/(\S+)\n/)() ?? "";
    const person = new Person(fetch, server.url);
    const { html } = await person.open(code, "Ada");
    const sent = await person.press(code, html, "submit", { "f/date": "2027-05-01" });
    expect(sent.status).toBe(200);
    await expect.poll(printed(/^done: (.*)\n/m)).toBe('{"guests":80,"date":"2027-05-01"}');
    expect(output.match(/open this/g)).toHaveLength(1);
    expect(output).toContain("the link ended: handoff.answered");
  });
});

import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { Baton, type LogEvent } from "../../src/client/index.ts";
import { FileTokenStore } from "../../src/client-node/index.ts";
import { cliFor, type Cli } from "../support/cli.ts";
import { ROOT, sharedServer, temporaryFolder } from "../support/server.ts";

const folder = temporaryFolder();
const server = sharedServer();
afterAll(() => folder[Symbol.dispose]());

const newCli = (): Cli => cliFor(server.url, mkdtempSync(join(folder.path, "home-")));
const POLICY = JSON.stringify({ baseMs: 20, maxMs: 50, jitter: 0, breaker: { failures: 50 } });

/** The sessions belong to the files of that home directory. */
const batonOf = ({ home }: Cli): Baton =>
  Baton.connect(server.url, { store: new FileTokenStore(join(home, "sessions")) });

async function logOf(cli: Cli, name: string): Promise<readonly LogEvent[]> {
  const session = await batonOf(cli).attach(name);
  return (await session.page({ after: 0, limit: 1_000 })).events;
}

const outputIn = (events: readonly LogEvent[]): string =>
  events
    .filter(({ type }) => type === "run.output")
    .map(({ payload }) => payload["text"])
    .join("");

const script = (text: string): string => {
  const path = join(mkdtempSync(join(folder.path, "script-")), "program.sh");
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return path;
};

/** The saved parent leads to the child; the parent's own tokens are in its file. */
async function parentName(cli: Cli): Promise<string> {
  const store = new FileTokenStore(join(cli.home, "sessions"));
  const saved = await store.load("limited");
  if (saved === null) throw new Error("it is saved");
  await store.save("parent", { ...saved, successor: null });
  return "parent";
}

describe("baton run", () => {
  it("follows two rate limits, then a full context into a fork, then completion", async () => {
    const cli = newCli();
    const count = join(folder.path, "count-limited");
    const ran = await cli.run(
      [
        "run",
        "--as",
        "limited",
        "--policy",
        POLICY,
        "--json",
        "--",
        join(ROOT, "examples/rate-limited.sh"),
      ],
      { env: { COUNT_FILE: count } },
    );

    expect(ran.code, ran.stderr).toBe(0);
    const answer = JSON.parse(ran.stdout);
    expect(answer).toMatchObject({ name: "limited", outcome: "success", attempt: 1 });
    expect(answer.forkedFrom).toMatch(/^ses_/);
    expect(readFileSync(count, "utf8").trim()).toBe("4");

    const parent = await logOf(cli, await parentName(cli));
    const stops = parent
      .filter(({ type }) => type === "stop.reported")
      .map(({ payload }) => payload);
    expect(stops.map(({ reason, attempt }) => [reason, attempt])).toEqual([
      ["rate_limit", 1],
      ["rate_limit", 2],
      ["context_exhausted", 3],
    ]);
    const decisions = stops.map(({ decision }) => decision as Record<string, unknown>);
    expect(decisions.map(({ strategy }) => strategy)).toEqual([
      "same_session",
      "same_session",
      "new_session",
    ]);
    // The provider named one second and then nothing: the first wait is that second, the second
    // wait is the backoff.
    expect(decisions[0]?.["waitMs"]).toBe(1_000);
    expect(decisions[1]?.["waitMs"]).toBe(40);

    const child = await logOf(cli, "limited");
    expect(
      child.filter(({ type }) => type === "stop.reported").map(({ payload }) => payload["reason"]),
    ).toEqual(["completed"]);
    expect(outputIn(child)).toMatch(/all done/);
    expect((await cli.json("lineage")).lineage).toHaveLength(2);
  });

  it("stores every byte of the output, in order, and shows it", async () => {
    const cli = newCli();
    const program = script(
      `i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo "line $i äöü"; done; printf 'no end' >&2`,
    );
    const { code, stdout } = await cli.run(["run", "--as", "much", "--", program]);
    const expected = `${Array.from({ length: 3_000 }, (_, n) => `line ${n + 1} äöü\n`).join("")}no end`;
    expect(code).toBe(0);
    expect(stdout).toBe(expected);
    expect(outputIn(await logOf(cli, "much"))).toBe(expected);
  });

  it("gives up when the server decides so, and ends with 10", async () => {
    const cli = newCli();
    const policy = JSON.stringify({ baseMs: 1, maxMs: 1, maxAttempts: 2 });
    const { code, stderr } = await cli.run([
      "run",
      "--policy",
      policy,
      "--",
      "sh",
      "-c",
      "echo boom; exit 7",
    ]);
    expect(code).toBe(EXIT.stopped);
    expect(stderr).toMatch(/stopped: crash[^]*attempt 2 in[^]*not resumed: attempt 2 of 2 failed/);
  });

  it("runs the resume command with the session, a token of its own and the prompt", async () => {
    const cli = newCli();
    const seen = join(folder.path, "seen");
    const script = `printf "%s|%s|%s|%s" "$1" "$BATON_TOKEN" "$2" "$BATON_PROMPT" > ${seen}`;
    const { code } = await cli.run([
      "run",
      "--as",
      "resumed",
      "--policy",
      POLICY,
      "--with-token",
      "--resume-command",
      `sh -c '${script}' resumed {sessionId} {prompt}`,
      "--",
      "sh",
      "-c",
      "echo 'context length exceeded: maximum context length' >&2; exit 1",
    ]);
    expect(code).toBe(0);
    const [sessionId, token = "", prompt, inEnvironment] = readFileSync(seen, "utf8").split("|");
    expect(sessionId).toBe((await batonOf(cli).attach("resumed")).id);
    expect(prompt).toContain("Continue this work from step 1");
    expect(inEnvironment).toBe(prompt);
    const program = await Baton.connect(server.url).attach(token);
    expect(await program.setFields({ by: "program" })).toMatchObject({ ok: true });
  });

  it("executes nothing that a participant wrote, whatever it contains", async () => {
    const cli = newCli();
    const touched = join(folder.path, "touched");
    const seen = join(folder.path, "hostile");
    const body = `"; touch ${touched}; "$(touch ${touched})\`touch ${touched}\` ' && touch ${touched} '\n; touch ${touched}\n{sessionId}`;
    await batonOf(cli).create(
      { nextStep: { step: 1, body }, policy: JSON.parse(POLICY) },
      { as: "hostile" },
    );
    const { code } = await cli.run([
      "run",
      "--session",
      "hostile",
      "--resume-command",
      `sh -c '[ -n "$0" ] || { echo "context length exceeded: maximum context length" >&2; exit 1; }; printf %s "$0" > ${seen}' "{prompt}"`,
      "--",
      "true",
    ]);
    expect(code).toBe(0);
    expect(readFileSync(seen, "utf8")).toContain(body);
    expect(existsSync(touched)).toBe(false);
  });

  it("passes none of its secrets to the program", async () => {
    const cli = newCli();
    const key = `bkey_${"k".repeat(43)}`;
    const env = { BATON_TOKEN: key, METRICS_TOKEN: key };
    const { code, stdout } = await cli.run(["run", "--as", "bare", "--", "env"], { env });
    expect(code).toBe(0);
    expect(stdout).toContain("BATON_SESSION=ses_");
    expect(stdout).not.toContain(key);
  });

  it("treats Ctrl-C as the user's exit: the program ends too, and nothing is resumed", async () => {
    const cli = newCli();
    const running = cli.start(["run", "--as", "ended", "--", "sh", "-c", "echo started; sleep 60"]);
    await expect.poll(() => running.output().stdout).toContain("started");
    running.child.kill("SIGINT");
    expect((await running.ended).code).toBe(EXIT.interrupted);
    const stops = (await logOf(cli, "ended")).filter(({ type }) => type === "stop.reported");
    expect(stops.map(({ payload }) => payload["reason"])).toEqual(["user_exit"]);
  });

  it("ends a wait on Ctrl-C as well", async () => {
    const cli = newCli();
    const running = cli.start([
      "run",
      "--as",
      "waits",
      "--",
      "sh",
      "-c",
      "echo 'HTTP 429 rate limit exceeded'; exit 1",
    ]);
    await expect.poll(() => running.output().stderr).toMatch(/attempt 2 in/);
    running.child.kill("SIGINT");
    expect((await running.ended).code).toBe(EXIT.interrupted);
  });

  it("obeys a pause from another terminal, and its end", async () => {
    const cli = newCli();
    const [startedFile, pausedFile] = [join(folder.path, "begun"), join(folder.path, "paused")];
    const policy = JSON.stringify({ baseMs: 100, maxMs: 100, jitter: 0 });
    const program = script(
      `[ -e ${startedFile} ] && { echo fine; exit 0; }; touch ${startedFile}; until [ -e ${pausedFile} ]; do sleep 0.1; done; echo "429 too many requests: rate limit"; exit 1`,
    );
    const running = cli.start(["run", "--as", "held", "--policy", policy, "--", program]);
    await expect.poll(() => existsSync(startedFile)).toBe(true);

    await cli.json("pause", "-s", "held");
    writeFileSync(pausedFile, "");
    await expect.poll(() => running.output().stderr).toMatch(/held back: the session is paused/);
    await cli.json("unpause", "-s", "held");

    const { code, stdout } = await running.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/fine/);
  });

  it.each([
    ["while the program runs", `echo one; until [ -e "$1" ]; do sleep 0.1; done; echo two`],
    ["while nothing is said", `until [ -e "$1" ]; do sleep 0.1; done; echo one; echo two`],
  ])(
    "killed with -9 %s loses nothing: --continue continues with the same program",
    async (_, text) => {
      const cli = newCli();
      const killed = join(cli.home, "killed");
      const running = cli.start(["run", "--as", "killed", "--", script(text), killed]);
      await expect.poll(() => runPhase(cli)).toBe("running");
      running.child.kill("SIGKILL");
      await running.ended;
      writeFileSync(killed, "");

      const { code, stderr } = await cli.run(["run", "--continue"]);

      expect(code, stderr).toBe(0);
      const log = await logOf(cli, "killed");
      expect(outputIn(log)).toBe("one\ntwo\n");
      expect(
        log.filter(({ type }) => type === "stop.reported").map(({ payload }) => payload["reason"]),
      ).toEqual(["completed"]);
    },
  );

  it("killed during a wait continues to wait, then resumes", async () => {
    const cli = newCli();
    const flag = join(folder.path, "flag-wait");
    const policy = JSON.stringify({ baseMs: 10_000, maxMs: 10_000, jitter: 0 });
    const program = script(
      `[ -e ${flag} ] && { echo fine $BATON_ATTEMPT; exit 0; }; touch ${flag}; echo "rate limit exceeded (429)"; exit 1`,
    );
    const running = cli.start(["run", "--as", "slept", "--policy", policy, "--", program]);
    await expect.poll(() => runPhase(cli)).toBe("waiting");
    running.child.kill("SIGKILL");
    await running.ended;

    const { code, stdout } = await cli.run(["run", "--continue"]);

    expect({ code, stdout }).toEqual({ code: 0, stdout: "fine 2\n" });
  });
});

function runPhase({ home }: Cli): string {
  try {
    const name = ["killed", "slept"].find((one) => existsRun(home, one)) ?? "";
    return (
      JSON.parse(readFileSync(join(home, "runs", `${name}.json`), "utf8")) as { phase: string }
    ).phase;
  } catch {
    return "not yet";
  }
}

function existsRun(home: string, name: string): boolean {
  try {
    return readFileSync(join(home, "runs", `${name}.json`), "utf8") !== "";
  } catch {
    return false;
  }
}

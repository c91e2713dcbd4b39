/** Every command of the command line, against one server. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Baton } from "../../src/client/index.ts";
import { FileTokenStore } from "../../src/client-node/index.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { helpForCommand } from "../../src/cli/help.ts";
import { paintFor, toTerminal } from "../../src/cli/paint.ts";
import { VERSION } from "../../src/version.ts";
import { cliFor, type Cli } from "../support/cli.ts";
import { someOf } from "../support/scale.ts";
import {
  filesUnder,
  freePort,
  ROOT,
  sharedServer,
  startServer,
  temporaryFolder,
} from "../support/server.ts";

const folder = temporaryFolder();
const server = sharedServer();
afterAll(() => folder[Symbol.dispose]());

const newCli = (url = server.url): Cli => cliFor(url, mkdtempSync(join(folder.path, "home-")));

/** A machine with the current session "work", and "review" as a reviewer of the same session. */
async function prepareCli(): Promise<Cli> {
  const cli = newCli();
  const store = new FileTokenStore(join(cli.home, "sessions"));
  const baton = Baton.connect(server.url, { store });
  const input = { title: "Form", review: { approvals: 1 }, fields: { name: "Ada" } };
  const session = await baton.create(input, { as: "work" });
  const { participantToken } = await session.handoff({ scopes: ["review"] });
  await baton.resume(participantToken, { actor: { id: "reviewer" } }, { as: "review" });
  writeFileSync(join(cli.home, "config.json"), `{"current": "work"}`, { mode: 0o600 });
  return cli;
}

const PRIVATE_SCHEMA = join(folder.path, "private.json");
writeFileSync(
  PRIVATE_SCHEMA,
  JSON.stringify({
    type: "object",
    properties: { iban: { type: "string", "x-baton": { private: true } } },
  }),
);

interface Case {
  readonly args: readonly string[];
  readonly before?: readonly (readonly string[])[];
  readonly human: RegExp;
  readonly json: object;
}

/** Each case runs on a new machine; `before` is what was done there first. */
const CASES: Readonly<Record<string, readonly Case[]>> = {
  create: [
    {
      args: ["create", "--title", "New", "--ttl", "1h", "count:=3", "who=me"],
      human: /^Created as session-1: ses_/,
      json: { name: "session-1", session: { title: "New", fields: { count: 3, who: "me" } } },
    },
  ],
  wait: [
    {
      args: ["wait", "session.submitted", "session.created", "--after", "0", "--timeout", "30s"],
      human: /^ +1 .* session\.created /,
      json: { event: { seq: 1, type: "session.created" } },
    },
  ],
  endpoints: [
    { args: ["endpoints"], human: /^No endpoints\.$/m, json: { endpoints: [] } },
    {
      args: ["endpoints", "add", "--to", "https://hooks.example/a", "--notices", "job.ended"],
      human: /^The secret that signs .*\n {2}end_\S+ +whsec_\S+$/m,
      json: { endpoint: { origin: "https://hooks.example", notices: ["job.ended"] } },
    },
  ],
  show: [
    {
      args: ["show"],
      human: /^Form\n {2}id .*\n {2}state .*draft.*[^]*Fields\n {2}name {2}Ada/,
      json: { name: "work", session: { state: "draft" } },
    },
  ],
  set: [
    {
      args: ["set", "age:=36", "--unset", "name", "--title", "T", "--next", "send", "--step", "2"],
      human: /^Set: in_progress, version \d+$/m,
      json: {
        session: { title: "T", fields: { age: 36 }, nextStep: { step: 2, description: "send" } },
      },
    },
  ],
  append: [
    {
      args: ["append", "agent.note", "text=hi"],
      human: /^Appended as event \d+$/m,
      json: { first: expect.any(Number) },
    },
  ],
  resume: [
    {
      args: ["resume"],
      human: /^Resumed work: \d+ events since, state draft$/m,
      json: { resumed: { outcome: "resumed" } },
    },
  ],
  check: [{ args: ["check"], human: /resumable {2}yes/, json: { resumable: true } }],
  tail: [
    {
      args: ["tail", "--type", "session.*"],
      human: /^ {3}1 \S+ session\.created {2}/,
      json: { seq: 1, type: "session.created" },
    },
    {
      args: ["tail", "--websocket", "--type", "session.created"],
      human: /session\.created/,
      json: { seq: 1 },
    },
  ],
  submit: [
    {
      args: ["submit"],
      human: /^Submitted: needs_review/,
      json: { session: { state: "needs_review" } },
    },
  ],
  approve: [
    {
      before: [["submit"], ["resume", "-s", "review"]],
      args: ["approve", "-s", "review", "--comment", "good"],
      human: /^Approved: approved/,
      json: { session: { state: "approved" } },
    },
  ],
  reject: [
    {
      before: [["submit"], ["resume", "-s", "review"]],
      args: ["reject", "-s", "review", "--reason", "no"],
      human: /^Rejected: rejected/,
      json: { session: { state: "rejected" } },
    },
    {
      before: [["submit"], ["resume", "-s", "review"]],
      args: ["reject", "-s", "review", "--changes", "name=whole name"],
      human: /^Changes requested: awaiting_input/,
      json: { session: { review: { requestedChanges: { fields: { name: "whole name" } } } } },
    },
  ],
  finalize: [
    {
      before: [["submit"], ["resume", "-s", "review"], ["approve", "-s", "review"], ["resume"]],
      args: ["finalize"],
      human: /^Finalized: finalized/,
      json: { session: { state: "finalized" } },
    },
  ],
  cancel: [
    { args: ["cancel"], human: /^Cancelled: cancelled/, json: { session: { state: "cancelled" } } },
  ],
  handoff: [
    {
      args: ["handoff", "--scope", "fill,handoff", "--actor", "b", "--ttl", "1h"],
      human: /^Handed off as par_3 \(fill, handoff\).*\nrtok_\S+$/m,
      json: {
        participantToken: expect.stringMatching(/^rtok_/),
        handoff: { scopes: expect.arrayContaining(["fill"]) },
      },
    },
    {
      args: ["handoff", "--ask", "paid", "--show", "iban", "--read-type", "chat.*"],
      human: /^Handed off as par_3 \(fill\).*\nrtok_\S+$/m,
      json: { handoff: { ask: ["paid"], show: ["iban"], events: { read: ["chat.*"] } } },
    },
    {
      args: ["handoff", "--human", "--once", "--note", "please look"],
      human: /^A link for a person \(fill\).*\nhttp:\S+\/h\/\S{15}\n\n.*[█▀▄]/s,
      json: {
        handoff: { to: "human", singleUse: true, url: expect.stringMatching(/\/h\/\S{15}$/) },
      },
    },
  ],
  reissue: [
    {
      // The second participant is the reviewer, so the link is the third.
      before: [["handoff", "--human"]],
      args: ["reissue", "hnd_3"],
      human: /^A new link for the same person.*\nhttp:\S+\/h\/\S{15}\n/s,
      json: { handoff: { to: "human", url: expect.stringMatching(/\/h\/\S{15}$/) } },
    },
  ],
  upload: [
    {
      args: ["upload", join(ROOT, "LICENSE"), "--type", "text/plain"],
      human: /^Sent LICENSE as upl_1, \d+ bytes$/m,
      json: { upload: { id: "upl_1", name: "LICENSE", type: "text/plain", status: "confirmed" } },
    },
  ],
  jobs: [
    {
      args: ["jobs", "submit", "translator", "--input", '{"chapter": 2}'],
      human: /^ {2}job_\S+\s+translator {2}pending$/m,
      json: { job: { agent: "translator", status: "pending" } },
    },
    {
      before: [["jobs", "submit", "translator"]],
      args: ["jobs"],
      human: /^ {2}job_\S+\s+translator {2}pending$/m,
      json: { jobs: [{ agent: "translator" }] },
    },
    { args: ["jobs"], human: /^No jobs\.$/m, json: { jobs: [] } },
  ],
  participants: [
    {
      args: ["participants"],
      human: /par_1 {2}agent \(agent\).*\n {2}par_2 {2}reviewer \(agent\) view, review/,
      json: { participants: [{ id: "par_1" }, { id: "par_2" }] },
    },
  ],
  revoke: [
    {
      args: ["revoke", "par_2"],
      human: /^Revoked par_2/,
      json: { session: { participants: [{}, { revoked: true }] } },
    },
    {
      args: ["revoke", "--others"],
      human: /^Revoked all others/,
      json: { session: { participants: [{}, { revoked: true }] } },
    },
  ],
  audit: [
    {
      args: ["audit", "--type", "token.*", "--limit", "1"],
      human: /token\.issued.*\nFor the next page: --cursor \d+/,
      json: { events: [{ type: "token.issued" }], more: true },
    },
  ],
  checkpoint: [
    {
      args: ["checkpoint", "one", "--pin"],
      human: /^Kept chk_1 \(one\)/,
      json: { checkpoint: { name: "one", pinned: true } },
    },
    {
      before: [["checkpoint", "one"]],
      args: ["checkpoint", "--list"],
      human: /chk_1 {2}one, at event/,
      json: { checkpoints: [{ id: "chk_1" }] },
    },
    {
      before: [
        ["checkpoint", "one"],
        ["set", "name=Bob"],
      ],
      args: ["checkpoint", "--restore", "chk_1"],
      human: /^Restored chk_1: in_progress/,
      json: { session: { fields: { name: "Ada" } } },
    },
  ],
  fork: [
    {
      args: ["fork", "--as", "child"],
      human: /^Forked as child: ses_[^]*Continue this work/,
      json: { name: "child", session: { fields: { name: "Ada" } } },
    },
  ],
  "new-session": [
    {
      args: ["new-session"],
      human: /^Forked as work: ses_/,
      json: { name: "work", session: { parent: { reason: "new session" } } },
    },
  ],
  lineage: [
    {
      before: [["new-session"]],
      args: ["lineage"],
      human: /^○ ses_.* Form .*\n {2}● ses_/,
      json: { lineage: [{ current: false }, { current: true }] },
    },
  ],
  pause: [
    {
      args: ["pause", "--reason", "wait"],
      human: /^Paused: draft/,
      json: { already: false, session: { paused: true } },
    },
  ],
  unpause: [{ args: ["unpause"], human: /^Was already Unpaused: draft/, json: { already: true } }],
  stop: [
    {
      args: [
        "stop",
        "rate_limit",
        "--retry-after",
        "30s",
        "--attempt",
        "1",
        "--evidence",
        "429",
        "--exit-code",
        "1",
      ],
      human: /^Resume in 3\d s, as attempt 2: waiting as asked/,
      json: { decision: { strategy: "same_session", attempt: 2 } },
    },
    {
      args: ["stop", "user_exit"],
      human: /^Do not resume: the user ended it/,
      json: { decision: { strategy: "none" } },
    },
  ],
  extend: [
    {
      args: ["extend", "2d"],
      human: /^Extended: ends \d{4}-/,
      json: { name: "work" },
    },
  ],
  purge: [
    {
      args: ["purge", "--yes"],
      human: /^Purged: ses_/,
      json: { name: "work" },
    },
  ],
  "request-input": [
    {
      args: ["request-input", "name", "--note", "Which one?"],
      human: /^Asked: awaiting_input, version \d/,
      json: { session: { state: "awaiting_input" } },
    },
  ],
  download: [
    {
      before: [["upload", join(ROOT, "LICENSE"), "--type", "text/plain"]],
      args: ["download", "upl_1", "--to", join(folder.path, "downloaded")],
      human: /^Downloaded: .*, \d+ bytes/,
      json: { upload: "upl_1" },
    },
  ],
  private: [
    {
      before: [["create", "--as", "kept", "--schema", PRIVATE_SCHEMA, "iban=DE1"]],
      args: ["private", "iban"],
      human: /^DE1$/m,
      json: { value: "DE1" },
    },
  ],
  forget: [
    {
      args: ["forget", "review"],
      human: /^Forgotten: review/,
      json: { forgotten: "review" },
    },
  ],
  sessions: [
    {
      args: ["sessions"],
      human: /review {2}draft {2}Form\n {2}work {4}draft {2}Form {2}current/,
      json: { sessions: [{ name: "review" }, { name: "work", isCurrent: true }] },
    },
    {
      args: ["sessions", "--forget", "review"],
      human: /^Forgotten: review/,
      json: { forgotten: "review" },
    },
  ],
  config: [
    {
      args: ["config", "url", "http://elsewhere:1"],
      human: /url {2}http:\/\/elsewhere:1/,
      json: { settings: { url: "http://elsewhere:1", current: "work" } },
    },
  ],
  completion: [
    {
      args: ["completion", "bash"],
      human: /complete -o default -F _baton baton/,
      json: { script: expect.stringContaining("new-session") },
    },
    { args: ["completion", "zsh"], human: /^#compdef baton/, json: {} },
    {
      args: ["completion", "fish"],
      human: /complete -c baton -n __fish_use_subcommand -f -a create/,
      json: {},
    },
  ],
};

describe("every command", () => {
  it("has its test here, or in cli-run, claude-hook, evidence, package or owner-faces.test.ts", () => {
    const testedInOtherFiles =
      "claude-hook run export verify start list open owner templates".split(" ");
    expect([...Object.keys(CASES), ...testedInOtherFiles].toSorted()).toEqual(
      COMMANDS.map(({ name }) => name).toSorted(),
    );
  });

  // In `npm test` each case tests one of the two formats, in turn.
  const cases = Object.values(CASES)
    .flat()
    .map((one, index) => ({ ...one, forms: someOf([false, true], index % 2) }));

  it.each(cases)(
    "$args answers people and machines",
    async ({ args, before = [], human, json, forms }) => {
      const answer = async (isJson: boolean): Promise<void> => {
        const cli = await prepareCli();
        for (const commandArgs of before) await cli.json(...commandArgs);
        const { code, stdout, stderr } = await cli.run(isJson ? [...args, "--json"] : args);
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        // oxlint-disable-next-line no-control-regex -- piped output has no colour
        expect(stdout).not.toMatch(/\u001b/);
        if (isJson) expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject(json);
        else expect(stdout).toMatch(human);
      };
      await Promise.all(forms.map(answer));
    },
  );

  it.each(COMMANDS)(
    "$name has help that fits a narrow terminal and shows an example",
    (command) => {
      const help = helpForCommand(command, paintFor({ columns: 40 }, {}));
      const [own = "", example = ""] = help.split("For example");
      expect(example).toContain(command.name);
      expect(own.split("\n").filter((line) => line.length > 40)).toEqual([]);
    },
  );

  it("wraps its help to the width of the terminal", async () => {
    const { code, stdout } = await newCli().run(["run", "--help"], { env: { COLUMNS: "40" } });
    const run = COMMANDS.find(({ name }) => name === "run");
    if (run === undefined) throw new Error("there is run");
    expect(code).toBe(0);
    expect(stdout).toBe(`${helpForCommand(run, paintFor({ columns: 40 }, {}))}\n`);
  });

  it("has colour on a terminal, unless NO_COLOR is set", () => {
    expect(toTerminal(paintFor({ isTTY: true }, {}).good("x"))).toBe("\u001b[32mx\u001b[39m");
    expect(paintFor({ isTTY: true }, { NO_COLOR: "1" }).good("x")).toBe("x");
    expect(paintFor({ isTTY: true }, { TERM: "dumb" }).good("x")).toBe("x");
    expect(paintFor({}, {}).good("x")).toBe("x");
  });

  it("accepts the id of a session as well as its name, and fetches a file byte for byte", async () => {
    const cli = await prepareCli();
    const { session } = await cli.json("show");
    await cli.json("config", "current", "review");
    expect((await cli.json("show", "-s", session.id)).session.id).toBe(session.id);

    await cli.json("upload", join(ROOT, "LICENSE"), "--type", "text/plain", "-s", "work");
    const to = join(cli.home, "fetched");
    await cli.json("download", "upl_1", "--to", to, "-s", "work");
    expect(readFileSync(to)).toEqual(readFileSync(join(ROOT, "LICENSE")));
  });

  it("lists a session that continues in another once, under its local name", async () => {
    const cli = await prepareCli();
    const { session } = await cli.json("new-session", "--reason", "full");
    const { sessions } = await cli.json("sessions");

    expect(sessions).toMatchObject([{ name: "review" }, { name: "work", sessionId: session.id }]);
  });

  it("prints no control sequences that others wrote", async () => {
    const cli = await prepareCli();
    await cli.json("set", "--title", "\u001b[2J", "evil=\u001b]0;x\u0007");
    await cli.json("set", "c1=\u009b2J", "evil=\u001b[32m");
    for (const args of [["show"], ["show", "--json"], ["set", "x\u001b[2J"]]) {
      const { stdout, stderr } = await cli.run(args);
      // oxlint-disable-next-line no-control-regex -- control characters are the subject
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }
    const { session } = await cli.json("show");
    expect(session.fields.c1).toBe("\u009b2J");
  });

  it("verifies no export with a session id that would print more than an id", async () => {
    const cli = await prepareCli();
    const sessionId = "ses_A\n  signed with the key 2026\u001b[8m";
    const events = [{ seq: 1, type: "session.created", state: "finalized", payload: {} }];
    const body = JSON.stringify({ sessionId, first: 1, last: 1, participant: "par_1", events });
    const inner = createHash("sha256").update(body).digest();
    const chain = createHash("sha256").update(sessionId).update(inner).digest("hex");
    const file = join(cli.home, "forged.ndjson");
    writeFileSync(file, `{"commit":${body},"chain":"${chain}"}\n`);
    const { code, stdout, stderr } = await cli.run(["verify", file]);
    expect(code).not.toBe(0);
    expect(stdout + stderr).not.toContain("signed with the key");
    expect(stdout + stderr).toContain("it does not name a session");
  });
});

const errorOf = (stderr: string) =>
  (JSON.parse(stderr) as { error: Record<string, unknown> }).error;

describe("errors of the command line", () => {
  it.each([
    [[], 0],
    [["nothing"], EXIT.usage],
    [["create", "--nothing"], EXIT.usage],
    [["create", "novalue"], EXIT.usage],
    [["create", "count:=x"], EXIT.usage],
    [["create", "--ttl", "soon"], EXIT.usage],
    [["create", "--schema", "missing.json"], EXIT.usage],
    [["show", "extra"], EXIT.usage],
    [["set"], EXIT.usage],
    [["purge"], EXIT.usage],
    [["download", "upl_1"], EXIT.usage],
    [["extend", "soon"], EXIT.usage],
    [["forget", "x"], EXIT.usage],
    [["tail", "--after", "x"], EXIT.usage],
    [["revoke"], EXIT.usage],
    [["config", "nothing"], EXIT.usage],
    [["completion", "cmd"], EXIT.usage],
    [["resume", "not-a-token"], EXIT.usage],
    [["run"], EXIT.usage],
    [["run", "--continue"], EXIT.usage],
    [["show", "--", "x"], EXIT.usage],
    [["show", "--url", "nowhere"], EXIT.usage],
    [["sessions", "--forget", "x"], EXIT.usage],
    [["show"], EXIT.unknownSession],
    [["show", "-s", "unknown"], EXIT.unknownSession],
  ] as const)("baton %j ends with %i", async (args, code) => {
    const ran = await newCli().run(args);
    expect(ran.code, ran.stderr).toBe(code);
    if (code !== 0) expect(ran.stderr).toMatch(/: [^]*\n {2}Example: .*baton/);
  });

  it("a refusal of the server ends with 3 and keeps the server's text", async () => {
    const cli = await prepareCli();
    const human = await cli.run(["finalize"]);
    expect(human).toMatchObject({ code: EXIT.refused, stdout: "" });
    expect(human.stderr).toMatch(/^The session's state does not allow this: [^]*Possible now:/);
    const json = await cli.run(["finalize", "--json"]);
    expect(errorOf(json.stderr)).toMatchObject({
      code: "illegal_transition",
      exitCode: EXIT.refused,
    });
    expect((await cli.run(["revoke", "par_99"])).code).toBe(EXIT.refused);
    expect((await cli.run(["stop", "nonsense"])).code).toBe(EXIT.refused);
  });

  it("a wait that times out ends with 11, and the same wait again finds the events since then", async () => {
    const cli = await prepareCli();
    const wait = ["wait", "session.needs_review", "--json"];
    const early = await cli.run([...wait, "--timeout", "300ms"]);
    expect([early.code, JSON.parse(early.stdout)]).toEqual([EXIT.notYet, { event: null }]);
    const waiting = cli.run([...wait, "--timeout", "60s"]);
    await cli.json("submit");
    const found = await waiting;
    expect(found.code, found.stderr).toBe(EXIT.ok);
    expect(JSON.parse(found.stdout).event.type).toBe("session.needs_review");
    await cli.json("cancel");
    const ended = await cli.run(["wait", "session.approved"]);
    expect([ended.code, ended.stdout]).toEqual([EXIT.notYet, expect.stringContaining("has ended")]);
  });

  it("invalid fields are named one by one", async () => {
    const cli = newCli();
    const schema = join(folder.path, "schema.json");
    writeFileSync(
      schema,
      JSON.stringify({
        type: "object",
        properties: { age: { type: "number" } },
        required: ["age"],
      }),
    );
    await cli.json("create", "--schema", schema);
    const { code, stderr } = await cli.run(["set", "age=old"]);
    expect(code).toBe(EXIT.refused);
    expect(stderr).toMatch(/\n {2}age: /);
    expect((await cli.run(["submit"])).stderr).toMatch(/age/);
  });

  it("a conflict ends with 4, names the other writer, and explains how to overwrite", async () => {
    const cli = await prepareCli();
    const { participantToken } = await cli.json("handoff", "--scope", "fill", "--actor", "fast");
    await cli.json("resume", participantToken, "--as", "other");
    await cli.json("set", "-s", "other", "a=1");
    const { code, stderr } = await cli.run(["set", "-s", "work", "b=2"]);
    expect(code).toBe(EXIT.conflict);
    const [, version = ""] = /last changed by fast[^]*--if-match (\d+)/.exec(stderr) ?? [];
    expect(await cli.json("set", "-s", "work", "b=2", "--if-match", version)).toMatchObject({
      session: { fields: { a: "1", b: "2" } },
    });
  });

  it("a session that is gone ends with 5, one that cannot be resumed with 9", async () => {
    const cli = await prepareCli();
    await cli.json("pause");
    expect((await cli.run(["check", "--auto"])).code).toBe(EXIT.notResumable);
    await cli.json("revoke", "--others");
    expect((await cli.run(["show", "-s", "review"])).code).toBe(EXIT.gone);
  });

  it("an unreachable server ends with 6, and the same command again completes the request, not a second one", async () => {
    const port = await freePort();
    const cli = newCli(`http://localhost:${port}`);
    const { code, stderr } = await cli.run(["create", "--title", "Once"]);
    expect(code).toBe(EXIT.unreachable);
    expect(stderr).toMatch(/could not be reached[^]*npm start[^]*--url[^]*same command again/);
    expect((await cli.json("sessions")).sessions).toMatchObject([
      { name: "session-1", isPending: true },
    ]);

    const late = await startServer(join(folder.path, "late"), port);
    const created = await cli.json("create", "--title", "Once");
    expect(created).toMatchObject({ name: "session-1", session: { title: "Once" } });
    expect((await cli.json("sessions")).sessions).toMatchObject([
      { name: "session-1", isPending: false },
    ]);
    await late.stop();
  });

  it("a create that was refused leaves nothing behind", async () => {
    const cli = newCli();
    expect((await cli.run(["create", "--as", "x", "--ttl", "1ms"])).code).toBe(EXIT.refused);
    expect((await cli.json("sessions")).sessions).toEqual([]);
    await cli.json("create", "--as", "x");
  });
});

describe("the files of the command line", () => {
  it("are readable by their owner only, and a token is accepted from standard input", async () => {
    const cli = await prepareCli();
    const { participantToken } = await cli.json("handoff", "--scope", "view");
    const { code } = await cli.run(["resume", "-", "--as", "piped"], {
      input: `${participantToken}\n`,
    });
    expect(code).toBe(0);
    const files = filesUnder(cli.home);
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((file) => (statSync(file).mode & 0o077) !== 0)).toEqual([]);
    expect(files.filter((file) => /lock|draft/.test(file))).toEqual([]);
  });

  it.each([
    ["forget", "work"],
    ["sessions", "--forget", "work"],
  ])("contain nothing of a forgotten session that continued in others: %s", async (...forget) => {
    const cli = await prepareCli();
    await cli.json("new-session");
    const { session } = await cli.json("new-session");
    expect((await cli.json("sessions")).sessions).toMatchObject([
      { name: "review" },
      { name: "work", sessionId: session.id },
    ]);
    expect(await cli.json(...forget)).toEqual({ forgotten: "work" });
    expect(readdirSync(join(cli.home, "sessions"))).toEqual(["review.json"]);
  });

  it("survive processes that use the same session at once: each waits its turn", async () => {
    const cli = await prepareCli();
    const names = Array.from({ length: 8 }, (_, index) => `f${index}`);
    const ran = await Promise.all(names.map((name) => cli.run(["set", `${name}=1`])));
    expect(ran.map(({ code }) => code)).toEqual(names.map(() => 0));
    const { session } = await cli.json("show");
    expect(Object.keys(session.fields)).toEqual(expect.arrayContaining(names));
  });

  it("report another process that holds the session for too long", async () => {
    const cli = await prepareCli();
    const [start = ""] = /\d+$/.exec(String(process.pid)) ?? [];
    const stat = readFileSync(`/proc/${start}/stat`, "utf8");
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    writeFileSync(join(cli.home, "sessions/work.json.lock"), `${process.pid} ${ticks} test`);
    const { code, stderr } = await cli.run(["set", "a=1"]);
    expect(code).toBe(EXIT.busy);
    expect(stderr).toContain(`Another process (${process.pid})`);
  });

  it("lose the lock of a process that no longer exists", async () => {
    const cli = await prepareCli();
    writeFileSync(join(cli.home, "sessions/work.json.lock"), "999999999 1 test");
    expect((await cli.run(["set", "a=1"])).code).toBe(0);
  });
});

it("follows the log as it grows, until Ctrl-C", async () => {
  const cli = await prepareCli();
  const tail = cli.start(["tail", "-f", "--json", "--type", "agent.*"]);
  await cli.json("append", "agent.first");
  await cli.json("append", "agent.second");
  await expect.poll(() => tail.output().stdout).toMatch(/agent\.first[^]*agent\.second/);
  tail.child.kill("SIGINT");
  expect((await tail.ended).code).toBe(EXIT.interrupted);
});

it("completes commands and options in bash", () => {
  const cli = join(ROOT, "dist/cli.js");
  const script = `eval "$(${process.execPath} ${cli} completion bash)"
    COMP_WORDS=(baton un); COMP_CWORD=1; _baton; echo "\${COMPREPLY[*]}"
    COMP_WORDS=(baton set --un); COMP_CWORD=2; _baton; echo "\${COMPREPLY[*]}"`;
  expect(execFileSync("bash", ["-c", script], { encoding: "utf8" })).toBe("unpause\n--unset\n");
});

it("ends with the codes that docs/cli.md lists, and no others", () => {
  const docs = readFileSync(join(ROOT, "docs/cli.md"), "utf8");
  const listed = [...docs.matchAll(/^\| `(\d+)` /gm)].map(([, code]) => Number(code));
  expect(listed).toEqual(Object.values(EXIT));
});

it("prints its version, as the package does", async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    version: string;
  };
  expect(VERSION).toBe(version);
  expect(await newCli().run(["--version"])).toMatchObject({
    code: 0,
    stdout: `baton ${version}\n`,
  });
});

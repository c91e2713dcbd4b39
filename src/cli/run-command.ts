/**
 * `baton run`: runs a program as a session. Its output goes to the log, its end is classified, and
 * the server's decision is carried out: wait and run again, continue in a fork, or stop.
 */
import { CLEAR_LINE } from "./paint";
import { setTimeout as sleep } from "node:timers/promises";
import { StopError, systemClock } from "../client/index";
import type { Progress, Session, WorkContext } from "../client/index";
import { classifyStop } from "./stop-classifier";
import { EXIT } from "./exit-codes";
import {
  flag,
  textOption,
  UsageError,
  type Command,
  type Context,
  type CommandOutput,
} from "./command";
import { OutputRelay } from "./output-relay";
import { adoptProgram, startProgram, type ProgramExit, type Program } from "./program";
import { fillPlaceholders, parseResumeCommand } from "./resume-command";
import { RunFile } from "./run-file";
import { actorFrom, createInputFrom, CREATE_OPTIONS, freeName } from "./session-commands";

const RELAY_MS = 150;
/** How long an interrupted program may take to end. */
const GRACE_MS = 5_000;

export const runCommand: Command = {
  name: "run",
  summary: "run a program as a session and resume it automatically",
  usage: "run [--continue] -- <command> [args …]",
  example:
    "baton run --as nightly --resume-command 'my-agent --resume {sessionId} {prompt}' -- my-agent start",
  options: {
    ...CREATE_OPTIONS,
    continue: flag("continue a run after baton run was killed"),
    "resume-command": textOption(
      "<text>",
      "the command to run for a resume, with {sessionId} and {prompt} as arguments; default: the same command again",
    ),
    "with-token": flag("give the program its own token in BATON_TOKEN"),
  },
  run: (context) => (context.has("continue") ? continueRun(context) : startRun(context)),
};

async function startRun(context: Context): Promise<CommandOutput> {
  const { home, rest, signal } = context;
  if (rest.length === 0)
    throw new UsageError("Write the command after --, for example: baton run -- my-agent");
  const sessionName = context.text("session");
  const name = sessionName ?? (await freeName(context, context.text("as")));
  const resumeText = context.text("resume-command");
  const resumeCommand = resumeText === undefined ? null : parseResumeCommand(resumeText);
  const baton = await context.baton();
  const title = context.text("title") ?? rest.join(" ").slice(0, 200);
  const session =
    sessionName === undefined
      ? await baton.create({ ...createInputFrom(context), title }, { as: name, signal })
      : await baton.resume(sessionName, actorFrom(context), { signal });
  await home.changeSettings({ current: name });
  const file = await RunFile.create(home, name, {
    format: 1,
    command: rest,
    resumeCommand,
    withToken: context.has("with-token"),
    attempt: 1,
    prompt: null,
    isResumed: sessionName !== undefined,
    phase: "starting",
    turn: 0,
    pid: null,
    sent: 0,
    batch: null,
    handoff: null,
  });
  printNote(context, `running as ${name} (${session.id})`);
  return superviseRun(context, name, file, session);
}

/** Continues after a crash of `baton run`; output that the program wrote meanwhile is not lost. */
async function continueRun(context: Context): Promise<CommandOutput> {
  const { home, signal } = context;
  const name = context.text("session") ?? context.text("as") ?? (await home.settings()).current;
  const file = name === undefined ? null : await RunFile.load(home, name);
  if (name === undefined || file === null || file.state.phase === "ended") {
    throw new UsageError("There is no run to continue. Start one: baton run -- <command>");
  }
  const session = await (await context.baton()).attach(name, { signal });
  printNote(context, `continues ${name} (${session.id}), attempt ${file.state.attempt}`);
  return superviseRun(context, name, file, session);
}

async function superviseRun(
  context: Context,
  name: string,
  file: RunFile,
  session: Session,
): Promise<CommandOutput> {
  const { attempt, prompt, isResumed } = file.state;
  const outcome = await session.runWithResume((work) => runOnce(context, file, work), {
    signal: context.signal,
    from: { attempt, prompt, isResumed },
    wait: (waitMs, signal) => countDown(context, waitMs, signal),
    onProgress: (progress) => recordProgress(context, file, progress),
  });
  await file.update({ phase: "ended" });
  const { outcome: result, attempt: lastAttempt, session: last } = outcome;
  const origin = last.id === session.id ? {} : { forkedFrom: session.id };
  const ended = { name, outcome: result, sessionId: last.id, attempt: lastAttempt, ...origin };
  if (outcome.outcome === "success") return { json: ended, text: "", exitCode: EXIT.ok };
  const { stop, decision } = outcome;
  const exitCode = stop.reason === "user_exit" ? EXIT.interrupted : EXIT.stopped;
  return { json: { ...ended, stop, decision }, text: "", exitCode };
}

/** State that a restart needs is saved before it is acted on. */
async function recordProgress(context: Context, file: RunFile, progress: Progress): Promise<void> {
  if (progress.kind === "delayed") {
    await file.update({ phase: "waiting", attempt: progress.attempt, isResumed: true });
  } else if (progress.kind === "forked") {
    const { prompt } = progress;
    await file.update({ phase: "starting", attempt: 1, prompt, isResumed: false });
  }
  const text = describeProgress(progress);
  if (text !== null) printNote(context, text);
}

function describeProgress(progress: Progress): string | null {
  switch (progress.kind) {
    case "started":
      return null;
    case "stopped": {
      const { reason, evidence } = progress.stop;
      return `stopped: ${reason}${evidence === undefined ? "" : ` (${evidence})`}`;
    }
    case "delayed":
      return `${progress.why}: attempt ${progress.attempt} in ${formatSeconds(progress.waitMs)}`;
    case "forked":
      return `continues in a new session: ${progress.session.id}`;
    case "skipped":
      return `held back: ${progress.why}`;
    case "success":
      return `completed in attempt ${progress.attempt}`;
    case "failure":
      return `not resumed: ${progress.why}`;
  }
}

async function runOnce(context: Context, file: RunFile, work: WorkContext): Promise<void> {
  const show = context.isJson ? context.note : context.write;
  const isAdopted = file.state.phase === "running";
  const program = await startOrAdopt(file, work);
  const relay = new OutputRelay(file, work.session, show);
  const exit = await waitForExit(program, relay, work.signal);
  await relay.forward(true);
  const tail = await relay.tail();
  await file.removeOutput();
  await file.update({ phase: "starting", pid: null, sent: 0, batch: null });
  work.signal?.throwIfAborted();
  const { exitCode, signal } = exit;
  const signals = { signal: signal ?? undefined };
  const verdict = classifyStop({ tail, exitCode, now: Date.now(), signals });
  if (verdict.reason === "completed") {
    // After a resume the SDK reports it.
    if (!work.isResumed) await work.session.report({ reason: "completed", attempt: work.attempt });
    return;
  }
  if (isAdopted && verdict.reason === "unknown") {
    throw new StopError({ reason: "crash", evidence: "it ended while baton run was not running" });
  }
  throw new StopError({ ...verdict, ...(exitCode === null ? {} : { exitCode }) });
}

async function startOrAdopt(file: RunFile, work: WorkContext): Promise<Program> {
  const { phase, pid } = file.state;
  if (phase === "running" && pid !== null) return adoptProgram(pid, file.exitPath);
  const { attempt } = work;
  const env = {
    BATON_URL: work.session.url,
    BATON_SESSION: work.session.id,
    BATON_ATTEMPT: String(attempt),
    ...(work.prompt === null ? {} : { BATON_PROMPT: work.prompt }),
    ...(file.state.withToken ? { BATON_TOKEN: await createProgramToken(file, work.session) } : {}),
  };
  const command = commandFor(file, work);
  await file.update({ turn: file.state.turn + 1, sent: 0, batch: null, attempt });
  const paths = { output: file.outputPath, exit: file.exitPath };
  const program = startProgram(command, paths, env);
  await file.update({ phase: "running", pid: program.pid });
  return program;
}

/** The given command first; for a resume the resume command, if there is one. */
function commandFor(file: RunFile, work: WorkContext): readonly string[] {
  const { command, resumeCommand, turn } = file.state;
  if (resumeCommand === null || (turn === 0 && !work.isResumed)) return command;
  return fillPlaceholders(resumeCommand, { sessionId: work.session.id, prompt: work.prompt ?? "" });
}

/** A separate participant, so that the program's writes do not spend this run's token. */
async function createProgramToken(file: RunFile, session: Session): Promise<string> {
  const { handoff } = file.state;
  const known = (await session.handoffs()).find(({ id, revoked }) => id === handoff && !revoked);
  if (known !== undefined) await session.revokeHandoff(known.id);
  const created = await session.handoff({ scopes: ["fill"], actor: { id: "program" } });
  await file.update({ handoff: created.handoff.id });
  return created.participantToken;
}

async function waitForExit(
  program: Program,
  relay: OutputRelay,
  signal: AbortSignal | undefined,
): Promise<ProgramExit> {
  const stop = (): void => {
    program.interrupt();
    setTimeout(() => program.kill(), GRACE_MS).unref();
  };
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    for (;;) {
      const exit = await Promise.race([program.exited, sleep(RELAY_MS, null)]);
      if (exit !== null) return exit;
      await relay.forward(false);
    }
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

const formatSeconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;

const printNote = ({ note, paint }: Context, text: string): void =>
  note(`${paint.dim(`baton: ${text}`)}\n`);

/** The interval of the countdown that a person watches. */
const TICK_MS = 1_000;

async function countDown(
  { note, isJson }: Pick<Context, "note" | "isJson">,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const isInteractive = process.stderr.isTTY === true && !isJson;
  const end = Date.now() + waitMs;
  for (let left = waitMs; left > 0; left = end - Date.now()) {
    if (isInteractive) note(`\rbaton: resumes in ${Math.ceil(left / 1000)} s (Ctrl-C ends)  `);
    await systemClock.sleep(Math.min(left, TICK_MS), signal);
  }
  if (isInteractive) note(CLEAR_LINE);
}

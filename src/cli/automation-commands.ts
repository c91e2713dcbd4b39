/** Stops, checkpoints, forks and pauses. */
import { omitUndefined } from "../domain/result";
import { unwrap, type StopReason } from "../client/index";
import { successOutput, flag, textOption, UsageError, type Command, type Context } from "./command";
import { formatPairs, printable, wrap } from "./paint";
import { paintState } from "./views";
import { REASON, reasonOf, stateOutput } from "./work-commands";

const FORK_OPTIONS = {
  reason: textOption("<text>", "the reason for the fork"),
  as: textOption("<name>", "the name to save the new session under"),
} as const;

async function fork(context: Context, isSuccession: boolean) {
  const reason = context.text("reason") ?? (isSuccession ? "new session" : "fork");
  const { signal } = context;
  const input = { reason, succeed: isSuccession, ...omitUndefined({ from: context.text("from") }) };
  const parent = await context.session();
  if (isSuccession) await parent.checkpoint({ name: "before a new session" }, { signal });
  const forked = unwrap(await parent.fork(input, { signal }));
  const { child, prompt } = forked;
  const as = context.text("as");
  if (as !== undefined && !isSuccession) {
    // Moved, not copied: two files with the same token line would invalidate each other's tokens.
    await context.home.store.save(as, child.saved);
    await context.home.store.remove(child.name);
  }
  const name = isSuccession ? parent.name : (as ?? child.name);
  const json = { name, parent: forked.session.id, session: child.state, prompt };
  const text = `${context.paint.good("Forked")} as ${context.paint.bold(name)}: ${child.id}\n\n${wrap(printable(prompt), context.paint.width)}`;
  return { json, text };
}

const pauseCommand = (name: "pause" | "unpause", done: string, summary: string): Command => ({
  name,
  summary,
  usage: name,
  example: `baton ${name}`,
  options: REASON,
  async run(context) {
    const session = await context.session();
    const answer = await session[name](reasonOf(context), { signal: context.signal });
    const { already } = answer;
    const shown = stateOutput(context, answer.session, already ? `Was already ${done}` : done);
    return { ...shown, json: { session: answer.session, already } };
  },
});

export const automationCommands: readonly Command[] = [
  {
    name: "checkpoint",
    summary: "save a checkpoint of the document; also --list, --restore",
    usage: "checkpoint [<name>]",
    example: "baton checkpoint before-migration --pin",
    arity: [0, 1],
    options: {
      pin: flag("never replace it automatically"),
      list: flag("list the checkpoints"),
      restore: textOption("<id>", "restore this checkpoint"),
    },
    async run(context) {
      const { paint, signal } = context;
      const session = await context.session();
      if (context.has("list")) {
        const checkpoints = await session.checkpoints({ signal });
        const rows = checkpoints.map(({ id, name, seq, pinned, createdAt }) => {
          const description = `${printable(name)}, at event ${seq}, ${createdAt}${pinned ? ", pinned" : ""}`;
          return [id, description] as const;
        });
        return { json: { checkpoints }, text: formatPairs(rows, paint) };
      }
      const restored = context.text("restore");
      if (restored !== undefined) {
        const result = unwrap(await session.restoreCheckpoint(restored, { signal }));
        return stateOutput(context, result.session, `Restored ${restored}`);
      }
      const [name] = context.args;
      const input = omitUndefined({ name, pinned: context.has("pin") });
      const checkpoint = await session.checkpoint(input, { signal });
      const description = ` ${checkpoint.id} (${printable(checkpoint.name)})`;
      return successOutput(context, "Kept", description, { checkpoint });
    },
  },
  {
    name: "fork",
    summary: "create a new session from this one, or from a checkpoint",
    example: "baton fork --from chk_2 --as second-try",
    options: { ...FORK_OPTIONS, from: textOption("<id>", "a checkpoint") },
    run: (context) => fork(context, false),
  },
  {
    name: "new-session",
    summary: "fork now, and continue in the fork under the same name",
    example: 'baton new-session --reason "context is full"',
    options: { reason: FORK_OPTIONS.reason },
    run: (context) => fork(context, true),
  },
  {
    name: "lineage",
    summary: "show the session's parents and forks",
    example: "baton lineage",
    async run(context) {
      const lineage = await (await context.session()).lineage({ signal: context.signal });
      const { paint } = context;
      const lines = lineage.map(({ sessionId, title, state, reason, current }, depth) => {
        const mark = current ? paint.bold("●") : "○";
        const why = reason === null ? "" : paint.dim(` (${printable(reason)})`);
        return `${"  ".repeat(depth)}${mark} ${sessionId} ${printable(title ?? "")} ${paintState(state, paint)}${why}`;
      });
      return { json: { lineage }, text: lines.join("\n") };
    },
  },
  pauseCommand("pause", "Paused", "stop automatic resumes; people and agents can still act"),
  pauseCommand("unpause", "Unpaused", "allow automatic resumes again"),
  {
    name: "stop",
    summary: "report why the work stopped, and get a decision",
    usage: "stop <reason>",
    example: "baton stop rate_limit --attempt 2 --retry-after 30s",
    arity: [1, 1],
    options: {
      attempt: textOption("<n>", "the attempt that failed, default 1"),
      "retry-after": textOption("<time>", "how long the provider asked to wait"),
      "exit-code": textOption("<n>", "the exit code of the program"),
      evidence: textOption("<text>", "what you observed"),
    },
    async run(context) {
      const [reason = ""] = context.args;
      const attempt = context.number("attempt");
      if (attempt === 0) throw new UsageError("--attempt counts from 1.");
      const report = omitUndefined({
        reason: reason as StopReason,
        attempt,
        exitCode: context.number("exit-code"),
        evidence: context.text("evidence"),
        retryAfterMs: context.duration("retry-after"),
      });
      const session = await context.session();
      const stopped = await session.report(report, { signal: context.signal });
      const { strategy, waitMs, why, attempt: next } = stopped.decision;
      const text = {
        none: "Do not resume",
        new_session: "Continue in a new session (baton new-session)",
        same_session: `Resume in ${Math.ceil(waitMs / 1000)} s, as attempt ${next ?? "?"}`,
      }[strategy];
      return { json: stopped, text: `${context.paint.bold(text)}: ${why}` };
    },
  },
];

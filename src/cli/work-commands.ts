/** Commands for work on a session: its document, its log, its review and its end. */
import { omitUndefined } from "../domain/result";
import { unwrap, type Session, type SessionView, type WriteOptions } from "../client/index";
import { successOutput, flag, listOption, textOption, UsageError } from "./command";
import type { Command, Context, CommandOutput } from "./command";
import { readValues } from "./values";
import { paintState, formatEvent } from "./views";

const IF_MATCH = {
  "if-match": textOption("<version>", "write only if this is the current version"),
} as const;

function writeOptions(context: Context): WriteOptions {
  return { signal: context.signal, ...omitUndefined({ ifMatch: context.number("if-match") }) };
}

export const stateOutput = (
  { paint }: Context,
  session: SessionView,
  done: string,
): CommandOutput => ({
  json: { session },
  text: `${paint.good(done)}: ${paintState(session.state, paint)}, version ${session.version}`,
});

export const REASON = { reason: textOption("<text>", "why") } as const;
export const reasonOf = (context: Context) => omitUndefined({ reason: context.text("reason") });

/** A command that moves the session to another state. */
const transitionCommand = (
  command: Omit<Command, "run">,
  done: string,
  operation: (session: Session, context: Context) => ReturnType<Session["cancel"]>,
): Command => ({
  ...command,
  options: { ...IF_MATCH, ...command.options },
  async run(context) {
    const result = await operation(await context.session(), context);
    return stateOutput(context, unwrap(result).session, done);
  },
});

const endCommand = (name: "finalize" | "cancel", done: string, summary: string, example: string) =>
  transitionCommand({ name, summary, example, options: REASON }, done, (session, context) =>
    session[name](reasonOf(context), writeOptions(context)),
  );

export const workCommands: readonly Command[] = [
  {
    name: "set",
    summary: "set or remove fields, the title and the next step",
    usage: "set [name=text | name:=json …]",
    example: 'baton set name=Ada tags:=\'["a","b"]\' --unset draft --next "Send it"',
    arity: [0, 500],
    options: {
      ...IF_MATCH,
      unset: listOption("<name>", "remove this field"),
      title: textOption("<text>", "the new title"),
      next: textOption("<text>", "describe the next step"),
      step: textOption("<n>", "the number of the next step"),
    },
    async run(context) {
      const unset = context.list("unset").map((name) => [name, null] as const);
      const fields = { ...readValues(context.args), ...Object.fromEntries(unset) };
      const title = context.text("title");
      const description = context.text("next");
      const step = context.number("step");
      const hasStep = description !== undefined || step !== undefined;
      const hasFields = Object.keys(fields).length > 0;
      if (!hasFields && title === undefined && !hasStep) {
        throw new UsageError("There is nothing to set.");
      }
      const input = omitUndefined({
        fields: hasFields ? fields : undefined,
        title,
        nextStep: hasStep ? omitUndefined({ description, step }) : undefined,
      });
      const result = await (await context.session()).set(input, writeOptions(context));
      return stateOutput(context, unwrap(result).session, "Set");
    },
  },
  {
    name: "append",
    summary: "append an event to the log",
    usage: "append <type> [name=text | name:=json …]",
    example: "baton append agent.progress percent:=40",
    arity: [1, 500],
    async run(context) {
      const [type = "", ...words] = context.args;
      const payload = readValues(words);
      const session = await context.session();
      const appended = await session.append({ type, payload }, { signal: context.signal });
      return successOutput(context, "Appended", ` as event ${appended.first}`, appended);
    },
  },
  {
    name: "tail",
    summary: "print the log; with -f, keep printing new events",
    usage: "tail [-f]",
    example: 'baton tail -f --type "agent.*"',
    options: {
      follow: { type: "boolean", short: "f", help: "keep printing new events" },
      after: textOption("<seq>", "start after this event"),
      type: listOption("<type>", "only events of these types; agent.* means all of agent"),
      websocket: flag("use a WebSocket instead of SSE"),
    },
    async run(context) {
      const after = context.number("after") ?? 0;
      const session = await context.session();
      const events = session.events({
        after,
        types: context.list("type"),
        transport: context.has("websocket") ? "websocket" : "sse",
        untilReplayed: !context.has("follow"),
        signal: context.signal,
      });
      for await (const event of events) {
        const line = context.isJson ? JSON.stringify(event) : formatEvent(event, context.paint);
        context.write(`${line}\n`);
      }
      return null;
    },
  },
];

export const reviewCommands: readonly Command[] = [
  transitionCommand(
    {
      name: "submit",
      summary: "submit the session; all required fields must be set",
      example: "baton submit",
    },
    "Submitted",
    (session, context) => session.submit(writeOptions(context)),
  ),
  transitionCommand(
    {
      name: "approve",
      summary: "approve the submitted session",
      example: 'baton approve --session review --comment "Looks right"',
      options: { comment: textOption("<text>", "a text for the log") },
    },
    "Approved",
    (session, context) =>
      session.approve(omitUndefined({ comment: context.text("comment") }), writeOptions(context)),
  ),
  {
    name: "reject",
    summary: "reject it, or with --changes ask for changes",
    usage: "reject [field=comment …]",
    example: 'baton reject --changes name="the whole name, please"',
    arity: [0, 500],
    options: { ...IF_MATCH, ...REASON, changes: flag("ask for changes instead of rejecting") },
    async run(context) {
      const session = await context.session();
      const { reason } = reasonOf(context);
      if (!context.has("changes")) {
        if (context.args.length > 0) throw new UsageError("Comments on fields need --changes.");
        const result = await session.reject(reasonOf(context), writeOptions(context));
        return stateOutput(context, unwrap(result).session, "Rejected");
      }
      const fields = readValues(context.args) as Record<string, string>;
      const input = { fields, ...omitUndefined({ comment: reason }) };
      const result = await session.requestChanges(input, writeOptions(context));
      return stateOutput(context, unwrap(result).session, "Changes requested");
    },
  },
  endCommand("finalize", "Finalized", "end the session as finished", "baton finalize"),
  endCommand(
    "cancel",
    "Cancelled",
    "cancel the session",
    'baton cancel --reason "no longer needed"',
  ),
];

/** Commands that create, show and resume sessions. */
import { readFileSync } from "node:fs";
import { omitUndefined } from "../domain/result";
import { isUnanswered, type CreateInput, type JsonObject, type Session } from "../client/index";
import { EXIT } from "./exit-codes";
import { successOutput, flag, textOption, UsageError, type Command, type Context } from "./command";
import { formatPairs } from "./paint";
import { readJson, readJsonFile, readValues } from "./values";
import { formatSession } from "./views";

type Policy = NonNullable<CreateInput["policy"]>;

const TOKEN = /^rtok_/;

const ACTOR = textOption("<id>", "the id that the log shows for you");
const AS = textOption("<name>", "the name to save it under on this machine");

export const actorFrom = (context: Context): { readonly actor?: { readonly id: string } } => {
  const id = context.text("actor");
  return id === undefined ? {} : { actor: { id } };
};

/** Reads the options for a new session. */
export function createInputFrom(context: Context): CreateInput {
  const schema = context.text("schema");
  const approvals = context.number("review");
  const policy = context.text("policy");
  return {
    ...actorFrom(context),
    ...omitUndefined({
      title: context.text("title"),
      ttlMs: context.duration("ttl"),
      schema: schema === undefined ? undefined : (readJsonFile(schema) as JsonObject),
      review: approvals === undefined ? undefined : { approvals },
      policy: policy === undefined ? undefined : (readJson(policy, "--policy") as Policy),
    }),
  };
}

export const CREATE_OPTIONS = {
  title: textOption("<text>", "the title of the work"),
  as: AS,
  actor: ACTOR,
  ttl: textOption("<time>", "how long it lives, such as 12h or 7d"),
  policy: textOption("<json>", "JSON of the policy for automatic resumes"),
} as const;

/** The given name, or the first free readable name. */
export async function freeName(
  { home: { store } }: Context,
  requested: string | undefined,
  input?: CreateInput,
): Promise<string> {
  if (requested !== undefined) return requested;
  for (let number = 1; ; number += 1) {
    const name = `session-${number}`;
    const saved = await store.load(name);
    if (saved === null || (input !== undefined && isUnanswered(saved, input))) return name;
  }
}

/** The output for a session that is now saved here under this name. */
export const savedOutput = (
  context: Context,
  word: string,
  name: string,
  id: string,
  json: object,
) => successOutput(context, word, ` as ${context.paint.bold(name)}: ${id}`, json);

const sessionJson = (session: Session): object => ({ name: session.name, session: session.state });

export const sessionCommands: readonly Command[] = [
  {
    name: "create",
    summary: "create a session and make it the current one",
    usage: "create [name=text | name:=json …]",
    example: 'baton create --title "Visa form" --as visa name=Ada age:=36',
    arity: [0, 500],
    options: {
      ...CREATE_OPTIONS,
      schema: textOption("<file>", "JSON Schema of the fields"),
      review: textOption("<n>", "how many approvals it needs"),
    },
    async run(context) {
      const fields = readValues(context.args);
      const input = {
        ...createInputFrom(context),
        ...(context.args.length === 0 ? {} : { fields }),
      };
      const name = await freeName(context, context.text("as"), input);
      const baton = await context.baton();
      const session = await baton.create(input, { as: name, signal: context.signal });
      await context.home.changeSettings({ current: name });
      return savedOutput(context, "Created", name, session.id, sessionJson(session));
    },
  },
  {
    name: "show",
    summary: "show the session",
    example: "baton show --session visa",
    async run(context) {
      const session = await context.session();
      const state = await session.get({ signal: context.signal });
      return {
        json: { name: session.name, session: state },
        text: formatSession(state, context.paint),
      };
    },
  },
  {
    name: "resume",
    summary: "resume a session saved here, or one from elsewhere by its token",
    usage: "resume [<token> | -]",
    example: "baton resume rtok_… --as visa     (or: baton resume - < token.txt)",
    arity: [0, 1],
    options: {
      as: AS,
      actor: ACTOR,
      after: textOption("<seq>", "the last event you have seen"),
      fresh: flag("create a new session if the token is no longer valid"),
    },
    async run(context) {
      const { home, signal, paint } = context;
      const onInvalid = context.has("fresh") ? ("fresh" as const) : undefined;
      const lastEventSeq = context.number("after");
      const input = { ...actorFrom(context), ...omitUndefined({ lastEventSeq, onInvalid }) };
      const token = context.args[0] === "-" ? readFileSync(0, "utf8").trim() : context.args[0];
      if (token !== undefined && !TOKEN.test(token)) {
        throw new UsageError(
          "A token begins with rtok_. For a saved session: baton resume --session <name>",
        );
      }
      const name = token === undefined ? null : await freeName(context, context.text("as"));
      if (name !== null && (await home.store.load(name)) !== null) {
        throw new UsageError(`There is already a session saved as "${name}". Choose another --as.`);
      }
      const session =
        name === null || token === undefined
          ? await context.session()
          : await (await context.baton()).resume(token, input, { as: name, signal });
      if (name === null) await session.resume(input, { signal });
      else await home.changeSettings({ current: name });
      const { outcome, events = [], warning } = session.resumed ?? {};
      const text =
        outcome === "fresh"
          ? paint.warn(`Created a new session: ${warning?.reason ?? ""}`)
          : `${paint.good("Resumed")} ${paint.bold(session.name)}: ${events.length} events since, state ${session.state?.state ?? ""}`;
      return { json: { ...sessionJson(session), resumed: session.resumed }, text };
    },
  },
  {
    name: "check",
    summary: "check whether a resume would succeed, without changes; exit code 9 if not",
    example: "baton check --auto && baton resume",
    options: { auto: flag("check an automatic resume, which a paused session refuses") },
    async run(context) {
      const session = await context.session();
      const auto = context.has("auto");
      const found = await session.resumable({ ...(auto ? { auto } : {}), signal: context.signal });
      const { paint } = context;
      const rows = [
        ["resumable", found.resumable ? paint.good("yes") : paint.bad(`no: ${found.reason ?? ""}`)],
        ["behind by", `${found.behindBy} events`],
        ["expires", found.expiresAt],
      ] as const;
      return {
        json: found,
        text: formatPairs(rows, paint),
        exitCode: found.resumable ? EXIT.ok : EXIT.notResumable,
      };
    },
  },
];

/**
 * Commands that need the owner's key: find and open sessions, manage templates. Also creates keys.
 */
import { omitUndefined } from "../domain/result";
import { createHash, randomBytes } from "node:crypto";
import type { ListedSession, ListFilters, TemplateInput } from "../client/index";
import { flag, readLabel, textOption, UNITS, UsageError } from "./command";
import type { Command, Context } from "./command";
import { formatPairs, printable, type Paint } from "./paint";
import { freeName, savedOutput } from "./session-commands";
import { formatTable } from "./table";
import { readJsonFile } from "./values";
import { paintState } from "./views";

const FILTERS = {
  state: textOption("<list>", "a comma-separated list of states"),
  waiting: textOption("<what>", "review, person, job, time or agent"),
  longer: textOption("<time>", "only sessions that have waited longer than this, such as 1h"),
  label: textOption("<name:value>", "only sessions with this label"),
  "external-id": textOption("<id>", "your own id for it"),
  q: textOption("<words>", "search words in title, labels and external id"),
  "created-after": textOption("<time>", "created after this date, such as 2026-11-30"),
  "created-before": textOption("<time>", "created before this date"),
  "changed-after": textOption("<time>", "changed after this date"),
  "changed-before": textOption("<time>", "changed before this date"),
  limit: textOption("<n>", "at most this many; default 50"),
} as const;

const PAGE_SIZE = 200;
const DEFAULT_LIMIT = 50;

function filtersOf(context: Context, limit: number): ListFilters {
  const label = context.text("label");
  return omitUndefined({
    state: context.text("state"),
    waiting: context.text("waiting") as ListFilters["waiting"],
    waitingLongerThanMs: context.duration("longer"),
    label: label === undefined ? undefined : readLabel(label),
    externalId: context.text("external-id"),
    q: context.text("q"),
    createdAfter: context.text("created-after"),
    createdBefore: context.text("created-before"),
    changedAfter: context.text("changed-after"),
    changedBefore: context.text("changed-before"),
    limit: Math.min(limit, PAGE_SIZE),
  });
}

/** The largest unit is precise enough. */
const ageOf = (since: string, now: number): string => {
  const ms = Math.max(0, now - Date.parse(since));
  const unit = (["d", "h", "m"] as const).find((one) => ms >= UNITS[one]) ?? "s";
  return `${Math.floor(ms / UNITS[unit])}${unit}`;
};

function tableRow(session: ListedSession, paint: Paint, now: number): readonly string[] {
  const { id, title, state, waiting, labels, externalId } = session;
  const wait = waiting === null ? "" : `${waiting.for} ${ageOf(waiting.since, now)}`;
  const labelTexts = Object.entries(labels).map(([name, value]) => `${name}:${value}`);
  const description = [title ?? "", externalId ?? "", ...labelTexts].filter((text) => text !== "");
  return [id, paintState(state, paint), wait, printable(description.join("  "))];
}

const COLUMNS = ["ID", "STATE", "WAITS FOR", "TITLE"];

export const ownerCommands: readonly Command[] = [
  {
    name: "list",
    summary: "list your sessions, newest first; needs your key in BATON_KEY",
    usage: "list [--state <list>] [--waiting <what>] [--label <name:value>] [--q <words>]",
    example: "baton list --waiting person --longer 1h",
    options: FILTERS,
    async run(context) {
      const limit = context.number("limit") ?? DEFAULT_LIMIT;
      const { signal, paint } = context;
      const listing = (await context.baton()).sessions.list(filtersOf(context, limit), { signal });
      const sessions: ListedSession[] = [];
      let counts = null as object | null;
      let hasMore = false;
      for await (const page of listing.pages()) {
        counts ??= page.counts;
        sessions.push(...page.sessions);
        hasMore = page.nextCursor !== null || sessions.length > limit;
        if (sessions.length >= limit) break;
      }
      const shown = sessions.slice(0, limit);
      const rows = shown.map((one) => tableRow(one, paint, Date.now()));
      const more = hasMore ? `\n${paint.dim(`There are more sessions: --limit ${limit * 2}`)}` : "";
      const text = rows.length === 0 ? "None." : formatTable(COLUMNS, rows, paint) + more;
      return { json: { sessions: shown, counts, hasMore }, text };
    },
  },
  {
    name: "open",
    summary: "open a session by its id or your external id, and make it the current one",
    usage: "open <id> | open --external-id <id> [--create] [--as <name>]",
    example: "baton open --external-id claim-4711",
    arity: [0, 1],
    options: {
      "external-id": FILTERS["external-id"],
      create: flag("create it if it does not exist"),
      fresh: flag("create a new session if it has ended"),
      as: textOption("<name>", "the name to save it under on this machine"),
    },
    async run(context) {
      const [id] = context.args;
      const externalId = context.text("external-id");
      if ((id === undefined) === (externalId === undefined)) {
        throw new UsageError("Give the id of a session, or --external-id.");
      }
      const { signal } = context;
      const name = await freeName(context, context.text("as"));
      const baton = await context.baton();
      const creates = context.has("create") || context.has("fresh");
      const onEnded = context.has("fresh") ? ({ onEnded: "fresh" } as const) : {};
      const session =
        id !== undefined
          ? await baton.sessions.open(id, {}, { as: name, signal })
          : creates
            ? await baton.open(name, {}, { externalId: externalId ?? "", signal, ...onEnded })
            : await baton.find(name, { externalId: externalId ?? "", signal });
      if (session === null)
        throw new UsageError(`There is no session "${externalId}". Add --create.`);
      const state = await session.get({ signal });
      await context.home.changeSettings({ current: name });
      return savedOutput(context, "Opened", name, state.id, { name, session: state });
    },
  },
  {
    name: "templates",
    summary: "list your templates, show one, store one from a file, or retire one",
    usage: "templates [<name> [--put <file> | --retire]]",
    example: "baton templates claim --put claim.json",
    arity: [0, 1],
    options: {
      put: textOption("<file>", "JSON of the definition"),
      retire: flag("allow no new sessions from it"),
    },
    async run(context) {
      const { paint, signal, args } = context;
      const [name] = args;
      const { templates } = await context.baton();
      if (name === undefined) {
        const listed = await templates.list({ signal });
        const rows = listed.map((one) => [one.name, `version ${one.version}`] as const);
        return {
          json: { templates: listed },
          text: rows.length === 0 ? "None." : formatPairs(rows, paint),
        };
      }
      const file = context.text("put");
      const template =
        file !== undefined
          ? await templates.put(name, readJsonFile(file) as TemplateInput, { signal })
          : context.has("retire")
            ? await templates.retire(name, { signal })
            : await templates.get(name, { signal });
      const isRetired = template.retiredAt === undefined ? "" : ", retired";
      const head = `${paint.bold(template.name)}, version ${template.version}${isRetired}`;
      return {
        json: { template },
        text: `${head}\n${JSON.stringify(template.definition, null, 2)}`,
      };
    },
  },
  {
    name: "owner",
    summary: "create a key for an owner, and the entry for OWNERS with its hash",
    usage: "owner new <name> [--key-name <name>] [--rights <list>]",
    example: "baton owner new acme --rights create,read",
    arity: [2, 2],
    options: {
      "key-name": textOption("<name>", "the name of the key in the log; default main"),
      rights: textOption(
        "<list>",
        "a comma-separated list of create, read, open, manage; default: all",
      ),
    },
    async run(context) {
      const [verb, name = ""] = context.args;
      if (verb !== "new" || !OWNER_NAME.test(name)) {
        throw new UsageError(
          "Write: owner new <name>, with letters, digits, dots, dashes and underscores.",
        );
      }
      const rights = (context.text("rights") ?? RIGHTS.join(",")).split(",");
      const wrong = rights.find((right) => !RIGHTS.includes(right));
      if (wrong !== undefined) {
        throw new UsageError(`There is no right "${wrong}". The rights are: ${RIGHTS.join(", ")}.`);
      }
      const key = `bkey_${randomBytes(32).toString("base64url")}`;
      const keyHash = createHash("sha256").update(key).digest("hex");
      const entry = { name, keys: [{ name: context.text("key-name") ?? "main", keyHash, rights }] };
      const text = [
        `The key, shown only once: ${key}`,
        `Set it as BATON_KEY where agents run as ${name}.`,
        "",
        "The entry for the list OWNERS:",
        JSON.stringify(entry, null, 2),
      ];
      return { json: { key, entry }, text: text.join("\n") };
    },
  },
];

const RIGHTS: readonly string[] = ["create", "read", "open", "manage"];
const OWNER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

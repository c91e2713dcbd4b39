/** Participants: who may act on a session, and who did what. */
import { omitUndefined } from "../domain/result";
import { renderUnicodeCompact } from "uqr";
import type { LinkMade, Scope } from "../client/index";
import { successOutput, flag, listOption, textOption, UsageError } from "./command";
import type { Command, Context as CommandContext } from "./command";
import { formatPairs, printable } from "./paint";
import { actorFrom } from "./session-commands";
import { formatEvent } from "./views";

const listOptionValue = (context: CommandContext, name: string): readonly string[] | undefined => {
  const names = context.list(name).flatMap((list) => list.split(","));
  return names.length === 0 ? undefined : names;
};

/** The fields that the receiver may write and see, from the options. */
const fieldsFrom = (context: CommandContext) =>
  omitUndefined({ ask: listOptionValue(context, "ask"), show: listOptionValue(context, "show") });

/** The types of events that an agent may append and read, from the options. */
function eventTypesFrom(context: CommandContext) {
  const append = listOptionValue(context, "append-type");
  const read = listOptionValue(context, "read-type");
  const events = omitUndefined({ append, read });
  return Object.keys(events).length === 0 ? {} : { events };
}

/** The question and the fields for the person, from the options. */
const linkTermsFrom = (context: CommandContext) =>
  omitUndefined({
    singleUse: context.has("once") || undefined,
    ...fieldsFrom(context),
    question: context.text("question"),
    submitLabel: context.text("button"),
    showTitle: context.has("show-title") || undefined,
    notify: listOptionValue(context, "notify"),
    remindAfterMs: context.duration("remind-after"),
  });

function linkOutput(heading: string, handoff: LinkMade["handoff"]) {
  const { url, expiresAt } = handoff;
  const text = `${heading}, good until ${expiresAt ?? "the session ends"}:\n${url}\n\n${renderUnicodeCompact(url)}`;
  return { json: { handoff }, text };
}

export const participantCommands: readonly Command[] = [
  {
    name: "handoff",
    summary: "hand off: create a token for another agent, or with --human a link for a person",
    example: "baton handoff --scope fill --actor agent-b",
    options: {
      scope: listOption("<scope>", "view, append, fill, review, handoff or own; default fill"),
      actor: textOption("<id>", "the id of the receiver"),
      note: textOption("<text>", "a note for the receiver"),
      ttl: textOption("<time>", "how long it works"),
      human: flag("a short link for a person, with its QR code"),
      once: flag("with --human: the link opens once"),
      ask: listOption("<field>", "let it write this field; it can write only these"),
      show: listOption("<field>", "let it see this field, and not change it"),
      "append-type": listOption("<type>", "an agent can append only these types of events"),
      "read-type": listOption("<type>", "an agent can read only these, for example chat.*"),
      question: textOption("<text>", "with --human: the question at the top of the page"),
      button: textOption("<text>", "with --human: the text on the button"),
      "show-title": flag("with --human: show the title before the link is opened"),
      notify: listOption(
        "<endpoint>",
        "with --human: send the link to this endpoint (see baton endpoints)",
      ),
      "remind-after": textOption(
        "<time>",
        "with --human: send a reminder if nobody has answered by then",
      ),
    },
    async run(context) {
      const scopes = (listOptionValue(context, "scope") ?? ["fill"]) as Scope[];
      const input = {
        scopes,
        ...actorFrom(context),
        ...omitUndefined({ note: context.text("note"), ttlMs: context.duration("ttl") }),
      };
      const session = await context.session();
      const { paint } = context;
      if (context.has("human")) {
        const { actor: _, ...link } = input;
        const options = { signal: context.signal };
        const linkInput = { ...link, ...linkTermsFrom(context) };
        const { handoff } = await session.handoffToPerson(linkInput, options);
        return linkOutput(`${paint.good("A link for a person")} (${scopes.join(", ")})`, handoff);
      }
      const narrowed = { ...input, ...fieldsFrom(context), ...eventTypesFrom(context) };
      const created = await session.handoff(narrowed, { signal: context.signal });
      const text = `${paint.good("Handed off")} as ${created.handoff.participant} (${scopes.join(", ")}). Anyone who has this token can act as this participant. It is shown only once:\n${created.participantToken}`;
      return { json: created, text };
    },
  },
  {
    name: "reissue",
    summary: "give a person's link a new code; the old code stops working",
    usage: "reissue <handoff>",
    example: "baton reissue hnd_2",
    arity: [1, 1],
    options: { ttl: textOption("<time>", "how long it works") },
    async run(context) {
      const [id = ""] = context.args;
      const input = omitUndefined({ ttlMs: context.duration("ttl") });
      const session = await context.session();
      const { handoff } = await session.reissue(id, input, { signal: context.signal });
      return linkOutput(context.paint.good("A new link for the same person"), handoff);
    },
  },
  {
    name: "participants",
    summary: "list who can act on the session",
    example: "baton participants",
    async run(context) {
      const { participants } = await (await context.session()).get({ signal: context.signal });
      const { paint } = context;
      const rows = participants.map((participant) => {
        const flags = [
          participant.revoked ? paint.bad("revoked") : "",
          participant.connected ? paint.good("connected") : "",
        ];
        const text = [
          printable(participant.actor.id),
          `(${participant.actor.kind})`,
          participant.scopes.join(", "),
          ...flags,
        ];
        return [participant.id, text.filter((part) => part !== "").join(" ")] as const;
      });
      return { json: { participants }, text: formatPairs(rows, paint) };
    },
  },
  {
    name: "revoke",
    summary: "revoke a participant and everyone it brought in",
    usage: "revoke <participant> | --others",
    example: "baton revoke par_2",
    arity: [0, 1],
    options: { others: flag("revoke everyone except yourself") },
    async run(context) {
      const [participant] = context.args;
      if ((participant === undefined) !== context.has("others")) {
        throw new UsageError("Name a participant, such as par_2, or use --others.");
      }
      const input = participant === undefined ? ({ others: true } as const) : { participant };
      const session = await (await context.session()).revoke(input, { signal: context.signal });
      return successOutput(context, "Revoked", ` ${participant ?? "all others"}`, { session });
    },
  },
  {
    name: "audit",
    summary: "list what was done, when and by whom",
    example: "baton audit --type token.* --outcome failure",
    options: {
      type: listOption("<type>", "only events of these types"),
      actor: textOption("<id>", "only events of this actor"),
      outcome: textOption("<outcome>", "success, failure, skipped or pending"),
      since: textOption("<time>", "from this time on, ISO 8601"),
      until: textOption("<time>", "before this time"),
      limit: textOption("<n>", "at most this many; default 100"),
      cursor: textOption("<seq>", "continue from there"),
    },
    async run(context) {
      const types = context.list("type");
      const query = omitUndefined({
        type: types.length === 0 ? undefined : types,
        actorId: context.text("actor"),
        outcome: context.text("outcome") as "success" | undefined,
        after: context.text("since"),
        before: context.text("until"),
        limit: context.number("limit"),
        cursor: context.number("cursor"),
      });
      const session = await context.session();
      const page = await session.audit({ ...query, signal: context.signal });
      const lines = page.events.map((event) => formatEvent(event, context.paint));
      const more = page.more
        ? [context.paint.dim(`For the next page: --cursor ${page.nextCursor}`)]
        : [];
      return { json: page, text: [...lines, ...more].join("\n") };
    },
  },
];

/** Who may act on a session, and what was done by whom. */
import { onlyGiven } from "../domain/result";
import { renderUnicodeCompact } from "uqr";
import type { LinkMade, Scope } from "../client/index";
import {
  takesList,
  takesText,
  flag,
  listOption,
  numberOption,
  textOption,
  UsageError,
  type Command,
  type Context as CommandContext,
} from "./command";
import { pairs, plain } from "./paint";
import { actorOf } from "./session-commands";
import { durationOption } from "./values";
import { viewEvent } from "./views";

/** One or several, in one option or in many; undefined where there is none. */
function listed(context: CommandContext, name: string): readonly string[] | undefined {
  const all = listOption(context, name).flatMap((list) => list.split(","));
  return all.length === 0 ? undefined : all;
}

/** What the person is asked and shown, as the options say it. */
function termsOf(context: CommandContext) {
  const { once, "show-title": showTitle } = context.options;
  return onlyGiven({
    singleUse: once === true ? true : undefined,
    ask: listed(context, "ask"),
    show: listed(context, "show"),
    question: textOption(context, "question"),
    submitLabel: textOption(context, "button"),
    showTitle: showTitle === true ? true : undefined,
    notify: listed(context, "notify"),
    remindAfterMs: durationOption(context, "remind-after"),
  });
}

function shownLink(words: string, handoff: LinkMade["handoff"]) {
  const { url, expiresAt } = handoff;
  const text = `${words}, good until ${expiresAt ?? "the session ends"}:\n${url}\n\n${renderUnicodeCompact(url)}`;
  return { json: { handoff }, text };
}

export const peopleCommands: readonly Command[] = [
  {
    name: "handoff",
    group: "Participants",
    summary: "hand off: create a token for another agent, or with --human a link for a person",
    example: "baton handoff --scope fill --actor agent-b",
    options: {
      scope: takesList("<scope>", "view, append, fill, review, handoff or own; default fill"),
      actor: takesText("<id>", "the id of the receiver"),
      note: takesText("<text>", "a note for the receiver"),
      ttl: takesText("<time>", "how long it works"),
      human: flag("a short link for a person, with its QR code"),
      once: flag("with --human: the link opens once"),
      ask: takesList(
        "<field>",
        "with --human: ask for this field; the person can write only these",
      ),
      show: takesList("<field>", "with --human: show this field; the person cannot change it"),
      question: takesText("<text>", "with --human: the question at the top of the page"),
      button: takesText("<text>", "with --human: the text on the button"),
      "show-title": flag("with --human: show the title before the link is opened"),
      notify: takesList(
        "<endpoint>",
        "with --human: send the link to this endpoint (see baton endpoints)",
      ),
      "remind-after": takesText(
        "<time>",
        "with --human: send a reminder if nobody has answered by then",
      ),
    },
    async run(context) {
      const scopes = (listed(context, "scope") ?? ["fill"]) as Scope[];
      const input = onlyGiven({
        scopes,
        ...actorOf(context),
        note: textOption(context, "note"),
        ttlMs: durationOption(context, "ttl"),
      });
      const session = await context.session();
      const { paint } = context;
      if (context.options["human"] === true) {
        const { actor: _, ...link } = input;
        const options = { signal: context.signal };
        const asked = { ...link, ...termsOf(context) };
        const { handoff } = await session.handoffToPerson(asked, options);
        return shownLink(`${paint.good("A link for a person")} (${scopes.join(", ")})`, handoff);
      }
      const made = await session.handoff(input, { signal: context.signal });
      const text = `${paint.good("Handed off")} as ${made.handoff.participant} (${scopes.join(", ")}). Anyone who has this token can act as this participant. It is shown only once:\n${made.participantToken}`;
      return { json: made, text };
    },
  },
  {
    name: "reissue",
    group: "Participants",
    summary: "give a person's link a new code; the old code stops working",
    usage: "reissue <handoff>",
    example: "baton reissue hnd_2",
    takes: [1, 1],
    options: { ttl: takesText("<time>", "how long it works") },
    async run(context) {
      const [id = ""] = context.args;
      const input = onlyGiven({ ttlMs: durationOption(context, "ttl") });
      const session = await context.session();
      const { handoff } = await session.reissue(id, input, { signal: context.signal });
      return shownLink(context.paint.good("A new link for the same person"), handoff);
    },
  },
  {
    name: "participants",
    group: "Participants",
    summary: "list who can act on the session",
    example: "baton participants",
    async run(context) {
      const { participants } = await (await context.session()).get({ signal: context.signal });
      const { paint } = context;
      const rows = participants.map((one) => {
        const signs = [
          one.revoked ? paint.bad("revoked") : "",
          one.connected ? paint.good("connected") : "",
        ];
        const text = [plain(one.actor.id), `(${one.actor.kind})`, one.scopes.join(", "), ...signs];
        return [one.id, text.filter((part) => part !== "").join(" ")] as const;
      });
      return { json: { participants }, text: pairs(rows, paint) };
    },
  },
  {
    name: "revoke",
    group: "Participants",
    summary: "revoke a participant and everyone it brought in",
    usage: "revoke <participant> | --others",
    example: "baton revoke par_2",
    takes: [0, 1],
    options: { others: flag("revoke everyone except yourself") },
    async run(context) {
      const [participant] = context.args;
      const isOthers = context.options["others"] === true;
      if ((participant === undefined) === !isOthers) {
        throw new UsageError("Name a participant, such as par_2, or use --others.");
      }
      const input = participant === undefined ? ({ others: true } as const) : { participant };
      const session = await (await context.session()).revoke(input, { signal: context.signal });
      return {
        json: { session },
        text: `${context.paint.good("Revoked")} ${participant ?? "all others"}`,
      };
    },
  },
  {
    name: "audit",
    group: "Participants",
    summary: "list what was done, when and by whom",
    example: "baton audit --type token.* --outcome failure",
    options: {
      type: takesList("<type>", "only events of these types"),
      actor: takesText("<id>", "only events of this actor"),
      outcome: takesText("<outcome>", "success, failure, skipped or pending"),
      since: takesText("<time>", "from this time on, ISO 8601"),
      until: takesText("<time>", "before this time"),
      limit: takesText("<n>", "at most this many; default 100"),
      cursor: takesText("<seq>", "continue from there"),
    },
    async run(context) {
      const types = listOption(context, "type");
      const query = onlyGiven({
        type: types.length === 0 ? undefined : types,
        actorId: textOption(context, "actor"),
        outcome: textOption(context, "outcome") as "success" | undefined,
        after: textOption(context, "since"),
        before: textOption(context, "until"),
        limit: numberOption(context, "limit"),
        cursor: numberOption(context, "cursor"),
      });
      const session = await context.session();
      const page = await session.audit({ ...query, signal: context.signal });
      const lines = page.events.map((event) => viewEvent(event, context.paint));
      const more = page.more
        ? [context.paint.dim(`For the next page: --cursor ${page.nextCursor}`)]
        : [];
      return { json: page, text: [...lines, ...more].join("\n") };
    },
  },
];

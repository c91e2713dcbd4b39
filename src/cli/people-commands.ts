/** Who may act on a session, and what was done by whom. */
import { onlyGiven } from "../domain/result";
import { renderUnicodeCompact } from "uqr";
import type { LinkMade, Scope } from "../client/index";
import { done, flag, takesList, takesText, UsageError } from "./command";
import type { Command, Context as CommandContext } from "./command";
import { pairs, plain } from "./paint";
import { actorOf } from "./session-commands";
import { viewEvent } from "./views";

const listed = (context: CommandContext, name: string): readonly string[] | undefined => {
  const names = context.list(name).flatMap((list) => list.split(","));
  return names.length === 0 ? undefined : names;
};

/** What the person is asked and shown, as the options say it. */
const termsOf = (context: CommandContext) =>
  onlyGiven({
    singleUse: context.has("once") || undefined,
    ask: listed(context, "ask"),
    show: listed(context, "show"),
    question: context.text("question"),
    submitLabel: context.text("button"),
    showTitle: context.has("show-title") || undefined,
    notify: listed(context, "notify"),
    remindAfterMs: context.duration("remind-after"),
  });

function shownLink(words: string, handoff: LinkMade["handoff"]) {
  const { url, expiresAt } = handoff;
  const text = `${words}, good until ${expiresAt ?? "the session ends"}:\n${url}\n\n${renderUnicodeCompact(url)}`;
  return { json: { handoff }, text };
}

export const peopleCommands: readonly Command[] = [
  {
    name: "handoff",
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
      const input = {
        scopes,
        ...actorOf(context),
        ...onlyGiven({ note: context.text("note"), ttlMs: context.duration("ttl") }),
      };
      const session = await context.session();
      const { paint } = context;
      if (context.has("human")) {
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
    summary: "give a person's link a new code; the old code stops working",
    usage: "reissue <handoff>",
    example: "baton reissue hnd_2",
    takes: [1, 1],
    options: { ttl: takesText("<time>", "how long it works") },
    async run(context) {
      const [id = ""] = context.args;
      const input = onlyGiven({ ttlMs: context.duration("ttl") });
      const session = await context.session();
      const { handoff } = await session.reissue(id, input, { signal: context.signal });
      return shownLink(context.paint.good("A new link for the same person"), handoff);
    },
  },
  {
    name: "participants",
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
    summary: "revoke a participant and everyone it brought in",
    usage: "revoke <participant> | --others",
    example: "baton revoke par_2",
    takes: [0, 1],
    options: { others: flag("revoke everyone except yourself") },
    async run(context) {
      const [participant] = context.args;
      if ((participant === undefined) !== context.has("others")) {
        throw new UsageError("Name a participant, such as par_2, or use --others.");
      }
      const input = participant === undefined ? ({ others: true } as const) : { participant };
      const session = await (await context.session()).revoke(input, { signal: context.signal });
      return done(context, "Revoked", ` ${participant ?? "all others"}`, { session });
    },
  },
  {
    name: "audit",
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
      const types = context.list("type");
      const query = onlyGiven({
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
      const lines = page.events.map((event) => viewEvent(event, context.paint));
      const more = page.more
        ? [context.paint.dim(`For the next page: --cursor ${page.nextCursor}`)]
        : [];
      return { json: page, text: [...lines, ...more].join("\n") };
    },
  },
];

/** Who may act on a session, and what was done by whom. */
import { renderUnicodeCompact } from "uqr";
import type { Scope } from "../client/index";
import { listOption, numberOption, textOption, UsageError, type Command } from "./command";
import { pairs, plain } from "./paint";
import { actorOf } from "./session-commands";
import { readDuration } from "./values";
import { viewEvent } from "./views";

export const peopleCommands: readonly Command[] = [
  {
    name: "handoff",
    group: "Participants",
    summary: "hand the work on: a token for another agent, or with --human a link for a person",
    usage: "handoff",
    example: "baton handoff --scope fill --actor agent-b",
    takes: [0, 0],
    options: {
      scope: {
        type: "string",
        multiple: true,
        value: "<scope>",
        help: "view, append, fill, review, handoff or own; default fill",
      },
      actor: { type: "string", value: "<id>", help: "who it is for" },
      note: { type: "string", value: "<text>", help: "for whoever takes it" },
      ttl: { type: "string", value: "<time>", help: "how long it is good" },
      human: { type: "boolean", help: "a short link for a person, with its QR code" },
      once: { type: "boolean", help: "with --human: the link opens once" },
    },
    async run(context) {
      const given = listOption(context, "scope").flatMap((list) => list.split(","));
      const scopes = (given.length === 0 ? ["fill"] : given) as Scope[];
      const note = textOption(context, "note");
      const ttl = textOption(context, "ttl");
      const input = {
        scopes,
        ...actorOf(context),
        ...(note === undefined ? {} : { note }),
        ...(ttl === undefined ? {} : { ttlMs: readDuration(ttl, "ttl") }),
      };
      const session = await context.session();
      const { paint } = context;
      if (context.options["human"] === true) {
        const { actor: _, ...link } = input;
        const once = context.options["once"] === true ? { singleUse: true } : {};
        const options = { signal: context.signal };
        const { handoff } = await session.handoffToPerson({ ...link, ...once }, options);
        const { url, expiresAt } = handoff;
        const words = `${paint.good("A link for a person")} (${scopes.join(", ")}), good until ${expiresAt ?? "the session ends"}:\n${url}`;
        return { json: { handoff }, text: `${words}\n\n${renderUnicodeCompact(url)}` };
      }
      const made = await session.handoff(input, { signal: context.signal });
      const text = `${paint.good("Handed off")} as ${made.handoff.participant} (${scopes.join(", ")}). Whoever has this token is it; it is shown once:\n${made.participantToken}`;
      return { json: made, text };
    },
  },
  {
    name: "participants",
    group: "Participants",
    summary: "who may act on it",
    usage: "participants",
    example: "baton participants",
    takes: [0, 0],
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
    summary: "take a participant's rights back, with those it made",
    usage: "revoke <participant> | --others",
    example: "baton revoke par_2",
    takes: [0, 1],
    options: { others: { type: "boolean", help: "everyone but oneself" } },
    async run(context) {
      const [participant] = context.args;
      const isOthers = context.options["others"] === true;
      if ((participant === undefined) === !isOthers) {
        throw new UsageError("Name a participant, such as par_2, or give --others.");
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
    summary: "what was done, when and by whom",
    usage: "audit",
    example: "baton audit --type token.* --outcome failure",
    takes: [0, 0],
    options: {
      type: { type: "string", multiple: true, value: "<type>", help: "only these" },
      actor: { type: "string", value: "<id>", help: "only by this one" },
      outcome: { type: "string", value: "<outcome>", help: "success, failure, skipped or pending" },
      since: { type: "string", value: "<time>", help: "from this time on, ISO 8601" },
      until: { type: "string", value: "<time>", help: "before this time" },
      limit: { type: "string", value: "<n>", help: "at most so many, default 100" },
      cursor: { type: "string", value: "<seq>", help: "go on from there" },
    },
    async run(context) {
      const types = listOption(context, "type");
      const given = {
        type: types.length === 0 ? undefined : types,
        actorId: textOption(context, "actor"),
        outcome: textOption(context, "outcome"),
        after: textOption(context, "since"),
        before: textOption(context, "until"),
        limit: numberOption(context, "limit"),
        cursor: numberOption(context, "cursor"),
      };
      const query = Object.fromEntries(
        Object.entries(given).filter(([, value]) => value !== undefined),
      );
      const session = await context.session();
      const page = await session.audit({ ...query, signal: context.signal });
      const lines = page.events.map((event) => viewEvent(event, context.paint));
      const more = page.more
        ? [context.paint.dim(`There is more: --cursor ${page.nextCursor}`)]
        : [];
      return { json: page, text: [...lines, ...more].join("\n") };
    },
  },
];

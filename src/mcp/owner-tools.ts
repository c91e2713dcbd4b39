/** Tools for those whose request carries an owner's key: find sessions, and open one whose token is lost. */
import * as z from "zod";
import { invalid } from "../domain/failure";
import { inJson } from "./endpoint-input";
import { openNamedBody, sessionsQuery } from "../protocol/owner-requests";
import { toListQuery } from "../gateway/list-query";
import { parseAs } from "../protocol/json-guard";
import type { Gateway, GatewayReply } from "../gateway/gateway";
import { peopleIn } from "./people";
import * as kit from "./tool-kit";

const list_sessions = kit.defineTool({
  title: "List sessions",
  description: "Lists the sessions of the owner whose key this connection sends, newest first.",
  of: "listSessions",
  takes: {
    state: z.string().describe("Comma-separated states").optional(),
    waiting: sessionsQuery.shape.waiting.describe(""),
    label: z.string().describe("name:value").optional(),
    external_id: z.string().optional(),
    q: z.string().describe("Words in title, labels and external id").optional(),
    limit: inJson(sessionsQuery.shape.limit),
    cursor: z.string().describe("next_cursor of the last page").optional(),
  },
  ...kit.READS,
  hasHandle: false,
  async run({ owners }, { external_id: externalId, limit, ...rest }) {
    const holder = await owners.admit("read");
    if (!holder.ok) return kit.refusedBy(holder.error);
    const given = { ...rest, externalId, limit: limit === undefined ? undefined : String(limit) };
    const query = parseAs(sessionsQuery, given);
    if (!query.ok) return kit.refusedBy(query.error);
    const reply = await owners.list(holder.value, toListQuery(query.value));
    if (!reply.ok) return reply;
    const { sessions, nextCursor } = reply.value;
    const next_cursor = nextCursor === null ? null : String(nextCursor);
    const text = `${kit.counted(sessions.length, "session")}${next_cursor === null ? "" : ", and there are more"}.`;
    return { ok: true, value: { text, facts: { sessions, next_cursor } } };
  },
});

const open_session = kit.defineTool({
  title: "Open a session",
  description:
    "Opens a session of the owner whose key this connection sends and returns a new resume_token. Use it to recover a lost token.",
  of: "openNamedSession",
  without: ["create", "scopes", "actor", "ttlMs", "externalId"],
  words: { onEnded: "With external_id" },
  takes: {
    session_id: z.string().describe("From list_sessions").optional(),
    external_id: z.string().describe("Your own id for it").optional(),
    create: z.boolean().describe("With external_id: create it if it does not exist").optional(),
    title: z.string().describe("Of a new session").optional(),
    template: z.string().describe("For a new session").optional(),
  },
  ...kit.ADDS,
  async run({ owners, gateway }, args, { onEnded }) {
    const { session_id, external_id: externalId, title, template } = args;
    const holder = await owners.admit("open");
    if (!holder.ok) return kit.refusedBy(holder.error);
    if ((session_id === undefined) === (externalId === undefined)) {
      return kit.refusedBy(invalid("give session_id or external_id", "session_id"));
    }
    if (session_id !== undefined) {
      const misplaced =
        onEnded !== undefined ? "on_ended" : args.create === true ? "create" : undefined;
      if (misplaced !== undefined) {
        const why = `${misplaced} is only for external_id: a session_id names an existing session`;
        return kit.refusedBy(invalid(why, misplaced));
      }
      const opened = await owners.open(holder.value, session_id, {});
      return opened.ok ? told(gateway, { ...opened.value, outcome: "opened" }) : opened;
    }
    const begun = args.create === true ? { create: { title, template } } : {};
    const named = parseAs(openNamedBody, { externalId, ...begun });
    if (!named.ok) return kit.refusedBy(named.error);
    const reply = await owners.openNamed(holder.value, {
      externalId: named.value.externalId,
      create: begun.create ?? null,
      isFresh: onEnded === "fresh",
      wish: {},
    });
    return reply.ok ? told(gateway, reply.value) : reply;
  },
});

type Opened = Extract<
  Awaited<ReturnType<kit.Services["owners"]["openNamed"]>>,
  { ok: true }
>["value"];

async function told(
  gateway: Gateway,
  { shown, resumeToken, outcome, warning }: Opened,
): Promise<GatewayReply<kit.Told>> {
  const session = shown.view;
  const warned = warning === undefined ? "" : ` ${warning.reason}`;
  const people = await peopleIn(gateway, resumeToken, session);
  const text = `${outcome === "opened" ? "Opened" : "Begun"}.${warned} ${kit.standing(session)}${people.words}`;
  const facts = { ...kit.handleFacts(resumeToken, session), outcome, ...people.facts };
  return { ok: true, value: { text, facts } };
}

export const ownerTools = { list_sessions, open_session };

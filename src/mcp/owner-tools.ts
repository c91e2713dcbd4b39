/** Tools for connections that send an owner's key: find sessions, and open one if its token is lost. */
import * as z from "zod";
import { invalid } from "../domain/failure";
import { jsonQueryMember } from "./route-input";
import { openNamedBody, sessionsQuery } from "../protocol/owner-requests";
import { toListQuery } from "../gateway/list-query";
import { parseAs } from "../protocol/parse-json";
import type { Gateway, GatewayReply } from "../gateway/gateway";
import { describeHandoffs } from "./handoff-history";
import * as kit from "./tool-kit";

const list_sessions = kit.defineTool({
  title: "List sessions",
  description: "Lists the sessions of the owner whose key this connection sends, newest first.",
  route: "listSessions",
  extraInput: {
    state: z.string().describe("Comma-separated states").optional(),
    waiting: sessionsQuery.shape.waiting.describe(""),
    label: z.string().describe("name:value").optional(),
    external_id: z.string().optional(),
    q: z.string().describe("Words in title, labels and external id").optional(),
    limit: jsonQueryMember(sessionsQuery.shape.limit),
    cursor: z.string().describe("next_cursor of the last page").optional(),
  },
  ...kit.READ_ONLY,
  hasHandle: false,
  async run({ owners }, { external_id: externalId, limit, ...rest }) {
    const holder = await owners.admit("read");
    if (!holder.ok) return kit.toRefusal(holder.error);
    const input = { ...rest, externalId, limit: limit === undefined ? undefined : String(limit) };
    const query = parseAs(sessionsQuery, input);
    if (!query.ok) return kit.toRefusal(query.error);
    const reply = await owners.list(holder.value, toListQuery(query.value));
    if (!reply.ok) return reply;
    const { sessions, nextCursor } = reply.value;
    const next_cursor = nextCursor === null ? null : String(nextCursor);
    const text = `${kit.pluralize(sessions.length, "session")}${next_cursor === null ? "" : ", and there are more"}.`;
    return { ok: true, value: { text, facts: { sessions, next_cursor } } };
  },
});

const open_session = kit.defineTool({
  title: "Open a session",
  description:
    "Opens a session of the owner whose key this connection sends and returns a new resume_token. Use it to recover a lost token.",
  route: "openNamedSession",
  omit: ["create", "scopes", "actor", "ttlMs", "externalId"],
  descriptions: { onEnded: "With external_id" },
  extraInput: {
    session_id: z.string().describe("From list_sessions").optional(),
    external_id: z.string().describe("Your own id for it").optional(),
    create: z.boolean().describe("With external_id: create it if it does not exist").optional(),
    title: z.string().describe("Of a new session").optional(),
    template: z.string().describe("For a new session").optional(),
  },
  ...kit.ADDITIVE,
  async run({ owners, gateway }, args, { onEnded }) {
    const { session_id, external_id: externalId, title, template } = args;
    const holder = await owners.admit("open");
    if (!holder.ok) return kit.toRefusal(holder.error);
    if ((session_id === undefined) === (externalId === undefined)) {
      return kit.toRefusal(invalid("give session_id or external_id", "session_id"));
    }
    if (session_id !== undefined) {
      const misplaced =
        onEnded !== undefined ? "on_ended" : args.create === true ? "create" : undefined;
      if (misplaced !== undefined) {
        const why = `${misplaced} is only for external_id: a session_id names an existing session`;
        return kit.toRefusal(invalid(why, misplaced));
      }
      const opened = await owners.open(holder.value, session_id, {});
      return opened.ok ? openResult(gateway, { ...opened.value, outcome: "opened" }) : opened;
    }
    const createOptions = args.create === true ? { create: { title, template } } : {};
    const named = parseAs(openNamedBody, { externalId, ...createOptions });
    if (!named.ok) return kit.toRefusal(named.error);
    const reply = await owners.openNamed(holder.value, {
      externalId: named.value.externalId,
      create: createOptions.create ?? null,
      isFresh: onEnded === "fresh",
      open: {},
    });
    return reply.ok ? openResult(gateway, reply.value) : reply;
  },
});

type OpenedSession = Extract<
  Awaited<ReturnType<kit.ToolServices["owners"]["openNamed"]>>,
  { ok: true }
>["value"];

async function openResult(
  gateway: Gateway,
  { session: shown, resumeToken, outcome, warning }: OpenedSession,
): Promise<GatewayReply<kit.ToolResult>> {
  const session = shown.view;
  const warningText = warning === undefined ? "" : ` ${warning.reason}`;
  const handoffs = await describeHandoffs(gateway, resumeToken, session);
  const text = `${outcome === "opened" ? "Opened" : "Begun"}.${warningText} ${kit.describeSession(session)}${handoffs.text}`;
  const facts = { ...kit.handleFacts(resumeToken, session), outcome, ...handoffs.facts };
  return { ok: true, value: { text, facts } };
}

export const ownerTools = { list_sessions, open_session };

/** Tools that create, resume, read and end sessions. */
import * as z from "zod";
import { eventsIn } from "../domain/log/event-line";
import type { CreateArguments } from "../domain/session/command";
import { invalid } from "../domain/failure";
import { resumeOrCreate } from "../gateway/resume-or-create";
import * as kit from "./tool-kit";
import { warnOfUnknownFields } from "./unknown-fields";
import { adviseOnFreshSession, warningText } from "./handle-text";
import { describeHandoffs } from "./handoff-history";
import { resumeRefusalText } from "./tool-problem";

const LIFETIME = "It lives 7 days or ttl_ms; extend_session prolongs it.";

const CREATE_KEY_DESCRIPTION =
  "At least 22 random characters; the same call with the same key finds the session";

const create_session = kit.defineTool({
  title: "Create a session",
  description: `Creates a session that survives this conversation and returns its resume_token. Keep it: without it, only an owner's key leads back. ${LIFETIME}`,
  route: "createSession",
  omit: ["idleTtlMs", "labels", "externalId", "template", "jurisdiction", "locationHint"],
  descriptions: {
    actor: "Who you are",
    fields: "",
    ttlMs: "",
    policy: "Retries after a stop",
    bind: "Network or principal that your token needs",
  },
  extraInput: {
    idempotency_key: z.string().min(22).max(255).describe(CREATE_KEY_DESCRIPTION).optional(),
  },
  ...kit.ADDITIVE,
  async run({ gateway }, { idempotency_key }, body) {
    const reply = await gateway.create(body as CreateArguments, idempotency_key ?? null);
    if (!reply.ok) return reply;
    const { session: shown, resumeToken, replayed } = reply.value;
    const session = shown.view;
    const warning = warnOfUnknownFields(session, body as CreateArguments);
    const text = replayed
      ? `This repeats an earlier call: ${session.id} was created then, and no other session was created now. resume_token is its first one and may be spent: use the newest that you have.`
      : `Created. ${kit.describeSession(session)} Keep resume_token: without it, only an owner's key leads back to this session.`;
    const facts = { ...kit.handleFacts(resumeToken, session), ...warning.facts };
    return { ok: true, value: { text: `${text}${warning.text}`, facts } };
  },
});

const resume_session = kit.defineTool({
  title: "Continue a session",
  description: `Continues a session where it stopped and returns the events missed since last_event_seq. Call it first with a token that you were given. ${kit.SPENDS_TOKEN} If the token is invalid, expired or gone, it creates a new, empty session with a warning; with on_invalid "fail" it returns an error. A superseded token never creates one.`,
  route: "resume",
  omit: ["onInvalid"],
  descriptions: { lastEventSeq: "Number of the last event you have seen" },
  extraInput: {
    resume_token: kit.handleInput.resume_token.optional(),
    resumeToken: z.string().optional(),
    session_id: kit.handleInput.session_id,
    sessionId: z.string().optional(),
    on_invalid: z.enum(["fresh", "fail"]).default("fresh"),
    idempotency_key: kit.writeInput.idempotency_key.describe(
      "At least 22 random characters; the same again when you repeat a call",
    ),
  },
  ...kit.ADDITIVE,
  async run({ gateway }, args, command) {
    const resume_token = args.resume_token ?? args.resumeToken;
    const session_id = args.session_id ?? args.sessionId;
    if (resume_token !== (args.resumeToken ?? resume_token)) {
      return kit.toRefusal(invalid("resume_token and resumeToken differ", "resumeToken"));
    }
    if (session_id !== (args.sessionId ?? session_id)) {
      return kit.toRefusal(invalid("session_id and sessionId differ", "sessionId"));
    }
    if (resume_token === undefined) {
      return kit.toRefusal(invalid(kit.TOKEN_MISSING, "resume_token"));
    }
    const credential = await kit.readHandle(gateway, { resume_token, session_id });
    const reply = await resumeOrCreate(gateway, {
      credential,
      command,
      options: { ifMatch: null, idempotencyKey: args.idempotency_key ?? null },
      onInvalid: args.on_invalid,
      namedSession: session_id ?? null,
    });
    if (!reply.ok) return reply;
    const { outcome, answer } = reply.value;
    const session = answer.session.view;
    const facts = { outcome, ...kit.handleFacts(answer.resumeToken, session) };
    if (reply.value.outcome === "fresh") {
      const warning = adviseOnFreshSession(reply.value.warning, reply.value.failure, resume_token);
      const log = { events: [], head: session.head, more: false };
      const text = `${warningText(warning)} ${kit.describeSession(session)} Its token is resume_token from this result.`;
      // The warning comes first in both parts, because a model takes the rest as success.
      return { ok: true, value: { text, facts: { warning, ...facts, ...log } } };
    }
    const { page } = reply.value.answer;
    const events = eventsIn(page?.texts ?? []);
    const handoffs = await describeHandoffs(gateway, answer.resumeToken, session);
    const missed = `${kit.pluralize(events.length, "missed event")}, listed in events, including those of this resume.`;
    const text = `Resumed. ${missed} ${kit.describeSession(session)}${handoffs.text} ${kit.NEXT_TOKEN}`;
    const log = { events, head: page?.head, more: page?.more };
    return { ok: true, value: { text, facts: { ...facts, ...handoffs.facts, ...log } } };
  },
});

const check_session = kit.defineTool({
  title: "Check whether a session can be continued",
  description: `A dry run of resume_session: whether it would succeed, and how far behind you are. ${kit.KEEPS_TOKEN}`,
  route: "resume",
  omit: ["actor", "onInvalid"],
  descriptions: { lastEventSeq: "", auto: "" },
  extraInput: kit.handleInput,
  ...kit.READ_ONLY,
  run: kit.runKeepingToken(
    async ({ gateway }, credential, { lastEventSeq = null, auto = false }) => {
      const { sessionId } = credential;
      const reply = await gateway.read(credential, "resumable", { lastEventSeq, auto });
      return reply.ok ? { ...reply, value: { ...reply.value, sessionId } } : reply;
    },
    ({ sessionId, resumable, reason, version, head, behindBy, expiresAt }) => ({
      text:
        reason === undefined
          ? `It can be resumed; you are ${kit.pluralize(behindBy ?? 0, "event")} behind.`
          : resumeRefusalText(reason, sessionId),
      facts: {
        expires_at: expiresAt,
        resumable,
        ...(reason === undefined ? {} : { reason }),
        version,
        head,
        behind_by: behindBy,
      },
    }),
  ),
});

const get_session = kit.defineTool({
  title: "Read a session",
  description: `Returns the session with its fields. ${kit.KEEPS_TOKEN}`,
  route: "getSession",
  extraInput: kit.readInput,
  ...kit.READ_ONLY,
  run: kit.runKeepingToken(
    ({ gateway }, credential) => gateway.get(credential),
    ({ view }) => ({ text: kit.describeSession(view), facts: kit.sessionFacts(view) }),
  ),
});

/** Tools whose only input is an optional reason. */
const lifecycle = (
  operation: "pause" | "unpause" | "cancel" | "finalize",
  title: string,
  description: string,
  done: string,
) =>
  kit.defineTool({
    title,
    description: `${description} ${kit.SPENDS_TOKEN}`,
    route: operation,
    extraInput: kit.writeInput,
    ...(operation === "cancel" || operation === "finalize" ? kit.DESTRUCTIVE : kit.MODIFYING),
    run: kit.runCommand(
      (body) => ({ operation, ...body }),
      () => done,
    ),
  });

const extend_session = kit.defineTool({
  title: "Extend a session",
  description: `Moves the session's expiry to ttl_ms from now. ${kit.SPENDS_TOKEN}`,
  route: "extend",
  extraInput: kit.writeInput,
  ...kit.DESTRUCTIVE,
  run: kit.runCommand(
    (body) => ({ operation: "extend", ...body }),
    ({ session }) => `It now expires at ${session.view.expiresAt}.`,
  ),
});

export const sessionTools = {
  create_session,
  resume_session,
  check_session,
  get_session,
  finalize_session: lifecycle(
    "finalize",
    "Finalize a session",
    "Ends a submitted or approved session as finished; submit first.",
    "Finalized.",
  ),
  pause_session: lifecycle(
    "pause",
    "Pause a session",
    "While paused, the session is not resumed automatically. Participants can still act.",
    "Paused.",
  ),
  unpause_session: lifecycle(
    "unpause",
    "Unpause a session",
    "Ends a pause, and resets automatic resumption after too many failures.",
    "The pause is over, if there was one.",
  ),
  cancel_session: lifecycle(
    "cancel",
    "Cancel a session",
    "Ends the session permanently, without a result.",
    "Cancelled.",
  ),
  extend_session,
};

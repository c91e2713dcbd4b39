/** Tools that begin, continue, look at and end sessions. */
import * as z from "zod";
import { eventsIn } from "../domain/log/event-line";
import type { CreateArguments } from "../domain/session/command";
import { invalid } from "../domain/failure";
import { resumeOrBegin } from "../gateway/resume-or-begin";
import * as kit from "./tool-kit";
import { warnedOf } from "./schema-names";
import { explained, warningText } from "./handle-words";
import { peopleIn } from "./people";
import { cannotResume } from "./tool-problem";

const LIFETIME = "It lives 7 days or ttl_ms; extend_session prolongs it.";

const RANDOM = "At least 22 random characters; the same call with the same key finds the session";

const create_session = kit.defineTool({
  title: "Create a session",
  description: `Creates a session that survives this conversation and returns its resume_token. Keep it: without it, only an owner's key leads back. ${LIFETIME}`,
  of: "createSession",
  without: ["idleTtlMs", "labels", "externalId", "template", "jurisdiction", "locationHint"],
  words: {
    actor: "Who you are",
    fields: "",
    ttlMs: "",
    policy: "Retries after a stop",
    bind: "Network or principal that your token needs",
  },
  takes: { idempotency_key: z.string().min(22).max(255).describe(RANDOM).optional() },
  ...kit.ADDS,
  async run({ gateway }, { idempotency_key }, body) {
    const reply = await gateway.create(body as CreateArguments, idempotency_key ?? null);
    if (!reply.ok) return reply;
    const { shown, resumeToken, replayed } = reply.value;
    const session = shown.view;
    const warned = warnedOf(session, body as CreateArguments);
    const text = replayed
      ? `This repeats an earlier call: ${session.id} was created then, and no other session was created now. resume_token is its first one and may be spent: use the newest that you have.`
      : `Created. ${kit.standing(session)} Keep resume_token: without it, only an owner's key leads back to this session.`;
    const facts = { ...kit.handleFacts(resumeToken, session), ...warned.facts };
    return { ok: true, value: { text: `${text}${warned.words}`, facts } };
  },
});

const resume_session = kit.defineTool({
  title: "Continue a session",
  description: `Continues a session where it stopped and returns the events missed since last_event_seq. Call it first with a token that you were given. ${kit.ROTATES} If the token is invalid, expired or gone, it creates a new, empty session with a warning; with on_invalid "fail" it returns an error. A superseded token never creates one.`,
  of: "resume",
  without: ["onInvalid"],
  words: { lastEventSeq: "Number of the last event you have seen" },
  takes: {
    resume_token: kit.handleInput.resume_token.optional(),
    resumeToken: z.string().optional(),
    session_id: kit.handleInput.session_id,
    sessionId: z.string().optional(),
    on_invalid: z.enum(["fresh", "fail"]).default("fresh"),
    idempotency_key: kit.writeInput.idempotency_key.describe(
      "At least 22 random characters; the same again when you repeat a call",
    ),
  },
  ...kit.ADDS,
  async run({ gateway }, args, command) {
    const resume_token = args.resume_token ?? args.resumeToken;
    const session_id = args.session_id ?? args.sessionId;
    if (resume_token !== (args.resumeToken ?? resume_token)) {
      return kit.refusedBy(invalid("resume_token and resumeToken differ", "resumeToken"));
    }
    if (session_id !== (args.sessionId ?? session_id)) {
      return kit.refusedBy(invalid("session_id and sessionId differ", "sessionId"));
    }
    if (resume_token === undefined) {
      return kit.refusedBy(invalid(kit.TOKEN_MISSING, "resume_token"));
    }
    const presented = await kit.readHandle(gateway, { resume_token, session_id });
    const reply = await resumeOrBegin(gateway, {
      presented,
      command,
      options: { ifMatch: null, idempotencyKey: args.idempotency_key ?? null },
      onInvalid: args.on_invalid,
      named: session_id ?? null,
    });
    if (!reply.ok) return reply;
    const { outcome, answer } = reply.value;
    const session = answer.shown.view;
    const facts = { outcome, ...kit.handleFacts(answer.resumeToken, session) };
    if (reply.value.outcome === "fresh") {
      const warning = explained(reply.value.warning, reply.value.failure, resume_token);
      const log = { events: [], head: session.head, more: false };
      const text = `${warningText(warning)} ${kit.standing(session)} Its token is resume_token from this result.`;
      // First of all in both parts: what comes after it is read as if all were well.
      return { ok: true, value: { text, facts: { warning, ...facts, ...log } } };
    }
    const { page } = reply.value.answer;
    const events = eventsIn(page?.texts ?? []);
    const people = await peopleIn(gateway, answer.resumeToken, session);
    const missed = `${kit.counted(events.length, "missed event")}, listed in events, including those of this resume.`;
    const text = `Resumed. ${missed} ${kit.standing(session)}${people.words} ${kit.NEXT_TOKEN}`;
    const log = { events, head: page?.head, more: page?.more };
    return { ok: true, value: { text, facts: { ...facts, ...people.facts, ...log } } };
  },
});

const check_session = kit.defineTool({
  title: "Check whether a session can be continued",
  description: `A dry run of resume_session: whether it would succeed, and how far behind you are. ${kit.KEEPS}`,
  of: "resume",
  without: ["actor", "onInvalid"],
  words: { lastEventSeq: "", auto: "" },
  takes: kit.handleInput,
  ...kit.READS,
  run: kit.keeping(
    async ({ gateway }, presented, { lastEventSeq = null, auto = false }) => {
      const { sessionId } = presented;
      const reply = await gateway.read(presented, "resumable", { lastEventSeq, auto });
      return reply.ok ? { ...reply, value: { ...reply.value, sessionId } } : reply;
    },
    ({ sessionId, resumable, reason, version, head, behindBy, expiresAt }) => ({
      text:
        reason === undefined
          ? `It can be resumed; you are ${kit.counted(behindBy ?? 0, "event")} behind.`
          : cannotResume(reason, sessionId),
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
  description: `Returns the session with its fields. ${kit.KEEPS}`,
  of: "getSession",
  takes: kit.lookInput,
  ...kit.READS,
  run: kit.keeping(
    ({ gateway }, presented) => gateway.get(presented),
    ({ view }) => ({ text: kit.standing(view), facts: kit.wholeFacts(view) }),
  ),
});

/** Tools that say a reason at most. */
const lifecycle = (
  operation: "pause" | "unpause" | "cancel" | "finalize",
  title: string,
  description: string,
  done: string,
) =>
  kit.defineTool({
    title,
    description: `${description} ${kit.ROTATES}`,
    of: operation,
    takes: kit.writeInput,
    ...(operation === "cancel" || operation === "finalize" ? kit.ENDS : kit.CHANGES),
    run: kit.writing(
      (body) => ({ operation, ...body }),
      () => done,
    ),
  });

const extend_session = kit.defineTool({
  title: "Extend a session",
  description: `Moves the session's expiry to ttl_ms from now. ${kit.ROTATES}`,
  of: "extend",
  takes: kit.writeInput,
  ...kit.ENDS,
  run: kit.writing(
    (body) => ({ operation: "extend", ...body }),
    ({ shown }) => `It now expires at ${shown.view.expiresAt}.`,
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

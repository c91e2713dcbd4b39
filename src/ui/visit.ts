/** A person's look at a session through their link: the session, their rights, what was asked. */
import type { LogEvent } from "../domain/log/event";
import { eventsIn } from "../domain/log/event-line";
import type { Failure } from "../domain/failure";
import { participantId } from "../domain/ids";
import { LIMITS } from "../domain/limits";
import type { LinkCode } from "../domain/links/link-code";
import type { Operation } from "../domain/session/operation";
import { OPERATIONS } from "../domain/session/operation";
import type { Scope } from "../domain/participants/scope";
import { isTerminal } from "../domain/session/state";
import type { ParticipantView, SessionView } from "../domain/session/view";
import type { Gateway, GatewayReply } from "../gateway/gateway";
import type { Presented } from "../gateway/presented";
import { fieldSpecs, type FieldSpec } from "./fields";

export interface Visit {
  readonly code: LinkCode;
  readonly session: SessionView;
  readonly me: ParticipantView;
  readonly specs: readonly FieldSpec[];
  readonly events: readonly LogEvent[];
  /** Who made the link, and with what words. */
  readonly asked: { readonly by: LogEvent["actor"]; readonly note: string } | null;
}

/** Events that the timeline shows at first. */
const TIMELINE_EVENTS = 200;

export async function visit(
  gateway: Gateway,
  presented: Presented,
  code: LinkCode,
): Promise<GatewayReply<Visit>> {
  const reply = await gateway.get(presented);
  if (!reply.ok) return reply;
  const session = reply.value.view;
  const id = participantId(presented.credential.participant);
  const me = session.participants.find((one) => one.id === id);
  if (me === undefined) return { ok: false, failure: { code: "token_invalid" } };
  // As audit, because a trimmed log still has all that a person needs to know.
  const read = (after: number, types: readonly string[]) =>
    gateway.events(presented, "audit", { after, limit: LIMITS.pageEvents, types });
  const log = await read(Math.max(0, session.head - TIMELINE_EVENTS), []);
  if (!log.ok) return log;
  const links = await read(0, ["handoff.link_issued"]);
  if (!links.ok) return links;
  const mine = eventsIn(links.value.texts).find(({ payload }) => payload["participant"] === id);
  const note = mine?.payload["note"];
  return {
    ok: true,
    value: {
      code,
      session,
      me,
      specs: fieldSpecs(session.schema, session.fields),
      events: eventsIn(log.value.texts),
      asked: mine === undefined || typeof note !== "string" ? null : { by: mine.actor, note },
    },
  };
}

export const may = ({ session, me }: Visit, operation: Operation): boolean => {
  const { scope, transitions } = OPERATIONS[operation];
  const isAllowed = (transitions as Partial<Record<string, string>>)[session.state] !== undefined;
  return me.scopes.includes(scope as Scope) && isAllowed;
};

export const isOver = ({ session }: Visit): boolean => isTerminal(session.state);

/** Which page explains a refusal, where it is about the link and not about the request. */
export function refusalOf({
  code,
  ...rest
}: Failure): "superseded" | "revoked" | "expired" | "gone" | null {
  switch (code) {
    case "token_superseded":
      return "superseded";
    case "token_invalid":
      return "revoked";
    case "expired":
    case "gone":
      return code;
    default:
      void rest;
      return null;
  }
}

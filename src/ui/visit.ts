/** A person's look at a session through their link: the session, their rights, what was asked. */
import type { LogEvent } from "../domain/log/event";
import { eventsIn } from "../domain/log/event-line";
import type { Failure } from "../domain/failure";
import type { LinkCode } from "../domain/links/link-code";
import { ANSWER_FIELD } from "../domain/links/terms";
import type { Operation } from "../domain/session/operation";
import { OPERATIONS } from "../domain/session/operation";
import type { Scope } from "../domain/participants/scope";
import { isTerminal } from "../domain/session/state";
import type { ParticipantView, SessionView } from "../domain/session/view";
import type { Gateway, GatewayReply } from "../gateway/gateway";
import type { Presented } from "../gateway/presented";
import { fieldSpecs, freeField, type FieldSpec } from "./fields";

export interface Visit {
  readonly code: LinkCode;
  readonly session: SessionView;
  readonly me: ParticipantView;
  /** What the person is asked for, and what they only see. */
  readonly specs: readonly FieldSpec[];
  readonly shown: readonly FieldSpec[];
  readonly submitLabel: string | null;
  /** The answer goes back to whoever asked; the session is not submitted with it. */
  readonly isRequest: boolean;
  readonly isDeclined: boolean;
  readonly events: readonly LogEvent[];
  /** Who made the link, and with what words. */
  readonly asked: { readonly by: LogEvent["actor"]; readonly note: string } | null;
}

export async function visit(
  gateway: Gateway,
  presented: Presented,
  code: LinkCode,
): Promise<GatewayReply<Visit>> {
  const reply = await gateway.read(presented, "visit", {});
  if (!reply.ok) return reply;
  const { me, terms, narrowing, note, askedBy, isRequest, texts, declinedAt } = reply.value;
  const session = JSON.parse(reply.value.session.json) as SessionView;
  const all = fieldSpecs(session.schema, session.fields);
  const isSeen = ({ key }: FieldSpec): boolean => narrowing?.visible.includes(key) ?? true;
  const isAsked = ({ key }: FieldSpec): boolean =>
    narrowing === null
      ? session.schema !== null || key === ANSWER_FIELD
      : narrowing.ask.includes(key);
  const seen = all.filter(isSeen);
  const named = narrowing?.ask ?? (session.schema === null ? [ANSWER_FIELD] : []);
  const unnamed = named.filter((name) => !seen.some(({ key }) => key === name));
  const words = terms.question ?? note;
  return {
    ok: true,
    value: {
      code,
      session,
      me,
      specs: [...seen.filter(isAsked), ...unnamed.map(freeField)],
      shown: seen.filter((spec) => !isAsked(spec)),
      events: eventsIn(texts),
      asked: words === null || askedBy === null ? null : { by: askedBy, note: words },
      submitLabel: terms.submitLabel ?? null,
      isRequest,
      isDeclined: declinedAt !== null,
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

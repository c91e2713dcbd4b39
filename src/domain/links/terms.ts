/**
 * What a person is asked and shown. A link has its own terms. A link without fields uses the
 * session's last request for input. Fields in terms are rights: a link can write only the fields it
 * asks, and see only the fields it asks or shows.
 */
import { omitUndefined } from "../result";
import type { JsonObject } from "../json";
import type { InputTerms } from "../log/payloads";
import type { Command } from "../session/command";
import type { Failure } from "../failure";
import type { Participant } from "../participants/participant";
import { operationRow, type Operation } from "../session/operation";
import { documentProperties } from "../../json-schema/document-properties";
import type { Session } from "../session/session";

export type Terms = InputTerms;

type TermsInput = { readonly [K in keyof Terms]?: Terms[K] | undefined };

/** Only the given members, so that they can be put in an event. */
export const pickTerms = ({ ask, show, question, submitLabel }: TermsInput): Terms =>
  omitUndefined({ ask, show, question, submitLabel });

/** The field of a person's answer if neither the schema nor `ask` names one. */
export const ANSWER_FIELD = "answer";

type TermsSource = Pick<Session, "schema" | "request">;

const namesFields = ({ ask, show }: Terms): boolean => ask !== undefined || show !== undefined;

/** The current terms of a person. Agents have none. */
export function termsOf(session: TermsSource, participant: Participant): Terms {
  const { link, scopes } = participant;
  if (link === undefined) return {};
  const linkTerms = link.terms ?? {};
  const requested: Terms = scopes.includes("fill") ? (session.request ?? {}) : {};
  if (namesFields(linkTerms) || linkTerms.question !== undefined) {
    const { ask, show } = requested;
    return namesFields(linkTerms) ? linkTerms : { ...pickTerms({ ask, show }), ...linkTerms };
  }
  return { ...requested, ...linkTerms };
}

/** The fields that a participant is limited to. Null if only its scopes limit it. */
export interface Narrowing {
  readonly ask: readonly string[];
  readonly visible: readonly string[];
}

export function narrowingOf(session: TermsSource, participant: Participant): Narrowing | null {
  const terms = termsOf(session, participant);
  if (!namesFields(terms)) return null;
  const { show = [] } = terms;
  const canFill = participant.scopes.includes("fill");
  const ask = terms.ask ?? (canFill ? defaultAsk(session.schema, show) : []);
  return { ask, visible: [...new Set([...ask, ...show])] };
}

/** All fields of the schema that are not only shown. */
const defaultAsk = (schema: JsonObject | null, show: readonly string[]): readonly string[] =>
  schema === null ? [ANSWER_FIELD] : fieldNamesOf(schema).filter((name) => !show.includes(name));

const fieldNamesOf = (schema: JsonObject): readonly string[] => [
  ...new Set(documentProperties(schema).map(([name]) => name)),
];

/** The operations that a link with fields in its terms can use. */
const NARROWED_OPERATIONS: ReadonlySet<Operation> = new Set<Operation>([
  "get",
  "events",
  "audit",
  "live",
  "append",
  "setFields",
  "submit",
  "requestUpload",
  "putUpload",
  "confirmUpload",
  "removeUpload",
  "getUpload",
  "readPrivate",
  "approve",
  "reject",
  "requestChanges",
  "decline",
]);

export function termsProblem(
  session: TermsSource,
  participant: Participant,
  operation: Operation,
  command: Command | undefined,
): Failure | null {
  const needed = operationRow(operation).scope;
  if (participant.link?.declinedAt !== undefined && operationRow(operation).consumes) {
    return { code: "scope_denied", needed, why: "declined" };
  }
  const narrowing = narrowingOf(session, participant);
  if (narrowing === null) return null;
  const isWithin = NARROWED_OPERATIONS.has(operation) && isWithinTerms(command, narrowing);
  return isWithin ? null : { code: "scope_denied", needed, why: "not_asked" };
}

function isWithinTerms(command: Command | undefined, { ask, visible }: Narrowing): boolean {
  switch (command?.operation) {
    case "setFields":
      return (
        Object.keys(command.fields).every((field) => ask.includes(field)) &&
        command.title === undefined &&
        command.nextStep === undefined
      );
    case "requestUpload":
      return command.field !== undefined && ask.includes(command.field);
    case "requestChanges":
      return Object.keys(command.fields ?? {}).every((field) => visible.includes(field));
    default:
      return true;
  }
}

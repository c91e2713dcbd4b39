/**
 * What a person is asked and shown. A link has its own terms. A link without fields uses the
 * session's last request for input. Fields in terms are rights: narrowing.ts applies them.
 */
import { omitUndefined } from "../result";
import type { JsonObject } from "../json";
import type { InputTerms } from "../log/payloads";
import type { Participant } from "../participants/participant";
import { documentProperties } from "../../json-schema/document-properties";
import type { Session } from "../session/session";

export type Terms = InputTerms;

type TermsInput = { readonly [K in keyof Terms]?: Terms[K] | undefined };

/** Only the given members, so that they can be put in an event. */
export const pickTerms = ({ ask, show, question, submitLabel }: TermsInput): Terms =>
  omitUndefined({ ask, show, question, submitLabel });

/** The field of a person's answer if neither the schema nor `ask` names one. */
export const ANSWER_FIELD = "answer";

export type TermsSource = Pick<Session, "schema" | "request">;

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

/** The fields that a link asks and shows. Null if it names none. */
export function linkFieldsOf(
  session: TermsSource,
  participant: Participant,
): { readonly ask: readonly string[]; readonly show: readonly string[] } | null {
  const terms = termsOf(session, participant);
  if (!namesFields(terms)) return null;
  const { show = [] } = terms;
  const canFill = participant.scopes.includes("fill");
  return { ask: terms.ask ?? (canFill ? defaultAsk(session.schema, show) : []), show };
}

/** All fields of the schema that are not only shown. */
const defaultAsk = (schema: JsonObject | null, show: readonly string[]): readonly string[] =>
  schema === null ? [ANSWER_FIELD] : fieldNamesOf(schema).filter((name) => !show.includes(name));

const fieldNamesOf = (schema: JsonObject): readonly string[] => [
  ...new Set(documentProperties(schema).map(([name]) => name)),
];

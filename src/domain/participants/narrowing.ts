/**
 * What a participant is limited to beyond its scopes: the fields that it may write and see, and the
 * types of events that it may append and read. A link is narrowed by its terms, an agent by what its
 * handoff names. The gate applies the same rule to both, wherever content enters or leaves. What a
 * narrowed participant makes is never wider than itself.
 */
import { tooLarge, type Failure } from "../failure";
import { jsonBytes } from "../json";
import { LIMITS } from "../limits";
import { isWithinTypes, matchesType } from "../log/event-line";
import { isServerType } from "../log/event";
import type { ParticipantTerms } from "../log/payloads";
import { linkFieldsOf, type TermsSource } from "../links/terms";
import type { Command, Handoff } from "../session/command";
import { operationRow, type Operation } from "../session/operation";
import { ok, omitUndefined, refuse, type Result } from "../result";
import type { Participant } from "./participant";

/** What a participant may see and write. Null instead of it if only its scopes limit it. */
export interface Narrowing {
  readonly ask: readonly string[];
  readonly visible: readonly string[];
  /**
   * Types of events that it may read. Null if it reads those of its fields and of its own part: then
   * it reads no event that a client appended.
   */
  readonly read: readonly string[] | null;
  /** For a person's page: the title, and what reviewers wrote about the whole session. */
  readonly showsTexts: boolean;
}

export function narrowingOf(session: TermsSource, participant: Participant): Narrowing | null {
  const byTerms = narrowingOfTerms(participant.terms);
  if (byTerms !== null) return byTerms;
  const fields = linkFieldsOf(session, participant);
  if (fields === null) return null;
  const { ask, show } = fields;
  return { ask, visible: unionOf(ask, show), read: null, showsTexts: true };
}

/** `ask`, `show` and `events.read` narrow what is seen. `events.append` alone does not. */
function narrowingOfTerms(terms: ParticipantTerms | undefined): Narrowing | null {
  const { ask, show, events } = terms ?? {};
  const read = events?.read ?? null;
  if (ask === undefined && show === undefined && read === null) return null;
  return { ask: ask ?? [], visible: unionOf(ask ?? [], show ?? []), read, showsTexts: false };
}

const unionOf = (ask: readonly string[], show: readonly string[]): readonly string[] => [
  ...new Set([...ask, ...show]),
];

/** A file or a value that belongs to no field is outside every narrowing. */
export const canSeeField = (narrowing: Narrowing | null, field: unknown): boolean =>
  narrowing === null || (typeof field === "string" && narrowing.visible.includes(field));

export const canWriteField = (narrowing: Narrowing | null, field: unknown): boolean =>
  narrowing === null || (typeof field === "string" && narrowing.ask.includes(field));

export const isNarrowed = (session: TermsSource, participant: Participant): boolean =>
  participant.terms !== undefined || narrowingOf(session, participant) !== null;

/** The operations of a narrowed participant. A new operation is refused to it until it is named here. */
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

/**
 * What an agent may do besides. A person's cookie has no line of tokens to resume. Effects that happen
 * once are not among it: their keys and results belong to the whole session.
 */
const NARROWED_AGENT_OPERATIONS: ReadonlySet<Operation> = new Set<Operation>([
  "resume",
  "resumable",
  "takeLease",
  "releaseLease",
  "handoff",
  "listHandoffs",
  "reissue",
  "revokeHandoff",
]);

interface NarrowedAttempt {
  readonly operation: Operation;
  readonly command?: Command;
  /** The types that an append writes, one per line. */
  readonly appendedTypes?: string;
}

/** Null if the narrowing of the participant allows the attempt. */
export function narrowingProblem(
  session: TermsSource,
  participant: Participant,
  attempt: NarrowedAttempt,
): Failure | null {
  const { operation, command } = attempt;
  const { scope: needed, consumes } = operationRow(operation);
  const { link, terms } = participant;
  if (link?.declinedAt !== undefined && consumes) {
    return { code: "scope_denied", needed, why: "declined" };
  }
  if (!isNarrowed(session, participant)) return null;
  const isAllowed =
    NARROWED_OPERATIONS.has(operation) ||
    (link === undefined && NARROWED_AGENT_OPERATIONS.has(operation));
  if (!isAllowed) return { code: "scope_denied", needed, why: notAllowed(participant) };
  if (operation === "append") return appendProblem(terms?.events?.append, attempt.appendedTypes);
  const outside = outsideOf(command, narrowingOf(session, participant));
  if (outside.length === 0) return null;
  return link === undefined
    ? { code: "scope_denied", needed, why: "outside_ask", names: outside }
    : { code: "scope_denied", needed, why: "not_asked" };
}

export const notAllowed = ({ link }: Participant): "narrowed" | "not_asked" =>
  link === undefined ? "narrowed" : "not_asked";

/** Without the types, something is added for the caller that it did not write itself. */
function appendProblem(
  append: readonly string[] | undefined,
  types: string | undefined,
): Failure | null {
  if (types === undefined) return { code: "scope_denied", needed: "append", why: "narrowed" };
  if (append === undefined || types === "") return null;
  const outside = [...new Set(types.split("\n"))].filter((type) => !matchesType(type, append));
  return outside.length === 0
    ? null
    : { code: "scope_denied", needed: "append", why: "outside_append", names: outside };
}

/** The fields, or the other members, that the command may not write. */
function outsideOf(command: Command | undefined, narrowing: Narrowing | null): readonly string[] {
  if (narrowing === null) return [];
  switch (command?.operation) {
    case "setFields":
      return [
        ...Object.keys(command.fields).filter((field) => !canWriteField(narrowing, field)),
        ...(command.title === undefined ? [] : ["title"]),
        ...(command.nextStep === undefined ? [] : ["nextStep"]),
      ];
    case "requestUpload":
      return canWriteField(narrowing, command.field) ? [] : [command.field ?? "a file of no field"];
    case "requestChanges":
      return Object.keys(command.fields ?? {}).filter((field) => !canSeeField(narrowing, field));
    default:
      return [];
  }
}

type RequestedTerms = Pick<Handoff, "to" | "ask" | "show" | "events" | "showTitle">;

/**
 * The terms of a new participant, and the fields of a new link: as requested, within those of its
 * maker. Terms that are not requested are inherited. Undefined if nothing narrows it.
 */
export function narrowTerms(
  maker: Participant,
  requested: RequestedTerms,
): Result<ParticipantTerms | undefined> {
  const { to, ask, show, events } = requested;
  const inherited = maker.terms;
  if (inherited === undefined) {
    // A link's fields are terms of the link.
    const types = events && omitUndefined(events);
    return withinSize(to === "human" ? {} : omitUndefined({ ask, show, events: types }));
  }
  const limits = narrowingOfTerms(inherited);
  const fields =
    limits === null ? omitUndefined({ ask, show }) : inheritedFields(limits, requested);
  const append = events?.append ?? inherited.events?.append;
  const read = events?.read ?? inherited.events?.read;
  const outside = [
    ...(limits === null ? [] : fieldsOutside(limits, fields)),
    ...typesOutside("events.append", events?.append, inherited.events?.append ?? null),
    ...(limits === null ? [] : readOutside(events?.read, limits.read)),
    // The page shows the title before the link is opened.
    ...(limits !== null && requested.showTitle === true ? ["showTitle"] : []),
  ];
  if (outside.length > 0) {
    return refuse({
      code: "scope_denied",
      needed: "handoff",
      why: "wider_terms",
      names: outside,
    });
  }
  const types = omitUndefined({ append, read });
  return withinSize(
    omitUndefined({
      ...(to === "human" && limits === null ? {} : fields),
      events: Object.keys(types).length === 0 ? undefined : types,
    }),
  );
}

/** A link that only shows asks for the other fields; an agent that only sees writes none. */
function inheritedFields(
  limits: Narrowing,
  { to, ask, show }: RequestedTerms,
): Pick<ParticipantTerms, "ask" | "show"> {
  if (ask === undefined && show === undefined) {
    const { visible } = limits;
    return { ask: limits.ask, show: visible.filter((field) => !limits.ask.includes(field)) };
  }
  const others = to === "human" ? limits.ask.filter((field) => show?.includes(field) !== true) : [];
  return { ask: ask ?? others, show: show ?? [] };
}

const fieldsOutside = (
  limits: Narrowing,
  { ask = [], show = [] }: Pick<ParticipantTerms, "ask" | "show">,
): readonly string[] => [
  ...ask.filter((field) => !canWriteField(limits, field)).map((field) => `ask: ${field}`),
  ...show.filter((field) => !canSeeField(limits, field)).map((field) => `show: ${field}`),
];

const typesOutside = (
  member: string,
  named: readonly string[] | undefined,
  within: readonly string[] | null,
): readonly string[] =>
  (named ?? [])
    .filter((type) => within !== null && !isWithinTypes(type, within))
    .map((type) => `${member}: ${type}`);

/** Who names no types to read sees no client's events, so what it makes does not see them either. */
const readOutside = (
  named: readonly string[] | undefined,
  within: readonly string[] | null,
): readonly string[] =>
  within === null
    ? (named ?? []).filter((type) => !isServerType(type)).map((type) => `events.read: ${type}`)
    : typesOutside("events.read", named, within);

function withinSize(terms: ParticipantTerms): Result<ParticipantTerms | undefined> {
  if (Object.keys(terms).length === 0) return ok(undefined);
  return jsonBytes(terms) > LIMITS.termsBytes
    ? refuse(tooLarge("ask, show and events of a handoff together, in bytes", LIMITS.termsBytes))
    : ok(terms);
}

/**
 * A template: a named definition from which an owner begins sessions, in numbered versions. A session
 * takes over what the version says when it begins and is never touched by a later one.
 */
import { omitUndefined } from "../result";
import type { Handoff } from "../session/command";
import type { CreateArguments } from "../session/command";
import type { Jurisdiction, LocationHint } from "../session/location";
import type { Ownership } from "./ownership";

/** What links to people say unless their handoff says otherwise. */
export type LinkTexts = Pick<Handoff, "question" | "submitLabel" | "note" | "showTitle">;

/** What sessions begin with, named as in a create. */
export interface TemplateDefinition
  extends Pick<
    CreateArguments,
    "title" | "schema" | "review" | "ttlMs" | "idleTtlMs" | "nextStep" | "policy" | "labels"
  > {
  readonly links?: LinkTexts | undefined;
  /** The same in every version, because a repeated create is looked for there. */
  readonly jurisdiction?: Jurisdiction | undefined;
  readonly locationHint?: LocationHint | undefined;
}

export interface TemplateRef {
  readonly name: string;
  /** Null: the newest. */
  readonly version: number | null;
}

const NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";
/** A name, or a name and a version as `name@3`. */
export const TEMPLATE_REF_PATTERN = `^${NAME}(@[1-9][0-9]{0,8})?$`;
const NAMED = new RegExp(`^${NAME}$`);
const REF = new RegExp(TEMPLATE_REF_PATTERN);

export const isTemplateName = (text: string): boolean => NAMED.test(text);

export function parseTemplateRef(text: string): TemplateRef | null {
  if (!REF.test(text)) return null;
  const [name = "", version] = text.split("@");
  return { name, version: version === undefined ? null : Number(version) };
}

/**
 * What is asked for wins over what the template says, each member whole. Labels are put together name
 * by name. A life is one thing: whoever gives `ttlMs` or `idleTtlMs` gives all of it.
 */
export function applyTemplate(
  asked: CreateArguments,
  definition: TemplateDefinition,
): CreateArguments {
  const { links: _, jurisdiction: _j, locationHint: _h, ...named } = definition;
  const { labels = {}, ttlMs, idleTtlMs, ...rest } = named;
  const given = omitUndefined(asked);
  const hasLife = asked.ttlMs !== undefined || asked.idleTtlMs !== undefined;
  const life = hasLife ? {} : { ttlMs, idleTtlMs };
  return { ...rest, ...life, ...given, labels: { ...labels, ...asked.labels } };
}

/** A handoff to a person in a session whose template has words for it. */
export function withLinkTexts(command: Handoff, belongs: Ownership | null): Handoff {
  const links = belongs?.template?.links;
  if (links === undefined || command.to !== "human") return command;
  const given = Object.entries(command).filter(([, value]) => value !== undefined);
  return { ...links, ...(Object.fromEntries(given) as unknown as Handoff) };
}

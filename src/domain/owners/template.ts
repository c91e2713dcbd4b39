/**
 * A template: a named definition from which an owner creates sessions, in numbered versions. A
 * session copies its version at creation. Later versions never change it.
 */
import { omitUndefined } from "../result";
import type { Handoff } from "../session/command";
import type { CreateArguments } from "../session/command";
import type { Jurisdiction, LocationHint } from "../session/location";
import type { Ownership } from "./ownership";

/** The texts of links to people, unless the handoff sets others. */
export type LinkTexts = Pick<Handoff, "question" | "submitLabel" | "note" | "showTitle">;

/** What sessions are created with, named as in a create request. */
export interface TemplateDefinition
  extends Pick<
    CreateArguments,
    "title" | "schema" | "review" | "ttlMs" | "idleTtlMs" | "nextStep" | "policy" | "labels"
  > {
  readonly links?: LinkTexts | undefined;
  /** The same in every version, because a repeated create is looked up there. */
  readonly jurisdiction?: Jurisdiction | undefined;
  readonly locationHint?: LocationHint | undefined;
}

export interface TemplateRef {
  readonly name: string;
  /** Null: the newest version. */
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
 * Each member of the request replaces the template's. Labels are merged by name. `ttlMs` and
 * `idleTtlMs` belong together: a request with one of them ignores both of the template's.
 */
export function applyTemplate(
  request: CreateArguments,
  definition: TemplateDefinition,
): CreateArguments {
  const { links: _, jurisdiction: _j, locationHint: _h, ...defaults } = definition;
  const { labels = {}, ttlMs, idleTtlMs, ...rest } = defaults;
  const requested = omitUndefined(request);
  const hasLifetime = request.ttlMs !== undefined || request.idleTtlMs !== undefined;
  const lifetime = hasLifetime ? {} : { ttlMs, idleTtlMs };
  return { ...rest, ...lifetime, ...requested, labels: { ...labels, ...request.labels } };
}

/** Adds the template's link texts to a handoff to a person. */
export function withLinkTexts(command: Handoff, ownership: Ownership | null): Handoff {
  const links = ownership?.template?.links;
  if (links === undefined || command.to !== "human") return command;
  const provided = Object.entries(command).filter(([, value]) => value !== undefined);
  return { ...links, ...(Object.fromEntries(provided) as unknown as Handoff) };
}

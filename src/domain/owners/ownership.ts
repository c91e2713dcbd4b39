/** The owner of a session, and the names by which the owner finds it. */
import { invalid, type Failure } from "../failure";
import type { LinkTexts } from "./template";

/** Names and values by which the owner finds sessions. */
export type Labels = Readonly<Record<string, string>>;

/** The template that a session was created from, with its version. */
export interface SourceTemplate {
  readonly name: string;
  readonly version: number;
  /** The default texts of links to people in this session. */
  readonly links?: LinkTexts;
}

/** Fixed at creation. */
export interface Ownership {
  readonly owner: string;
  /** The owner's own id for it. At most one existing session of an owner has it. */
  readonly externalId?: string;
  /** The index, from 0, among the owner's sessions with that id. Purged sessions keep their index. */
  readonly nth?: number;
  readonly template?: SourceTemplate;
  /** The name of the key that created it. After a leak it shows which sessions that key created. */
  readonly key?: string;
}

const viewTemplate = ({ name, version }: SourceTemplate) => ({ name, version });

/** The part of it that a session shows. */
export const viewOwnership = (ownership: Ownership | null, labels: Labels) => ({
  ...(ownership === null ? {} : { owner: ownership.owner }),
  ...(ownership?.externalId === undefined ? {} : { externalId: ownership.externalId }),
  ...(ownership?.template === undefined ? {} : { template: viewTemplate(ownership.template) }),
  ...(Object.keys(labels).length === 0 ? {} : { labels }),
});

/**
 * What a forked child inherits: everything but the external id and the key, which stay with the
 * parent.
 */
export const inheritedOwnership = ({ owner, template }: Ownership): Ownership => ({
  owner,
  ...(template === undefined ? {} : { template }),
});

/** Without an owner there is no scope in which the id would be unique. */
export const externalIdProblem = (
  externalId: string | undefined,
  owner: string | null,
): Failure | null =>
  externalId !== undefined && owner === null
    ? invalid("an externalId needs the key of an owner", "externalId")
    : null;

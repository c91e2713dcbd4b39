/** What a session carries of its owner, and the names by which it is found. */
import { invalid, type Failure } from "../failure";
import type { LinkTexts } from "./template";

/** Names and values that sessions are found by; their owner's own words. */
export type Labels = Readonly<Record<string, string>>;

/** The template a session was begun from, in the version of that time. */
export interface SourceTemplate {
  readonly name: string;
  readonly version: number;
  /** What links to people say in this session, unless their handoff says otherwise. */
  readonly links?: LinkTexts;
}

/** Fixed at creation. */
export interface Ownership {
  readonly owner: string;
  /** The owner's own name for it; at most one living session of an owner has it. */
  readonly externalId?: string;
  /** The how-manieth session of that name it is, beginning with 0: purged ones leave their place taken. */
  readonly nth?: number;
  readonly template?: SourceTemplate;
  /** The name of the key it was created with: after a leak it says which sessions that key made. */
  readonly key?: string;
}

const viewTemplate = ({ name, version }: SourceTemplate) => ({ name, version });

/** What a session shows of it. */
export const viewOwnership = (belongs: Ownership | null, labels: Labels) => ({
  ...(belongs === null ? {} : { owner: belongs.owner }),
  ...(belongs?.externalId === undefined ? {} : { externalId: belongs.externalId }),
  ...(belongs?.template === undefined ? {} : { template: viewTemplate(belongs.template) }),
  ...(Object.keys(labels).length === 0 ? {} : { labels }),
});

/** What a child that is forked off has of it: all but the name and the key, which stay its parent's. */
export const inheritedOwnership = ({ owner, template }: Ownership): Ownership => ({
  owner,
  ...(template === undefined ? {} : { template }),
});

/** Without an owner there is nobody among whose sessions the name would be unique. */
export const externalIdProblem = (
  externalId: string | undefined,
  owner: string | null,
): Failure | null =>
  externalId !== undefined && owner === null
    ? invalid("an externalId needs the key of an owner", "externalId")
    : null;

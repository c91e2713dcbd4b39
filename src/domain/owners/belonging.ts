/** What a session carries of its owner, and the names by which it is found. */
import { invalid, type Failure } from "../failure";
import type { LinkWords } from "./template";

/** Names and values that sessions are found by; their owner's own words. */
export type Labels = Readonly<Record<string, string>>;

/** The template a session was begun from, in the version of that time. */
export interface FromTemplate {
  readonly name: string;
  readonly version: number;
  /** What links to people say in this session, unless their handoff says otherwise. */
  readonly links?: LinkWords;
}

/** Fixed at creation. */
export interface Belonging {
  readonly owner: string;
  /** The owner's own name for it; at most one living session of an owner has it. */
  readonly externalId?: string;
  /** The how-manieth session of that name it is, beginning with 0: purged ones leave their place taken. */
  readonly nth?: number;
  readonly template?: FromTemplate;
  /** The name of the key it was created with: after a leak it says which sessions that key made. */
  readonly key?: string;
}

const shownTemplate = ({ name, version }: FromTemplate) => ({ name, version });

/** What a session shows of it. */
export const shownBelonging = (belongs: Belonging | null, labels: Labels) => ({
  ...(belongs === null ? {} : { owner: belongs.owner }),
  ...(belongs?.externalId === undefined ? {} : { externalId: belongs.externalId }),
  ...(belongs?.template === undefined ? {} : { template: shownTemplate(belongs.template) }),
  ...(Object.keys(labels).length === 0 ? {} : { labels }),
});

/** What a child that is forked off has of it: all but the name and the key, which stay its parent's. */
export const inherited = ({ owner, template }: Belonging): Belonging => ({
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

/** What a session carries of its owner, and the names by which it is found. */
import { invalid, type Failure } from "../failure";

/** Names and values that sessions are found by; their owner's own words. */
export type Labels = Readonly<Record<string, string>>;

/** The template a session was begun from, in the version of that time. */
export interface FromTemplate {
  readonly name: string;
  readonly version: number;
}

/** Fixed at creation. */
export interface Belonging {
  readonly owner: string;
  /** The owner's own name for it; at most one living session of an owner has it. */
  readonly externalId?: string;
  /** The how-manieth session of that name it is, beginning with 0: purged ones leave their place taken. */
  readonly nth?: number;
  readonly template?: FromTemplate;
}

/** What a session shows of it. */
export const shownBelonging = (belongs: Belonging | null, labels: Labels) => ({
  ...(belongs === null ? {} : { owner: belongs.owner }),
  ...(belongs?.externalId === undefined ? {} : { externalId: belongs.externalId }),
  ...(belongs?.template === undefined ? {} : { template: belongs.template }),
  ...(Object.keys(labels).length === 0 ? {} : { labels }),
});

/** Without an owner there is nobody among whose sessions the name would be unique. */
export const externalIdProblem = (
  externalId: string | undefined,
  owner: string | null,
): Failure | null =>
  externalId !== undefined && owner === null
    ? invalid("an externalId needs the key of an owner", "externalId")
    : null;

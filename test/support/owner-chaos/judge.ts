/** Compares what an owner was shown with what each session says of itself. Pure, and tried on planted faults. */
import type { Followed } from "./follower.ts";

type Shown = Readonly<Record<string, unknown>>;

/** A session as it says itself: null where it is gone. */
export interface Truth {
  readonly id: string;
  readonly session: Shown | null;
  /** Of its events, in order. */
  readonly states: readonly string[];
}

export type Listed = Shown & { readonly id: string };

/** What list and session both show. */
const COMPARED = ["title", "state", "labels", "externalId", "expiresAt"] as const;

const differing = (one: Shown, other: Shown): readonly string[] =>
  COMPARED.filter((name) => canonical(one[name]) !== canonical(other[name]));

/** Names of labels come in any order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? "";

export function listProblems(
  truths: readonly Truth[],
  listed: readonly Listed[],
): readonly string[] {
  const rows = new Map(listed.map((row) => [row.id, row]));
  const living = new Set(truths.flatMap(({ id, session }) => (session === null ? [] : [id])));
  return [
    ...(rows.size === listed.length ? [] : ["the list shows a session twice"]),
    ...listed.filter(({ id }) => !living.has(id)).map(({ id }) => `${id} is listed and gone`),
    ...truths.flatMap(({ id, session }) => {
      if (session === null) return [];
      const row = rows.get(id);
      if (row === undefined) return [`${id} is not listed`];
      return differing(session, row).map((name) => `${id} is listed with an old ${name}`);
    }),
  ];
}

/**
 * `fresh` is the same feed read by one who was never cut. It leaves out what was told of sessions that
 * were purged since, so the follower may have more of those and of no others.
 */
export function changeProblems(
  truths: readonly Truth[],
  followed: readonly Followed[],
  fresh: readonly Followed[],
): readonly string[] {
  const problems: string[] = [];
  for (const [nth, { number }] of followed.entries()) {
    const before = followed[nth - 1]?.number ?? 0;
    if (number <= before) problems.push(`change ${number} came after ${before}`);
  }
  const numbers = new Set(followed.map(({ number }) => number));
  for (const { number, id } of fresh) {
    if (!numbers.has(number)) problems.push(`change ${number} of ${id} never came`);
  }
  const gone = new Set(truths.flatMap(({ id, session }) => (session === null ? [id] : [])));
  const known = new Set(fresh.map(({ number }) => number));
  for (const { number, id } of followed) {
    if (!known.has(number) && !gone.has(id)) problems.push(`change ${number} was invented`);
  }
  return [...problems, ...truths.flatMap((truth) => sessionProblems(truth, followed))];
}

function sessionProblems(
  { id, session, states }: Truth,
  followed: readonly Followed[],
): readonly string[] {
  const told = followed.filter((one) => one.id === id);
  const rows = told.flatMap(({ row }) => (row === null ? [] : [row]));
  const seqs = rows.map(({ seq }) => Number(seq));
  const problems = seqs.some((seq, nth) => nth > 0 && seq <= (seqs[nth - 1] ?? 0))
    ? [`${id} was told out of order: ${seqs.join(", ")}`]
    : [];
  if (session === null) {
    const removals = told.filter(({ row }) => row === null).length;
    const isTold = told.length === 0 || (removals === 1 && told.at(-1)?.row === null);
    return isTold ? problems : [...problems, `that ${id} is gone was not the last told of it`];
  }
  const shown = distinct(rows.map(({ state }) => String(state)));
  const wanted = distinct(states);
  const isSame = shown.join() === wanted.join();
  return isSame
    ? problems
    : [...problems, `${id} was told as ${shown.join()}, was ${wanted.join()}`];
}

const distinct = (states: readonly string[]): readonly string[] =>
  states.filter((state, nth) => state !== states[nth - 1]);

/** What an owner is shown of its sessions: a list, a feed of its changes, and nothing of what was purged. */
import { canonical } from "../history.ts";
import { lawsAbout, type RunLaw } from "./law.ts";

type Shown = Readonly<Record<string, unknown>>;

/** A session as it shows itself to its owner. */
export interface OwnedSession {
  readonly id: string;
  readonly status: "shown" | "expired" | "gone";
  /** Null if it is not shown. */
  readonly shown: Shown | null;
  /** After each stored event, in order. */
  readonly states: readonly string[];
}

export type ListedSession = Shown & { readonly id: string };

export interface ListChange {
  readonly number: number;
  readonly id: string;
  /** Null if the session was removed. */
  readonly row: Shown | null;
}

export interface DirectoryObservation {
  readonly sessions: readonly OwnedSession[];
  readonly listed: readonly ListedSession[];
  /** What a reader received over all its connections. */
  readonly followed: readonly ListChange[];
  readonly connections: number;
  /** The same feed, read at the end from its start. It leaves out earlier changes of purged sessions. */
  readonly changes: readonly ListChange[];
  /** Files that hold a text of a purged session. */
  readonly traces: readonly { readonly id: string; readonly file: string }[];
  /** How many texts of purged sessions were searched for, and if such texts can be found at all. */
  readonly searched: number;
  readonly findsLiving: boolean;
}

/** What list and session both show. */
const COMPARED = ["title", "state", "labels", "externalId", "expiresAt"] as const;

const withoutRepeats = (states: readonly string[]): readonly string[] =>
  states.filter((state, index) => state !== states[index - 1]);

function listProblems({ sessions, listed }: DirectoryObservation): readonly string[] {
  const rows = new Map(listed.map((row) => [row.id, row]));
  const living = new Set(sessions.filter(({ status }) => status !== "gone").map(({ id }) => id));
  return [
    ...(rows.size === listed.length ? [] : ["the list shows a session twice"]),
    ...listed.filter(({ id }) => !living.has(id)).map(({ id }) => `${id} is listed and gone`),
    ...sessions.flatMap(({ id, status, shown }) => {
      if (status === "gone") return [];
      const row = rows.get(id);
      if (row === undefined) return [`${id} is not listed`];
      if (shown === null)
        return row["state"] === "expired" ? [] : [`${id} is not listed as expired`];
      const whole: Shown = { labels: {}, ...shown };
      return COMPARED.filter((name) => canonical(row[name]) !== canonical(whole[name])).map(
        (name) => `${id} is listed with an old ${name}`,
      );
    }),
  ];
}

function orderProblems(directory: DirectoryObservation): readonly string[] {
  const { sessions, followed, changes } = directory;
  const received = new Set(followed.map(({ number }) => number));
  const known = new Set(changes.map(({ number }) => number));
  const gone = new Set(sessions.filter(({ status }) => status === "gone").map(({ id }) => id));
  return [
    ...followed.flatMap(({ number }, index) => {
      const before = followed[index - 1]?.number ?? 0;
      return number > before ? [] : [`change ${number} came after ${before}`];
    }),
    ...changes
      .filter(({ number }) => !received.has(number))
      .map(({ number, id }) => `change ${number} of ${id} never came`),
    ...followed
      .filter(({ number, id }) => !known.has(number) && !gone.has(id))
      .map(({ number }) => `change ${number} was invented`),
  ];
}

function stateProblems(
  { id, status, states }: OwnedSession,
  followed: readonly ListChange[],
): readonly string[] {
  const received = followed.filter((one) => one.id === id);
  const rows = received.flatMap(({ row }) => (row === null ? [] : [row]));
  const seqs = rows.map(({ seq }) => Number(seq));
  const isOrdered = seqs.every((seq, index) => index === 0 || seq > (seqs[index - 1] ?? 0));
  const disorder = isOrdered ? [] : [`the changes of ${id} are out of order: ${seqs.join(", ")}`];
  if (status === "gone") {
    const removals = received.filter(({ row }) => row === null).length;
    const isLast = removals === 1 && received.at(-1)?.row === null;
    return isLast || received.length === 0
      ? disorder
      : [...disorder, `the last change of ${id} is not its removal`];
  }
  const shown = withoutRepeats(rows.map(({ state }) => String(state))).join();
  const stored = withoutRepeats(states).join();
  return shown === stored ? disorder : [...disorder, `${id} was shown as ${shown}, was ${stored}`];
}

const law = lawsAbout("directory");

export const OWNER_LAWS: readonly RunLaw[] = [
  law("an owner's list shows its sessions as they are", ["OW-3"], listProblems),
  law("every change of the list comes once and in order", ["OW-5"], orderProblems),
  law("the changes show every state of a session, and its removal", ["OW-5"], (directory) =>
    directory.sessions.flatMap((one) => stateProblems(one, directory.followed)),
  ),
  law("no file holds a text of a purged session", ["X-4", "X-5"], (directory) => [
    ...directory.traces.map(({ id, file }) => `a text of ${id} is in ${file}`),
    ...(directory.searched === 0 || directory.findsLiving
      ? []
      : ["no text of any session was found: the search is blind"]),
  ]),
];

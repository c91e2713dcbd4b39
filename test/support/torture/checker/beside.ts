/**
 * What lies outside the session's own rows: bytes of files, and the children of forks. A confirmed
 * file is one that was sent, the newest for certain, and is there in the end; so is every child.
 */
import type { LoggedCommit, Operation, Put, SessionHistory, Violation } from "./history.ts";
import { told } from "./assign.ts";
import { difference, type Folded } from "./plain-fold.ts";

const FILES = "confirmed files are those that were sent";

interface Confirmed {
  readonly index: number;
  readonly upload: string;
  readonly sha256: string;
}

export function checkFiles(
  { commits, puts, kept }: SessionHistory,
  owners: readonly (Operation | null)[],
): readonly Violation[] {
  const confirmed = filesIn(commits, "upload.confirmed");
  const removed = new Set(filesIn(commits, "upload.removed").map(({ upload }) => upload));
  const wrong = confirmed.flatMap((file) => {
    const owner = owners[file.index] ?? null;
    const why = sourceProblem(file, puts, owner);
    return why === null ? [] : [`${owner === null ? file.upload : told(owner)} ${why}`];
  });
  for (const { upload, sha256 } of kept) {
    const last = confirmed.findLast((one) => one.upload === upload);
    const expected = last === undefined || removed.has(upload) ? null : last.sha256;
    if (sha256 !== expected) wrong.push(`${upload} is ${sha256} in the end, and not ${expected}`);
  }
  return wrong.map((what) => ({ rule: FILES, what }));
}

const filesIn = (commits: readonly LoggedCommit[], wanted: string): readonly Confirmed[] =>
  commits.flatMap(({ events }, index) =>
    events
      .filter(({ type }) => type === wanted)
      .map(({ payload }) => ({
        index,
        upload: String(payload["upload"]),
        sha256: String(payload["sha256"]),
      })),
  );

function sourceProblem(
  { upload, sha256 }: Confirmed,
  puts: readonly Put[],
  owner: Operation | null,
): string | null {
  const of = puts.filter((put) => put.upload === upload && put.outcome !== "refused");
  const asked = owner?.invoked ?? Infinity;
  const answered = owner?.outcome.kind === "ok" ? owner.responded : Infinity;
  const sources = of.filter((put) => put.sha256 === sha256 && put.invoked <= answered);
  if (sources.length === 0) return `confirmed ${sha256}, which nobody had sent`;
  const isReplaced = (put: Put): boolean =>
    of.some(
      (later) =>
        later.sha256 !== sha256 &&
        later.outcome === "ok" &&
        later.invoked > put.responded &&
        later.responded < asked,
    );
  return sources.every(isReplaced) ? `confirmed ${sha256}, which had been replaced` : null;
}

/** Every fork in the log has its child, which began with the parent's document as it then was. */
export function checkChildren(
  { commits, children }: SessionHistory,
  states: readonly Folded[],
): readonly Violation[] {
  const found: string[] = [];
  for (const [index, { events }] of commits.entries()) {
    const forked = events.find(({ type }) => type === "session.forked");
    if (forked === undefined) continue;
    const id = String(forked.payload["child"]);
    const { stored = null, status = null } = children.find((child) => child.id === id) ?? {};
    if (status !== null && status !== 200) found.push(`${id} was given away and answers ${status}`);
    const before = states[index - 1];
    if (stored === null || before === undefined) found.push(`${id} was promised and is not there`);
    else {
      const { title, fields } = stored;
      const differs = difference({ ...before, title, fields }, before);
      if (differs !== null) found.push(`${id} did not begin as its parent was: ${differs}`);
    }
  }
  return found.map((what) => ({ rule: "forks have their children", what }));
}

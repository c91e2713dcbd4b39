/** Readers, links, files, forks, trims, jobs and purges: each against the log. */
import { named } from "../analysis.ts";
import { difference } from "../fold.ts";
import {
  canonical,
  type FilePut,
  type History,
  type LoggedCommit,
  type Operation,
} from "../history.ts";
import { operationOf } from "../operations.ts";
import { law, type Law } from "./law.ts";

const eventsOf = (commits: readonly LoggedCommit[], type: string) =>
  commits.flatMap(({ events }, index) =>
    events.filter((event) => event.type === type).map((event) => ({ ...event, index })),
  );

export const CONTENT_LAWS: readonly Law[] = [
  law("readers see the log", ["E-7", "N-2", "N-9"], ({ commits, streams, job }) => {
    const log = commits.flatMap(({ events }) => events);
    const lines = new Map(log.map((event) => [event.seq, canonical(event)]));
    const wrong = streams.flatMap(({ id, after, events }) => {
      for (const [index, event] of events.entries()) {
        const expected = after + 1 + index;
        if (event.seq !== expected) return [`${id} was given ${event.seq} where ${expected} comes`];
        if (lines.get(event.seq) !== canonical(event)) {
          return [`${id} was given another event ${event.seq} than the log has`];
        }
      }
      return [];
    });
    const numbered = jobEvents(commits);
    const odd = job?.received.find(
      ({ seq, mark }, index) => seq !== index + 1 || numbered.get(seq) !== mark,
    );
    return odd === undefined ? wrong : [...wrong, `ARCP was given ${odd.seq} as another event`];
  }),
  law("every reader reaches the end", ["N-2", "N-3"], ({ streams, commits }) => {
    const floor = trimsIn(commits).at(-1)?.floor ?? 0;
    return streams.flatMap(({ id, events, target = 0, refusal = null }) => {
      const last = events.at(-1)?.seq ?? 0;
      // It was refused because the log no longer has its next event.
      const isTrimmed = last < floor && refusal?.includes("replay_gap") === true;
      return last >= target || isTrimmed
        ? []
        : [`${id} stands at ${last} of ${target}${refusal === null ? "" : `: ${refusal}`}`];
    });
  }),
  law("job events are stored once and in order", ["Z-4"], ({ commits, job }) => {
    if (job === undefined) return [];
    const marks = [...jobEvents(commits)]
      .sort(([a], [b]) => a - b)
      .flatMap(([, mark]) => mark ?? []);
    const known = new Set([...job.acknowledged, ...job.unknown]);
    const odd = marks.filter((mark, index) => marks.indexOf(mark) !== index || !known.has(mark));
    const expected = new Set(job.acknowledged);
    const kept = marks.filter((mark) => expected.has(mark));
    return [
      ...(odd.length === 0 ? [] : [`job events ${odd.join(", ")} are doubled or unknown`]),
      ...(kept.join() === job.acknowledged.join()
        ? []
        : [
            `of ${job.acknowledged.length} job events ${kept.length} are there, or in another order`,
          ]),
    ];
  }),
  law("a link opens once", ["D-8"], ({ commits }) =>
    eventsOf(commits, "handoff.link_issued").flatMap(({ payload }) => {
      const participant = String(payload["participant"]);
      const openings = commits.filter(
        (commit) =>
          operationOf(commit) === "openLink" && `par_${commit.participant}` === participant,
      );
      return payload["singleUse"] === true && openings.length > 1
        ? [`the link of ${participant} was opened ${openings.length} times`]
        : [];
    }),
  ),
  law(
    "a refused link was used or had ended",
    ["D-10"],
    ({ operations, commits }, { states, timeline }) =>
      operations.flatMap((operation) => {
        const { name, participant, outcome, responded, clock } = operation;
        if (name !== "openLink" || outcome.kind !== "refused") return [];
        if (outcome.code === "link_unknown")
          return [`${named(operation)}: its code had been given out`];
        if (outcome.code !== "link_over") return [];
        const { from, to } = timeline.window({ invoked: operation.invoked, responded });
        const isOver = states.slice(from, to + 1).some(({ participants, state, expiresAt }) => {
          const one = participants.get(participant);
          const hasEnded = ["finalized", "rejected", "cancelled", "expired"].includes(state);
          return (
            one?.isRevoked === true || hasEnded || clock[1] >= Math.min(expiresAt, one?.until ?? 0)
          );
        });
        const isUsed = commits
          .slice(0, to + 1)
          .some((one) => one.participant === participant && operationOf(one) === "openLink");
        return isOver || isUsed ? [] : [`${named(operation)} could still be opened`];
      }),
  ),
  law("confirmed files are those that were sent", ["U-3", "U-5"], fileProblems),
  law("every fork has its child", ["B-1", "B-6"], ({ commits, children }, { states }) =>
    children.length === 0 && commits.every(({ isTrimmed }) => isTrimmed === undefined)
      ? []
      : eventsOf(commits, "session.forked").flatMap(({ payload, index }) => {
          const id = String(payload["child"]);
          const child = children.find((one) => one.id === id);
          // A fork from a checkpoint starts with what that holds.
          const before = payload["from"] === undefined ? states[index - 1] : undefined;
          if (child === undefined) return [];
          if (child.status !== null && child.status !== 200) {
            return [`${id} was given away and answers ${child.status}`];
          }
          if (child.stored === null) return [`${id} was promised and is not there`];
          if (before === undefined) return [];
          const { title, fields } = child.stored;
          const { secret: _, ...open } = before.fields;
          const differs = difference({ ...before, title, fields }, { ...before, fields: open });
          return differs === null ? [] : [`${id} did not start as its parent was: ${differs}`];
        }),
  ),
  law("a trim removes only what it may", ["Y-1"], trimProblems),
  law("a purge leaves nothing", ["X-4", "X-5"], ({ purge }) => {
    if (purge === undefined) return [];
    const { rows, files, requests } = purge;
    // A code may be unknown by then; a key that named the session finds that it was used.
    const isGone = new Set([404, 410, 422]);
    return [
      ...(rows === 0 ? [] : [`${rows} rows are left`]),
      ...(files === 0 ? [] : [`${files} files are left`]),
      ...requests
        .filter(({ status }) => !isGone.has(status))
        .map(({ what, status }) => `${what} was answered with ${status}`),
    ];
  }),
];

/** Mark of each job event, by its number. */
function jobEvents(commits: readonly LoggedCommit[]): ReadonlyMap<number, string | null> {
  const found = new Map<number, string | null>();
  for (const { payload } of commits.flatMap(({ events }) => events)) {
    if (typeof payload["eventSeq"] !== "number") continue;
    const body = payload["body"] as { readonly message?: string } | undefined;
    found.set(payload["eventSeq"], body?.message ?? null);
  }
  return found;
}

function fileProblems(
  { commits, operations, puts, files }: History,
  { owners, timeline }: Parameters<Law["check"]>[1],
): readonly string[] {
  const confirmed = eventsOf(commits, "upload.confirmed");
  const removed = new Set(
    eventsOf(commits, "upload.removed").map(({ payload }) => payload["upload"]),
  );
  const wrong = confirmed.flatMap(({ payload, index }) => {
    const [upload, sha256] = [String(payload["upload"]), String(payload["sha256"])];
    const why = sourceProblem(upload, sha256, puts, owners[index] ?? null);
    return why === null ? [] : [`${upload}: ${why}`];
  });
  const lost = files.flatMap(({ upload, sha256 }) => {
    const last = confirmed.findLast(({ payload }) => payload["upload"] === upload);
    const expected = last === undefined || removed.has(upload) ? null : last.payload["sha256"];
    return sha256 === expected
      ? []
      : [`${upload} is ${sha256} in the end, and not ${String(expected)}`];
  });
  const held = operations.flatMap((operation) => {
    const { name, args, outcome, invoked } = operation;
    if (name !== "confirmUpload" || outcome.kind !== "refused") return [];
    if (outcome.code !== "invalid_request") return [];
    const upload = `upl_${String(args["upload"])}`;
    const arrived = puts.some(
      (put) => put.upload === upload && put.outcome === "ok" && put.responded < invoked,
    );
    const { to } = timeline.window(operation);
    const isDone = confirmed.some(
      ({ payload, index }) => payload["upload"] === upload && index <= to,
    );
    return arrived && !isDone ? [`${named(operation)}: it had arrived and was not confirmed`] : [];
  });
  return [...wrong, ...lost, ...held];
}

function sourceProblem(
  upload: string,
  sha256: string,
  puts: readonly FilePut[],
  owner: Operation | null,
): string | null {
  const of = puts.filter((put) => put.upload === upload && put.outcome !== "refused");
  const requested = owner?.invoked ?? Infinity;
  const answered = owner?.outcome.kind === "ok" ? owner.responded : Infinity;
  const sources = of.filter((put) => put.sha256 === sha256 && put.invoked <= answered);
  if (sources.length === 0) return `confirmed ${sha256}, which was never sent`;
  const isReplaced = (put: FilePut): boolean =>
    of.some(
      (later) =>
        later.sha256 !== sha256 &&
        later.outcome === "ok" &&
        later.invoked > put.responded &&
        later.responded < requested,
    );
  return sources.every(isReplaced) ? `confirmed ${sha256}, which had been replaced` : null;
}

const OF_THE_SERVER =
  /^(session|fields|review|upload|handoff|token|checkpoint|stop|resume|owner|endpoint|notice|wait|proof|private)\./;

/** Index and floor of every trim that took something, in the order of the log. */
const trimsIn = (commits: readonly LoggedCommit[]) =>
  eventsOf(commits, "session.trimmed")
    .filter(({ payload }) => payload["outcome"] === "success")
    .map(({ payload }) => ({
      floor: Number(payload["floor"]),
      copy: Number((payload["checkpoint"] as { readonly seq: number }).seq),
    }));

function trimProblems({ commits }: History): readonly string[] {
  const trims = trimsIn(commits);
  const floor = trims.at(-1)?.floor ?? 0;
  const gone = commits
    .filter(({ isTrimmed }) => isTrimmed === true)
    .flatMap(({ first, last, events }) => {
      const kept = events.find(({ type }) => OF_THE_SERVER.test(type));
      if (kept !== undefined) return [`seq ${first} is gone, and held ${kept.type}`];
      return last > floor ? [`seq ${first} to ${last} is gone, and the floor is ${floor}`] : [];
    });
  const floors = trims.flatMap((trim, index) => {
    const before = trims[index - 1]?.floor ?? 0;
    return [
      ...(trim.floor <= before ? [`the floor went from ${before} to ${trim.floor}`] : []),
      ...(trim.floor > trim.copy
        ? [`the floor ${trim.floor} is above its checkpoint at ${trim.copy}`]
        : []),
    ];
  });
  return [...gone, ...floors];
}

/** Every answer: what was acknowledged is kept once, what is shown was there, and the rules say the same. */
import { named, type Analysis, type Judged } from "../analysis.ts";
import { difference, fallenBy, numberIn } from "../fold.ts";
import { canonical, type History, type LoggedEvent, type Operation } from "../history.ts";
import { isRead, rowOf } from "../operations.ts";
import { law, type Law } from "./law.ts";

const isAsPredicted = ({ actual, predicted }: Judged): boolean =>
  actual === "ok or replay"
    ? predicted.has("ok") || predicted.has("replay")
    : predicted.has(actual);

const isAccepted = ({ actual }: Judged): boolean =>
  actual === "ok" || actual === "replay" || actual === "ok or replay";

/** Accepted, although the rules say one of these codes. */
const accepted = (name: string, clauses: readonly string[], ...codes: readonly string[]): Law => ({
  name,
  clauses,
  check: (_, { answers }) =>
    answers
      .filter((one) => isAccepted(one) && !isAsPredicted(one))
      .filter(({ predicted }) => codes.length === 0 || codes.some((code) => predicted.has(code)))
      .filter(
        ({ predicted }) =>
          codes.length > 0 || ![...predicted].some((code) => NAMED_CODES.has(code)),
      )
      .map(
        ({ operation, actual, predicted }) =>
          `${named(operation)} was answered ${actual}, the rules say ${[...predicted].join(" or ")}`,
      ),
});

const NAMED_CODES = new Set([
  "token_superseded",
  "version_conflict",
  "precondition_failed",
  "token_invalid",
  "gone",
  "expired",
  "scope_denied",
]);

const shownIn = ({ outcome }: Operation) =>
  outcome.kind === "unknown" ? undefined : outcome.shown;

export const ANSWER_LAWS: readonly Law[] = [
  law("every acknowledged write is in the log", ["T-1"], (_, { lost }) => lost),
  law("every write has its own commit", ["T-5"], (_, { shared }) => shared),
  law("a write happens at most once", ["L-1"], (_, { unexplained }) => unexplained),
  law("a replay repeats the answer", ["L-1", "L-5"], ({ operations }, { owners }) =>
    operations.flatMap((operation) => {
      const { outcome } = operation;
      if (outcome.kind !== "ok" || outcome.replayed !== true) return [];
      const first = owners.find(
        (one) => one?.outcome.kind === "ok" && one.outcome.commit === outcome.commit,
      );
      if (first?.outcome.kind !== "ok" || first.outcome.issued === outcome.issued) return [];
      return [`${named(operation)} was answered otherwise than ${named(first)}`];
    }),
  ),
  accepted("a token is spent once", ["T-2", "T-7", "L-3", "L-6"], "token_superseded"),
  accepted(
    "a write is based on the current version",
    ["V-1", "V-7"],
    "version_conflict",
    "precondition_failed",
  ),
  accepted("a revoked participant is refused", ["H-9"], "token_invalid", "gone"),
  accepted("an expired session accepts nothing", ["X-1", "H-4"], "expired"),
  accepted("scopes are enforced", ["S-2", "H-2"], "scope_denied"),
  accepted("only what the rules allow is accepted", ["O-1", "S-1"]),
  law("only moving writes move the version", ["V-6"], ({ commits }, { owners, states }) =>
    commits.flatMap(({ first }, index) => {
      const owner = owners[index];
      const before = states[index - 1]?.version;
      const after = states[index]?.version;
      if (owner == null || before === undefined) return [];
      return rowOf(owner.name).moves(owner.args) === (before !== after)
        ? []
        : [`${named(owner)} at seq ${first} led from version ${before} to ${after}`];
    }),
  ),
  law("refusals are justified", ["O-1"], (history, { answers, states }) =>
    answers.flatMap((one) => {
      const { operation, actual, predicted } = one;
      if (isAccepted(one)) return [];
      if (isExplained(one)) return missedProblems(history, states, operation);
      const rules = [...predicted].join(" or ");
      return [`${named(operation)} was refused as ${actual}, the rules say ${rules}`];
    }),
  ),
  law("no response shows a torn state", ["G-1"], ({ operations }, { states }) =>
    operations.flatMap((operation) => {
      const shown = shownIn(operation);
      if (shown === undefined) return [];
      const folded = states.find(({ head }) => head === shown.head);
      if (folded === undefined) {
        return [`${named(operation)} was shown head ${shown.head}, at which no commit ends`];
      }
      const differs = difference(shown, folded);
      return differs === null
        ? []
        : [`${named(operation)} was shown at head ${shown.head} that ${differs}`];
    }),
  ),
  law("no read is stale", ["G-1"], ({ operations }, { states, timeline }) =>
    operations.flatMap((operation) => {
      const shown = shownIn(operation);
      const index = states.findIndex(({ head }) => head === shown?.head);
      const { from, to } = timeline.window(operation);
      if (shown === undefined || index < 0 || (index >= from && index <= to)) return [];
      const why = index < from ? `when ${states[from]?.head} was known` : "before it was requested";
      return [`${named(operation)} was shown head ${shown.head}, ${why}`];
    }),
  ),
  law("an answer shows what it wrote", ["T-1"], ({ operations }, { owners, states }) =>
    operations.flatMap((operation) => {
      const { outcome } = operation;
      const isWrite =
        outcome.kind === "ok" && outcome.replayed === false && !isRead(operation.name);
      const own = states[owners.indexOf(operation)]?.head;
      if (!isWrite || outcome.shown === undefined || own === undefined) return [];
      return outcome.shown.head === own
        ? []
        : [`${named(operation)} was shown head ${outcome.shown.head}, which is not its own`];
    }),
  ),
  law("the log has the order of real time", ["E-1"], (_, { timeline, owners }) =>
    timeline.disorder().map(([earlier, later]) => {
      const [one, other] = [owners[earlier], owners[later]];
      return `${one && named(one)} was answered before ${other && named(other)} was sent, and comes after it`;
    }),
  ),
  law(
    "a revocation reaches every descendant",
    ["H-6", "H-7", "H-8"],
    ({ commits }, { owners, states }) =>
      commits.flatMap(({ events }, index) => {
        const owner = owners[index];
        const before = states[index - 1];
        const event = events.find(({ type }) => type === "handoff.revoked");
        const target = owner?.args["target"] ?? owner?.args["participant"];
        if (owner == null || before === undefined || event === undefined || target === undefined) {
          return [];
        }
        const expected = fallenBy(
          before.participants,
          target as number | "others",
          owner.participant,
        );
        const actual = new Set((event.payload["participants"] as string[]).map(numberIn));
        const isSame = canonical([...expected].sort()) === canonical([...actual].sort());
        return isSame
          ? []
          : [`${named(owner)} revoked ${[...actual].join()} and not ${[...expected].join()}`];
      }),
  ),
];

/** Codes that depend on bytes or on a disk, for the operations that touch them. */
const EXPLAINED: Readonly<Record<string, readonly string[]>> = {
  // Not arrived yet, or confirmed already: laws of files judge it.
  confirmUpload: ["invalid_request"],
  // A copy that could not be written and read back is refused so, and nothing of it is kept.
  checkpoint: ["checkpoint_corrupt"],
  restore: ["checkpoint_corrupt"],
  trim: ["checkpoint_corrupt"],
  fork: ["checkpoint_corrupt"],
};

const isExplained = (one: Judged): boolean =>
  isAsPredicted(one) ||
  (EXPLAINED[one.operation.name]?.includes(one.actual) === true && one.predicted.has("ok"));

/** The missed events are those of the log right after what the participant had seen. */
function missedProblems(
  { commits }: History,
  states: Analysis["states"],
  operation: Operation,
): readonly string[] {
  const { outcome, ifMatch, args } = operation;
  if (outcome.kind !== "refused" || outcome.missed === undefined) return [];
  const state = states.find(({ head }) => head === outcome.shown?.head);
  const seen = state?.participants.get(operation.participant)?.seen ?? 0;
  const expected = args["expectedHead"] as number | undefined;
  const base =
    outcome.code === "precondition_failed" ? (ifMatch ?? 0) : (expected ?? ifMatch ?? seen);
  const log = new Map<number, LoggedEvent>();
  for (const event of commits.flatMap(({ events }) => events)) log.set(event.seq, event);
  const { missed } = outcome;
  for (const [index, event] of missed.entries()) {
    if (event.seq !== base + 1 + index || canonical(event) !== canonical(log.get(event.seq))) {
      return [
        `${named(operation)}: missed event ${index + 1} is ${event.seq}, or is not the log's`,
      ];
    }
  }
  const isGap = base < (state?.floor ?? 0);
  const isDue = outcome.code === "version_conflict" && state !== undefined && base < state.head;
  return isDue && !isGap && missed.length === 0
    ? [`${named(operation)} was not shown what it missed after ${base}`]
    : [];
}

/**
 * Is a history one that a correct server could have made? Complete for strict optimistic concurrency:
 * the log gives the one order of writes, so what is left is to see that it fits everything that
 * anybody was told. Pure; knows none of the product's code.
 */
import { checkAnswers } from "./answers.ts";
import { assign } from "./assign.ts";
import type { SessionHistory, Violation } from "./history.ts";
import { followLines } from "./lines.ts";
import { checkLog } from "./log.ts";
import { foldAll } from "./plain-fold.ts";
import { checkChildren, checkFiles } from "./beside.ts";
import { checkLinks } from "./links.ts";
import { checkRevoked } from "./revoked.ts";
import { checkStreams } from "./streams.ts";
import { checkTrims } from "./trims.ts";
import { Timeline } from "./timeline.ts";

export function check(history: SessionHistory): readonly Violation[] {
  const { commits, streams } = history;
  const { states, problems } = foldAll(commits);
  const { owners, violations } = assign(history);
  const lines = followLines(commits, owners, states);
  const timeline = new Timeline(owners);
  return [
    ...checkLog(history, states),
    ...problems.map((what) => ({ rule: "fold is the state", what })),
    ...violations,
    ...lines.violations,
    ...timeline.check(),
    ...checkAnswers({ history, states, owners, lines, timeline }),
    ...checkRevoked(history, owners, states),
    ...checkLinks(commits),
    ...checkTrims(commits),
    ...checkFiles(history, owners),
    ...checkChildren(history, states),
    ...checkStreams(commits, streams),
  ];
}

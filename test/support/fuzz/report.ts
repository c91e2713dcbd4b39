/** The figures of a run as a Markdown table, for the terminal and for the documents. */
import type { FuzzOutcome } from "./run.ts";

export function report({
  requests,
  tally,
  operations,
  tools,
  compared,
  faults,
}: FuzzOutcome): string {
  const statuses = [...new Set([...tally.values()].flatMap((row) => [...row.keys()]))].toSorted();
  const rows = [...tally].map(([surface, row]) => {
    const all = [...row.values()].reduce((sum, count) => sum + count, 0);
    return `| ${surface} | ${all} | ${statuses
      .filter((status) => row.has(status))
      .map((status) => `${status}: ${row.get(status)}`)
      .join(", ")} |`;
  });
  return [
    `${requests} requests and frames to ${operations.size} operations and ${tools.size} tools; ${compared} batches of refused ones, after each of which the session was what it had been; ${faults.length} faults.`,
    "",
    "| surface | sent | answers |",
    "| --- | --- | --- |",
    ...rows,
  ].join("\n");
}

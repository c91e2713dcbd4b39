/** What a request wrote, if the driver can see it. */
import { named } from "../analysis.ts";
import type { Operation } from "../history.ts";
import { isRead, rowOf } from "../operations.ts";
import { law, type Law } from "./law.ts";

const isWrite = ({ name, outcome }: Operation): boolean =>
  outcome.kind === "ok" && outcome.replayed === false && !isRead(name);

export const STORAGE_LAWS: readonly Law[] = [
  law("refusals, reads and replays write nothing", ["T-4", "G-2", "L-1"], ({ operations }) =>
    operations
      .filter((one) => !isWrite(one) && one.outcome.kind !== "unknown")
      .filter(({ observed }) => observed?.changedStorage === true)
      .map((one) => `${named(one)} changed what is stored`),
  ),
  law("an accepted write is stored", ["T-1"], ({ operations }) =>
    operations
      .filter((one) => isWrite(one) && one.observed?.changedStorage === false)
      .map((one) => `${named(one)} was accepted and changed nothing that is stored`),
  ),
  law("a write stays in its budget of rows", ["E-3"], ({ operations }) =>
    operations.flatMap((one) => {
      const { rows } = rowOf(one.name);
      const budget = isWrite(one) && one.name !== "purge" ? rows : 0;
      const written = one.observed?.rowsWritten ?? 0;
      return one.name === "purge" || written <= budget
        ? []
        : [`${named(one)} wrote ${written} rows of at most ${budget}`];
    }),
  ),
];

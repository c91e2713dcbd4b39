/**
 * Bugs of different kinds, each a change of one place in the source. They show that the laws find what they
 * are there for. The source is patched while it is bundled, never on disk.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FaultName } from "./plan.ts";

const ROOT = join(import.meta.dirname, "../../..");

export interface PlantedBug {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** The faults that can show it, so that they strike often. A bug without them shows in memory. */
  readonly faults?: readonly FaultName[];
  /** It shows around a session, not in it: observers look for it. */
  readonly isObserved?: true;
  /** One of the laws that it breaks. */
  readonly law: string;
}

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: "lost commit",
    file: "src/object/commit.ts",
    find: "store.insertCommit(record);",
    replace:
      "if (record.append === undefined || record.commit.first % 7 !== 0) store.insertCommit(record);",
    law: "every acknowledged write is in the log",
  },
  {
    name: "doubled effect",
    file: "src/object/events.ts",
    find: `tokenStatus === "fenced" ? null : find(`,
    replace: `tokenStatus !== "newest" ? null : find(`,
    law: "a write happens at most once",
  },
  {
    name: "wrong gate",
    file: "src/domain/session/operation.ts",
    find: `extend: spendsToken("own")`,
    replace: `extend: spendsToken("fill")`,
    law: "scopes are enforced",
  },
  {
    name: "wrong order of checks",
    file: "src/domain/participants/admission.ts",
    find: `versionProblem(session, participant, attempt) ??
    transitionProblem(session, attempt.operation);`,
    replace: `transitionProblem(session, attempt.operation) ??
    versionProblem(session, participant, attempt);`,
    law: "refusals are justified",
  },
  {
    name: "stale token accepted",
    file: "src/domain/participants/admission.ts",
    find: `consumes ? tokenStatus !== "newest" : tokenStatus === "fenced"`,
    replace: `consumes ? tokenStatus === "fenced" : tokenStatus === "fenced"`,
    law: "a token is spent once",
  },
  {
    name: "missing event",
    file: "src/domain/participants/participant-rules.ts",
    find: "events: [summary, ...tokens]",
    replace: "events: [summary]",
    law: "a commit has every event that it should",
  },
  {
    name: "wrong row count",
    file: "src/object/commit.ts",
    find: "if (loaded !== null)\n      store.update(",
    replace: `if (loaded === null) store.update(store.load() as LoadedSession, rowCapacity("server", "nothing"));
    if (loaded !== null) store.update(`,
    law: "a write stays in its budget of rows",
  },
  {
    name: "time zone",
    file: "src/domain/session/lifecycle.ts",
    find: "expiresAt: new Date(now + command.ttlMs).toISOString(),",
    replace: `expiresAt: new Date(now + command.ttlMs).toISOString().replace("Z", "-01:00"),`,
    law: "a write has its effect",
  },
  {
    name: "torn commit",
    file: "src/object/commit.ts",
    find: "store.transaction(storeAll);",
    replace: "store.withCacheReset(storeAll);",
    faults: ["statement fails"],
    law: "a write happens at most once",
  },
  {
    name: "lost webhook",
    file: "src/domain/notices/delivery.ts",
    find: "status !== undefined && status >= 200 && status < 300;",
    replace: "status !== undefined && status >= 200 && status < 600;",
    faults: ["evict"],
    isObserved: true,
    law: "a delivery that is listed as delivered was accepted",
  },
  {
    name: "purge that leaves rows",
    file: "src/object/alarm-scheduler.ts",
    find: "const deletion = this.#dependencies.storage.deleteAll();",
    replace: "const deletion = Promise.resolve();",
    faults: ["evict"],
    law: "a purge leaves nothing",
  },
];

/** The patched sources of a bug, by path. */
export function patchesOf(name: string): Readonly<Record<string, string>> {
  const bug = PLANTED_BUGS.find((one) => one.name === name);
  if (bug === undefined) throw new Error(`there is no planted bug ${name}`);
  const path = join(ROOT, bug.file);
  const parts = readFileSync(path, "utf8").split(bug.find);
  if (parts.length !== 2) throw new Error(`${bug.file} has no single place for ${name}`);
  return { [path]: parts.join(bug.replace) };
}

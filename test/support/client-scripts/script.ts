/** A script for clients as data: what is done, what goes wrong on the way, and what must be seen. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * What happens to one request: it passes; it is lost before or after the server saw it; its answer is
 * reset, cut in half or late; somebody between answers instead; or the client is killed with -9 before
 * or after the server saw it. A number cuts a stream after so many bytes.
 */
export type Fault =
  | "pass"
  | "dropBefore"
  | "dropAfter"
  | "reset"
  | "truncate"
  | "delay"
  | "busyProxy"
  | "killBefore"
  | "killAfter"
  | number;

export interface Step {
  /** Each client is a process of its own; all share one folder of saved sessions. */
  readonly client?: string;
  readonly do: string;
  /** For the requests of this step, in turn; the rest pass. */
  readonly faults?: readonly Fault[];
  /** Members that the outcome must have. Absent where the client is killed. */
  readonly expect?: unknown;
  /** Names for parts of the outcome, used later as "$name". */
  readonly save?: Readonly<Record<string, string>>;
  readonly [argument: string]: unknown;
}

export interface ClientScript {
  readonly file: string;
  readonly title: string;
  /** A list inside the list is done by its clients at the same time. */
  readonly steps: readonly (Step | readonly Step[])[];
  /** By the name under which a session is saved: its whole log, each entry by its members. */
  readonly logs: Readonly<Record<string, readonly unknown[]>>;
}

const FOLDER = join(import.meta.dirname, "../../client-scripts");

export const clientScripts = (): readonly ClientScript[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => ({
      file,
      ...(JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Omit<ClientScript, "file">),
    }));

/** A client script as data: its steps, the network faults, and the expected outcomes. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * What happens to one request: it passes; it is lost before or after the server received it; its answer
 * is reset, cut in half or late; a proxy answers instead; or the client is killed with -9 before or
 * after the server received it. A number cuts a stream after that many bytes.
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
  /** Each client is a separate process. All share one folder of saved sessions. */
  readonly client?: string;
  readonly do: string;
  /** Faults for the requests of this step, in order. Further requests pass. */
  readonly faults?: readonly Fault[];
  /** Members that the outcome must have. Absent if the client is killed. */
  readonly expect?: unknown;
  /** Names for parts of the outcome, used later as "$name". */
  readonly save?: Readonly<Record<string, string>>;
  readonly [argument: string]: unknown;
}

export interface ClientScript {
  readonly file: string;
  readonly title: string;
  /** The steps of a nested list run concurrently. */
  readonly steps: readonly (Step | readonly Step[])[];
  /** Expected logs by the name under which a session is saved, each entry by its members. */
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

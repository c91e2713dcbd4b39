/**
 * The definition of a command: its texts for people, its options for the parser, and its function.
 */
import type { Baton, Session } from "../client/index";
import type { Home } from "./home";
import type { Paint } from "./paint";

export interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
  readonly multiple?: true;
  /** The placeholder for its value in the help. */
  readonly value?: string;
  readonly help: string;
}

/** An option with a value; `value` is its placeholder in the help. */
export const textOption = (value: string, help: string): Option => ({
  type: "string",
  value,
  help,
});
/** The same, but it can be repeated. */
export const listOption = (value: string, help: string): Option => ({
  ...textOption(value, help),
  multiple: true,
});
export const flag = (help: string): Option => ({ type: "boolean", help });

export type OptionValue = string | boolean | readonly string[] | undefined;

/** The output of a command: a value for programs, and text for people. */
export interface CommandOutput {
  readonly json: unknown;
  readonly text: string;
  /** Not 0 if the answer itself is negative. */
  readonly exitCode?: number;
}

/** The output of a command that succeeded: a coloured word and the text after it. */
export const successOutput = (
  { paint }: Pick<Context, "paint">,
  word: string,
  rest: string,
  json: unknown,
): CommandOutput => ({ json, text: paint.good(word) + rest });

export interface Context extends ReturnType<typeof readOptions> {
  readonly args: readonly string[];
  /** The arguments after `--`. */
  readonly rest: readonly string[];
  readonly options: Readonly<Record<string, OptionValue>>;
  readonly isJson: boolean;
  readonly paint: Paint;
  readonly home: Home;
  readonly signal: AbortSignal;
  baton(): Promise<Baton>;
  /** The session named by --session, otherwise the current one. */
  session(): Promise<Session>;
  /** Writes to standard output, for long-running commands. */
  write(text: string): void;
  /** Writes to standard error: messages about the work, not its result. */
  note(text: string): void;
}

export const GROUPS = [
  "Sessions",
  "Work",
  "Review",
  "Participants",
  "Automation",
  "Evidence",
  "Owners",
  "This machine",
] as const;

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Default: its name. */
  readonly usage?: string;
  readonly example: string;
  readonly options?: Readonly<Record<string, Option>>;
  /** The number of arguments; default: none. */
  readonly arity?: readonly [min: number, max: number];
  run(context: Context): Promise<CommandOutput | null>;
}

/** A command with its group in the help. */
export interface ListedCommand extends Command {
  readonly group: (typeof GROUPS)[number];
}

/** The command line is invalid. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export function readLabel(text: string): { readonly name: string; readonly value: string } {
  const colon = text.indexOf(":");
  if (colon < 1) throw new UsageError("--label takes name:value.");
  return { name: text.slice(0, colon), value: text.slice(colon + 1) };
}

export const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `90s`, `15m`, `12h`, `7d`, or milliseconds. */
export function readDuration(text: string, option: string): number {
  const [, amount = "", unit = "ms"] = /^(\d{1,9})(ms|s|m|h|d)?$/.exec(text) ?? [];
  if (amount === "") {
    throw new UsageError(
      `--${option} takes a duration such as 90s, 15m, 12h or 7d, not "${text}".`,
    );
  }
  return Number(amount) * UNITS[unit as keyof typeof UNITS];
}

/** Typed access to the options of a command. */
export function readOptions(options: Readonly<Record<string, OptionValue>>) {
  const text = (name: string): string | undefined => {
    const value = options[name];
    return typeof value === "string" ? value : undefined;
  };
  return {
    text,
    has: (name: string): boolean => options[name] === true,
    list(name: string): readonly string[] {
      const value = options[name];
      return Array.isArray(value) ? (value as readonly string[]) : [];
    },
    number(name: string): number | undefined {
      const value = text(name);
      if (value === undefined) return undefined;
      if (/^\d{1,15}$/.test(value)) return Number(value);
      throw new UsageError(`--${name} takes a whole number, not "${value}".`);
    },
    duration(name: string): number | undefined {
      const value = text(name);
      return value === undefined ? undefined : readDuration(value, name);
    },
  };
}

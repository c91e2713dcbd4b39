/** What a command is: its words for people, its options for the parser, and what it does. */
import type { Baton, Session } from "../client/index";
import type { Home } from "./home";
import type { Paint } from "./paint";

export interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
  readonly multiple?: true;
  /** What stands for its value in the help. */
  readonly value?: string;
  readonly help: string;
}

/** An option with a value; `value` stands for it in the help. */
export const textOption = (value: string, help: string): Option => ({
  type: "string",
  value,
  help,
});
/** The same, as often as one likes. */
export const listOption = (value: string, help: string): Option => ({
  ...textOption(value, help),
  multiple: true,
});
export const flag = (help: string): Option => ({ type: "boolean", help });

export type OptionValue = string | boolean | readonly string[] | undefined;

/** What is shown: a value for machines, and text for people. */
export interface CommandOutput {
  readonly json: unknown;
  readonly text: string;
  /** Other than 0 where the answer itself is a no. */
  readonly exitCode?: number;
}

/** That it was done: the word for it in colour, and what follows it. */
export const successOutput = (
  { paint }: Pick<Context, "paint">,
  word: string,
  rest: string,
  json: unknown,
): CommandOutput => ({ json, text: paint.good(word) + rest });

export interface Context extends ReturnType<typeof readOptions> {
  readonly args: readonly string[];
  /** What stands after `--`. */
  readonly rest: readonly string[];
  readonly options: Readonly<Record<string, OptionValue>>;
  readonly isJson: boolean;
  readonly paint: Paint;
  readonly home: Home;
  readonly signal: AbortSignal;
  baton(): Promise<Baton>;
  /** The session that is meant: by --session, else the current one. */
  session(): Promise<Session>;
  /** Writes to standard output, for commands that go on for a while. */
  write(text: string): void;
  /** Writes to standard error: what is said about the work, not the work. */
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
  /** How many arguments it takes; default: none. */
  readonly arity?: readonly [min: number, max: number];
  run(context: Context): Promise<CommandOutput | null>;
}

/** A command in the group that the help shows it in. */
export interface ListedCommand extends Command {
  readonly group: (typeof GROUPS)[number];
}

/** The command line itself is wrong. */
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

/** The options of a command, as its words for them are read. */
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

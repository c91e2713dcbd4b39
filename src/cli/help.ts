/** The help, generated from the list of commands. */
import { GROUPS, type Command, type ListedCommand, type Option } from "./command";
import { GLOBAL_OPTIONS } from "./global-options";
import { formatPairs, wrap, type Paint } from "./paint";

export function helpFor(commands: readonly ListedCommand[], paint: Paint): string {
  const groups = GROUPS.map((group) => {
    const rows = commands.filter((command) => command.group === group);
    return `${paint.bold(group)}\n${formatPairs(
      rows.map(({ name, summary }) => [name, summary] as const),
      paint,
    )}`;
  });
  return [
    wrap(
      "baton keeps a piece of work alive between the agents and people who work on it.",
      paint.width,
    ),
    `${paint.bold("Usage")}\n  baton <command> [options]`,
    ...groups,
    `${paint.bold("Global options")}\n${optionRows(GLOBAL_OPTIONS, paint)}`,
    `${paint.bold("For example")}\n  baton create --title "Visa form"\n  baton set name=Ada\n  baton tail -f\n  baton run -- my-agent`,
    wrap(
      "baton <command> --help explains a command. Exit codes are listed in docs/cli.md.",
      paint.width,
    ),
  ].join("\n\n");
}

export function helpForCommand(
  { name, usage = name, summary, options = {}, example }: Command,
  paint: Paint,
): string {
  const commandOptions =
    Object.keys(options).length === 0
      ? []
      : [`${paint.bold("Options")}\n${optionRows(options, paint)}`];
  return [
    wrap(`baton ${usage}`, paint.width, "  "),
    wrap(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`, paint.width),
    ...commandOptions,
    `${paint.bold("Global options")}\n${optionRows(GLOBAL_OPTIONS, paint)}`,
    `${paint.bold("For example")}\n  ${example}`,
  ].join("\n\n");
}

const optionRows = (options: Readonly<Record<string, Option>>, paint: Paint): string =>
  formatPairs(
    Object.entries(options).map(([name, { short, value, help }]) => {
      const syntax = `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
      return [syntax, help] as const;
    }),
    paint,
  );

/** Completion scripts, generated from the list of commands, so that they are always complete. */
import { GLOBAL_OPTIONS } from "./global-options";
import type { Command } from "./command";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

const optionsOf = ({ options = {} }: Command): readonly string[] =>
  Object.keys({ ...options, ...GLOBAL_OPTIONS }).map((name) => `--${name}`);

export function completionFor(shell: Shell, commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const cases = commands
    .map((command) => `    ${command.name}) opts="${optionsOf(command).join(" ")}" ;;`)
    .join("\n");
  if (shell === "bash") {
    return `_baton() {
  local opts=""
  case "\${COMP_WORDS[1]}" in
${cases}
  esac
  [ "$COMP_CWORD" -eq 1 ] && opts="${names}"
  COMPREPLY=($(compgen -W "$opts" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _baton baton`;
  }
  if (shell === "zsh") {
    const described = commands
      .map(({ name, summary }) => `    '${name}:${sanitizeSummary(summary)}'`)
      .join("\n");
    return `#compdef baton
_baton() {
  local opts=""
  if (( CURRENT == 2 )); then
    local -a commands=(
${described}
    )
    _describe command commands
    return
  fi
  case "$words[2]" in
${cases}
  esac
  compadd -- \${=opts}
}
compdef _baton baton`;
  }
  return commands
    .flatMap((command) => [
      `complete -c baton -n __fish_use_subcommand -f -a ${command.name} -d '${sanitizeSummary(command.summary)}'`,
      ...optionsOf(command).map(
        (option) =>
          `complete -c baton -n '__fish_seen_subcommand_from ${command.name}' -l ${option.slice(2)}`,
      ),
    ])
    .join("\n");
}

const sanitizeSummary = (text: string): string => text.replaceAll("'", "").replaceAll(":", "");

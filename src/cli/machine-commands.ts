/** Commands for local state, and shell completion. */
import { completionFor, SHELLS, type Shell } from "./completion";
import { textOption, UsageError, type Command } from "./command";
import { forget } from "./lifetime-commands";
import { SETTINGS, type SettingName } from "./home";
import { formatPairs, printable } from "./paint";
import { paintState } from "./views";

export const machineCommands = (commands: () => readonly Command[]): readonly Command[] => [
  {
    name: "sessions",
    summary: "list the sessions saved on this machine",
    usage: "sessions [--forget <name>]",
    example: "baton sessions",
    options: {
      forget: textOption("<name>", "remove it from this machine; the session itself stays"),
    },
    async run(context) {
      const { home, paint } = context;
      const removed = context.text("forget");
      if (removed !== undefined) return forget(context, removed);
      const { current = null } = await home.settings();
      const successions = await Promise.all(
        (await home.store.list()).map((name) => home.successionOf(name)),
      );
      // A session that continues in another is listed once, under its local name.
      const successors = new Set(
        successions.flatMap((succession) => succession.slice(1).map(({ name }) => name)),
      );
      const sessions = successions.flatMap((succession) => {
        const [first, last] = [succession[0], succession.at(-1)];
        if (first === undefined || last === undefined || successors.has(first.name)) return [];
        const { name, saved } = first;
        const { sessionId, title, state, url, pending } = last.saved;
        const flags = { isPending: pending !== null, isCurrent: name === current };
        return { name, sessionId, title, state, url, successor: saved.successor, ...flags };
      });
      const rows = sessions.map(({ name, title, state, isPending, isCurrent }) => {
        const flags = [
          isCurrent ? paint.good("current") : "",
          isPending ? paint.warn("unfinished request") : "",
        ];
        const parts = [paintState(state ?? "unknown", paint), printable(title ?? ""), ...flags];
        return [name, parts.filter((part) => part !== "").join("  ")] as const;
      });
      const text =
        rows.length === 0 ? "No sessions yet. Create one: baton create" : formatPairs(rows, paint);
      return { json: { sessions }, text };
    },
  },
  {
    name: "config",
    summary: "show settings, or set one: url, current",
    usage: "config [<setting> [<value>]]",
    example: "baton config url https://baton.example.com",
    arity: [0, 2],
    async run({ home, args, paint }) {
      const [name, value] = args;
      if (name !== undefined && !SETTINGS.includes(name as SettingName)) {
        throw new UsageError(
          `There is no setting "${name}". The settings are: ${SETTINGS.join(", ")}.`,
        );
      }
      if (name !== undefined && value !== undefined) {
        await home.changeSettings({ [name]: value === "" ? undefined : value });
      }
      const settings = await home.settings();
      const shown = name === undefined ? settings : { [name]: settings[name as SettingName] };
      const rows = Object.entries(shown).map(([key, text]) => [key, text ?? "(not set)"] as const);
      const folderRow = name === undefined ? [["folder", home.folder] as const] : [];
      return {
        json: { folder: home.folder, settings },
        text: formatPairs([...rows, ...folderRow], paint),
      };
    },
  },
  {
    name: "completion",
    summary: "print a completion script for your shell",
    usage: `completion ${SHELLS.join(" | ")}`,
    example: 'eval "$(baton completion bash)"',
    arity: [1, 1],
    async run({ args }) {
      const [shell = ""] = args;
      if (!SHELLS.includes(shell as Shell)) {
        throw new UsageError(`There is no completion for "${shell}". Use ${SHELLS.join(", ")}.`);
      }
      const script = completionFor(shell as Shell, commands());
      return { json: { script }, text: script };
    },
  },
];

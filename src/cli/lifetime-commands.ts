/**
 * Commands for the lifetime of a session, for its content, and for removing it from this machine.
 */
import { writeFileSync } from "node:fs";
import { omitUndefined } from "../domain/result";
import { unwrap } from "../client/index";
import { successOutput, flag, readDuration, textOption, UsageError } from "./command";
import type { Command, Context, CommandOutput } from "./command";

/** Accepts a name or an id. */
export async function forget(context: Context, nameOrId: string): Promise<CommandOutput> {
  const name = await context.home.forget(nameOrId);
  return successOutput(context, "Forgotten", `: ${name}`, { forgotten: name });
}

export const lifetimeCommands: readonly Command[] = [
  {
    name: "extend",
    summary: "change when the session expires",
    usage: "extend <time>",
    example: "baton extend 7d",
    arity: [1, 1],
    async run(context) {
      const ttlMs = readDuration(context.args[0] ?? "", "extend");
      const session = await context.session();
      const { expiresAt } = await session.extend(ttlMs, { signal: context.signal });
      return successOutput(context, "Extended", `: ends ${expiresAt}`, {
        name: session.name,
        expiresAt,
      });
    },
  },
  {
    name: "purge",
    summary: "delete the session permanently, with its log and files",
    usage: "purge --yes",
    example: "baton purge --session visa --yes",
    options: { yes: flag("confirm; this cannot be undone") },
    async run(context) {
      if (!context.has("yes")) {
        throw new UsageError("A purge cannot be undone. Add --yes to confirm.");
      }
      const session = await context.session();
      const { id, name } = session;
      const certificate = await session.purge({ signal: context.signal });
      return successOutput(context, "Purged", `: ${id}`, { purged: id, name, certificate });
    },
  },
];

export const contentCommands: readonly Command[] = [
  {
    name: "request-input",
    summary: "ask for input, and for which fields",
    usage: "request-input [<field> …]",
    example: 'baton request-input date --note "Which day?"',
    arity: [0, 100],
    options: { note: textOption("<text>", "describe what you need") },
    async run(context) {
      const session = await context.session();
      const fields = context.args.length === 0 ? undefined : [...context.args];
      const input = omitUndefined({ fields, note: context.text("note") });
      const updated = unwrap(await session.requestInput(input, { signal: context.signal })).session;
      const json = { name: session.name, session: updated };
      return successOutput(
        context,
        "Asked",
        `: ${updated.state}, version ${updated.version}`,
        json,
      );
    },
  },
  {
    name: "download",
    summary: "download a file of the session and check its hash",
    usage: "download <upload> --to <file>",
    example: "baton download upl_1 --to scan.pdf",
    arity: [1, 1],
    options: { to: textOption("<file>", "the file to write") },
    async run(context) {
      const to = context.text("to");
      if (to === undefined) throw new UsageError("Set the file to write: --to <file>.");
      const upload = context.args[0] ?? "";
      const session = await context.session();
      const bytes = await session.download(upload, { signal: context.signal });
      writeFileSync(to, bytes);
      const json = { upload, file: to, size: bytes.length };
      return successOutput(context, "Downloaded", `: ${to}, ${bytes.length} bytes`, json);
    },
  },
];

export const forgetCommand: Command = {
  name: "forget",
  summary: "remove a session from this machine; the session itself stays",
  usage: "forget <name or id>",
  example: "baton forget visa",
  arity: [1, 1],
  run: (context) => forget(context, context.args[0] ?? ""),
};

/**
 * `baton claude-hook`: a hook of Claude Code that lets a person decide through a link. Claude Code
 * reads its standard output, so that is JSON with and without --json; everything else goes to
 * standard error.
 */
import { spawn } from "node:child_process";
import { text as readAll } from "node:stream/consumers";
import { undecidedOutput } from "../adapters/claude/hook";
import { permissionHook, type HookInput, type InquiryLink } from "../adapters/claude/index";
import { flag, listOption, textOption, UsageError, type Command, type Context } from "./command";
import { omitUndefined } from "../domain/result";
import { failureOf } from "./exit-codes";

function parseHookInput(text: string): HookInput {
  try {
    const input = JSON.parse(text) as HookInput;
    if (typeof input?.session_id === "string" && typeof input.hook_event_name === "string") {
      return input;
    }
  } catch {
    // Reported below.
  }
  throw new UsageError("Standard input is not the JSON that Claude Code gives its hooks.");
}

/**
 * The command reads the link from its environment, because every user of the machine can read
 * arguments.
 */
function runNotifyCommand(
  command: string,
  { url, title }: InquiryLink,
  note: Context["note"],
): void {
  const env = { ...process.env, BATON_LINK: url, BATON_TITLE: title };
  const child = spawn("/bin/sh", ["-c", command], { env, stdio: ["ignore", "ignore", "inherit"] });
  child.unref();
  child.once("error", (error) => note(`--tell could not be run: ${error.message}\n`));
}

export const claudeHookCommand: Command = {
  name: "claude-hook",
  summary: "a hook for Claude Code: a person allows or denies a tool call by a link",
  example: "baton claude-hook --notify end_… --timeout 9m",
  options: {
    defer: flag("PreToolUse only: return defer at once instead of waiting"),
    timeout: textOption("<duration>", "how long to wait; default 9m"),
    ttl: textOption("<duration>", "how long the link works; default 24h"),
    notify: listOption("<endpoint>", "send the link to this endpoint of the owner"),
    tell: textOption("<command>", "run this command, with the link in $BATON_LINK"),
  },
  async run(context) {
    const input = parseHookInput(await readAll(process.stdin));
    const command = context.text("tell");
    // Claude Code ends a hook after ten minutes; this one ends earlier by itself.
    const timeoutMs = context.duration("timeout") ?? 9 * 60_000;
    const onLink = (link: InquiryLink): void => {
      context.note(`${link.title}\nA person decides here: ${link.url}\nSaved as ${link.name}\n`);
      if (command !== undefined) runNotifyCommand(command, link, context.note);
    };
    try {
      const hook = permissionHook({
        baton: await context.baton(),
        defer: context.has("defer"),
        timeoutMs,
        notify: context.list("notify"),
        onLink,
        ...omitUndefined({ ttlMs: context.duration("ttl") }),
      });
      const output = await hook(input, undefined, { signal: context.signal });
      return { json: output, text: JSON.stringify(output) };
    } catch (error) {
      // Any other exit status would let the tool run as if there was no hook.
      if (input.hook_event_name !== "PreToolUse" || error instanceof UsageError) throw error;
      const { what, why } = failureOf(error, claudeHookCommand);
      context.note(`${what}: ${why}\n`);
      const output = undecidedOutput(input.hook_event_name, `because Baton failed (${what})`);
      return { json: output, text: JSON.stringify(output) };
    }
  },
};

#!/usr/bin/env node
/** `baton`: parses the command line, runs the command, and prints its output or error. */
import { parseArgs } from "node:util";
import { Baton, StoreError, type Session } from "../client/index";
import { readOptions, UsageError, type Command, type Context, type OptionValue } from "./command";
import { COMMANDS } from "./commands";
import { EXIT, failureOf } from "./exit-codes";
import { GLOBAL_OPTIONS } from "./global-options";
import { helpFor, helpForCommand } from "./help";
import { Home } from "./home";
import { keyFor } from "./machine-keys";
import { paintFor, toJsonLine, toTerminal } from "./paint";
import { VERSION } from "../version";

const DEFAULT_URL = "http://localhost:8787";
/** A person is waiting, so an unreachable server is reported after two seconds, not two minutes. */
const RETRY = { attempts: 4 };

const out = paintFor(process.stdout, process.env);
const err = paintFor(process.stderr, process.env);
const interrupted = new AbortController();

async function main(argv: readonly string[]): Promise<number> {
  const separator = argv.indexOf("--");
  const [commandArgs, rest] =
    separator < 0 ? [argv, []] : [argv.slice(0, separator), argv.slice(separator + 1)];
  const isJson = commandArgs.includes("--json");
  let command: Command | null = null;
  try {
    const [first] = commandArgs;
    if (first === "--version" || first === "-V") return print(`baton ${VERSION}`);
    if (first === undefined || first === "--help" || first === "-h" || first === "help") {
      return print(helpFor(COMMANDS, out));
    }
    command = COMMANDS.find(({ name }) => name === first) ?? null;
    if (command === null)
      throw new UsageError(`There is no command "${first}".${suggestCommand(first)}`);
    const { args, options } = parse(command, commandArgs.slice(1));
    if (options["help"] === true) return print(helpForCommand(command, out));
    const { usage = command.name, arity: [min, max] = [0, 0] } = command;
    if (args.length < min || args.length > max) throw new UsageError(`Usage: baton ${usage}`);
    if (rest.length > 0 && command.name !== "run") {
      throw new UsageError("Only baton run takes a command after --.");
    }
    const output = await command.run(createContext(args, rest, options, isJson));
    if (output === null) return EXIT.ok;
    if (isJson) process.stdout.write(`${toJsonLine(JSON.stringify(output.json))}\n`);
    else print(output.text);
    return output.exitCode ?? EXIT.ok;
  } catch (error) {
    if (interrupted.signal.aborted) return EXIT.interrupted;
    return printFailure(error, command, isJson);
  }
}

function print(text: string): number {
  if (text !== "") process.stdout.write(`${toTerminal(text)}\n`);
  return EXIT.ok;
}

function printFailure(error: unknown, command: Command | null, isJson: boolean): number {
  const { exitCode, ...failure } = failureOf(error, command);
  if (isJson) {
    process.stderr.write(`${toJsonLine(JSON.stringify({ error: { ...failure, exitCode } }))}\n`);
    return exitCode;
  }
  const { what, why, todo } = failure;
  const example = command === null ? "baton --help" : command.example;
  const lines = [
    `${err.bad(what)}: ${why}`,
    ...todo.map((one) => `  ${one}`),
    err.dim(`  Example: ${example}`),
  ];
  process.stderr.write(`${toTerminal(lines.join("\n"))}\n`);
  return exitCode;
}

function parse(
  { options: commandOptions = {} }: Command,
  argv: readonly string[],
): { args: readonly string[]; options: Record<string, OptionValue> } {
  const options = { ...commandOptions, ...GLOBAL_OPTIONS };
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options,
      allowPositionals: true,
    });
    return { args: positionals, options: values as Record<string, OptionValue> };
  } catch (error) {
    const [message = ""] = (error as Error).message.split(". To specify");
    throw new UsageError(message);
  }
}

function createContext(
  args: readonly string[],
  rest: readonly string[],
  options: Readonly<Record<string, OptionValue>>,
  isJson: boolean,
): Context {
  const home = new Home(process.env);
  const { signal } = interrupted;
  const baton = async (): Promise<Baton> => {
    const { url } = await home.settings();
    const value = options["url"];
    const address =
      (typeof value === "string" ? value : process.env["BATON_URL"]) || url || DEFAULT_URL;
    if (!URL.canParse(address)) throw new UsageError(`"${address}" is not a valid URL.`);
    // Not an option, because every user of the machine can read the arguments of a command.
    const ownerKey = process.env["BATON_KEY"] || (await keyFor(home.folder, address));
    const key = ownerKey === null ? {} : { key: ownerKey };
    return Baton.connect(address, { store: home.store, retry: RETRY, ...key });
  };
  return {
    args,
    rest,
    options,
    ...readOptions(options),
    isJson,
    paint: out,
    home,
    signal,
    baton,
    async session(): Promise<Session> {
      const connected = await baton();
      const value = options["session"];
      const name = typeof value === "string" ? value : (await home.settings()).current;
      if (name === undefined) throw new StoreError("There is no current session.");
      return connected.attach(await home.resolveName(name), { signal });
    },
    write: (text) => void process.stdout.write(isJson ? toJsonLine(text) : toTerminal(text)),
    note: (text) => void process.stderr.write(toTerminal(text)),
  };
}

function suggestCommand(word: string): string {
  const found = COMMANDS.find(({ name }) => name.startsWith(word.slice(0, 3)));
  return found === undefined ? "" : ` Did you mean "${found.name}"?`;
}

process.on("SIGINT", () => interrupted.abort(new Error("interrupted")));
process.on("SIGTERM", () => interrupted.abort(new Error("interrupted")));
// A reader that closes the pipe early (`baton tail | head`) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.ok);
  throw error;
});
process.exitCode = await main(process.argv.slice(2));

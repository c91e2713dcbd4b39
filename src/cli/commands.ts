/** Every command there is. */
import { automationCommands } from "./automation-commands";
import type { Command } from "./command";
import { machineCommands } from "./machine-commands";
import { peopleCommands } from "./people-commands";
import { runCommand } from "./run-command";
import { sessionCommands } from "./session-commands";
import { workCommands } from "./work-commands";

export const COMMANDS: readonly Command[] = [
  ...sessionCommands,
  runCommand,
  ...workCommands,
  ...peopleCommands,
  ...automationCommands,
  ...machineCommands(() => COMMANDS),
];

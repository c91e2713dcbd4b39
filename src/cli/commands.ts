/** Every command there is. */
import { automationCommands } from "./automation-commands";
import { claudeHookCommand } from "./claude-hook-command";
import type { Command } from "./command";
import { endpointsCommand } from "./endpoint-command";
import { evidenceCommands } from "./evidence-commands";
import { jobsCommand } from "./job-commands";
import { keepingCommands } from "./keeping-commands";
import { machineCommands } from "./machine-commands";
import { ownerCommands } from "./owner-commands";
import { peopleCommands } from "./people-commands";
import { runCommand } from "./run-command";
import { sessionCommands } from "./session-commands";
import { startCommand } from "./start-command";
import { uploadCommand } from "./upload-command";
import { waitCommand } from "./wait-command";
import { workCommands } from "./work-commands";

export const COMMANDS: readonly Command[] = [
  ...sessionCommands,
  runCommand,
  ...workCommands,
  uploadCommand,
  jobsCommand,
  ...peopleCommands,
  ...automationCommands,
  waitCommand,
  endpointsCommand,
  claudeHookCommand,
  ...evidenceCommands,
  ...keepingCommands,
  startCommand,
  ...ownerCommands,
  ...machineCommands(() => COMMANDS),
];

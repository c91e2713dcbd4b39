/** The list of all commands. */
import { automationCommands } from "./automation-commands";
import { claudeHookCommand } from "./claude-hook-command";
import type { Command, ListedCommand } from "./command";
import { endpointsCommand } from "./endpoint-command";
import { evidenceCommands } from "./evidence-commands";
import { jobsCommand } from "./job-commands";
import { contentCommands, forgetCommand, lifetimeCommands } from "./lifetime-commands";
import { machineCommands } from "./machine-commands";
import { ownerCommands } from "./owner-commands";
import { participantCommands } from "./participant-commands";
import { runCommand } from "./run-command";
import { sessionCommands } from "./session-commands";
import { startCommand } from "./start-command";
import { uploadCommand } from "./upload-command";
import { waitCommand } from "./wait-command";
import { reviewCommands, workCommands } from "./work-commands";

const inGroup = (
  group: ListedCommand["group"],
  ...commands: readonly Command[]
): readonly ListedCommand[] => commands.map((command) => ({ ...command, group }));

export const COMMANDS: readonly ListedCommand[] = [
  ...inGroup("Sessions", ...sessionCommands),
  ...inGroup("Automation", runCommand),
  ...inGroup("Work", ...workCommands),
  ...inGroup("Review", ...reviewCommands),
  ...inGroup("Work", uploadCommand, jobsCommand),
  ...inGroup("Participants", ...participantCommands),
  ...inGroup("Automation", ...automationCommands, waitCommand, endpointsCommand, claudeHookCommand),
  ...inGroup("Evidence", ...evidenceCommands),
  ...inGroup("Sessions", ...lifetimeCommands),
  ...inGroup("Work", ...contentCommands),
  ...inGroup("This machine", forgetCommand, startCommand),
  ...inGroup("Owners", ...ownerCommands),
  ...inGroup("This machine", ...machineCommands(() => COMMANDS)),
];

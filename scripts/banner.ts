/** The text that a started server prints: its address, and a first request that can be copied and run. */
import { VERSION } from "../src/version.ts";
import type { LocalServer } from "./local-server.ts";

interface Started {
  readonly server: Pick<LocalServer, "url" | "local">;
  readonly dataFolder: string;
  readonly settings: Readonly<Record<string, string>>;
  /** True if any caller can create a session. */
  readonly canCreate: boolean;
}

export function banner({ server, dataFolder, settings, canCreate }: Started): string {
  const { PUBLIC_URL } = settings;
  const url = PUBLIC_URL === undefined ? server.url : new URL(PUBLIC_URL).origin;
  return `Baton ${VERSION} serves on ${server.url}
${url === server.url ? "" : `People and agents reach it at ${url}.\n`}The data is in ${dataFolder}. Press Ctrl-C to stop; nothing is lost.
${agentsText(settings["AGENTS"])}
${canCreate ? firstRequest(url, settings["OWNERS"] !== undefined) : ""}${consoleText(url, server.local)}
The documentation is at ${url}/docs`;
}

function firstRequest(url: string, needsKey: boolean): string {
  const key = needsKey ? ` -H "Authorization: Bearer $BATON_KEY"` : "";
  const whose = needsKey ? " (BATON_KEY is a key of OWNERS that has the right create)" : "";
  return `
Create a session${whose}:
  curl -s -X POST ${url}/sessions${key} -H 'Content-Type: application/json' -d '{"title": "My first session"}'
`;
}

function agentsText(list: string | undefined): string {
  if (list === undefined) {
    return "Any agent name is accepted, and executors need no key: set AGENTS to list agents with keys.";
  }
  const names = (JSON.parse(list) as readonly { readonly name: string }[]).map(({ name }) => name);
  return names.length === 0
    ? "AGENTS lists no agents, so nobody can submit jobs."
    : `The agents are ${names.join(", ")}.`;
}

function consoleText(url: string, local: LocalServer["local"]): string {
  if (local === null) return "";
  const { code, keyFile, minutes } = local;
  return `
See all your sessions in the console (this link works once, within ${minutes} minutes):
  ${url}/console/enter/${code}
Later, sign in at ${url}/console with the key in ${keyFile}. \`baton\` on this machine uses it automatically.
`;
}

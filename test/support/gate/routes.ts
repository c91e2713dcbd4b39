/** Every route there is, as the project itself lists them: what a table must account for. */
import { createApp } from "../../../src/http/app";
import { endpointEntries } from "../../../src/protocol/endpoints";
import { createPages } from "../../../src/ui/app";
import { mcp } from "../mcp-worker";

const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

/** Endpoints of the protocol, by their ids. */
export const endpointIds = (): readonly string[] => endpointEntries.map(([id]) => id);

/** Paths of the API that are no endpoint of the table, each once under its first name. */
export function otherPaths(): readonly string[] {
  const known = new Set(endpointEntries.map(([, { path }]) => honoPath(path)));
  const paths = createApp().routes.map(({ path }) => path.replace(/^\/submissions/, "/sessions"));
  return [...new Set(paths)].filter((path) => !known.has(path) && path !== "/*");
}

export const pageRoutes = (): readonly string[] => [
  ...new Set(createPages().routes.map(({ method, path }) => `${method} ${path}`)),
];

const named = (list: readonly { name: string }[]) => list.map(({ name }) => name);

export async function mcpNames(): Promise<readonly string[]> {
  const tools = await mcp.request("tools/list", {});
  const prompts = await mcp.request("prompts/list", {});
  return [
    ...named(tools.message.result.tools).map((name) => `mcp ${name}`),
    ...named(prompts.message.result.prompts).map((name) => `mcp prompt ${name}`),
  ];
}

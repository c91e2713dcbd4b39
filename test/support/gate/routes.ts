/** All routes of the product. The tables of the gate tests must cover each of them. */
import { apiRouteEntries } from "../../../src/protocol/api-routes";
import {
  consoleRoutes,
  otherRoutes,
  pageRoutes as PAGES,
} from "../../../src/protocol/other-routes";
import { mcp } from "../mcp-worker";

const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\*?\}/g, ":$1");

/** The ids of the API's routes. */
export const apiRouteIds = (): readonly string[] => apiRouteEntries.map(([id]) => id);

/** Paths outside the API, each once. */
export const otherPaths = (): readonly string[] =>
  Object.values(otherRoutes).map(({ path }) => honoPath(path));

export const pageRoutes = (): readonly string[] =>
  Object.values({ ...PAGES, ...consoleRoutes }).map(
    ({ method, path }) => `${method.toUpperCase()} ${honoPath(path)}`,
  );

const named = (list: readonly { name: string }[]) => list.map(({ name }) => name);

export async function mcpNames(): Promise<readonly string[]> {
  const tools = await mcp.request("tools/list", {});
  const prompts = await mcp.request("prompts/list", {});
  return [
    ...named(tools.message.result.tools).map((name) => `mcp ${name}`),
    ...named(prompts.message.result.prompts).map((name) => `mcp prompt ${name}`),
  ];
}

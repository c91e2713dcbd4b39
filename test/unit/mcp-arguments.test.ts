import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { automationTools } from "../../src/mcp/automation-tools.ts";
import { argumentName } from "../../src/mcp/route-input.ts";
import { handoffTools } from "../../src/mcp/handoff-tools.ts";
import { jobTools } from "../../src/mcp/job-tools.ts";
import { ownerTools } from "../../src/mcp/owner-tools.ts";
import { sessionTools } from "../../src/mcp/session-tools.ts";
import type { Tool } from "../../src/mcp/tool-kit.ts";
import { workTools } from "../../src/mcp/work-tools.ts";
import { API_ROUTES } from "../../src/protocol/api-routes.ts";

type DeclaredTool = Tool & {
  readonly omit?: readonly string[];
  readonly extraInput: Readonly<Record<string, z.ZodType>>;
};

const TOOLS = Object.entries({
  ...sessionTools,
  ...workTools,
  ...handoffTools,
  ...automationTools,
  ...jobTools,
  ...ownerTools,
}) as [string, DeclaredTool][];

/** Members that a tool declares itself, and why. */
const OVERRIDDEN: Readonly<Record<string, readonly string[]>> = {
  // Its default differs: a model that cannot resume should create a session.
  resume_session: ["on_invalid"],
  // Not required, because session_id can replace it. `create` is flat.
  open_session: ["external_id", "create"],
};

const bodyOf = (id: keyof typeof API_ROUTES): readonly string[] => {
  const { body } = API_ROUTES[id] as { readonly body?: z.ZodObject };
  return Object.keys(body?.shape ?? {});
};

describe.each(TOOLS)("%s", (name, { route, input, extraInput, omit = [] }) => {
  it("offers every member of its route's request that it does not omit", () => {
    const offered = bodyOf(route).filter((member) => !omit.includes(member));
    const expected = [...Object.keys(extraInput), ...offered.map(argumentName)];
    expect(Object.keys(input.shape).sort()).toEqual(expected.sort());
  });

  it("declares no other member of that request itself", () => {
    const members = new Set(bodyOf(route).map(argumentName));
    const repeated = Object.keys(extraInput).filter((argument) => members.has(argument));
    expect(repeated).toEqual(OVERRIDDEN[name] ?? []);
  });
});

import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { automationTools } from "../../src/mcp/automation-tools.ts";
import { argumentOf } from "../../src/mcp/endpoint-input.ts";
import { handoffTools } from "../../src/mcp/handoff-tools.ts";
import { jobTools } from "../../src/mcp/job-tools.ts";
import { ownerTools } from "../../src/mcp/owner-tools.ts";
import { sessionTools } from "../../src/mcp/session-tools.ts";
import type { Tool } from "../../src/mcp/tool-kit.ts";
import { workTools } from "../../src/mcp/work-tools.ts";
import { ENDPOINTS } from "../../src/protocol/endpoints.ts";

type Declared = Tool & {
  readonly without?: readonly string[];
  readonly takes: Readonly<Record<string, z.ZodType>>;
};

const TOOLS = Object.entries({
  ...sessionTools,
  ...workTools,
  ...handoffTools,
  ...automationTools,
  ...jobTools,
  ...ownerTools,
}) as [string, Declared][];

/** Members that a tool takes in a way of its own, and why. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  // The default is the other one: a model that cannot go on shall begin.
  resume_session: ["on_invalid"],
  // Not required, because session_id may stand in its place; `create` is flat.
  open_session: ["external_id", "create"],
};

const bodyOf = (id: keyof typeof ENDPOINTS): readonly string[] => {
  const { body } = ENDPOINTS[id] as { readonly body?: z.ZodObject };
  return Object.keys(body?.shape ?? {});
};

describe.each(TOOLS)("%s", (name, { of, input, takes, without = [] }) => {
  it("offers every member of its endpoint's request that it does not leave out", () => {
    const offered = bodyOf(of).filter((member) => !without.includes(member));
    const expected = [...Object.keys(takes), ...offered.map(argumentOf)];
    expect(Object.keys(input.shape).sort()).toEqual(expected.sort());
  });

  it("repeats no member of that request by hand", () => {
    const members = new Set(bodyOf(of).map(argumentOf));
    const repeated = Object.keys(takes).filter((argument) => members.has(argument));
    expect(repeated).toEqual(OWN[name] ?? []);
  });
});

/**
 * The table of content for a participant that is narrowed by `ask`, `show` and `events`: whatever it
 * requests, no marked text outside its terms is in any part of any response.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { leaksIn, type ObservedResponse } from "../support/gate/marker";
import { createFixture, type GateFixture } from "../support/gate/fixture";
import {
  ARCP_RESUME,
  FRESH_ACCESS_PATHS,
  HTTP_ACCESS_PATHS,
  MCP_ACCESS_PATHS,
  SOCKET_ACCESS_PATHS,
  type AccessPath,
} from "../support/gate/access-paths";
import type { TestAgent } from "../support/test-agent";

const ACCESS_PATHS = [
  ...HTTP_ACCESS_PATHS,
  ...SOCKET_ACCESS_PATHS,
  ...MCP_ACCESS_PATHS,
  ...FRESH_ACCESS_PATHS,
  ARCP_RESUME,
];

/** Comments of a reviewer, a removed file and a request for input, besides the fixture's content. */
async function addTexts(owner: TestAgent, marker: string): Promise<void> {
  const reviewer = await owner.handOffTo(["review"]);
  await owner.call("POST", "/submit", {});
  await reviewer.call("POST", "/resume", {});
  const fields = { secret: `${marker}-fieldComment` };
  await reviewer.call("POST", "/request-changes", { comment: `${marker}-comment`, fields });
  await owner.call("POST", "/resume", {});
  const file = { name: `${marker}-name`, type: "text/plain", size: 1 };
  await owner.call("POST", "/uploads", { ...file, field: "scan" });
  await owner.call("DELETE", "/uploads/upl_2");
  const note = `${marker}-requestNote`;
  await owner.call("POST", "/request-input", { note, question: `${marker}-question` });
  await owner.call("POST", "/handoffs", { to: "human", scopes: ["view"], note: `${marker}-link` });
}

interface NarrowedKind {
  readonly kind: string;
  readonly scopes: readonly string[];
  readonly terms: object;
  /** The marked parts that it may see. */
  readonly sees: readonly string[];
}

const NARROWED: readonly NarrowedKind[] = [
  {
    kind: "to a field that is empty",
    scopes: ["fill", "handoff"],
    terms: { ask: ["other"] },
    sees: [],
  },
  {
    kind: "to fields that it sees",
    scopes: ["fill", "handoff"],
    terms: { ask: ["other"], show: ["secret", "scan"] },
    sees: ["bytes", "field", "fieldComment", "name"],
  },
  {
    kind: "to types of events",
    scopes: ["fill", "handoff"],
    terms: { events: { append: ["chat.request"], read: ["chat.*"] } },
    sees: [],
  },
  {
    kind: "to a field and every type of event",
    scopes: ["fill", "handoff"],
    terms: {
      ask: ["other"],
      events: { read: ["session.*", "fields.*", "review.*", "upload.*", "handoff.*", "job.*"] },
    },
    sees: [],
  },
];

// Shows NA-2.
describe.each(NARROWED)("a participant narrowed $kind", ({ scopes, terms, sees }) => {
  let fixture: GateFixture;
  const found = new Set<string>();
  beforeAll(async () => {
    const create = { review: { required: true, approvals: 1 } };
    fixture = await createFixture("revoked", { scopes, terms, create, prepare: addTexts });
  });

  /** Each request with a token of its own, because some of them spend it. */
  async function requestBy({ request }: AccessPath): Promise<ObservedResponse> {
    const body = { to: "agent", scopes, ...terms };
    const { handoff, participantToken } = (await fixture.owner.call("POST", "/handoffs", body))
      .body;
    const seen = await request({ ...fixture.subject, token: participantToken }, fixture);
    await fixture.owner.call("POST", "/revoke", { participant: handoff.participant });
    return seen;
  }

  it.each(ACCESS_PATHS)("gets nothing else by $name", async (accessPath) => {
    const seen = await requestBy(accessPath);
    const parts = leaksIn(seen.text, fixture.marker);
    expect(sees, seen.text).toEqual(expect.arrayContaining([...parts]));
    for (const one of parts) found.add(one);
    expect(seen.code).not.toBe("internal");
  });

  it("gets its own part", () => {
    expect([...found].sort()).toEqual(sees);
  });
});

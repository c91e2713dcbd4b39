/** Review and restoring a checkpoint, by tools only. */
import { describe, expect, it } from "vitest";
import { mcp } from "../support/mcp-worker";
import type { Facts } from "../support/mcp";

/** A submitted session, and the token of a reviewer who was added as the response of submit advises. */
async function submitted(): Promise<{ token: string; reviewer: string; text: string }> {
  const created = await mcp.call("create_session", {
    title: "Claim",
    review: { required: true },
    fields: { amount: 1 },
  });
  const sent = await mcp.call("submit", { resume_token: created.facts.resume_token });
  const handedOff = await mcp.call("handoff_to_agent", {
    resume_token: sent.facts.resume_token,
    ...JSON.parse(/handoff_to_agent (\{.*?\})/.exec(sent.text)?.[1] ?? "null"),
  });
  expect(handedOff.isError, handedOff.text).toBe(false);
  const { resume_token: token, participant_token: reviewer } = handedOff.facts;
  return { token, reviewer, text: sent.text };
}

const DECISIONS: readonly (readonly [string, string, string])[] = [
  ["approve", "approved", "review.approved"],
  ["reject", "rejected", "review.rejected"],
  ["request_changes", "awaiting_input", "review.changes_requested"],
];

describe("review_session", () => {
  // Shows Q-10.
  it.each(DECISIONS)("%s leads to %s, with its note in the log", async (decision, state, type) => {
    const { reviewer, text } = await submitted();
    expect(text).toContain("review_session");
    const joined = await mcp.call("resume_session", { resume_token: reviewer });
    const { resume_token } = joined.facts;
    const decided = await mcp.call("review_session", { resume_token, decision, note: "Seen" });

    expect(decided.isError, decided.text).toBe(false);
    expect(decided.facts.session.state).toBe(state);
    const { facts } = await mcp.call("read_events", {
      resume_token: decided.facts.resume_token,
      after: 0,
      types: [type],
    });
    expect(JSON.stringify(facts.events)).toContain("Seen");
  });

  it("is refused to the participant that filled the session, and to one without review", async () => {
    const { token } = await submitted();
    const refused = await mcp.call("review_session", { resume_token: token, decision: "approve" });
    expect(refused.facts.code).toBe("scope_denied");
  });

  it("is the next step that finalize_session names in needs_review", async () => {
    const { token } = await submitted();
    const refused = await mcp.call("finalize_session", { resume_token: token });
    const [first] = refused.facts.nextActions as readonly string[];
    expect(first).toMatch(/review.*handoff_to_human.*review_session/);
    expect(refused.facts.allowed).toContain("review_session");
  });
});

async function savedCheckpoint() {
  const created = await mcp.call("create_session", { fields: { city: "Porto" } });
  const saved = await mcp.call("checkpoint", {
    resume_token: created.facts.resume_token,
    name: "before",
  });
  const changed = await mcp.call("set_fields", {
    resume_token: saved.facts.resume_token,
    fields: { city: "Faro" },
  });
  return { saved, token: changed.facts.resume_token as string };
}

describe("a checkpoint", () => {
  it("is restored by the call that its response names", async () => {
    const { saved, token } = await savedCheckpoint();
    const call: Facts = JSON.parse(/restore_checkpoint (\{.*?\})/.exec(saved.text)?.[1] ?? "null");
    const back = await mcp.call("restore_checkpoint", { resume_token: token, ...call });
    expect(back.isError, back.text).toBe(false);
    const { facts } = await mcp.call("get_session", { resume_token: back.facts.resume_token });
    expect(facts.session.fields).toEqual({ city: "Porto" });
  });

  it("that does not exist is refused with the argument and the source of valid ids", async () => {
    const { token } = await savedCheckpoint();
    const none = await mcp.call("restore_checkpoint", {
      resume_token: token,
      checkpoint: "chk_9",
    });
    expect(none.facts).toMatchObject({ code: "not_found", at: "checkpoint" });
    expect(none.text).toContain('{"after":0,"types":["checkpoint.*"]}');
    const named = await mcp.call("fork_session", { resume_token: token, from: "before" });
    expect(named.facts).toMatchObject({ code: "invalid_request", at: "from" });
    expect(named.text).toContain("such as chk_1");
  });
});

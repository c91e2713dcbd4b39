import { describe, expect, it } from "vitest";
import { sendFrom } from "../support/caller";
import { RawMcp } from "../support/mcp";
import { createOwner, type TestOwner } from "../support/test-owner";

const mcpOf = ({ settings, key }: TestOwner, ownerKey = key): RawMcp =>
  new RawMcp(
    sendFrom(ownerKey === "" ? {} : { Authorization: `Bearer ${ownerKey}` }, settings),
    "http://localhost:8787",
  );

const found = async (from: RawMcp, args: object) =>
  (await from.call("list_sessions", args)).facts.sessions;

describe("MCP with an owner's key", () => {
  it("lists the owner's sessions, and no other's", async () => {
    const owner = createOwner();
    const mcp = mcpOf(owner);
    await owner.create({ title: "Oak", labels: { team: "blue" } });
    await expect.poll(() => found(mcp, { q: "oak" })).toMatchObject([{ title: "Oak" }]);
    expect(await found(mcp, { label: "team:blue", waiting: "agent" })).toHaveLength(1);
    expect(await found(mcp, { state: "cancelled" })).toEqual([]);
    expect(await found(mcpOf(createOwner()), {})).toEqual([]);
    const wrong = await mcp.call("list_sessions", { state: "nowhere" });
    expect(wrong.facts.code).toBe("invalid_request");
    for (const tool of ["list_sessions", "open_session"]) {
      const refused = await mcpOf(owner, "").call(tool, {});
      expect(refused.facts.code).toBe("credential_missing");
      expect(refused.text).toContain("This connection does not send an owner's key");
      expect(refused.text).not.toMatch(/Authorization|rtok_|resume token/);
    }
  });

  it("opens by id and by name, and the token can be used", async () => {
    const owner = createOwner();
    const mcp = mcpOf(owner);
    const created = await mcp.call("open_session", {
      external_id: "x",
      create: true,
      title: "New",
    });
    expect(created.facts).toMatchObject({ outcome: "created", session: { title: "New" } });
    const { id } = created.facts.session;
    const byName = await mcp.call("open_session", { external_id: "x" });
    expect([byName.facts.outcome, byName.facts.session.id]).toEqual(["opened", id]);
    const byId = await mcp.call("open_session", { session_id: id });
    expect(byId.facts.session.id).toBe(id);
    const none = await mcp.call("open_session", { external_id: "none" });
    expect(none.facts.code).toBe("not_found");
    const foreign = await mcpOf(createOwner()).call("open_session", { session_id: id });
    expect(foreign.facts.code).toBe("token_invalid");
    expect(foreign.text).toContain("owner of this key has no session with this id");
    expect(foreign.text).toContain("list_sessions");
    expect(JSON.stringify(foreign)).not.toMatch(/token is|whole token|of this token|GET /);
    const unknown = await mcp.call("open_session", { session_id: "ses_cut" });
    expect(unknown.facts).toEqual(foreign.facts);
    const neither = await mcp.call("open_session", {});
    expect(neither.facts.code).toBe("invalid_request");
  });

  it("reports in terms of tools that a session has ended", async () => {
    const mcp = mcpOf(createOwner());
    const created = await mcp.call("open_session", { external_id: "y", create: true });
    const { resume_token, session } = created.facts;
    await mcp.call("cancel_session", { resume_token });
    const byId = await mcp.call("open_session", { session_id: session.id });
    const byName = await mcp.call("open_session", { external_id: "y" });

    expect(byId.facts).toMatchObject({ code: "illegal_transition", allowed: [] });
    expect(byId.text).toContain("open_session is not possible in state cancelled.");
    expect(byId.text).not.toContain("Possible now");
    expect(byName.facts.code).toBe("expired");
    expect(byName.text).toContain('`on_ended: "fresh"`');
    expect(byName.text).not.toMatch(/externalId|onEnded/);
  });
});

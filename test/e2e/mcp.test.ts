import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startLocalServer, type LocalServer } from "../../scripts/local-server";

let server: LocalServer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-mcp-"));
  const started = await startLocalServer({ port: 0, host: "127.0.0.1", dataFolder: folder });
  if (started === null) throw new Error("the data folder is taken");
  server = started;
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function connect(): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
  return client;
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into results of every shape
type Facts = any;

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<Facts> {
  const result = await client.callTool({ name, arguments: args });
  return { isError: result.isError === true, ...(result.structuredContent as object) };
}

describe("the MCP server", () => {
  it("lists its tools with schemas, titles and annotations", async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      [
        "append_events",
        "cancel_session",
        "check_session",
        "checkpoint",
        "create_session",
        "extend_session",
        "fork_session",
        "get_session",
        "handoff_to_agent",
        "pause_session",
        "read_events",
        "report_stop",
        "resume_session",
        "set_fields",
        "submit",
        "unpause_session",
        "validate",
      ].sort(),
    );
    for (const tool of tools) {
      expect(tool.title, tool.name).toBeTruthy();
      expect(tool.description?.length, tool.name).toBeGreaterThan(20);
      expect(tool.inputSchema.type, tool.name).toBe("object");
      expect(tool.outputSchema?.type, tool.name).toBe("object");
      expect(tool.annotations?.readOnlyHint, tool.name).toBeTypeOf("boolean");
    }
    await client.close();
  });

  it("carries a session from one agent to another and back without losing an event", async () => {
    const a = await connect();
    const begun = await call(a, "create_session", { title: "Relay", actor: { id: "a" } });
    expect(begun.isError).toBe(false);
    const filled = await call(a, "set_fields", {
      resume_token: begun.resume_token,
      fields: { city: "Lisbon" },
      idempotency_key: "fill-1",
    });
    const repeated = await call(a, "set_fields", {
      resume_token: begun.resume_token,
      fields: { city: "Lisbon" },
      idempotency_key: "fill-1",
    });
    expect(repeated.resume_token).toBe(filled.resume_token);
    const handed = await call(a, "handoff_to_agent", {
      resume_token: filled.resume_token,
      scopes: ["fill"],
    });
    const b = await connect();
    const resumed = await call(b, "resume_session", {
      resumeToken: handed.participant_token,
      last_event_seq: begun.session.head,
      actor: { id: "b" },
    });
    expect(resumed.outcome).toBe("resumed");
    const missed = resumed.events.map(({ seq }: Facts) => seq);
    expect(missed).toEqual([...missed.keys()].map((index) => begun.session.head + 1 + index));
    const written = await call(b, "set_fields", {
      resume_token: resumed.resume_token,
      fields: { country: "Portugal" },
    });
    expect(written.isError).toBe(false);
    const stale = await call(a, "set_fields", {
      resume_token: handed.resume_token,
      fields: { city: "Porto" },
    });
    expect(stale).toMatchObject({ isError: true, code: "version_conflict" });
    expect(stale.current.fields.country).toBe("Portugal");
    const caughtUp = await call(a, "set_fields", {
      resume_token: handed.resume_token,
      fields: { city: "Porto" },
      if_version: stale.current.version,
    });
    expect(caughtUp.session.fields).toEqual({ city: "Porto", country: "Portugal" });
    await a.close();
    await b.close();
  });

  it("never begins a session in silence", async () => {
    const client = await connect();
    const wrong = `rtok_${"A".repeat(88)}`;
    const fresh = await call(client, "resume_session", { resume_token: wrong, last_event_seq: 7 });
    expect(fresh).toMatchObject({
      outcome: "fresh",
      warning: { code: "token_invalid", requested: { lastEventSeq: 7 } },
    });
    const failed = await call(client, "resume_session", {
      resume_token: wrong,
      on_invalid: "fail",
    });
    expect(failed).toMatchObject({ isError: true, code: "token_invalid" });
    const begun = await call(client, "create_session", {});
    const moved = await call(client, "set_fields", {
      resume_token: begun.resume_token,
      fields: { a: 1 },
    });
    const superseded = await call(client, "resume_session", { resume_token: begun.resume_token });
    expect(superseded).toMatchObject({ isError: true, code: "token_superseded" });
    expect(JSON.stringify(superseded)).not.toContain(moved.resume_token);
    await client.close();
  });

  it("refuses a foreign Host or Origin", async () => {
    const origin = await fetch(`${server.url}/mcp`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: "https://elsewhere.example" },
      body: "{}",
    });
    expect(origin.status).toBe(403);
  });
});

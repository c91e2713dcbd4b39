import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@cfworker/json-schema";
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callEveryTool } from "../conformance/journey.ts";
import { toolAnswer, withWrongSecret, type Facts, type ToolAnswer } from "../support/mcp.ts";
import { newKey, ownersText } from "../support/owners.ts";
import { ROOT, startServer, temporaryFolder, type Server } from "../support/server.ts";

const folder = temporaryFolder();
const key = newKey();
let server: Server;
beforeAll(async () => {
  server = await startServer(folder.path, undefined, { OWNERS: ownersText({ acme: [key] }) });
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

interface AnyClient {
  readonly revision: string | undefined;
  listTools(): Promise<readonly Facts[]>;
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
  prompt(name: string, args: Record<string, string>): Promise<string>;
  close(): Promise<void>;
}

const headers = { Authorization: `Bearer ${key}` };
const url = (): URL => new URL(`${server.url}/mcp`);
const NAME = { name: "test", version: "1.0.0" };

async function connectModern(mode: "legacy" | { pin: string }): Promise<AnyClient> {
  const client = new ModernClient(NAME, { versionNegotiation: { mode } });
  await client.connect(new ModernTransport(url(), { requestInit: { headers } }));
  return {
    revision: client.getNegotiatedProtocolVersion(),
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args) => toolAnswer(await client.callTool({ name, arguments: args })),
    prompt: async (name, args) => promptText(await client.getPrompt({ name, arguments: args })),
    close: () => client.close(),
  };
}

async function connectLegacy(): Promise<AnyClient> {
  const client = new LegacyClient(NAME);
  const transport = new LegacyTransport(url(), { requestInit: { headers } });
  // Its optional members are not declared for exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    revision: transport.protocolVersion,
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args) => toolAnswer(await client.callTool({ name, arguments: args })),
    prompt: async (name, args) => promptText(await client.getPrompt({ name, arguments: args })),
    close: () => client.close(),
  };
}

const promptText = ({ messages }: Facts): string =>
  messages.map(({ content }: Facts) => content.text).join("\n");

const CLIENTS = [
  ["the v2 client, 2026-07-28", "2026-07-28", () => connectModern({ pin: "2026-07-28" })],
  ["the v2 client, 2025-11-25", "2025-11-25", () => connectModern("legacy")],
  ["the v1 SDK's client, 2025-11-25", "2025-11-25", connectLegacy],
] as const;

describe.each(CLIENTS)("%s", (_, revision, connect) => {
  it("lists every tool with schemas, a title and annotations", async () => {
    const client = await connect();
    const tools = await client.listTools();

    expect(client.revision).toBe(revision);
    expect(tools.length).toBeGreaterThan(0);
    for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
      expect(title, name).toBeTruthy();
      expect(inputSchema.type, name).toBe("object");
      if (name !== "list_sessions") {
        expect(description, name).toMatch(/resume.token|(?:spends|keeps) the token/i);
        expect(outputSchema.properties.resume_token.type, name).toBe("string");
      }
      expect(annotations.readOnlyHint, name).toBeTypeOf("boolean");
    }
    await client.close();
  });

  // Shows Q-2.
  it("calls every tool, and each answer fits its output schema", async () => {
    const client = await connect();
    // Listed first, as agents do: from then on the clients also check every answer against its
    // schema.
    const tools = await client.listTools();
    const called = await callEveryTool(async (name, args) => {
      const { isError, text, facts } = await client.call(name, args);
      expect(isError, `${name}: ${text}`).toBe(false);
      const { outputSchema } = tools.find((tool) => tool.name === name);
      const { valid, errors } = new Validator(outputSchema, "2020-12").validate(facts);
      expect({ valid, errors }, name).toEqual({ valid: true, errors: [] });
      return facts;
    });

    expect([...called].sort()).toEqual(tools.map(({ name }) => name).sort());
    await client.close();
  });

  it("gets refusals as tool errors with code, state and next actions", async () => {
    const client = await connect();
    await client.listTools();
    const created = await client.call("create_session", {});
    const token = created.facts.resume_token;
    await client.call("set_fields", { resume_token: token, fields: { a: 1 } });
    const stale = await client.call("set_fields", { resume_token: token, fields: { a: 2 } });
    const bad = await client.call("get_session", { resume_token: withWrongSecret(token) });

    expect(stale.isError).toBe(true);
    expect(stale.facts).toMatchObject({ code: "token_superseded", current: { fields: { a: 1 } } });
    expect(stale.text).toContain("Use the newest token you hold.");
    expect(bad.isError).toBe(true);
    expect(bad.facts).toMatchObject({ code: "token_invalid" });
    await client.close();
  });

  it("gets the prompt that continues a session", async () => {
    const client = await connect();
    const created = await client.call("create_session", {
      title: "Trip",
      fields: { city: "Lisbon" },
      next_step: { step: 3, description: "Book the train" },
    });
    const { resume_token } = created.facts;
    const events = [{ type: "agent.note", payload: { text: "the hotel is paid" } }];
    await client.call("append_events", { resume_token, events });
    const text = await client.prompt("continue_session", { resume_token });
    const refused = await client.prompt("continue_session", {
      resume_token: withWrongSecret(resume_token),
    });

    expect(text).toContain("step 3: Book the train");
    expect(text).toContain('"city":"Lisbon"');
    expect(text).toContain("the hotel is paid");
    expect(text).not.toContain(resume_token);
    expect(refused).toContain("token_invalid");
    expect(refused).not.toContain("Lisbon");
    await client.close();
  });
});

/** What tools do that are called without a token. */
const WITHOUT_TOKEN = new Map([
  ["create_session", "gives the first"],
  ["list_sessions", "needs no token"],
  ["open_session", "gives one"],
]);

describe("what the server offers", () => {
  it("is small enough to be read into a context", async () => {
    const client = await connectLegacy();
    const size = JSON.stringify(await client.listTools()).length;

    expect(size).toBeLessThan(64 * 1024);
    await client.close();
  });

  it("is in the table of docs/mcp.md, with what each tool does to the token", async () => {
    const client = await connectLegacy();
    const tools = await client.listTools();
    const page = readFileSync(join(ROOT, "docs/mcp.md"), "utf8");
    const rows = [...page.matchAll(/^\| `(\w+)` *\| *([^|]*?) *\| *([^|]*?) *\|/gm)].map(
      ([, name = "", token = "", hints = ""]) => ({ name, token, hints }),
    );

    expect(rows.map(({ name }) => name).sort()).toEqual(tools.map(({ name }) => name).sort());
    for (const { name, token, hints } of rows) {
      const { description, annotations } = tools.find((tool) => tool.name === name);
      const spends = /spends the (?:resume )?token/i.test(description);
      const isTokenKept = /keeps the token/i.test(description);
      const without = WITHOUT_TOKEN.get(name) ?? "";
      expect(token, name).toBe(spends && !isTokenKept ? "spends" : isTokenKept ? "keeps" : without);
      const { readOnlyHint, destructiveHint, idempotentHint } = annotations;
      const expected = [
        readOnlyHint ? "read-only" : "",
        destructiveHint ? "destructive" : "",
        idempotentHint && !readOnlyHint ? "idempotent" : "",
      ];
      expect(hints, name).toBe(expected.filter((hint) => hint !== "").join(", ") || "–");
    }
    await client.close();
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RawMcp, withWrongSecret, type Facts } from "../support/mcp.ts";
import { isLeakedIn } from "../support/secret-scan.ts";
import { startServer, temporaryFolder, type Server } from "../support/server.ts";

const folder = temporaryFolder();
let server: Server;
let mcp: RawMcp;

beforeAll(async () => {
  server = await startServer(folder.path);
  mcp = new RawMcp(fetch, server.url);
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** One call in the newer revision: without a handshake, with everything in the request. */
async function callModern(name: string, args: object): Promise<Facts> {
  const params = { name, arguments: args, _meta: META };
  const { message } = await mcp.post(
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name },
  );
  return message.result.structuredContent;
}

const callLegacy = async (name: string, args: object): Promise<Facts> =>
  (await mcp.call(name, args)).facts;

describe("clients at the same time", () => {
  const CLIENTS = 24;
  const ROUNDS = 4;

  it.each([
    ["2026-07-28", callModern],
    ["2025-11-25", callLegacy],
    // Shows Q-8.
  ])("with equal request ids each get their own answers (%s)", async (_, call) => {
    async function runClient(number: number): Promise<readonly string[]> {
      const name = `client ${number}`;
      let { resume_token, session } = await call("create_session", { title: name });
      const { id } = session;
      const seen: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const fields = { [`of ${number}`]: round };
        ({ resume_token, session } = await call("set_fields", { resume_token, fields }));
        const shown = await call("get_session", { resume_token });
        const { title, fields: storedFields } = shown.session;
        seen.push(
          JSON.stringify([session.id === id && shown.session.id === id, title, storedFields]),
        );
      }
      return seen;
    }

    const numbers = Array.from({ length: CLIENTS }, (_unused, index) => index);
    const results = await Promise.all(numbers.map(runClient));

    for (const [number, seen] of results.entries()) {
      const expected = Array.from({ length: ROUNDS }, (_unused, round) =>
        JSON.stringify([true, `client ${number}`, { [`of ${number}`]: round }]),
      );
      expect(seen).toEqual(expected);
    }
  });
});

describe("the server", () => {
  // Shows Q-9.
  it("writes no token to its output, errors included", async () => {
    const { facts: created } = await mcp.call("create_session", {});
    const first: string = created.resume_token;
    const { facts: next } = await mcp.call("set_fields", {
      resume_token: first,
      fields: { a: 1 },
    });
    const second: string = next.resume_token;
    const wrong = withWrongSecret(second);
    const tokens = [first, second, wrong];

    for (const resume_token of tokens) {
      for (const [name, args] of [
        ["get_session", {}],
        ["set_fields", { fields: "wrong" }],
        ["set_fields", { fields: { a: 2 }, if_version: 999 }],
        ["resume_session", { last_event_seq: 999 }],
        ["submit", { unknown: true }],
        ["read_events", { after: -1 }],
      ] as const) {
        await mcp.request("tools/call", { name, arguments: { resume_token, ...args } });
      }
      // Tokens in wrong places: names of tools, methods and prompts, broken requests.
      await mcp.request("tools/call", { name: resume_token });
      await mcp.request(resume_token, {});
      await mcp.request("prompts/get", { name: resume_token });
      await mcp.request("prompts/get", { name: "continue_session", arguments: { resume_token } });
      await mcp.request("resources/read", { uri: `baton://session/${resume_token}/log` });
      await mcp.post(`{"jsonrpc":"2.0","id":"${resume_token}","method":`);
      await mcp.post("{}", { "Mcp-Session-Id": resume_token, Origin: `https://${resume_token}` });
    }
    // The output comes through a pipe; the next answer comes after it.
    await mcp.call("create_session", {});
    await server.stop();

    const output = server.script.stdout + server.script.stderr;
    expect(output).toContain("serves on");
    expect(isLeakedIn(output, tokens)).toBe(false);
    expect(isLeakedIn(output + second, tokens)).toBe(true);
  });
});

/**
 * A scripted model. It sees only the tools' titles, descriptions and schemas, and the texts and facts of
 * their answers. It picks a tool by words of its description, passes only arguments that the schema
 * names, and takes every id and token from an answer.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { toolAnswer, type Facts } from "./mcp.ts";

interface ToolShown {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: object;
}

export class ScriptedModel implements AsyncDisposable {
  readonly #client: Client;
  readonly #tools: readonly ToolShown[];
  /** The longest answer of each tool it called, in bytes of JSON. */
  readonly sizes = new Map<string, number>();
  /** The size of the tool list that it reads first. */
  readonly listBytes: number;

  private constructor(client: Client, tools: readonly ToolShown[]) {
    this.#client = client;
    this.#tools = tools;
    this.listBytes = JSON.stringify({ tools }).length;
  }

  static async connect(url: string, key: string): Promise<ScriptedModel> {
    const client = new Client({ name: "model", version: "1.0.0" });
    const requestInit = { headers: { Authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    const { tools } = await client.listTools();
    return new ScriptedModel(client, tools as readonly ToolShown[]);
  }

  /** Finds the one tool whose title and description contain all of these words. */
  find(...patterns: readonly RegExp[]): ToolShown {
    const found = this.#tools.filter(({ title = "", description = "" }) =>
      patterns.every((pattern) => pattern.test(`${title}. ${description}`)),
    );
    const [tool] = found;
    if (tool === undefined || found.length > 1) {
      const names = found.map(({ name }) => name).join(", ");
      throw new Error(`${patterns.join(" and ")} is matched by ${names || "no tool"}`);
    }
    return tool;
  }

  async call(tool: ToolShown, args: Record<string, unknown>): Promise<{ text: string } & Facts> {
    const known = Object.keys((tool.inputSchema as { properties?: object }).properties ?? {});
    const guessed = Object.keys(args).filter((name) => !known.includes(name));
    if (guessed.length > 0) throw new Error(`${tool.name} has no argument ${guessed.join(", ")}`);
    const result = await this.#client.callTool({ name: tool.name, arguments: args });
    const size = JSON.stringify(result).length;
    this.sizes.set(tool.name, Math.max(size, this.sizes.get(tool.name) ?? 0));
    const { isError, text, facts } = toolAnswer(result);
    return { ...facts, text, isError };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#client.close();
  }
}

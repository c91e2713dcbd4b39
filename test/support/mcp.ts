/** MCP as plain JSON-RPC over HTTP in the revision 2025-11-25, without product code. */
import type { Send } from "./client";

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into results of every shape
export type Facts = any;

export interface ToolAnswer {
  readonly isError: boolean;
  /** The text for the model. */
  readonly text: string;
  /** The structured content, or for an error the problem. */
  readonly facts: Facts;
}

export interface RpcAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON-RPC message, undefined if there is none. */
  readonly message: Facts;
}

export class RawMcp {
  readonly #send: Send;
  readonly #url: string;

  constructor(send: Send, base: string) {
    this.#send = send;
    this.#url = `${base}/mcp`;
  }

  async post(body: string, headers: Readonly<Record<string, string>> = {}): Promise<RpcAnswer> {
    const response = await this.#send(
      new Request(this.#url, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          ...headers,
        },
        body,
      }),
    );
    const text = await response.text();
    const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
    const json = isStream === true ? /^data: (.*)$/m.exec(text)?.[1] : text;
    const isMessage = json !== undefined && json.startsWith("{");
    return {
      status: response.status,
      headers: response.headers,
      text,
      message: isMessage ? JSON.parse(json) : undefined,
    };
  }

  request(method: string, params: unknown, id: number | string = 1): Promise<RpcAnswer> {
    return this.post(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  }

  async call(name: string, args: unknown, id: number | string = 1): Promise<ToolAnswer> {
    const { message, text } = await this.request("tools/call", { name, arguments: args }, id);
    if (message?.result === undefined) throw new Error(`${name} gave no result: ${text}`);
    return toolAnswer(message.result);
  }
}

export function toolAnswer(result: Facts): ToolAnswer {
  const isError = result.isError === true;
  const [{ text }, second] = result.content;
  return { isError, text, facts: isError ? JSON.parse(second.text) : result.structuredContent };
}

/** The same token with another secret: its last bytes are random. */
export function withWrongSecret(token: string): string {
  const bytes = Buffer.from(token.slice("rtok_".length), "base64url");
  crypto.getRandomValues(bytes.subarray(-16));
  return `rtok_${bytes.toString("base64url")}`;
}

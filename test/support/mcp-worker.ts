/** MCP with the Worker inside the test runtime, under an origin that it accepts. */
import { exports } from "cloudflare:workers";
import { RawMcp } from "./mcp";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };

export const mcp = new RawMcp((request) => worker.default.fetch(request), "http://localhost:8787");

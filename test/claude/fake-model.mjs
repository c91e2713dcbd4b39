/**
 * A model server on loopback. It answers the Messages API with the content that `reply(body)`
 * returns, streamed or not.
 */
import { once } from "node:events";
import { createServer } from "node:http";

const textOf = (request) =>
  new Promise((resolve) => {
    let text = "";
    request.setEncoding("utf8").on("data", (piece) => {
      text += piece;
    });
    request.on("end", () => resolve(text));
  });

export async function startFakeModel(reply) {
  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    const [path] = request.url.split("?");
    if (request.method !== "POST" || path !== "/v1/messages") {
      response.writeHead(404, { "Content-Type": "application/json" });
      return response.end(JSON.stringify({ type: "error", error: { type: "not_found_error" } }));
    }
    const body = JSON.parse(text);
    const content = await reply(body);
    const isTool = content.some(({ type }) => type === "tool_use");
    const message = {
      id: `msg_${Date.now()}`,
      type: "message",
      role: "assistant",
      model: body.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    const stop_reason = isTool ? "tool_use" : "end_turn";
    if (body.stream !== true) {
      response.writeHead(200, { "Content-Type": "application/json" });
      return response.end(JSON.stringify({ ...message, content, stop_reason }));
    }
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const send = (type, data) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    send("message_start", { message });
    for (const [index, block] of content.entries()) {
      const isText = block.type === "text";
      const empty = isText ? { ...block, text: "" } : { ...block, input: {} };
      const delta = isText
        ? { type: "text_delta", text: block.text }
        : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
      send("content_block_start", { index, content_block: empty });
      send("content_block_delta", { index, delta });
      send("content_block_stop", { index });
    }
    send("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: {} });
    send("message_stop", {});
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

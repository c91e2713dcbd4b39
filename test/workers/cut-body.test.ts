/** A body whose sender disconnects in the middle: it is refused, and not a server error. */
import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { client } from "../support/worker";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };

/** Sends the first part and breaks. */
const broken = (): ReadableStream<Uint8Array> => {
  let isFirst = true;
  return new ReadableStream({
    pull(controller) {
      if (!isFirst) return controller.error(new Error("cut off"));
      isFirst = false;
      controller.enqueue(new TextEncoder().encode('{"fields":{"a"'));
    },
  });
};

it.each([
  ["a session", "/events", "application/problem+json"],
  ["MCP", "/mcp", "application/json"],
])("a body that breaks off is refused by %s and changes nothing", async (_, path, type) => {
  const session = await client.create();
  const target = path === "/mcp" ? path : `/sessions/${session.id}${path}`;
  const response = await worker.default.fetch(
    new Request(`http://localhost${target}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${session.token}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: broken(),
    }),
  );
  expect(response.status).toBe(400);
  expect(response.headers.get("Content-Type")).toContain(type);
  const read = await client.on(session, "GET", "", { token: session.token });
  expect(read.body.session.head).toBe(session.answer.body.session.head);
});

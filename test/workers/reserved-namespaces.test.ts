/** Events that only the server writes: no client can append one, on any face. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestAgent } from "../support/test-agent";
import { openTestSocket } from "../support/live/worker-access";
import { mcp } from "../support/mcp-worker";
import { client } from "../support/worker";

const RESERVED = [
  "session",
  "fields",
  "review",
  "upload",
  "handoff",
  "token",
  "job",
  "checkpoint",
  "stop",
  "resume",
  "owner",
  "endpoint",
  "notice",
  "wait",
  "proof",
  "private",
] as const;

const capitalized = (word: string): string => word[0]!.toUpperCase() + word.slice(1);
const TYPES = RESERVED.flatMap((namespace) => [
  `${namespace}.made_up`,
  `${namespace}.a.b`,
  `${capitalized(namespace)}.made_up`,
]);

describe("an event that only the server writes", () => {
  let agent: TestAgent;
  let head: number;
  let socket: Awaited<ReturnType<typeof openTestSocket>>;
  beforeAll(async () => {
    agent = await TestAgent.create(client);
    ({ head } = await agent.session());
    socket = await openTestSocket(agent, { after: head });
    while ((await socket.receive()).type !== "replay.done");
  });
  afterAll(() => socket.close());

  it.each(TYPES)("(%s) is refused over HTTP, WebSocket and MCP", async (type) => {
    const events = [
      { type: "agent.note", payload: {} },
      { type, payload: {} },
    ];
    const posted = await agent.tryCall("POST", "/events", { events });
    expect([posted.status, posted.body.code]).toEqual([400, "invalid_request"]);
    socket.send({ type: "append", id: type, events });
    expect(await socket.receive()).toMatchObject({
      type: "error",
      id: type,
      problem: { status: 400 },
    });
    const called = await mcp.call("append_events", { resume_token: agent.token, events });
    expect([called.isError, called.facts.code]).toEqual([true, "invalid_request"]);
  });

  it("leaves no trace", async () => {
    expect((await agent.session()).head).toBe(head);
  });
});

it("an event of any other namespace is appended", async () => {
  const agent = await TestAgent.create(client);
  await agent.append("agent.note", "owners.note", "sessions.note", "a.session.b");
});

/** MCP Events as plain JSON-RPC over HTTP, with the webhook receiver outside the runtime. */
import { expect } from "vitest";
import type { Env } from "../../src/env";
import { sendFrom } from "./caller";
import { TestAgent } from "./test-agent";
import { RawMcp, type Facts } from "./mcp";
import type { TestOwner } from "./test-owner";
import { client } from "./worker";
import { arrivedAt } from "./worker-endpoints";

export const MCP_EVENTS_ON = { MCP_EVENTS: "on" } as const;
export const SECRET = `whsec_${btoa("a".repeat(32))}`;
export const OTHER_SECRET = `whsec_${btoa("b".repeat(32))}`;
export const BASE = "http://localhost:8787";

export const mcpOf = (owner: TestOwner): RawMcp =>
  new RawMcp(
    sendFrom({ Authorization: `Bearer ${owner.key}` }, { ...owner.settings, ...MCP_EVENTS_ON }),
    BASE,
  );
export const anonymousMcp = new RawMcp(sendFrom({}, MCP_EVENTS_ON), BASE);

export async function callMethod(mcp: RawMcp, method: string, params: object): Promise<Facts> {
  const { message, text } = await mcp.request(method, params);
  if (message === undefined) throw new Error(text);
  return message.result ?? message.error;
}

export const createSession = async (owner: TestOwner): Promise<TestAgent> =>
  new TestAgent(client, await owner.create());

export const poll = (token: string, cursor: string | null, more: object = {}): Promise<Facts> =>
  callMethod(anonymousMcp, "events/poll", {
    name: "session.awaiting_input",
    arguments: { resume_token: token },
    cursor,
    ...more,
  });

const messagesIn = (all: string): Facts[] =>
  [...all.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => JSON.parse(data));

/** The messages of a stream until the server ends it. `heard` waits for one of this kind. */
export async function openEventStream(
  token: string,
  cursor: string | null,
  changes: Partial<Env> = {},
): Promise<{
  readonly messages: Promise<Facts[]>;
  heard(kind: string): Promise<void>;
}> {
  const request = {
    jsonrpc: "2.0",
    id: 7,
    method: "events/stream",
    params: { name: "session.awaiting_input", arguments: { resume_token: token }, cursor },
  };
  const response = await sendFrom(
    {},
    { ...MCP_EVENTS_ON, ...changes },
  )(
    new Request(`${BASE}/mcp`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(request),
    }),
  );
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const readUntil = async (isEnough: () => boolean): Promise<string> => {
    while (!isEnough()) {
      const { done = true, value = "" } = (await reader?.read()) ?? {};
      if (done) return text;
      text += value;
    }
    return text;
  };
  await readUntil(() => text.includes("notifications/events/active"));
  return {
    messages: readUntil(() => false).then(messagesIn),
    heard: (kind) => expect.poll(() => text.includes(`notifications/events/${kind}"`)).toBe(true),
  };
}

interface SubscriptionRequest {
  readonly name?: string;
  readonly args?: object;
  readonly secret?: string;
  readonly more?: object;
}

export const subscribe = (
  owner: TestOwner,
  path: string,
  subscription: SubscriptionRequest = {},
): Promise<Facts> => {
  const { name = "session.awaiting_input", args = {}, secret = SECRET, more = {} } = subscription;
  const delivery = { mode: "webhook", url: `https://receiver.test${path}`, secret };
  return callMethod(mcpOf(owner), "events/subscribe", { name, arguments: args, delivery, ...more });
};

export const unsubscribe = (owner: TestOwner, path: string, args: object = {}): Promise<Facts> =>
  callMethod(mcpOf(owner), "events/unsubscribe", {
    name: "session.awaiting_input",
    arguments: args,
    delivery: { url: `https://receiver.test${path}` },
  });

export const bodies = async (path: string): Promise<readonly Facts[]> =>
  (await arrivedAt(path)).map(({ text }) => JSON.parse(text));
export const events = async (path: string): Promise<readonly Facts[]> =>
  (await bodies(path)).filter((body) => body.type === undefined);
export const controls = async (path: string): Promise<readonly string[]> =>
  (await bodies(path)).flatMap((body) => (body.type === undefined ? [] : [body.type]));

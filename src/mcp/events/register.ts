/**
 * Registers the methods of MCP Events, a draft, if MCP_EVENTS is "on". They follow the design sketch at
 * the revision below, and change with it. https://github.com/modelcontextprotocol/
 * experimental-ext-triggers-events/blob/6104601d/docs/design-sketch-proposal.md
 */
import type { McpServer, Result, ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Env } from "../../env";
import type { Caller } from "../../gateway/caller";
import { Gateway } from "../../gateway/gateway";
import { OwnerGateway } from "../../gateway/owner-gateway";
import { Subscriptions } from "../../gateway/subscriptions";
import { jsonProblem } from "../../protocol/parse-json";
import { invalid } from "../../domain/failure";
import { EVENT_DEFINITIONS } from "./definitions";
import { callbackError, eventError, unknownEvent, unsupportedMode } from "./event-errors";
import {
  isEventName,
  pollParams,
  streamParams,
  subscribeParams,
  unsubscribeParams,
} from "./params";
import { parseCursor, pollEvents, type EventReader } from "./read-events";
import { streamEvents } from "./stream-events";

export const EVENTS_CAPABILITY = { events: { listChanged: false } };

export const hasEvents = ({ MCP_EVENTS }: Pick<Env, "MCP_EVENTS">): boolean => MCP_EVENTS === "on";

export function registerEvents(
  { server }: McpServer,
  env: Env,
  callerOf: () => Caller,
  authorization: string | null,
): void {
  const handle = <S extends z.ZodType>(
    method: string,
    params: S,
    respond: (reader: EventReader, params: z.output<S>, context: ServerContext) => Promise<Result>,
  ): void =>
    server.setRequestHandler(method, { params }, (sent, context) => {
      const caller = callerOf();
      const reader = { gateway: new Gateway(env, caller), caller, authorization };
      return withCallLog(method, caller, respond(reader, sent as z.output<S>, context));
    });
  server.setRequestHandler("events/list", { params: z.looseObject({}) }, () => ({
    events: EVENT_DEFINITIONS,
  }));
  handle("events/poll", pollParams, pollEvents);
  handle("events/stream", streamParams, streamEvents);
  handle("events/subscribe", subscribeParams, ({ caller }, params) =>
    subscribe(env, caller, params),
  );
  handle("events/unsubscribe", unsubscribeParams, ({ caller }, params) =>
    unsubscribe(env, caller, params),
  );
}

/** Reports the method and its code for the log line of the request, as for a tool call. */
async function withCallLog<T>(
  method: string,
  { telemetry }: Caller,
  response: Promise<T>,
): Promise<T> {
  const report = (code?: string): void =>
    telemetry?.report({ telemetry, route: "/mcp", operation: method, code: code as never });
  try {
    const value = await response;
    report();
    return value;
  } catch (error) {
    report(codeIn(error));
    throw error;
  }
}

const codeIn = (error: unknown): string =>
  (error as { readonly data?: { readonly code?: string } } | null)?.data?.code ?? "invalid_request";

async function subscribe(env: Env, caller: Caller, params: z.output<typeof subscribeParams>) {
  const { name, delivery, cursor, maxAgeMs, ttlMs } = params;
  const { session_id: session, labels } = params.arguments;
  const holder = await new OwnerGateway(env, caller).admit("manage");
  if (!holder.ok) throw eventError(holder.error);
  if (!isEventName(name)) throw unknownEvent(name);
  if (delivery.mode !== "webhook") throw unsupportedMode(delivery.mode);
  const problem = jsonProblem(params.arguments);
  if (problem !== null) throw eventError(invalid(problem, "arguments"));
  const reply = await new Subscriptions(env, caller).subscribe(holder.value, {
    name,
    session,
    labels,
    url: delivery.url,
    secret: delivery.secret,
    cursor: parseCursor(cursor),
    maxAgeMs: maxAgeMs ?? undefined,
    ttlMs,
  });
  if (!reply.ok) throw eventError(reply.failure);
  if ("unwilling" in reply.value) throw callbackError(reply.value.unwilling);
  return { ...reply.value };
}

async function unsubscribe(env: Env, caller: Caller, params: z.output<typeof unsubscribeParams>) {
  const { session_id: session, labels } = params.arguments;
  const holder = await new OwnerGateway(env, caller).admit("manage");
  if (!holder.ok) throw eventError(holder.error);
  if (!isEventName(params.name)) throw unknownEvent(params.name);
  const key = { name: params.name, session, labels, url: params.delivery.url };
  const reply = await new Subscriptions(env, caller).unsubscribe(holder.value, key);
  if (!reply.ok) throw eventError(reply.failure);
  return {};
}

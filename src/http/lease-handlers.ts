/** Leases and effects that happen once, over HTTP. */
import type { Gateway } from "../gateway/gateway";
import { answerEmpty, answerJson, replayedHeader } from "./answers";
import { answerRefusal, answerReply, type SomeHandlers } from "./handler";

export const leaseHandlers = {
  async takeLease({ gateway, principal, params, body, idempotencyKey }) {
    const { ttlMs, number = null } = body;
    const request = { name: params["name"] ?? "", ttlMs, number };
    const reply = await gateway.takeLease(principal, request, idempotencyKey);
    if (!reply.ok) return answerRefusal(reply);
    const { lease, replayed } = reply.value;
    return answerJson(201, { lease }, replayedHeader(replayed));
  },

  async releaseLease({ gateway, principal, params }) {
    const reply = await gateway.releaseLease(principal, params["name"] ?? "");
    return reply.ok ? answerEmpty(204) : answerRefusal(reply);
  },

  async startOnce({ gateway, principal, params, body, idempotencyKey }) {
    const { retry = false } = body;
    const reply = await gateway.startOnce(principal, params["key"] ?? "", retry, idempotencyKey);
    if (!reply.ok) return answerRefusal(reply);
    const { once, isStarted, replayed } = reply.value;
    return answerJson(isStarted ? 201 : 200, { once }, replayedHeader(replayed));
  },

  async endOnce({ gateway, principal, params, body }) {
    const result = body.result as Parameters<Gateway["endOnce"]>[2];
    const reply = await gateway.endOnce(principal, params["key"] ?? "", result);
    return answerReply(reply, (once) => ({ once }));
  },
} satisfies SomeHandlers;

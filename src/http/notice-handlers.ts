/** Endpoints of a session over HTTP. */
import { LIMITS } from "../domain/limits";
import { SessionEndpoints } from "../gateway/session-endpoints";
import { answerReply, answerWrite, answerRefusal, type SomeHandlers, type Input } from "./handler";

export const endpointIdIn = (params: Input["params"]): string => params["endpointId"] ?? "";

export const toDeliveryPage = ({ deliveries, next }: { deliveries: unknown; next: unknown }) => ({
  deliveries,
  nextCursor: next,
});

export const noticeHandlers = {
  async addEndpoint(input) {
    const { use, principal, body } = input;
    const reply = await use(SessionEndpoints).add(principal, body, input);
    if (!reply.ok) return answerRefusal(reply);
    const { answer, secret } = reply.value;
    return answerWrite(answer, { endpoint: answer.outcome["endpoint"], secret }, 201);
  },

  async listEndpoints({ use, principal }) {
    return answerReply(await use(SessionEndpoints).list(principal), (endpoints) => ({
      endpoints,
    }));
  },

  async getEndpoint({ use, principal, params }) {
    const reply = await use(SessionEndpoints).get(principal, endpointIdIn(params));
    return answerReply(reply, (endpoint) => ({ endpoint }));
  },

  async changeEndpoint(input) {
    const { use, principal, params, body } = input;
    const reply = await use(SessionEndpoints).change(principal, endpointIdIn(params), body, input);
    if (!reply.ok) return answerRefusal(reply);
    const { answer } = reply.value;
    return answerWrite(answer, { endpoint: answer.outcome["endpoint"] });
  },

  async removeEndpoint(input) {
    const reply = await input
      .use(SessionEndpoints)
      .remove(input.principal, endpointIdIn(input.params), input);
    return reply.ok ? answerWrite(reply.value) : answerRefusal(reply);
  },

  async rotateEndpoint(input) {
    const reply = await input
      .use(SessionEndpoints)
      .rotate(input.principal, endpointIdIn(input.params), input);
    if (!reply.ok) return answerRefusal(reply);
    const { answer, secret } = reply.value;
    return answerWrite(answer, { endpoint: answer.outcome["endpoint"], secret });
  },

  async listDeliveries({ use, principal, params, query }) {
    const { limit = LIMITS.deliveriesPage, cursor = null } = query;
    const reply = await use(SessionEndpoints).deliveries(
      principal,
      endpointIdIn(params),
      cursor,
      limit,
    );
    return answerReply(reply, toDeliveryPage);
  },

  async replayDeliveries(input) {
    const { use, principal, params, body } = input;
    const reply = await use(SessionEndpoints).replay(principal, endpointIdIn(params), body, input);
    return reply.ok ? answerWrite(reply.value) : answerRefusal(reply);
  },
} satisfies SomeHandlers;

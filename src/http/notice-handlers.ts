/** Endpoints of a session over HTTP. */
import { LIMITS } from "../domain/limits";
import { answerJson } from "./answers";
import { answerWrite, refused, type SomeHandlers, type Input } from "./handler";

const idIn = (params: Input["params"]): string => params["endpointId"] ?? "";

export const noticeHandlers = {
  async addEndpoint(input) {
    const { endpoints, presented, body } = input;
    const reply = await endpoints.add(presented, body, input);
    if (!reply.ok) return refused(reply);
    const { answer, secret } = reply.value;
    return answerWrite(answer, { endpoint: answer.outcome["endpoint"], secret }, 201);
  },

  async listEndpoints({ endpoints, presented }) {
    const reply = await endpoints.list(presented);
    return reply.ok ? answerJson(200, { endpoints: reply.value }) : refused(reply);
  },

  async getEndpoint({ endpoints, presented, params }) {
    const reply = await endpoints.get(presented, idIn(params));
    return reply.ok ? answerJson(200, { endpoint: reply.value }) : refused(reply);
  },

  async changeEndpoint(input) {
    const { endpoints, presented, params, body } = input;
    const reply = await endpoints.change(presented, idIn(params), body, input);
    if (!reply.ok) return refused(reply);
    const { answer } = reply.value;
    return answerWrite(answer, { endpoint: answer.outcome["endpoint"] });
  },

  async removeEndpoint(input) {
    const reply = await input.endpoints.remove(input.presented, idIn(input.params), input);
    return reply.ok ? answerWrite(reply.value) : refused(reply);
  },

  async rotateEndpoint(input) {
    const reply = await input.endpoints.rotate(input.presented, idIn(input.params), input);
    if (!reply.ok) return refused(reply);
    const { answer, secret } = reply.value;
    return answerWrite(answer, { endpoint: answer.outcome["endpoint"], secret });
  },

  async listDeliveries({ endpoints, presented, params, query }) {
    const { limit = LIMITS.deliveriesPage, cursor = null } = query;
    const reply = await endpoints.deliveries(presented, idIn(params), cursor, limit);
    if (!reply.ok) return refused(reply);
    const { deliveries, next } = reply.value;
    return answerJson(200, { deliveries, nextCursor: next });
  },

  async replayDeliveries(input) {
    const { endpoints, presented, params, body } = input;
    const reply = await endpoints.replay(presented, idIn(params), body, input);
    return reply.ok ? answerWrite(reply.value) : refused(reply);
  },
} satisfies SomeHandlers;

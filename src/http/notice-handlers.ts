/** Endpoints of a session over HTTP. */
import { LIMITS } from "../domain/limits";
import { answered, answerWrite, refused, type SomeHandlers, type Input } from "./handler";

export const idIn = (params: Input["params"]): string => params["endpointId"] ?? "";

export const deliveriesIn = ({ deliveries, next }: { deliveries: unknown; next: unknown }) => ({
  deliveries,
  nextCursor: next,
});

export const noticeHandlers = {
  async addEndpoint(input) {
    const { endpoints, presented, body } = input;
    const reply = await endpoints.add(presented, body, input);
    if (!reply.ok) return refused(reply);
    const { answer, secret } = reply.value;
    return answerWrite(answer, { endpoint: answer.outcome["endpoint"], secret }, 201);
  },

  async listEndpoints({ endpoints, presented }) {
    return answered(await endpoints.list(presented), (listed) => ({ endpoints: listed }));
  },

  async getEndpoint({ endpoints, presented, params }) {
    const reply = await endpoints.get(presented, idIn(params));
    return answered(reply, (endpoint) => ({ endpoint }));
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
    return answered(reply, deliveriesIn);
  },

  async replayDeliveries(input) {
    const { endpoints, presented, params, body } = input;
    const reply = await endpoints.replay(presented, idIn(params), body, input);
    return reply.ok ? answerWrite(reply.value) : refused(reply);
  },
} satisfies SomeHandlers;

/** Endpoints of a session over HTTP. */
import { LIMITS } from "../domain/limits";
import { Endpoints } from "../gateway/endpoints";
import { answered, answerWrite, refused, type SomeHandlers, type Input } from "./handler";

export const idIn = (params: Input["params"]): string => params["endpointId"] ?? "";

export const deliveriesIn = ({ deliveries, next }: { deliveries: unknown; next: unknown }) => ({
  deliveries,
  nextCursor: next,
});

export const noticeHandlers = {
  async addEndpoint(input) {
    const { use, presented, body } = input;
    const reply = await use(Endpoints).add(presented, body, input);
    if (!reply.ok) return refused(reply);
    const { answer, secret } = reply.value;
    return answerWrite(answer, { endpoint: answer.outcome["endpoint"], secret }, 201);
  },

  async listEndpoints({ use, presented }) {
    return answered(await use(Endpoints).list(presented), (listed) => ({ endpoints: listed }));
  },

  async getEndpoint({ use, presented, params }) {
    const reply = await use(Endpoints).get(presented, idIn(params));
    return answered(reply, (endpoint) => ({ endpoint }));
  },

  async changeEndpoint(input) {
    const { use, presented, params, body } = input;
    const reply = await use(Endpoints).change(presented, idIn(params), body, input);
    if (!reply.ok) return refused(reply);
    const { answer } = reply.value;
    return answerWrite(answer, { endpoint: answer.outcome["endpoint"] });
  },

  async removeEndpoint(input) {
    const reply = await input.use(Endpoints).remove(input.presented, idIn(input.params), input);
    return reply.ok ? answerWrite(reply.value) : refused(reply);
  },

  async rotateEndpoint(input) {
    const reply = await input.use(Endpoints).rotate(input.presented, idIn(input.params), input);
    if (!reply.ok) return refused(reply);
    const { answer, secret } = reply.value;
    return answerWrite(answer, { endpoint: answer.outcome["endpoint"], secret });
  },

  async listDeliveries({ use, presented, params, query }) {
    const { limit = LIMITS.deliveriesPage, cursor = null } = query;
    const reply = await use(Endpoints).deliveries(presented, idIn(params), cursor, limit);
    return answered(reply, deliveriesIn);
  },

  async replayDeliveries(input) {
    const { use, presented, params, body } = input;
    const reply = await use(Endpoints).replay(presented, idIn(params), body, input);
    return reply.ok ? answerWrite(reply.value) : refused(reply);
  },
} satisfies SomeHandlers;

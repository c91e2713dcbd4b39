/** Endpoints of a session over HTTP. */
import { LIMITS } from "../domain/limits";
import { answered, answerWrite, refused, type SomeHandlers, type Input } from "./handler";

export const idIn = (params: Input["params"]): string => params["endpointId"] ?? "";

export const pageIn = ({ cursor, limit }: Input<"listDeliveries">["query"]) =>
  [cursor ?? null, limit ?? LIMITS.deliveriesPage] as const;

export const asDeliveries = <T>({ deliveries, next }: { deliveries: T; next: number | null }) => ({
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

  listEndpoints: ({ endpoints, presented }) =>
    answered(endpoints.list(presented), (found) => ({ endpoints: found })),

  getEndpoint: ({ endpoints, presented, params }) =>
    answered(endpoints.get(presented, idIn(params)), (endpoint) => ({ endpoint })),

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

  listDeliveries: ({ endpoints, presented, params, query }) =>
    answered(endpoints.deliveries(presented, idIn(params), ...pageIn(query)), asDeliveries),

  async replayDeliveries(input) {
    const { endpoints, presented, params, body } = input;
    const reply = await endpoints.replay(presented, idIn(params), body, input);
    return reply.ok ? answerWrite(reply.value) : refused(reply);
  },
} satisfies SomeHandlers;

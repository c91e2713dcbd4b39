/** Endpoints of an owner over HTTP. */
import { LIMITS } from "../domain/limits";
import type { EndpointView } from "../domain/notices/endpoint";
import type { Reply } from "../object/messages";
import { answerJson, answerProblem } from "./answers";
import type { SomeHandlers, Input } from "./handler";

const idIn = (params: Input["params"]): string => params["endpointId"] ?? "";

const answerOne = (reply: Reply<EndpointView>): Response =>
  reply.ok ? answerJson(200, { endpoint: reply.value }) : answerProblem(reply.failure);

export const ownerNoticeHandlers = {
  async addOwnerEndpoint({ ownerEndpoints, presented, body }) {
    const reply = await ownerEndpoints.add(presented, body);
    return reply.ok ? answerJson(201, reply.value) : answerProblem(reply.failure);
  },

  async listOwnerEndpoints({ ownerEndpoints, presented }) {
    const reply = await ownerEndpoints.list(presented);
    return reply.ok ? answerJson(200, { endpoints: reply.value }) : answerProblem(reply.failure);
  },

  async getOwnerEndpoint({ ownerEndpoints, presented, params }) {
    return answerOne(await ownerEndpoints.get(presented, idIn(params)));
  },

  async changeOwnerEndpoint({ ownerEndpoints, presented, params, body }) {
    return answerOne(await ownerEndpoints.change(presented, idIn(params), body));
  },

  async removeOwnerEndpoint({ ownerEndpoints, presented, params }) {
    return answerOne(await ownerEndpoints.remove(presented, idIn(params)));
  },

  async rotateOwnerEndpoint({ ownerEndpoints, presented, params }) {
    const reply = await ownerEndpoints.rotate(presented, idIn(params));
    return reply.ok ? answerJson(200, reply.value) : answerProblem(reply.failure);
  },

  async listOwnerDeliveries({ ownerEndpoints, presented, params, query }) {
    const { limit = LIMITS.deliveriesPage, cursor = null } = query;
    const reply = await ownerEndpoints.deliveries(presented, idIn(params), cursor, limit);
    if (!reply.ok) return answerProblem(reply.failure);
    const { deliveries, next } = reply.value;
    return answerJson(200, { deliveries, nextCursor: next });
  },

  async replayOwnerDeliveries({ ownerEndpoints, presented, params, body }) {
    return answerOne(await ownerEndpoints.replay(presented, idIn(params), body));
  },
} satisfies SomeHandlers;

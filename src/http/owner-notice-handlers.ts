/** Endpoints of an owner over HTTP. */
import { LIMITS } from "../domain/limits";
import type { EndpointView } from "../domain/notices/endpoint";
import type { Reply } from "../object/messages";
import { answered, type SomeHandlers } from "./handler";
import { idIn, deliveriesIn } from "./notice-handlers";

const answerOne = (reply: Reply<EndpointView>): Response =>
  answered(reply, (endpoint) => ({ endpoint }));

export const ownerNoticeHandlers = {
  addOwnerEndpoint: async ({ ownerEndpoints, presented, body }) =>
    answered(await ownerEndpoints.add(presented, body), undefined, 201),

  listOwnerEndpoints: async ({ ownerEndpoints, presented }) =>
    answered(await ownerEndpoints.list(presented), (endpoints) => ({ endpoints })),

  getOwnerEndpoint: async ({ ownerEndpoints, presented, params }) =>
    answerOne(await ownerEndpoints.get(presented, idIn(params))),

  changeOwnerEndpoint: async ({ ownerEndpoints, presented, params, body }) =>
    answerOne(await ownerEndpoints.change(presented, idIn(params), body)),

  removeOwnerEndpoint: async ({ ownerEndpoints, presented, params }) =>
    answerOne(await ownerEndpoints.remove(presented, idIn(params))),

  rotateOwnerEndpoint: async ({ ownerEndpoints, presented, params }) =>
    answered(await ownerEndpoints.rotate(presented, idIn(params))),

  async listOwnerDeliveries({ ownerEndpoints, presented, params, query }) {
    const { limit = LIMITS.deliveriesPage, cursor = null } = query;
    const reply = await ownerEndpoints.deliveries(presented, idIn(params), cursor, limit);
    return answered(reply, deliveriesIn);
  },

  replayOwnerDeliveries: async ({ ownerEndpoints, presented, params, body }) =>
    answerOne(await ownerEndpoints.replay(presented, idIn(params), body)),
} satisfies SomeHandlers;

/** Endpoints of an owner over HTTP. */
import { LIMITS } from "../domain/limits";
import type { EndpointView } from "../domain/notices/endpoint";
import { OwnerEndpoints } from "../gateway/owner-endpoints";
import type { Reply } from "../object/messages";
import { answered, type SomeHandlers } from "./handler";
import { idIn, deliveriesIn } from "./notice-handlers";

const answerOne = (reply: Reply<EndpointView>): Response =>
  answered(reply, (endpoint) => ({ endpoint }));

export const ownerNoticeHandlers = {
  addOwnerEndpoint: async ({ use, presented, body }) =>
    answered(await use(OwnerEndpoints).add(presented, body), undefined, 201),

  listOwnerEndpoints: async ({ use, presented }) =>
    answered(await use(OwnerEndpoints).list(presented), (endpoints) => ({ endpoints })),

  getOwnerEndpoint: async ({ use, presented, params }) =>
    answerOne(await use(OwnerEndpoints).get(presented, idIn(params))),

  changeOwnerEndpoint: async ({ use, presented, params, body }) =>
    answerOne(await use(OwnerEndpoints).change(presented, idIn(params), body)),

  removeOwnerEndpoint: async ({ use, presented, params }) =>
    answerOne(await use(OwnerEndpoints).remove(presented, idIn(params))),

  rotateOwnerEndpoint: async ({ use, presented, params }) =>
    answered(await use(OwnerEndpoints).rotate(presented, idIn(params))),

  async listOwnerDeliveries({ use, presented, params, query }) {
    const { limit = LIMITS.deliveriesPage, cursor = null } = query;
    const reply = await use(OwnerEndpoints).deliveries(presented, idIn(params), cursor, limit);
    return answered(reply, deliveriesIn);
  },

  replayOwnerDeliveries: async ({ use, presented, params, body }) =>
    answerOne(await use(OwnerEndpoints).replay(presented, idIn(params), body)),
} satisfies SomeHandlers;

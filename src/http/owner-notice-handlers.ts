/** Endpoints of an owner over HTTP. */
import { LIMITS } from "../domain/limits";
import type { EndpointView } from "../domain/notices/endpoint";
import { OwnerEndpoints } from "../gateway/owner-endpoints";
import type { Reply } from "../object/messages";
import { answerReply, type SomeHandlers } from "./handler";
import { endpointIdIn, toDeliveryPage } from "./notice-handlers";

const answerOne = (reply: Reply<EndpointView>): Response =>
  answerReply(reply, (endpoint) => ({ endpoint }));

export const ownerNoticeHandlers = {
  addOwnerEndpoint: async ({ use, principal, body }) =>
    answerReply(await use(OwnerEndpoints).add(principal, body), undefined, 201),

  listOwnerEndpoints: async ({ use, principal }) =>
    answerReply(await use(OwnerEndpoints).list(principal), (endpoints) => ({ endpoints })),

  getOwnerEndpoint: async ({ use, principal, params }) =>
    answerOne(await use(OwnerEndpoints).get(principal, endpointIdIn(params))),

  changeOwnerEndpoint: async ({ use, principal, params, body }) =>
    answerOne(await use(OwnerEndpoints).change(principal, endpointIdIn(params), body)),

  removeOwnerEndpoint: async ({ use, principal, params }) =>
    answerOne(await use(OwnerEndpoints).remove(principal, endpointIdIn(params))),

  rotateOwnerEndpoint: async ({ use, principal, params }) =>
    answerReply(await use(OwnerEndpoints).rotate(principal, endpointIdIn(params))),

  async listOwnerDeliveries({ use, principal, params, query }) {
    const { limit = LIMITS.deliveriesPage, cursor = null } = query;
    const reply = await use(OwnerEndpoints).deliveries(
      principal,
      endpointIdIn(params),
      cursor,
      limit,
    );
    return answerReply(reply, toDeliveryPage);
  },

  replayOwnerDeliveries: async ({ use, principal, params, body }) =>
    answerOne(await use(OwnerEndpoints).replay(principal, endpointIdIn(params), body)),
} satisfies SomeHandlers;

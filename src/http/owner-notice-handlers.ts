/** Endpoints of an owner over HTTP. */
import type { EndpointView } from "../domain/notices/endpoint";
import { answered, type SomeHandlers } from "./handler";
import { asDeliveries, idIn, pageIn } from "./notice-handlers";

const one = (endpoint: EndpointView) => ({ endpoint });

export const ownerNoticeHandlers = {
  addOwnerEndpoint: ({ ownerEndpoints, presented, body }) =>
    answered(ownerEndpoints.add(presented, body), undefined, 201),
  listOwnerEndpoints: ({ ownerEndpoints, presented }) =>
    answered(ownerEndpoints.list(presented), (endpoints) => ({ endpoints })),
  getOwnerEndpoint: ({ ownerEndpoints, presented, params }) =>
    answered(ownerEndpoints.get(presented, idIn(params)), one),
  changeOwnerEndpoint: ({ ownerEndpoints, presented, params, body }) =>
    answered(ownerEndpoints.change(presented, idIn(params), body), one),
  removeOwnerEndpoint: ({ ownerEndpoints, presented, params }) =>
    answered(ownerEndpoints.remove(presented, idIn(params)), one),
  rotateOwnerEndpoint: ({ ownerEndpoints, presented, params }) =>
    answered(ownerEndpoints.rotate(presented, idIn(params))),
  listOwnerDeliveries: ({ ownerEndpoints, presented, params, query }) =>
    answered(ownerEndpoints.deliveries(presented, idIn(params), ...pageIn(query)), asDeliveries),
  replayOwnerDeliveries: ({ ownerEndpoints, presented, params, body }) =>
    answered(ownerEndpoints.replay(presented, idIn(params), body), one),
} satisfies SomeHandlers;

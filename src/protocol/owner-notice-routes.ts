/** Routes of an owner's webhook endpoints, which receive the notices of all its sessions. They need a key. */
import * as z from "zod";
import { ownerKeyRoute, okResponse, createdResponse, type ApiRoute } from "./api-route";
import { deliveryPage, endpointSchema, secret } from "./notice-routes";
import * as requests from "./notice-requests";
import { namedSchema } from "./named-schemas";

const PATH = "/endpoints";
const ONE_PATH = `${PATH}/{endpointId}`;
const manageRoute = <M extends ApiRoute["method"]>(method: M, summary: string) =>
  ({
    ...ownerKeyRoute(method, "manage"),
    summary,
    failures: ["not_configured", "not_found"],
  }) as const;
const endpointAnswer = namedSchema("OwnerEndpointShown", { endpoint: endpointSchema });
const endpointWithSecret = namedSchema("OwnerEndpointWithSecret", {
  endpoint: endpointSchema,
  secret,
});

export const ownerNoticeRoutes = {
  addOwnerEndpoint: {
    ...manageRoute("post", "Register an address for notices of all the owner's sessions"),
    path: PATH,
    body: requests.addEndpointBody,
    responses: createdResponse("Registered", endpointWithSecret),
    failures: ["not_configured"],
  },
  listOwnerEndpoints: {
    ...manageRoute("get", "The owner's endpoints, oldest first"),
    path: PATH,
    responses: okResponse(
      "The endpoints",
      namedSchema("OwnerEndpoints", { endpoints: z.array(endpointSchema) }),
    ),
    failures: ["not_configured"],
  },
  getOwnerEndpoint: {
    ...manageRoute("get", "One endpoint of the owner"),
    path: ONE_PATH,
    responses: okResponse("The endpoint", endpointAnswer),
  },
  changeOwnerEndpoint: {
    ...manageRoute("patch", "Change an endpoint of the owner, or end its suspension"),
    path: ONE_PATH,
    body: requests.changeEndpointBody,
    responses: okResponse("Changed", endpointAnswer),
  },
  removeOwnerEndpoint: {
    ...manageRoute("delete", "Remove an endpoint of the owner with its deliveries"),
    path: ONE_PATH,
    responses: okResponse("Removed", endpointAnswer),
  },
  rotateOwnerEndpoint: {
    ...manageRoute("post", "Create a new secret; the old one also signs for a day"),
    path: `${ONE_PATH}/rotate`,
    responses: okResponse("Rotated", endpointWithSecret),
  },
  listOwnerDeliveries: {
    ...manageRoute("get", "Deliveries of an owner's endpoint with their attempts, newest first"),
    path: `${ONE_PATH}/deliveries`,
    query: requests.deliveriesQuery,
    responses: okResponse("Deliveries", namedSchema("OwnerDeliveries", deliveryPage)),
  },
  replayOwnerDeliveries: {
    ...manageRoute(
      "post",
      "Send deliveries of an owner's endpoint again: one, or all since a time",
    ),
    path: `${ONE_PATH}/replay`,
    body: requests.replayBody,
    responses: okResponse("They will be sent", endpointAnswer),
  },
} as const satisfies Record<string, ApiRoute>;

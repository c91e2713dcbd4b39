/** Routes of an owner's webhook endpoints, which receive the notices of all its sessions. These routes need an owner's key. */
import * as z from "zod";
import { ownerKeyRoute, okResponse, createdResponse, type ApiRoute } from "./api-route";
import { deliveryPage, endpointSchema, secret } from "./notice-routes";
import * as requests from "./notice-requests";
import { namedSchema } from "./named-schemas";

const PATH = "/endpoints";
const ENDPOINT_PATH = `${PATH}/{endpointId}`;
const manageRoute = <M extends ApiRoute["method"]>(method: M, summary: string) =>
  ({
    ...ownerKeyRoute(method, "manage"),
    summary,
    failures: ["not_configured", "not_found"],
  }) as const;
const endpointResponse = namedSchema("OwnerEndpointShown", { endpoint: endpointSchema });
const endpointWithSecret = namedSchema("OwnerEndpointWithSecret", {
  endpoint: endpointSchema,
  secret,
});

export const ownerNoticeRoutes = {
  addOwnerEndpoint: {
    ...manageRoute("post", "Register an endpoint for notices of all the owner's sessions"),
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
    path: ENDPOINT_PATH,
    responses: okResponse("The endpoint", endpointResponse),
  },
  changeOwnerEndpoint: {
    ...manageRoute("patch", "Change an endpoint of the owner, or end its suspension"),
    path: ENDPOINT_PATH,
    body: requests.changeEndpointBody,
    responses: okResponse("Changed", endpointResponse),
  },
  removeOwnerEndpoint: {
    ...manageRoute("delete", "Remove an endpoint of the owner with its deliveries"),
    path: ENDPOINT_PATH,
    responses: okResponse("Removed", endpointResponse),
  },
  rotateOwnerEndpoint: {
    ...manageRoute(
      "post",
      "Create a new signing secret; for one day, deliveries are signed with the old one too",
    ),
    path: `${ENDPOINT_PATH}/rotate`,
    responses: okResponse("Rotated", endpointWithSecret),
  },
  listOwnerDeliveries: {
    ...manageRoute("get", "Deliveries of an owner's endpoint with their attempts, newest first"),
    path: `${ENDPOINT_PATH}/deliveries`,
    query: requests.deliveriesQuery,
    responses: okResponse("Deliveries", namedSchema("OwnerDeliveries", deliveryPage)),
  },
  replayOwnerDeliveries: {
    ...manageRoute(
      "post",
      "Send deliveries of an owner's endpoint again: one, or all since a time",
    ),
    path: `${ENDPOINT_PATH}/replay`,
    body: requests.replayBody,
    responses: okResponse("The deliveries will be sent again", endpointResponse),
  },
} as const satisfies Record<string, ApiRoute>;

/** Where notices of all sessions of an owner are posted: the same routes as for one session, by a key. */
import * as z from "zod";
import { sameOriginByKey, done, made, type Endpoint } from "./endpoint";
import { deliveryPage, endpointSchema, secret } from "./notice-endpoints";
import * as requests from "./notice-requests";
import { named } from "./shapes";

const PATH = "/endpoints";
const ONE = `${PATH}/{endpointId}`;
const manages = <M extends Endpoint["method"]>(method: M, summary: string) =>
  ({
    ...sameOriginByKey(method, "manage"),
    summary,
    failures: ["not_configured", "not_found"],
  }) as const;
const one = named("OwnerEndpointShown", { endpoint: endpointSchema });
const withSecret = named("OwnerEndpointWithSecret", { endpoint: endpointSchema, secret });

export const ownerNoticeEndpoints = {
  addOwnerEndpoint: {
    ...manages("post", "Register an address for notices of all the owner's sessions"),
    path: PATH,
    body: requests.addEndpointBody,
    answers: made("Registered", withSecret),
    failures: ["not_configured"],
  },
  listOwnerEndpoints: {
    ...manages("get", "The owner's endpoints, oldest first"),
    path: PATH,
    answers: done("The endpoints", named("OwnerEndpoints", { endpoints: z.array(endpointSchema) })),
    failures: ["not_configured"],
  },
  getOwnerEndpoint: {
    ...manages("get", "One endpoint of the owner"),
    path: ONE,
    answers: done("The endpoint", one),
  },
  changeOwnerEndpoint: {
    ...manages("patch", "Change an endpoint of the owner, or end its suspension"),
    path: ONE,
    body: requests.changeEndpointBody,
    answers: done("Changed", one),
  },
  removeOwnerEndpoint: {
    ...manages("delete", "Remove an endpoint of the owner with its deliveries"),
    path: ONE,
    answers: done("Removed", one),
  },
  rotateOwnerEndpoint: {
    ...manages("post", "Create a new secret; the old one also signs for a day"),
    path: `${ONE}/rotate`,
    answers: done("Rotated", withSecret),
  },
  listOwnerDeliveries: {
    ...manages("get", "Deliveries of an owner's endpoint with their attempts, newest first"),
    path: `${ONE}/deliveries`,
    query: requests.deliveriesQuery,
    answers: done("Deliveries", named("OwnerDeliveries", deliveryPage)),
  },
  replayOwnerDeliveries: {
    ...manages("post", "Send deliveries of an owner's endpoint again: one, or all since a time"),
    path: `${ONE}/replay`,
    body: requests.replayBody,
    answers: done("They will be sent", one),
  },
} as const satisfies Record<string, Endpoint>;

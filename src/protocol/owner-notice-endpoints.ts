/** Where notices of all sessions of an owner are posted: the same routes as for one session, by a key. */
import * as z from "zod";
import { byKey, done, made, type Endpoint } from "./endpoint";
import { deliverySchema, endpointSchema, secret } from "./notice-endpoints";
import {
  addEndpointBody,
  changeEndpointBody,
  deliveriesQuery,
  replayBody,
} from "./notice-requests";
import { named } from "./shapes";

const PATH = "/endpoints";
const ONE = `${PATH}/{endpointId}`;
const managing = { ...byKey, right: "manage", failures: ["not_configured", "not_found"] } as const;
const one = named("OwnerEndpointShown", { endpoint: endpointSchema });
const withSecret = named("OwnerEndpointWithSecret", { endpoint: endpointSchema, secret });

export const ownerNoticeEndpoints = {
  addOwnerEndpoint: {
    ...managing,
    method: "post",
    path: PATH,
    summary: "Register an address for notices of all the owner's sessions",
    body: addEndpointBody,
    answers: made("Registered", withSecret),
    failures: ["not_configured"],
  },
  listOwnerEndpoints: {
    ...managing,
    method: "get",
    path: PATH,
    summary: "The owner's endpoints, oldest first",
    answers: done("The endpoints", named("OwnerEndpoints", { endpoints: z.array(endpointSchema) })),
    failures: ["not_configured"],
  },
  getOwnerEndpoint: {
    ...managing,
    method: "get",
    path: ONE,
    summary: "One endpoint of the owner",
    answers: done("The endpoint", one),
  },
  changeOwnerEndpoint: {
    ...managing,
    method: "patch",
    path: ONE,
    summary: "Change an endpoint of the owner, or end its suspension",
    body: changeEndpointBody,
    answers: done("Changed", one),
  },
  removeOwnerEndpoint: {
    ...managing,
    method: "delete",
    path: ONE,
    summary: "Remove an endpoint of the owner with its deliveries",
    answers: done("Removed", one),
  },
  rotateOwnerEndpoint: {
    ...managing,
    method: "post",
    path: `${ONE}/rotate`,
    summary: "Create a new secret; the old one also signs for a day",
    answers: done("Rotated", withSecret),
  },
  listOwnerDeliveries: {
    ...managing,
    method: "get",
    path: `${ONE}/deliveries`,
    summary: "Deliveries of an owner's endpoint with their attempts, newest first",
    query: deliveriesQuery,
    answers: done(
      "Deliveries",
      named("OwnerDeliveries", {
        deliveries: z.array(deliverySchema),
        nextCursor: z.int().nullable(),
      }),
    ),
  },
  replayOwnerDeliveries: {
    ...managing,
    method: "post",
    path: `${ONE}/replay`,
    summary: "Send deliveries of an owner's endpoint again: one, or all since a time",
    body: replayBody,
    answers: done("They will be sent", one),
  },
} as const satisfies Record<string, Endpoint>;
